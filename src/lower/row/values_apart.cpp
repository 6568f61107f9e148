#include "lower/row/values_apart.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/kernel/expression.hpp"
#include "graph/kernel/expression_copier.hpp"
#include "graph/row/instructions.hpp"
#include "layout/layout.hpp"
#include "lower/across.hpp"
#include "lower/row/moves.hpp"

namespace eglantine::lower {
namespace {

/// The instructions of a row kernel that are one for a row and that its elements are computed from. What needs no fold
/// stays with the elements.
std::vector<int32_t> values_of_rows(const RowKernel& kernel) {
  const Expr& value = kernel.value;
  const std::vector<bool> of_row = of_rows(value, kernel.kept_rank);
  std::vector<bool> has_fold(value.code.size()), needed(value.code.size());
  needed.back() = true;
  std::vector<int32_t> found;
  for (size_t i = 0; i < value.code.size(); ++i) {
    has_fold[i] = value.code[i].op == Op::fold;
    for_each_argument(value, value.code[i],
                      [&](int32_t x) { has_fold[i] = has_fold[i] || has_fold[static_cast<size_t>(x)]; });
  }
  for (size_t i = value.code.size(); i-- > 0;) {
    if (!needed[i]) continue;
    if (of_row[i] && has_fold[i])
      found.push_back(static_cast<int32_t>(i));
    else
      for_each_argument(value, value.code[i], [&](int32_t x) { needed[static_cast<size_t>(x)] = true; });
  }
  std::reverse(found.begin(), found.end());
  return found;
}

class ValuesApart {
 public:
  ValuesApart(Lowering& lowering, const RowKernel& kernel)
      : lowering_(lowering), kernel_(kernel), values_(values_of_rows(kernel)) {}

  bool fits() const {
    const Expr& value = kernel_.value;
    const auto is_row = [&](size_t operand) { return is_of_rows(value.operands[operand].layout, kernel_.kept_rank); };
    const auto bindings = static_cast<int64_t>(value.operands.size() + values_.size() + 1);
    return !values_.empty() && ExpressionCopier::copyable(value) && std::ranges::all_of(value.stored, is_row) &&
           bindings <= lowering_.target().max_bindings;
  }

  void run() {
    for (const int32_t value : values_) places_.push_back(place_of(value));
    rows();
    elements();
  }

 private:
  /// Memory for a value of each row, over the kernel's domain.
  Strided place_of(int32_t value) const {
    const Shape& domain = kernel_.value.domain;
    Layout rows{domain, layout::contiguous(Shape(domain.begin(), domain.begin() + kernel_.kept_rank)).strides, 0};
    rows.strides.resize(static_cast<size_t>(domain.rank()), 0);
    return lowering_.temporary(kernel_.value.code[static_cast<size_t>(value)].dtype, rows);
  }

  void rows() const {
    const Expr& value = kernel_.value;
    ExpressionBuilder builder(value.domain);
    ExpressionCopier copier(value, builder);
    for (size_t i = 0; i < value.code.size(); ++i)
      if (value.code[i].op == Op::store) copier.copy_needed(static_cast<int32_t>(i));
    for (size_t i = 0; i + 1 < values_.size(); ++i) builder.store(copier.copy_needed(values_[i]), places_[i]);
    builder.end_with(copier.copy_needed(values_.back()));
    RowKernel rows{builder.take(), kernel_.kept_rank, places_.back(), !kernel_.strided};
    collapse(rows);
    lower(lowering_, rows);
  }

  void elements() const {
    ExpressionBuilder builder(kernel_.value.domain);
    ExpressionCopier copier(kernel_.value, builder);
    for (size_t i = 0; i < values_.size(); ++i) copier.stand_in(values_[i], builder.load(places_[i]));
    builder.end_with(copier.copy_needed(static_cast<int32_t>(kernel_.value.code.size()) - 1));
    MapKernel map{builder.take(), kernel_.out};
    order_by_results(map);
    lower(lowering_, map);
  }

  Lowering& lowering_;
  const RowKernel& kernel_;
  std::vector<int32_t> values_;
  std::vector<Strided> places_;  ///< of each value
};

}  // namespace

bool run_values_apart(Lowering& lowering, const RowKernel& kernel) {
  ValuesApart apart(lowering, kernel);
  if (!apart.fits()) return false;
  apart.run();
  return true;
}

}  // namespace eglantine::lower
