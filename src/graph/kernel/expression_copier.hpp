#pragma once

#include <functional>
#include <vector>

#include "graph/kernel/expression.hpp"

namespace eglantine {

/// Copies an expression into another, as often as is asked for, each layout changed. What several copies load and
/// compute alike is there once, and each scalar is one parameter. Computed addresses are not copied (copyable()).
class ExpressionCopier {
 public:
  using Change = std::function<Layout(const Layout&)>;  ///< of a layout over the expression's domain

  ExpressionCopier(const Expr& from, ExpressionBuilder& to)
      : from_(from), to_(to), parameters_(from.parameters.size(), -1), made_(from.code.size(), -1) {}

  /// The instruction that is the copy's value. accumulator: the instruction that stands for the accumulator; -1: the
  /// copy's own.
  int32_t copy(const Change& change, int32_t accumulator = -1);

  /// The same of one instruction and what it needs, layouts unchanged, in the copy that others of this are in.
  int32_t copy_needed(int32_t step);
  void stand_in(int32_t step, int32_t made) { made_[static_cast<size_t>(step)] = made; }  ///< instead of its copy

  static bool copyable(const Expr& expr);

 private:
  int32_t copy(const Instruction& step, const Change& change, int32_t accumulator);
  int32_t load(size_t number, const Change& change);
  int32_t parameter(const Instruction& step);
  int32_t call(const Instruction& step);
  int32_t store(const Instruction& step, const Change& change);
  int32_t coordinate(int32_t iota, const Change& change) {
    return to_.coordinate(change(from_.iotas[static_cast<size_t>(iota)]));
  }
  int32_t made(int32_t step) const { return made_[static_cast<size_t>(step)]; }

  const Expr& from_;
  ExpressionBuilder& to_;
  std::vector<int32_t> parameters_;  ///< by number: its instruction, or -1
  std::vector<int32_t> made_;        ///< by instruction of this copy
};

/// A layout at one place of `count` axes from `first` on, which it then lacks: that of row-major number `place` among
/// them.
Layout at_coordinates(const Layout& x, int first, int count, int64_t place);

}  // namespace eglantine
