#include "lower/row/apart.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "codegen/addresses/access_pattern.hpp"
#include "graph/kernel/expression.hpp"
#include "graph/row/chain.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

// Each part is a program and a dispatch of its own.
constexpr int64_t fewest_elements = 1 << 16;
// What a step of a row has, for each of eight rows side by side.
constexpr int64_t shortest_row = 8;
// A longer row is in the nearest cache when the second fold reads it again.
constexpr int64_t longest_of_many_folds = 64;

bool stores_elements(const RowKernel& kernel) {
  const Expr& value = kernel.value;
  return !is_of_rows(kernel.out.layout, kernel.kept_rank) || std::ranges::any_of(value.stored, [&](size_t operand) {
    return !is_of_rows(value.operands[operand].layout, kernel.kept_rank);
  });
}

/// Whether the device binds what each step reads from memory, values of earlier steps included, and its result.
bool binds_steps(const Target& target, const RowKernel& kernel) {
  const RowChain chain = chain_of(kernel, RowReads::each_pass);
  return std::ranges::all_of(chain.steps, [&](const RowStep& step) {
    const auto values = std::ranges::count(step.expr.code, Op::accumulator, &Instruction::op);
    return bindings_of(MapKernel{step.expr, kernel.out}, target.max_block_bytes) + values <= target.max_bindings;
  });
}

class StepsApart {
 public:
  StepsApart(Lowering& lowering, const RowKernel& kernel)
      : lowering_(lowering),
        kernel_(kernel),
        chain_(chain_of(kernel, RowReads::each_pass)),
        values_(chain_.values.size()) {}

  void run() {
    for (const RowStep& step : chain_.steps) {
      if (step.what == RowStep::What::fold)
        fold(step);
      else
        map(reading(step.expr), step.what == RowStep::What::store ? step.out : place_of(step));
    }
  }

 private:
  /// Memory for a value of each row: over a domain whose axes of a row have length 1.
  const Strided& place_of(const RowStep& step) {
    const Shape& domain = kernel_.value.domain;
    Layout rows = layout::contiguous(Shape(domain.begin(), domain.begin() + kernel_.kept_rank));
    for (int axis = kernel_.kept_rank; axis < domain.rank(); ++axis) {
      rows.shape.push_back(1);
      rows.strides.push_back(0);
    }
    const auto number = static_cast<size_t>(step.value);
    return values_[number] = lowering_.temporary(chain_.values[number].dtype, rows);
  }

  void map(Expr value, Strided out) {
    MapKernel kernel{std::move(value), std::move(out)};
    if (kernel_.strided) permute(kernel);
    collapse(kernel);
    lower(lowering_, kernel);
  }

  /// Neighbouring rows innermost, as they lie.
  void permute(MapKernel& kernel) const {
    const int rank = kernel.value.domain.rank();
    Axes order;
    for (int axis = 0; axis < rank; ++axis)
      if (axis != kernel_.kept_rank - 1) order.push_back(axis);
    order.push_back(kernel_.kept_rank - 1);
    const auto change = [&](Layout& x) { x = layout::permute(x, order); };
    for (Strided& operand : kernel.value.operands) change(operand.layout);
    for (Layout& iota : kernel.value.iotas) change(iota);
    change(kernel.out.layout);
    kernel.value.domain = kernel.out.layout.shape;
  }

  void fold(const RowStep& step) {
    const Strided& place = place_of(step);
    ReduceKernel kernel{.prologue = reading(step.expr),
                        .kept_rank = kernel_.kept_rank,
                        .reduction = step.reduction,
                        .tree = kernel_.strided ? layout::ReduceTree::column : layout::ReduceTree::row,
                        .epilogue = accumulator_over(place.layout.shape, place.dtype()),
                        .out = place};
    collapse(kernel);
    lower(lowering_, kernel);
  }

  /// The expression with the values of earlier steps read from memory.
  Expr reading(Expr expr) const {
    for (Instruction& step : expr.code) {
      if (step.op != Op::accumulator) continue;
      Strided operand = values_[static_cast<size_t>(step.args[0])];
      operand.layout.shape = expr.domain;
      step = {Op::load, operand.dtype(), {static_cast<int32_t>(expr.operands.size()), -1, -1}};
      expr.operands.push_back(std::move(operand));
    }
    return expr;
  }

  Lowering& lowering_;
  const RowKernel& kernel_;
  RowChain chain_;
  std::vector<Strided> values_;  ///< by number, of each row
};

}  // namespace

bool pays_apart(const Target& target, const RowKernel& kernel) {
  const Shape& domain = kernel.value.domain;
  const int64_t length = codegen::count_of(domain, {kernel.kept_rank, domain.rank() - kernel.kept_rank});
  if (!target.software || domain.elements() < fewest_elements) return false;
  if (length < shortest_row) return binds_steps(target, kernel);
  if (!stores_elements(kernel)) return false;
  const auto folds = std::ranges::count(kernel.value.code, Op::fold, &Instruction::op);
  const bool pays = kernel.strided || folds == 1 || length <= longest_of_many_folds;
  return pays && binds_steps(target, kernel);
}

void lower_apart(Lowering& lowering, const RowKernel& kernel) { StepsApart(lowering, kernel).run(); }

}  // namespace eglantine::lower
