#include "lower/index/windows.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

/// Elements that a binding covers wherever it starts.
int64_t capacity(const Target& target, int64_t element_bytes) {
  return (target.max_block_bytes - target.binding_alignment) / element_bytes;
}

int64_t start_count(const Indexed& indexed, const layout::Box& box) {
  return layout::reach(layout::restrict_to(indexed.start, box)).count();
}

/// Adds a box with each window of the axis.
void add_windows(int64_t capacity, const Indexed& indexed, const layout::Box& box, std::vector<IndexWindow>& windows) {
  const int64_t distance = std::abs(indexed.stride);
  int64_t longest = indexed.length;
  if (distance > 0) longest = std::min(longest, 1 + (capacity - start_count(indexed, box)) / distance);
  for (int64_t first = 0; first < indexed.length; first += longest)
    windows.push_back({box, {first, std::min(longest, indexed.length - first)}});
}

layout::Box shifted(layout::Box box, const Shape& by) {
  for (int axis = 0; axis < by.rank(); ++axis) box.start[axis] += by[axis];
  return box;
}

}  // namespace

std::vector<IndexWindow> index_windows(const Target& target, const Shape& domain, const Cut& cut,
                                       const Indexed& indexed) {
  std::vector<IndexWindow> windows;
  const int64_t covered = capacity(target, cut.element_bytes);
  // A box's starts may fill half of a binding; the other half is for a window of the axis.
  const layout::SplitLimits half{target.max_block_bytes / 2, std::numeric_limits<int64_t>::max(),
                                 target.binding_alignment};
  for (const layout::Box& box : windows_of(target, domain, cut)) {
    const int64_t axis = (indexed.length - 1) * std::abs(indexed.stride);
    if (start_count(indexed, box) + axis <= covered) {
      windows.push_back({box, {0, indexed.length}});
      continue;
    }
    const Layout start = layout::restrict_to(indexed.start, box);
    const Shape multiples = layout::inner_multiples({start}, cut.multiples[domain.rank() - 1], cut.element_bytes, half);
    for (const layout::Box& starts : layout::split(box.length, {start}, multiples, cut.element_bytes, half))
      add_windows(covered, indexed, shifted(starts, box.start), windows);
  }
  return windows;
}

}  // namespace eglantine::lower
