#pragma once

#include <vector>

#include "graph/kernel/kernel.hpp"

namespace eglantine {

/// Writes one Expr, each load and operation once. All layouts have the shape `domain`.
class ExpressionBuilder {
 public:
  explicit ExpressionBuilder(const Shape& domain) { expr_.domain = domain; }

  int load(Strided operand);
  /// `read`: how its operand is to be read; without jumps and bounds a plain load.
  int load(Strided operand, PiecewiseRead read);
  /// The operand's element as many on as instruction `index` says: i32, within `computed`.
  int load_at(Strided operand, const layout::Reach& computed, int index);
  int parameter(DType dtype, Parameter parameter);
  int iota(const Layout& at);
  int32_t coordinate(const Layout& at);  ///< the number of an iota, which no instruction names yet
  int coordinate_value(int32_t coordinate);
  int accumulator(DType dtype);
  int operation(Op op, DType dtype, const std::array<int32_t, 3>& args);
  /// An element-wise verb's operation, whose result is of dtype `to` and first argument of `from`: computed in what
  /// these compute in; a narrow result is rounded, or wraps, also where it is fused.
  int elementwise(Op op, DType from, DType to, const std::array<int32_t, 3>& args);
  int fold(Reduction reduction, DType dtype, int value);  ///< of a RowKernel
  int custom(const ElementwiseOpPtr& op, std::vector<int32_t> args);
  void store(int value, const Strided& out);  ///< an extra output, which the expression loads nowhere

  void end_with(int value);  ///< makes it the expression's value

  size_t size() const { return expr_.code.size(); }
  const Expr& expr() const { return expr_; }
  Expr take() { return std::move(expr_); }

 private:
  int add(Op op, DType dtype, const std::array<int32_t, 3>& args);
  int cast(DType from, DType to, int value);
  size_t place_of(Strided operand, PiecewiseRead read);  ///< among the operands
  Expr expr_;
};

/// Whether the expression is this one instruction: Op::accumulator where nothing is done to a kernel's accumulator.
inline bool is_only(const Expr& expr, Op op) {
  return expr.code.size() == 1 && expr.code.front().op == op && expr.piecewise.empty();
}

/// The earlier instructions that a step reads.
template <class Step, class Visit>
void for_each_argument(const Expr& expr, Step& step, Visit visit) {
  switch (step.op) {
    case Op::load:
    case Op::parameter:
    case Op::iota:
    case Op::accumulator:
      return;
    case Op::load_at:
      return visit(step.args[1]);
    case Op::custom:
      for (const int32_t argument : expr.calls[static_cast<size_t>(step.args[0])].args) visit(argument);
      return;
    case Op::fold:
    case Op::store:
      return visit(step.args[0]);
    default:
      for (auto& argument : step.args)
        if (argument >= 0) visit(argument);
  }
}

/// Whether a step calls a user's operation, or one that takes many instructions (has_many_steps).
bool takes_many_steps(const Expr& expr, const Instruction& step);

/// Takes the rounding away that storing the expression's value does anyway.
void drop_last_rounding(Expr& expr, StorageType stored);

/// Merges the axes of a kernel's expressions and output where all their layouts allow.
void collapse(MapKernel& kernel);
void collapse(ReduceKernel& kernel);
void collapse(MatmulKernel& kernel);
void collapse(FewColumnsKernel& kernel);
void collapse(ContractionKernel& kernel);
void collapse(ScanKernel& kernel);
void collapse(RowKernel& kernel);
void collapse(SortKernel& kernel);
void collapse(GatherKernel& kernel);
void collapse(ScatterKernel& kernel);
void collapse(TileKernel& kernel);
void collapse(AttentionKernel& kernel);
void collapse(AttentionGradientKernel& kernel);

/// Buffers the kernel binds at most, with output and partial results; one binding covers a buffer of `covered_bytes`.
int64_t bindings_of(const Kernel& kernel, int64_t covered_bytes);

}  // namespace eglantine
