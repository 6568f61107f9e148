#include "backend/cpu/instructions/evaluator.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "backend/cpu/instructions/runs.hpp"

namespace eglantine::cpu {

namespace {

constexpr std::align_val_t alignment{64};
constexpr int64_t lone_row = 256;  // rows this long are evaluated alone, in place; shorter ones gathered in full blocks

void copy(Word* to, const Word* from, int64_t count) { std::memcpy(to, from, static_cast<size_t>(count * word_bytes)); }

/// to[i] = the element index[i] on from from[i * step]. A function of its own: among the interpreter's steps the loop's
/// pointers would be on the stack.
template <class From>
[[gnu::noinline]] void read_run(const From* from, int64_t step, const Word* index, int64_t count, Word* to) {
  if (step == 0)
    for (int64_t i = 0; i < count; ++i) to[i] = computed_bits(from[static_cast<int32_t>(index[i])]);
  else
    for (int64_t i = 0; i < count; ++i, from += step) to[i] = computed_bits(from[static_cast<int32_t>(index[i])]);
}

/// to[i] = the element as many on as index[i] says from where the layout leads.
void read_at(const Elements& x, const Word* index, int64_t start, int64_t count, Word* to) {
  const int64_t step = inner_stride(x.layout());
  x.with_memory([&](const auto* memory) {
    for_runs(x.layout(), start, count, [&](int64_t position, int64_t length, int64_t address) {
      read_run(memory + address, step, index + position, length, to + position);
    });
  });
}

/// to[i] = index[i] from the start of an axis of that length; 0 of one out of range.
void check(const Word* index, const Word* place, const Word* length, int64_t count, FirstOutside& outside, Word* to) {
  for (int64_t i = 0; i < count; ++i) {
    const Word from_start = static_cast<int32_t>(index[i]) < 0 ? index[i] + length[i] : index[i];
    const bool is_inside = from_start < length[i];
    to[i] = is_inside ? from_start : 0;
    if (!is_inside) outside.record(place[i], index[i]);
  }
}

void number(const Layout& x, int64_t start, int64_t count, Word* out) {
  for_runs(x, start, count, [&](int64_t position, int64_t length, int64_t address) {
    const uint32_t first = static_cast<uint32_t>(address), step = static_cast<uint32_t>(inner_stride(x));
    Word* to = out + position;
    for (uint32_t i = 0; i < static_cast<uint32_t>(length); ++i) to[i] = first + i * step;
  });
}

}  // namespace

Words::Words(int64_t count)
    : data_(static_cast<Word*>(
          ::operator new(static_cast<size_t>(std::max<int64_t>(count, 1) * word_bytes), alignment))) {}

void Words::Free::operator()(Word* data) const { ::operator delete(data, alignment); }

EvaluatorProgram::EvaluatorProgram(const Expr& expr, const std::vector<int32_t>& results)
    : indices_(expr.iotas), elements_(expr.domain.elements()), inner_(expr.domain[expr.domain.rank() - 1]) {
  for (const Strided& operand : expr.operands) operands_.emplace_back(operand);
  for (const Instruction& instruction : expr.code) {
    BlockStep step{.op = instruction.op, .args = instruction.args};
    const auto argument = [&](int i) {
      return expr.code[static_cast<size_t>(instruction.args[static_cast<size_t>(i)])];
    };
    switch (instruction.op) {
      case Op::load: {
        const Elements& operand = operands_[static_cast<size_t>(instruction.args[0])];
        if (const PiecewiseRead* how = expr.piecewise_of(static_cast<size_t>(instruction.args[0]))) {
          step.piecewise = static_cast<int>(piecewise_.size());
          piecewise_.emplace_back(expr, *how);
          in_rows_ = true;
          break;
        }
        step.constant = operand.is_splat() && elements_ > 0;
        if (step.constant) step.bits = operand.element(operand.layout().offset);
        in_rows_ = in_rows_ || (!operand.is_contiguous() && !operand.is_splat());
        break;
      }
      case Op::parameter:
        step.constant = true;
        step.bits = expr.parameters[static_cast<size_t>(instruction.args[0])];
        break;
      case Op::iota:
      case Op::accumulator:
      case Op::store:
      case Op::load_at:
      case Op::checked_index:
        break;
      case Op::custom:
        step.custom = expr.calls[static_cast<size_t>(instruction.args[0])].op;
        step.custom_args = expr.calls[static_cast<size_t>(instruction.args[0])].args;
        break;
      case Op::cast:
        step.block = cast_block(argument(0).dtype, instruction.dtype);
        break;
      default: {
        int last = 0;
        while (last < 2 && instruction.args[static_cast<size_t>(last) + 1] >= 0) ++last;
        step.block = elementwise_block(instruction.op, argument(last).dtype);
      }
    }
    steps_.push_back(step);
  }
  assign_slots(results);
}

// A register is reused after its last reader, to keep long expressions in the cache. Constants keep theirs.
void EvaluatorProgram::assign_slots(const std::vector<int32_t>& results) {
  std::vector<size_t> last_use(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    last_use[i] = std::max(last_use[i], i);
    for (const int32_t argument : steps_[i].custom_args) last_use[static_cast<size_t>(argument)] = i;
    if (steps_[i].op == Op::store) last_use[static_cast<size_t>(steps_[i].args[0])] = i;
    if (steps_[i].op == Op::load_at) last_use[static_cast<size_t>(steps_[i].args[1])] = i;
    if (steps_[i].block == nullptr && steps_[i].op != Op::checked_index) continue;
    for (const int32_t argument : steps_[i].args)
      if (argument >= 0) last_use[static_cast<size_t>(argument)] = i;
  }
  for (const int32_t result : results) last_use[static_cast<size_t>(result)] = steps_.size() - 1;
  std::vector<int> free;
  std::vector<std::vector<int>> ends(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (free.empty() || steps_[i].constant) {
      steps_[i].slot = slots_++;
    } else {
      steps_[i].slot = free.back();
      free.pop_back();
    }
    if (!steps_[i].constant) ends[last_use[i]].push_back(steps_[i].slot);
    free.insert(free.end(), ends[i].begin(), ends[i].end());
  }
}

int64_t EvaluatorProgram::span(int64_t start, int64_t end) const {
  const int64_t count = std::min(end - start, block_elements);
  if (!in_rows_) return count;
  if (inner_ >= lone_row) return std::min(count, inner_ - start % inner_);
  const int64_t whole = (start + count) / inner_ * inner_ - start;
  return whole > 0 ? whole : count;
}

Evaluator::Evaluator(const EvaluatorProgram& program)
    : program_(program), registers_(program.slots_ * block_elements), values_(program.steps_.size()) {
  for (size_t i = 0; i < values_.size(); ++i) {
    const EvaluatorProgram::BlockStep& step = program.steps_[i];
    if (!step.constant) continue;
    std::fill_n(slot(step.slot), block_elements, step.bits);
    values_[i] = slot(step.slot);
  }
}

const Word* Evaluator::operator()(int64_t start, int64_t count, const Word* accumulator, Word* out) {
  const size_t last = values_.size() - 1;
  for (size_t i = 0; i <= last; ++i)
    if (!program_.steps_[i].constant)
      values_[i] =
          step(i, start, count, accumulator, i == last && out != nullptr ? out : slot(program_.steps_[i].slot));
  if (out == nullptr || values_[last] == out) return values_[last];
  copy(out, values_[last], count);
  return out;
}

const Word* Evaluator::of_chain(int64_t start, int64_t count, const Word* const* values, Word* out) {
  chain_ = values;
  return (*this)(start, count, nullptr, out);
}

const Word* Evaluator::step(size_t number_of_step, int64_t start, int64_t count, const Word* accumulator, Word* to) {
  const EvaluatorProgram::BlockStep& step = program_.steps_[number_of_step];
  const auto value = [&](size_t i) { return step.args[i] < 0 ? nullptr : values_[static_cast<size_t>(step.args[i])]; };
  switch (step.op) {
    case Op::load:
      if (step.piecewise >= 0) return program_.piecewise_[static_cast<size_t>(step.piecewise)].read(start, count, to);
      return program_.operands_[static_cast<size_t>(step.args[0])].read(start, count, to);
    case Op::load_at:
      read_at(program_.operands_[static_cast<size_t>(step.args[0])], value(1), start, count, to);
      return to;
    case Op::checked_index:
      check(value(0), value(1), value(2), count, *program_.outside_, to);
      return to;
    case Op::iota:
      number(program_.indices_[static_cast<size_t>(step.args[0])], start, count, to);
      return to;
    case Op::accumulator:
      return step.args[0] < 0 ? accumulator : chain_[step.args[0]];
    case Op::store:
      program_.operands_[static_cast<size_t>(step.args[1])].write(start, count, value(0));
      return nullptr;
    case Op::custom: {
      std::vector<const Word*> args;
      for (const int32_t argument : step.custom_args) args.push_back(values_[static_cast<size_t>(argument)]);
      custom_block(*step.custom, to, args, count);
      return to;
    }
    default:
      step.block(to, value(0), value(1), value(2), count);
      return to;
  }
}

}  // namespace eglantine::cpu
