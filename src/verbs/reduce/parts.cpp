#include "verbs/reduce/parts.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "eglantine/verbs/reductions.hpp"
#include "evaluate/evaluate.hpp"
#include "graph/planning/extremes_of_columns.hpp"
#include "graph/planning/row_chains.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "verbs/reduce/memory_order.hpp"

namespace eglantine::verbs {
namespace {

constexpr int64_t vector_width = 4;  // of an aligned load

bool are_columns(const Tensor& x, const Axes& axes) { return axes[axes.rank() - 1] != x.rank() - 1; }

/// The largest divisor of `length` up to `most`, or one of whole vectors that is not much shorter, so that parts begin
/// at vectors.
int64_t largest_part(int64_t length, int64_t most) {
  const int64_t any = largest_divisor(length, most);
  if (length % vector_width != 0 || most < vector_width) return any;
  const int64_t whole = vector_width * largest_divisor(length / vector_width, most / vector_width);
  return 2 * whole >= any ? whole : any;
}

/// The longest part of columns, `length` long in all. Few columns fill a device by parts alone (of 24 in 168,400 rows
/// parts of 3,368 gave 19 groups of a kernel); parts of half that length are still as few as a kernel joins.
int64_t longest_part_of_columns(const Tensor& x, int64_t length) {
  constexpr int64_t shortest = 128, longest = 4096;
  // A group for every sixth multiprocessor times so many: two each.
  const int64_t enough = 12 * limits_of(*x.node()).enough_columns;
  if (enough == 0) return longest;
  const int64_t joined = std::max(short_columns, few_elements * length / x.size());
  return std::clamp(std::max(x.size() / enough, ceil_divide(2 * length, joined)), shortest, longest);
}

/// Takes axes from the last on; the one that does not fit is cut in two. Nothing where the parts would be too short.
std::optional<Parts> cut(const Tensor& x, const Axes& axes) {
  const int64_t shortest = 64,
                longest = are_columns(x, axes) ? longest_part_of_columns(x, count_over("var", x.shape(), axes)) : 16384;
  int at = axes.rank() - 1;
  int64_t length = 1;
  const auto length_of = [&](int i) { return x.shape()[static_cast<int>(axes[i])]; };
  while (at >= 0 && length * length_of(at) <= longest) length *= length_of(at--);
  if (at < 0) return std::nullopt;
  const int axis = static_cast<int>(axes[at]);
  const int64_t whole = x.shape()[axis], most = longest / length;
  const int64_t part = are_columns(x, axes) ? largest_divisor(whole, most) : largest_part(whole, most);
  if (part * length < shortest) return std::nullopt;
  Shape shape = x.shape();
  shape[axis] /= part;
  shape.insert(axis + 1, part);
  Parts parts{x.reshape(shape), {axis + 1}, {}};
  for (int i = 0; i < axes.rank(); ++i) i <= at ? parts.outer.push_back(axes[i]) : parts.inner.push_back(axes[i] + 1);
  return parts;
}

/// Whether the last of the axes, x's last, is a short run between what other rows have: a kernel of rows would read
/// less than half of each line of memory for each of them.
bool has_short_runs(const Tensor& x, const Axes& axes) {
  constexpr int64_t longest_run = 16, most_in_cache = int64_t{1} << 22, fewest_beside = 64;
  const int rank = x.rank(), last = axes.rank() - 1;
  if (!is_gpu(x.device()) || last < 1 || x.size() < most_in_cache || rank == max_rank) return false;
  const int64_t run = x.shape()[rank - 1], beside = count_over("var", x.shape(), axes) / run;
  bool kept_between = false;
  for (int64_t axis = axes[last - 1] + 1; axis < rank - 1; ++axis)
    kept_between = kept_between || x.shape()[static_cast<int>(axis)] > 1;
  return axes[last] == rank - 1 && kept_between && run > 1 && run <= longest_run && beside >= fewest_beside;
}

/// Columns beside one another instead of short runs, which are joined with the parts.
std::optional<Parts> with_runs_as_columns(const Tensor& x, const Axes& axes) {
  const Axes beside(axes.begin(), axes.end() - 1);
  const bool is_whole = has_rows_of_a_kernel(*x.node(), beside, limits_of(*x.node()));
  std::optional<Parts> parts = is_whole ? Parts{x, beside, {}} : cut(x, beside);
  if (parts) parts->outer.push_back(parts->x.rank() - parts->inner.rank() - 1);
  return parts;
}

bool is_whole(const Tensor& x, const Axes& axes) {
  return x.size() == 0 || axes.empty() || has_rows_of_a_kernel(*x.node(), axes, limits_of(*x.node()));
}

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

/// Means that someone still holds.
struct Known {
  std::weak_ptr<const Node> x, parts, rest, all;
  Axes axes;
};

/// Means of x that someone holds; else those that `make` gives, which are remembered.
template <class Make>
SplitMeans known_or(const Tensor& x, const Axes& axes, Make make) {
  thread_local std::array<Known, 4> known;
  thread_local size_t next = 0;
  for (const Known& k : known) {
    if (k.axes != axes || k.x.lock() != x.node()) continue;
    const NodePtr parts = k.parts.lock(), rest = k.rest.lock(), all = k.all.lock();
    if (parts && rest && all) return {Tensor(parts), Tensor(rest), Tensor(all), true};
  }
  const SplitMeans found = make();
  known[next++ % known.size()] = {x.node(), found.parts.node(), found.rest.node(), found.all.node(), axes};
  return found;
}

/// The places of the axes that are left in a result, if an order of all axes has them so.
Axes places_of_left(const Axes& order, const Axes& axes) {
  Axes left, places;
  for (const int64_t axis : order)
    if (!axes.contains(axis)) left.push_back(axis);
  for (int i = 0; i < left.rank(); ++i) places.push_back(i);
  std::sort(places.begin(), places.end(),
            [&](int64_t a, int64_t b) { return left[static_cast<int>(a)] < left[static_cast<int>(b)]; });
  return places;
}

/// x with its axes in the order of a layout; x as it is where elements repeat.
OrderedRows in_order_of(const Tensor& x, const Axes& axes, const Layout& there) {
  Axes order = layout::by_distance(there), ordered;
  for (int i = 0; i < order.rank(); ++i) {
    const int64_t axis = order[i];
    const bool repeats = there.strides[static_cast<size_t>(axis)] == 0 && x.shape()[static_cast<int>(axis)] > 1;
    if (repeats) return {x, axes, {}};
    if (axes.contains(axis)) ordered.push_back(i);
  }
  return {x.permute(order), ordered, places_of_left(order, axes)};
}

Means of_parts(const Parts& parts) {
  const Tensor each = mean(parts.x, parts.inner);
  return {each, mean_in_any_order(each, parts.outer)};
}

}  // namespace

std::optional<Parts> parts_of(const Tensor& x, const Axes& axes) {
  if (has_short_runs(x, axes))
    if (std::optional<Parts> parts = with_runs_as_columns(x, axes)) return parts;
  if (is_whole(x, axes) || x.rank() == max_rank) return std::nullopt;
  return cut(x, axes);
}

bool are_joined_at_once(const Parts& parts) {
  Tensor one = parts.x;  // an element of each
  for (const int64_t axis : parts.inner) one = one.slice(static_cast<int>(axis), 0, 1);
  return has_rows_of_a_kernel(*one.node(), parts.outer, limits_of(*one.node()));
}

bool has_few_parts(const Tensor& x, const Axes& axes) {
  const std::optional<Parts> parts = parts_of(x, axes);
  return parts && are_joined_at_once(*parts);
}

std::optional<Split> split_of(const Tensor& x, const Axes& axes) {
  // Of fewer a cache holds what is read a second time: var of 7.4 million on an H200 takes 40 us in two passes, 69 so.
  constexpr int64_t part = 8192, fewest_parts = 8, fewest = int64_t{1} << 24;
  // Elsewhere two passes take less: of 300,156 on the CPU 0.07 ms, in parts 0.32.
  if (!verbs::is_gpu(x.device()) || x.size() < fewest || is_whole(x, axes) || x.rank() == max_rank ||
      are_columns(x, axes))
    return std::nullopt;
  if (has_few_parts(x, axes)) return std::nullopt;
  const int axis = x.rank() - 1;
  const int64_t length = x.shape()[axis], head = length / part * part;
  if (length / part < fewest_parts || head == length) return std::nullopt;
  return Split{x.slice(axis, 0, head), x.slice(axis, head, length)};
}

namespace {

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

/// The line's elements from `first` on in rows of `part`.
PartsInMemory parts_of_line(const Line& line, int64_t first, int64_t part) {
  const int64_t size = line.x.size(), rows = (size - first) / part, last = first + rows * part;
  PartsInMemory parts{line.x.slice(0, first, last).reshape({rows, part}), {}};
  if (first > 0) parts.rests.push_back(line.x.slice(0, 0, first));
  if (last < size) parts.rests.push_back(line.x.slice(0, last, size));
  return parts;
}

/// Whether x lies on a GPU, through which no derivative goes, and a kernel more for a rest takes less than a second
/// reading, for the caller, too.
bool has_enough_for_a_rest(const Tensor& x) {
  constexpr int64_t fewest_elements = int64_t{1} << 22;
  return x.size() >= fewest_elements && verbs::is_gpu(x.device()) && !x.node()->is_differentiated();
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

int64_t first_whole_vector(const Line& line) { return (vector_width - line.offset) % vector_width; }

}  // namespace

std::optional<PartsInMemory> parts_in_memory(const Tensor& x, int64_t part) {
  constexpr int64_t fewest = int64_t{1} << 24;
  if (!verbs::is_gpu(x.device()) || x.dtype() != DType::f32 || x.size() < fewest) return std::nullopt;
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
  const std::optional<Layout> at = layout_in_memory(*x.node());
  return at && at->is_contiguous() && at->offset % vector_width == 0;
}

std::optional<Parts> parts_of_mean(const Tensor& x, const Axes& axes) {
  // Elsewhere the tree's sum of a mean alone is much quicker: of 10^6 x 10 on the CPU 1.0 ms, in parts 9.
  if (axes.empty() || !verbs::is_gpu(x.device())) return std::nullopt;
  if (are_columns(x, axes)) return parts_of(x, axes);
  if (has_short_runs(x, axes)) return with_runs_as_columns(x, axes);
  // A sum of them all is one dispatch, parts are two: of fewer a mean alone would wait for that longer than a variance
  // gains.
  constexpr int64_t fewest = int64_t{1} << 26;
  return x.size() >= fewest && lies_in_order(x) && has_few_parts(x, axes) ? parts_of(x, axes) : std::nullopt;
}

Means means_of(const Parts& parts, const Tensor& x, const Axes& axes) {
  const SplitMeans found = known_or(x, axes, [&] {
    const Means means = of_parts(parts);
    return SplitMeans{means.parts, means.parts, means.all};
  });
  return {found.parts, found.all, found.known};
}

std::optional<SplitColumns> split_columns_of(const Tensor& x, const Axes& axes) {
  constexpr int64_t fewest = int64_t{1} << 22;
  if (!verbs::is_gpu(x.device()) || x.size() < fewest || axes.rank() != 1 || x.rank() == max_rank) return std::nullopt;
  if (!are_columns(x, axes) || x.node()->is_differentiated() || has_few_parts(x, axes) || is_whole(x, axes))
    return std::nullopt;
  const int axis = static_cast<int>(axes[0]);
  const int64_t length = x.shape()[axis], part = part_with_little_rest(length, longest_part_of_columns(x, length)),
                head = length / part * part;
  if (head == length || head == 0) return std::nullopt;
  std::optional<Parts> parts = cut(x.slice(axis, 0, head), axes);
  if (!parts) return std::nullopt;
  const double share = static_cast<double>(length - head) / static_cast<double>(length);
  return SplitColumns{*std::move(parts), x.slice(axis, head, length), share};
}

SplitMeans means_of(const SplitColumns& split, const Tensor& x, const Axes& axes) {
  return known_or(x, axes, [&] {
    const Means head = of_parts(split.head);
    const Tensor rest = mean_in_any_order(split.rest, axes);
    return SplitMeans{head.parts, rest, joined(head.all, rest, split.share)};
  });
}

Tensor joined(const Tensor& of_head, const Tensor& of_rest, double share) {
  const Tensor between = of_head + static_cast<float>(share) * (of_rest - of_head);
  return where(isinf(of_head), of_head + of_rest, between);
}

Tensor without_repeats(const Tensor& x, const Axes& axes) {
  const auto* view = x.node()->as<nodes::View>();
  if (!is_gpu(x.device()) || view == nullptr || view->boundary || x.node()->is_differentiated() || x.size() == 0)
    return x;
  Tensor once = x;
  for (const int64_t axis : axes)
    if (view->layout.strides[static_cast<size_t>(axis)] == 0) once = once.slice(static_cast<int>(axis), 0, 1);
  return once;
}

Rows with_one_axis(const Tensor& x, const Axes& axes) {
  const int first = x.rank() - axes.rank();
  const std::optional<Layout> there = layout_in_memory(*x.node());
  if (!is_gpu(x.device()) || !there || x.node()->is_differentiated() || axes.rank() < 2 || axes[0] != first)
    return {x, axes};
  Shape shape(x.shape().begin(), x.shape().begin() + first);
  shape.push_back(count_over("var", x.shape(), axes));
  return layout::reshape(*there, shape) ? Rows{x.reshape(shape), {first}} : Rows{x, axes};
}

Rows in_order_of_memory(const Tensor& x, const Axes& axes) {
  constexpr int64_t fewest = 1 << 18;
  const std::optional<Layout> there = layout_in_memory(*x.node());
  if (!is_gpu(x.device()) || !there || x.node()->is_differentiated() || x.size() < fewest) return {x, axes};
  const OrderedRows rows = in_order_of(x, axes, *there);
  return std::is_sorted(rows.left.begin(), rows.left.end()) ? Rows{rows.x, rows.axes} : Rows{x, axes};
}

OrderedRows with_runs_last(const Tensor& x, const Axes& axes) {
  const OrderedRows as_is{x, axes, {}};
  const auto& read = x.node()->dominant.layout;
  if (!is_gpu(x.device()) || read == nullptr || x.node()->is_differentiated() || has_short_runs(x, axes)) return as_is;
  const OrderedRows rows = in_order_of(x, axes, *read);
  return has_short_runs(rows.x, rows.axes) ? rows : as_is;
}

Tensor forwards_along(const Tensor& x, const Axes& axes) {
  const std::optional<Layout> there = layout_in_memory(*x.node());
  if (!there || !is_gpu(x.device()) || x.node()->is_differentiated()) return x;
  Axes flipped;
  for (const int64_t axis : axes)
    if (there->strides[static_cast<size_t>(axis)] < 0) flipped.push_back(axis);
  return flipped.empty() ? x : x.flip(flipped);
}

Tensor sum_of_mean(const Tensor& x) {
  constexpr int64_t fewest = 1 << 18;  // fewer are read across in the time of another dispatch
  if (!is_gpu(x.device()) || x.node()->as<nodes::Elementwise>() == nullptr || x.size() < fewest) return sum(x);
  Axes axes;
  for (int axis = 0; axis < x.rank(); ++axis) axes.push_back(axis);
  return pend(make_sum_in_any_order(x.node(), axes));
}

Tensor mean_in_any_order(const Tensor& x, const Axes& axes) {
  const int64_t count = count_over("mean", x.shape(), axes);
  const auto in_any_order = [](const Tensor& at, const Axes& there) {
    return pend(make_sum_in_any_order(at.node(), there));
  };
  const Tensor total = count == 1 || x.size() == 0 ? sum(x, axes) : reduced_in_memory_order(x, axes, in_any_order);
  return total / static_cast<float>(count);
}

}  // namespace eglantine::verbs
