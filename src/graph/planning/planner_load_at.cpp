#include <algorithm>
#include <cstdlib>

#include "graph/planning/ownership/kernel_graph.hpp"
#include "graph/planning/planner.hpp"

namespace eglantine {

namespace {

/// Where, in `source`, an element of a domain begins to be looked for: the place 0 along the indexed axes.
Layout start_of(const Layout& source, const nodes::LoadAt& what, const Shape& shape) {
  Layout start{shape, {}, source.offset};
  for (int64_t axis : what.axes) start.strides.push_back(axis < 0 ? 0 : source.strides[static_cast<size_t>(axis)]);
  return start;
}

/// The least and the most that indices add to the address.
layout::Reach added_by_indices(const Layout& source, const nodes::LoadAt& what) {
  layout::Reach added{0, 0};
  for (int64_t axis : what.indexed) {
    const int64_t last = (source.shape[static_cast<int>(axis)] - 1) * source.strides[static_cast<size_t>(axis)];
    (last < 0 ? added.first : added.last) += last;
  }
  return added;
}

}  // namespace

/// A kernel of its own where a frame, or no layout, leads to it, and where another family than a map, which alone is
/// cut to what a binding covers, would read too far.
int Planner::lower_load_at(Writing& out, const Node& x, const nodes::LoadAt& what, const Layout& at) {
  const auto covers = [&](const layout::Reach& reached, const Strided& source) {
    return reached.count() * bytes_of(source.storage) <= covered_bytes();
  };
  Strided source = operand(*what.source);
  if (!covers(added_by_indices(source.layout, what), source))
    source = at_layout(in_memory(*what.source), layout::contiguous(what.source->shape));
  const std::optional<Layout> start = layout::compose(at, start_of(source.layout, what, x.shape));
  if (&x == out.self && !start) fail_cycle();
  const bool is_map = out.self != nullptr && out.accumulator == nullptr;
  if (out.frame != nullptr || !start || (!is_map && !covers(layout::reach(source.layout), source)))
    return load(out, in_memory(x), at);
  const int index = index_of(out, what, source.layout, at);
  return out.builder.load_at({source.buffer, source.storage, *start}, added_by_indices(source.layout, what), index);
}

/// As gather_of(x), read at its checked index. In memory where it is no value of each row, a frame or no layout leads
/// to it, or what it reads is more than a row kernel binds, which is not cut for it.
int Planner::lower_gather(Writing& out, const Node& x, const Layout& at) {
  const int index = lower(out, *x.as<nodes::Gather>()->index, at);  // stores what the kernel stores of it
  if (!out.gathered) out.gathered = gather_of(x, out.self);
  const GatherKernel& gather = *out.gathered;
  const std::optional<Layout> start = layout::compose(at, gather.source.layout);
  const int64_t last = (gather.length - 1) * gather.stride;
  const layout::Reach added{std::min<int64_t>(last, 0), std::max<int64_t>(last, 0)};
  const layout::Reach reached = layout::reach(gather.source.layout);
  const int64_t bytes = (reached.count() + std::abs(last)) * bytes_of(gather.source.storage);
  const bool is_read_here = out.frame == nullptr && start && is_of_rows(at, out.rows->kept);
  if (!is_read_here || bytes > covered_bytes()) return materialize_first(x);
  const int length = out.builder.parameter(DType::i32, {static_cast<uint32_t>(gather.length)});
  const int place = out.builder.iota(at);
  const int checked = out.builder.operation(Op::checked_index, DType::i32, {index, place, length});
  return out.builder.load_at({gather.source.buffer, gather.source.storage, *start}, added,
                             multiplied(out, checked, gather.stride));
}

/// An index times a stride.
int Planner::multiplied(Writing& out, int index, int64_t stride) {
  if (stride == 1) return index;
  const auto [known, is_new] = out.multiples.emplace(std::pair(index, stride), 0);
  if (is_new) {
    const int factor = out.builder.parameter(DType::i32, {static_cast<uint32_t>(static_cast<uint64_t>(stride))});
    known->second = out.builder.operation(Op::mul, DType::i32, {index, factor, -1});
  }
  return known->second;
}

/// The sum of the indices times their axes' strides.
int Planner::index_of(Writing& out, const nodes::LoadAt& what, const Layout& source, const Layout& at) {
  int sum = -1;
  for (size_t k = 0; k < what.indices.size(); ++k) {
    const int64_t stride = source.strides[static_cast<size_t>(what.indexed[static_cast<int>(k)])];
    const int index = multiplied(out, lower(out, *what.indices[k], at), stride);
    sum = sum < 0 ? index : out.builder.operation(Op::add, DType::i32, {sum, index, -1});
  }
  return sum;
}

}  // namespace eglantine
