#include "graph/planning/assignment/accumulator_reads.hpp"

#include <optional>
#include <variant>

#include "graph/product_choice.hpp"

namespace eglantine {

namespace {

/// What x shows in other places: an element of it is read again and again, and not computed each time.
const NodePtr& moved_from(const NodePtr& x) {
  for (const NodePtr* at = &x;;) {
    if (const auto* view = (*at)->as<nodes::View>())
      at = &view->source;
    else if (const auto* remap = (*at)->as<nodes::Remap>())
      at = &remap->source;
    else if (is_widening(**at))
      at = &(*at)->as<nodes::Elementwise>()->args[0];
    else
      return *at;
  }
}

/// x's elements, those once that are the same along whole axes.
int64_t elements_once(const Node& x) {
  int64_t count = x.shape.elements();
  const auto* view = x.as<nodes::View>();
  for (int axis = 0; view != nullptr && count > 0 && axis < x.shape.rank(); ++axis)
    if (view->layout.strides[static_cast<size_t>(axis)] == 0) count /= x.shape[axis];
  return count;
}

/// What a matrix shows in windows, so that each element is read many times; else null. A copy puts them in order.
const NodePtr* shown_often(const NodePtr& matrix) {
  constexpr int64_t often = 4;
  const NodePtr& order = moved_from(matrix);
  const auto* copy = order->as<nodes::Elementwise>();
  const NodePtr& shown = copy != nullptr && copy->op == Op::copy ? moved_from(copy->args[0]) : order;
  return elements_once(*matrix) >= often * shown->shape.elements() ? &shown : nullptr;
}

/// Collects the reads of one node, a function a kind.
class Collector {
 public:
  Collector(const Node& x, const Node& kernel, const RowFolds* rows) : x_(x), kernel_(kernel), rows_(rows) {}

  AccumulatorReads take() {
    std::visit([&](const auto& what) { read(what); }, x_.value());
    return std::move(found_);
  }

 private:
  void apart(const NodePtr& source, const void* name) {
    found_.sources.push_back({source, {.expression = name, .kernel = &kernel_, .in_order = false}});
  }
  /// By an expression of which `source` is the whole.
  void apart(const NodePtr& source) { apart(source, &source); }
  void computed(const NodePtr& source) {
    found_.sources.push_back({source, {.expression = source.get(), .kernel = &kernel_, .in_memory = true}});
  }

  void read(const nodes::Reduce& reduce) {
    if (rows_ == nullptr || rows_->folds.count(&x_) == 0) return apart(reduce.arg);
    const bool in_order = kernel_.shape.elements() == rows_->shape.elements();
    found_.sources.push_back(
        {reduce.arg, {.expression = &kernel_, .kernel = &kernel_, .in_order = in_order, .ends_kernel = true}});
  }
  void read(const nodes::Scan& scan) { apart(scan.arg); }
  void read(const nodes::Tiles& tiles) { apart(tiles.arg); }
  void read(const nodes::Sort& sort) {
    apart(sort.keys);
    if (sort.payload) apart(sort.payload);
  }
  void read(const nodes::SecondOutput& second) { computed(second.first); }
  void read(const nodes::Gather& gather) {
    computed(gather.source);
    apart(gather.index);
  }
  void read(const nodes::Scatter& scatter) {
    if (scatter.base) apart(scatter.base);
    apart(scatter.index);
    apart(scatter.updates);
    if (scatter.ends) computed(scatter.ends);
  }
  void read(const nodes::Placement& placement) {
    for (size_t i = 0; i < placement.pieces.size(); ++i)
      found_.sources.push_back(
          {placement.pieces[i],
           {.expression = &placement.regions[i], .kernel = &kernel_, .in_order = false, .as_piece = true}});
  }
  void read(const nodes::Matmul& matmul) {
    const std::optional<FewColumns> few = few_columns_of(x_);
    if (few) return read_few_columns(few->matrix(matmul), few->vectors(matmul));
    computed(matmul.a);
    computed(matmul.b);
  }
  void read_few_columns(const NodePtr& matrix, const NodePtr& vectors) {
    apart(matrix);
    if (const NodePtr* shown = shown_often(matrix)) computed(*shown);
    found_.materialized = scattered_windows(*matrix);
    computed(vectors);
  }
  void read(const nodes::Attention& attention) {
    for (const NodePtr* operand : {&attention.q, &attention.k, &attention.v, &attention.mask})
      if (*operand) computed(*operand);
  }
  void read(const nodes::AttentionGradient&) {
    for_each_source(x_, [&](const NodePtr& source) { computed(source); });
  }
  void read(const nodes::Contraction& contraction) {
    for (const NodePtr* side : {&contraction.a, &contraction.b}) {
      apart(*side);
      computed(moved_from(*side));
    }
  }
  template <class Other>
  void read(const Other&) {}

  const Node& x_;
  const Node& kernel_;
  const RowFolds* rows_;
  AccumulatorReads found_;
};

}  // namespace

AccumulatorReads accumulator_reads(const Node& x, const Node& kernel, const RowFolds* rows) {
  return Collector(x, kernel, rows).take();
}

}  // namespace eglantine
