#include "lower/contraction/stored_epilogue.hpp"

#include <algorithm>
#include <vector>

#include "graph/expression.hpp"
#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

/// Copies of what some instructions need.
class NeededCopy {
 public:
  explicit NeededCopy(const Expr& from) : from_(from), to_(from.domain), made_(from.code.size(), -1) {}

  void put(int32_t i, int32_t made) { made_[static_cast<size_t>(i)] = made; }
  ExpressionBuilder& to() { return to_; }

  int32_t copy(int32_t i) {
    int32_t& made = made_[static_cast<size_t>(i)];
    if (made >= 0) return made;
    const Instruction& step = from_.code[static_cast<size_t>(i)];
    for_each_argument(from_, step, [&](int32_t argument) { copy(argument); });
    return made = add(step);
  }

 private:
  int32_t add(const Instruction& step) {
    const auto table = static_cast<size_t>(std::max(0, step.args[0]));
    switch (step.op) {
      case Op::load:
        return to_.load(from_.operands[table]);
      case Op::parameter:
        return to_.parameter(step.dtype, from_.parameters[table]);
      case Op::iota:
        return to_.iota(from_.iotas[table]);
      case Op::accumulator:
        return to_.accumulator(step.dtype);
      case Op::store:
        to_.store(made_[table], from_.operands[static_cast<size_t>(step.args[1])]);
        return made_[table];
      default:
        break;
    }
    std::array<int32_t, 3> args = step.args;
    for (int32_t& argument : args)
      if (argument >= 0) argument = made_[static_cast<size_t>(argument)];
    return to_.operation(step.op, step.dtype, args);
  }

  const Expr& from_;
  ExpressionBuilder to_;
  std::vector<int32_t> made_;  ///< by instruction
};

bool is_copied(const Expr& epilogue) {
  return epilogue.piecewise.empty() && epilogue.calls.empty() &&
         std::ranges::none_of(epilogue.code, [](const Instruction& step) { return step.op == Op::load_at; });
}

Expr needed_for(const Expr& epilogue, int32_t value) {
  NeededCopy copy(epilogue);
  copy.to().end_with(copy.copy(value));
  return copy.to().take();
}

/// What is left where value `stored` is read at `out`: the other stores, and the value.
Expr rest_of(const Expr& epilogue, int32_t store, const Strided& out) {
  NeededCopy copy(epilogue);
  copy.put(epilogue.code[static_cast<size_t>(store)].args[0], copy.to().load(out));
  for (int32_t i = 0; i < static_cast<int32_t>(epilogue.code.size()); ++i)
    if (i != store && epilogue.code[static_cast<size_t>(i)].op == Op::store) copy.copy(i);
  copy.to().end_with(copy.copy(static_cast<int32_t>(epilogue.code.size()) - 1));
  return copy.to().take();
}

bool uses_accumulator(const Expr& x) {
  return std::ranges::any_of(x.code, [](const Instruction& step) { return step.op == Op::accumulator; });
}

bool is_short(const Expr& x) {
  return std::ranges::none_of(x.code, [&](const Instruction& step) { return takes_many_steps(x, step); });
}

}  // namespace

std::optional<SplitEpilogue> split_at_stored(const Expr& epilogue) {
  if (!is_copied(epilogue)) return std::nullopt;
  for (int32_t i = 0; i < static_cast<int32_t>(epilogue.code.size()); ++i) {
    const Instruction& step = epilogue.code[static_cast<size_t>(i)];
    if (step.op != Op::store) continue;
    const Strided& out = epilogue.operands[static_cast<size_t>(step.args[1])];
    if (out.storage != StorageType::f32 || out.layout.strides != layout::contiguous(epilogue.domain).strides) continue;
    SplitEpilogue split{needed_for(epilogue, step.args[0]), out, rest_of(epilogue, i, out)};
    if (is_short(split.first) && uses_accumulator(split.first) && !uses_accumulator(split.rest)) return split;
  }
  return std::nullopt;
}

}  // namespace eglantine::lower
