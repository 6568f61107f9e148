#include "verbs/reduce/parts_in_memory.hpp"

#include <algorithm>
#include <limits>

#include "graph/graph_lock.hpp"
#include "graph/planning/decomposition/extremes_of_columns.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"

namespace eglantine::verbs {
namespace {

/// x with the axes that are flipped in memory forwards.
Tensor forwards(const Tensor& x, const Layout& at) {
  Axes flipped;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (at.strides[static_cast<size_t>(axis)] < 0) flipped.push_back(axis);
  return flipped.empty() ? x : x.flip(flipped);
}

/// x's elements as they lie in memory, and which of a vector is the first; nothing where they are to be computed, or do
/// not lie one behind the other.
struct Line {
  Tensor x;
  int64_t offset;
};
std::optional<Line> line_in_memory(const Tensor& given) {
  const std::optional<Layout> there = layout_in_memory(*given.node());
  if (!there) return std::nullopt;
  const Tensor x = forwards(given, *there);
  const Layout at = layout_in_memory(*x.node()).value_or(*there);
  const Axes order = layout::by_distance(at);
  if (!layout::permute(at, order).is_contiguous()) return std::nullopt;
  return Line{x.permute(order).reshape({x.size()}), at.offset % vector_width};
}

int64_t first_whole_vector(const Line& line) { return (vector_width - line.offset) % vector_width; }

/// The line's elements from `first` on in rows of `part`.
PartsInMemory parts_of_line(const Line& line, int64_t first, int64_t part) {
  const int64_t size = line.x.size(), rows = (size - first) / part, last = first + rows * part;
  PartsInMemory parts{line.x.slice(0, first, last).reshape({rows, part}), {}};
  if (first > 0) parts.rests.push_back(line.x.slice(0, 0, first));
  if (last < size) parts.rests.push_back(line.x.slice(0, last, size));
  return parts;
}

/// The length of equal parts of n, up to `longest`, that leave few, or none: n / k leaves less than k.
int64_t length_with_little_rest(int64_t n, int64_t longest) {
  constexpr uint32_t looked_at = 256;
  if (n > std::numeric_limits<uint32_t>::max() - looked_at) return longest;
  // In words, which are divided faster.
  const auto all = static_cast<uint32_t>(n), first = static_cast<uint32_t>(ceil_divide(n, longest));
  uint32_t best = first, least = all % first;
  for (uint32_t parts = first + 1; parts < first + looked_at && parts <= all && least > 0; ++parts)
    if (const uint32_t rest = all % parts; rest < least) {
      least = rest;
      best = parts;
    }
  return all / best;
}

/// The longest part of so many elements: enough parts for a device, as few as a kernel joins.
int64_t longest_part_of_all(int64_t elements) {
  constexpr int64_t parts = 1024, shortest = 4096, longest = 16384;
  return std::clamp(elements / parts, shortest, longest);
}

/// Whether x lies on a GPU, through which no derivative goes, and a kernel more for a rest takes less than a second
/// reading, for the caller, too.
bool has_enough_for_a_rest(const Tensor& x) {
  constexpr int64_t fewest_elements = int64_t{1} << 22;
  return x.size() >= fewest_elements && is_gpu(x.device()) && !x.node()->is_differentiated();
}

/// All axes, of which one is cut into parts together with those behind it.
Parts parts_along(const Tensor& x, int axis, int64_t part) {
  Shape shape = x.shape();
  shape[axis] /= part;
  shape.insert(axis + 1, part);
  Parts parts{x.reshape(shape), {}, {}};
  for (int i = 0; i < shape.rank(); ++i) (i <= axis ? parts.outer : parts.inner).push_back(i);
  return parts;
}

}  // namespace

std::optional<PartsInMemory> parts_in_memory(const Tensor& x, int64_t part) {
  constexpr int64_t fewest = int64_t{1} << 24;
  if (!is_gpu(x.device()) || x.dtype() != DType::f32 || x.size() < fewest) return std::nullopt;
  const std::optional<Line> line = line_in_memory(x);
  if (!line || x.node()->is_differentiated()) return std::nullopt;
  return parts_of_line(*line, first_whole_vector(*line), part);
}

std::optional<PartsInMemory> parts_with_little_rest(const Tensor& x) {
  if (!has_enough_for_a_rest(x) || x.dtype() != DType::f32) return std::nullopt;
  const std::optional<Line> line = line_in_memory(x);
  if (!line) return std::nullopt;
  const int64_t first = first_whole_vector(*line), vectors = (x.size() - first) / vector_width,
                longest = longest_part_of_all(x.size()) / vector_width;
  return parts_of_line(*line, first, vector_width * length_with_little_rest(vectors, longest));
}

std::optional<PartsAndRest> parts_and_little_rest(const Tensor& x) {
  constexpr int64_t most_of_rest = 16;  // a sixteenth of all
  if (!has_enough_for_a_rest(x) || x.rank() == max_rank || !layout_in_memory(*x.node())) return std::nullopt;
  const int64_t longest = longest_part_of_all(x.size());
  int axis = x.rank() - 1;
  int64_t length = 1;
  while (axis >= 0 && length * x.shape()[axis] <= longest) length *= x.shape()[axis--];
  if (axis < 0 || longest / length < 2) return std::nullopt;
  const int64_t whole = x.shape()[axis], part = length_with_little_rest(whole, longest / length),
                head = whole / part * part;
  if (most_of_rest * (whole - head) > whole) return std::nullopt;
  PartsAndRest found{parts_along(x.slice(axis, 0, head), axis, part), {}};
  if (head < whole) found.rest = x.slice(axis, head, whole);
  return are_joined_at_once(found.parts) ? std::optional(std::move(found)) : std::nullopt;
}

bool lies_in_order(const Tensor& x) {
  const GraphLock lock;
  const std::optional<Layout> at = layout_in_memory(*x.node());
  return at && at->is_contiguous() && at->offset % vector_width == 0;
}

}  // namespace eglantine::verbs
