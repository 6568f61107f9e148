#include "backend/cpu/families/row.hpp"

#include <bit>

namespace eglantine::cpu {

namespace {

using What = RowStep::What;

constexpr int64_t row_lanes = 256, run_steps = 16;

/// One thread's scratch for a line.
class RowWorker {
 public:
  explicit RowWorker(const RowTask& task)
      : task_(task),
        whole_(task.strided && task.width == task.rows),
        folded_(task.length * task.width),
        runs_(std::max(task.width, row_lanes) * 64),
        pointers_(task.values.size()) {
    for (const RowTask::Step& step : task.steps) evaluators_.emplace_back(step.program);
    for (size_t i = 0; i < task.values.size(); ++i) {
      values_.emplace_back(task.values[i].of_row ? task.width : task.length * task.width);
      spread_.emplace_back(task.reach_elements[i] ? spread_length() : 0);
    }
  }

  void run(int64_t line) {
    width_ = task_.width_of(line);
    for (size_t i = 0; i < task_.steps.size(); ++i) run(line, task_.steps[i], evaluators_[i]);
  }

 private:
  void run(int64_t line, const RowTask::Step& step, Evaluator& evaluator) {
    if (step.of_row) return run_row(line, step, evaluator);
    switch (step.what) {
      case What::keep:
        return spans(line, step.program, [&](int64_t at, int64_t count, int64_t place) {
          evaluator.of_chain(at, count, values_at(place), data(step.value) + place);
        });
      case What::store:
        return spans(line, step.program, [&](int64_t at, int64_t count, int64_t place) {
          step.out->write(at, count, evaluator.of_chain(at, count, values_at(place)));
        });
      default:
        return fold(line, step, evaluator);
    }
  }

  /// Of the rows of a line, one after the other.
  void run_row(int64_t line, const RowTask::Step& step, Evaluator& evaluator) {
    const int64_t start = line * task_.width;
    for (size_t i = 0; i < pointers_.size(); ++i) pointers_[i] = values_[i].data();
    const Word* result = evaluator.of_chain(start, width_, pointers_.data());
    if (step.what == What::store) return step.out->write(start, width_, result);
    std::copy(result, result + width_, data(step.value));
    spread(step.value);
  }

  void fold(int64_t line, const RowTask::Step& step, Evaluator& evaluator) {
    const bool known = step.accumulator >= 0 && !task_.values[static_cast<size_t>(step.accumulator)].of_row;
    if (!known)
      spans(line, step.program, [&](int64_t at, int64_t count, int64_t place) {
        evaluator.of_chain(at, count, values_at(place), folded_.data() + place);
      });
    combined(*step.combine, known ? data(step.accumulator) : folded_.data(), data(step.value));
    spread(step.value);
  }

  Word* data(int value) { return values_[static_cast<size_t>(value)].data(); }

  /// A value of a row beside each element of a block, or of the line: of a single row the same for all, of strided ones
  /// as often as a block has steps.
  int64_t spread_length() const {
    if (task_.strided) return whole_ ? task_.width + block_elements : task_.width;
    return task_.width == 1 ? std::min(task_.length, block_elements) : task_.width * task_.length;
  }
  void spread(int value) {
    if (!task_.reach_elements[static_cast<size_t>(value)]) return;
    Word* to = spread_[static_cast<size_t>(value)].data();
    const Word* from = data(value);
    const int64_t length = spread_length();
    if (task_.strided) {
      for (int64_t i = 0; i < length; i += width_) std::copy_n(from, std::min(width_, length - i), to + i);
      return;
    }
    const int64_t each = task_.width == 1 ? length : task_.length;
    for (int64_t row = 0; row < width_; ++row) std::fill_n(to + row * each, each, from[row]);
  }

  /// The values of the elements from `place` of the line on.
  const Word* const* values_at(int64_t place) {
    const int64_t row = task_.strided ? place % width_ : task_.width == 1 ? 0 : place;
    for (size_t i = 0; i < pointers_.size(); ++i)
      pointers_[i] = task_.values[i].of_row ? spread_[i].data() + row : values_[i].data() + place;
    return pointers_.data();
  }

  /// Calls f(at, count, position in the line) for elements [at, at + count) of the domain, over all steps of the line.
  template <class F>
  void spans(int64_t line, const EvaluatorProgram& program, F f) {
    const int64_t spans_per_line = task_.strided && !whole_ ? task_.length : 1,
                  span_length = task_.strided && !whole_ ? width_ : task_.length * width_;
    for (int64_t i = 0; i < spans_per_line; ++i) {
      const int64_t start = task_.strided ? i * task_.rows + line * task_.width : line * task_.width * task_.length;
      for (int64_t at = start, count = 0; at < start + span_length; at += count) {
        count = program.span(at, start + span_length);
        f(at, count, i * width_ + (at - start));
      }
    }
  }

  /// Pairwise over the steps of steps x lanes values: error O(log steps). depth < 64, as steps < 2^64.
  void fold(const ReductionBlocks& combine, const Word* x, int64_t steps, int64_t lanes, Word* out, int depth = 0) {
    if (steps <= run_steps) {
      std::copy(x, x + lanes, out);
      for (int64_t i = 1; i < steps; ++i) combine.accumulate(out, x + i * lanes, lanes);
      return;
    }
    const int64_t half = steps / 2;
    Word* other = runs_.data() + depth * lanes;
    fold(combine, x, half, lanes, out, depth + 1);
    fold(combine, x + half * lanes, steps - half, lanes, other, depth + 1);
    combine.accumulate(out, other, lanes);
  }

  /// Combines each row of the line to one value.
  void combined(const ReductionBlocks& combine, const Word* x, Word* out) {
    if (task_.strided) return fold(combine, x, task_.length, width_, out);
    for (int64_t row = 0; row < width_; ++row) out[row] = combined_row(combine, x + row * task_.length);
  }

  Word combined_row(const ReductionBlocks& combine, const Word* x) {
    const int64_t lanes =
        std::min(row_lanes, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(task_.length))));
    const int64_t steps = task_.length / lanes;
    Word* sums = runs_.data() + 63 * std::max(task_.width, row_lanes);
    fold(combine, x, steps, lanes, sums);
    combine.accumulate(sums, x + steps * lanes, task_.length - steps * lanes);
    for (int64_t half = lanes / 2; half > 0; half /= 2) combine.accumulate(sums, sums + half, half);
    return sums[0];
  }

  const RowTask& task_;
  bool whole_;  ///< a line is all rows, so that its steps lie one behind the other
  std::vector<Evaluator> evaluators_;
  std::vector<Words> values_, spread_;  ///< of the chain, of a line; and beside elements
  Words folded_, runs_;
  std::vector<const Word*> pointers_;
  int64_t width_ = 1;
};

}  // namespace

void run_row(const RowKernel& kernel, ThreadPool& pool) {
  RowTask task(kernel);
  pool.parallel_for(task.lines(), grain(task.length * task.width), [&](int64_t begin, int64_t end) {
    RowWorker worker(task);
    for (int64_t line = begin; line < end; ++line) worker.run(line);
  });
  if (kernel.gathered) task.outside.throw_if_any(*kernel.gathered->check);
}

}  // namespace eglantine::cpu
