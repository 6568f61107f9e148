#include "lower/reduce/rewrites/unrolled.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "codegen/value_text.hpp"
#include "graph/kernel/expression_copier.hpp"
#include "graph/kernel/pairwise.hpp"
#include "layout/layout.hpp"
#include "layout/reduce_tree.hpp"

namespace eglantine::lower {
namespace {

// Longer texts take a software driver long to compile.
constexpr int64_t most_code = 64;
// Fewer are combined by another form in less time than a program takes to compile.
constexpr int64_t fewest_elements = 1 << 17;

/// The operation that combines two values as the reduction does.
std::optional<Op> operation_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return Op::add;
    case Reduction::prod:
      return Op::mul;
    case Reduction::max:
      return Op::maximum;
    case Reduction::min:
      return Op::minimum;
    case Reduction::any:
      return Op::logical_or;
    case Reduction::all:
      return Op::logical_and;
    default:
      return std::nullopt;
  }
}

/// Combines instructions of an expression in the order of a tree (docs/reduction-tree.md): the first is the result.
class Tree {
 public:
  Tree(ExpressionBuilder& to, Op op, DType dtype) : to_(to), op_(op), dtype_(dtype) {}

  int32_t column(const std::vector<int32_t>& terms) const {
    const auto count = std::min<size_t>(terms.size(), layout::column_accumulators);
    std::vector<int32_t> accumulators(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(count));
    for (size_t i = count; i < terms.size(); ++i) combine(accumulators[i % count], terms[i]);
    return neighbours(std::move(accumulators));
  }

  int32_t row(const std::vector<int32_t>& terms) const {
    std::vector<int32_t> lanes;
    for (size_t first = 0; first < terms.size(); first += 4) {
      const size_t end = std::min(first + 4, terms.size());
      lanes.push_back(neighbours(
          {terms.begin() + static_cast<std::ptrdiff_t>(first), terms.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    for (size_t half = std::bit_ceil(lanes.size()) / 2; half > 0; half /= 2)
      for (size_t lane = 0; lane < half && lane + half < lanes.size(); ++lane) combine(lanes[lane], lanes[lane + half]);
    return lanes.front();
  }

 private:
  void combine(int32_t& a, int32_t b) const { a = to_.operation(op_, dtype_, {a, b, -1}); }

  int32_t neighbours(std::vector<int32_t> values) const { return pairwise(to_, op_, dtype_, std::move(values)); }

  ExpressionBuilder& to_;
  Op op_;
  DType dtype_;
};

/// Whether a program that repeats the terms is short, and what it saves long.
bool is_short(const ReduceKernel& kernel) {
  const Expr& terms = kernel.prologue;
  const int64_t elements = terms.domain.elements(), length = elements / kernel.epilogue.domain.elements();
  const int64_t longest = kernel.tree == layout::ReduceTree::row ? layout::row_lanes * 4 : layout::column_block;
  return length <= longest && length * (std::ssize(terms.code) + 1) <= most_code && elements >= fewest_elements &&
         terms.calls.empty() && ExpressionCopier::copyable(terms) && ExpressionCopier::copyable(kernel.epilogue);
}

/// The shape whose axes are those of both, of as many elements, cut further; nothing where they cut across each other
/// or it would have too many.
std::optional<Shape> common_refinement(const Shape& a, const Shape& b) {
  Shape lengths;                   // the innermost first
  int64_t rest_a = 1, rest_b = 1;  // of the axes that were taken last
  for (int i = a.rank(), j = b.rank();;) {
    while (rest_a == 1 && i > 0) rest_a = a[--i];
    while (rest_b == 1 && j > 0) rest_b = b[--j];
    const int64_t length = std::min(rest_a, rest_b);
    if (length == 1) break;
    if (rest_a % length != 0 || rest_b % length != 0 || lengths.rank() == max_rank) return std::nullopt;
    rest_a /= length;
    rest_b /= length;
    lengths.push_back(length);
  }
  std::reverse(lengths.begin(), lengths.end());
  return lengths;
}

/// The map, over a refinement of the kept axes.
MapKernel map_of(const ReduceKernel& kernel, Op op, const Shape& shape) {
  const Expr& terms = kernel.prologue;
  const int reduced = terms.domain.rank() - kernel.kept_rank;
  const auto reshaped = [&](const Layout& x) { return *layout::reshape(x, shape); };
  ExpressionBuilder builder(shape);
  ExpressionCopier term(terms, builder), epilogue(kernel.epilogue, builder);
  std::vector<int32_t> values;
  for (int64_t r = 0; r < codegen::count_of(terms.domain, {kernel.kept_rank, reduced}); ++r)
    values.push_back(
        term.copy([&](const Layout& x) { return reshaped(at_coordinates(x, kernel.kept_rank, reduced, r)); }));
  const Tree tree(builder, op, terms.dtype());
  const int32_t result = kernel.tree == layout::ReduceTree::row ? tree.row(values) : tree.column(values);
  builder.end_with(epilogue.copy(reshaped, result));
  MapKernel map{builder.take(), kernel.out};
  map.out.layout = reshaped(map.out.layout);
  collapse(map);
  return map;
}

}  // namespace

std::optional<MapKernel> unrolled(const Target& target, const ReduceKernel& kernel) {
  const std::optional<Op> op = operation_of(kernel.reduction);
  if (!target.software || !op || !is_short(kernel)) return std::nullopt;
  const Layout kept = at_coordinates(layout::contiguous(kernel.prologue.domain), kernel.kept_rank,
                                     kernel.prologue.domain.rank() - kernel.kept_rank, 0);
  const std::optional<Shape> shape = common_refinement(kept.shape, kernel.epilogue.domain);
  if (!shape) return std::nullopt;
  MapKernel map = map_of(kernel, *op, *shape);
  if (bindings_of(map, target.max_block_bytes) > target.max_bindings) return std::nullopt;
  return map;
}

}  // namespace eglantine::lower
