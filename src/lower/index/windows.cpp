#include "lower/index/windows.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t word = 4;
constexpr int64_t elements_a_dispatch = int64_t{1} << 30;

/// Elements that a binding covers wherever it starts.
int64_t capacity(const Target& target) { return (target.max_block_bytes - target.binding_alignment) / word; }

int64_t start_count(const Indexed& indexed, const layout::Box& box) {
  return layout::reach(layout::restrict_to(indexed.start, box)).count();
}

/// Adds a box with each window of the axis.
void add_windows(const Target& target, const Indexed& indexed, const layout::Box& box,
                 std::vector<IndexWindow>& windows) {
  const int64_t distance = std::abs(indexed.stride);
  int64_t longest = indexed.length;
  if (distance > 0) longest = std::min(longest, 1 + (capacity(target) - start_count(indexed, box)) / distance);
  for (int64_t first = 0; first < indexed.length; first += longest)
    windows.push_back({box, {first, std::min(longest, indexed.length - first)}});
}

layout::Box shifted(layout::Box box, const Shape& by) {
  for (int axis = 0; axis < by.rank(); ++axis) box.start[axis] += by[axis];
  return box;
}

}  // namespace

std::vector<layout::Box> index_boxes(const Target& target, const std::vector<Layout>& layouts, int64_t inner_multiple) {
  const layout::SplitLimits limits{target.max_block_bytes, elements_a_dispatch, target.binding_alignment};
  return layout::split(layouts.front().shape, layouts, layout::inner_multiples(layouts, inner_multiple, word, limits),
                       word, limits);
}

std::vector<IndexWindow> index_windows(const Target& target, const std::vector<Layout>& layouts, const Indexed& indexed,
                                       int64_t inner_multiple) {
  std::vector<IndexWindow> windows;
  // A box's starts may fill half of a binding; the other half is for a window of the axis.
  const layout::SplitLimits half{target.max_block_bytes / 2, std::numeric_limits<int64_t>::max(),
                                 target.binding_alignment};
  for (const layout::Box& box : index_boxes(target, layouts, inner_multiple)) {
    const int64_t axis = (indexed.length - 1) * std::abs(indexed.stride);
    if (start_count(indexed, box) + axis <= capacity(target)) {
      windows.push_back({box, {0, indexed.length}});
      continue;
    }
    const Layout start = layout::restrict_to(indexed.start, box);
    const Shape multiples = layout::inner_multiples({start}, inner_multiple, word, half);
    for (const layout::Box& starts : layout::split(box.length, {start}, multiples, word, half))
      add_windows(target, indexed, shifted(starts, box.start), windows);
  }
  return windows;
}

}  // namespace eglantine::lower
