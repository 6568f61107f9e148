#include "verbs/reduce/parts.hpp"

#include <algorithm>

#include "eglantine/verbs/reductions.hpp"
#include "evaluate/evaluate.hpp"
#include "graph/planning/ownership/row_chains.hpp"
#include "layout/divide.hpp"
#include "verbs/reduce/short_runs.hpp"

namespace eglantine::verbs {
namespace {

/// The largest divisor of `length` up to `most`, or one of whole vectors that is not much shorter, so that parts begin
/// at vectors.
int64_t largest_part(int64_t length, int64_t most) {
  const int64_t any = largest_divisor(length, most);
  if (length % vector_width != 0 || most < vector_width) return any;
  const int64_t whole = vector_width * largest_divisor(length / vector_width, most / vector_width);
  return 2 * whole >= any ? whole : any;
}

/// cut() into parts of up to `longest` elements.
std::optional<Parts> cut(const Tensor& x, const Axes& axes, int64_t longest) {
  constexpr int64_t shortest = 64;
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

}  // namespace

std::optional<Parts> parts_of(const Tensor& x, const Axes& axes) {
  if (has_short_runs(x, axes))
    if (std::optional<Parts> parts = with_runs_as_columns(x, axes)) return parts;
  if (is_whole(x, axes) || x.rank() == max_rank) return std::nullopt;
  return cut(x, axes);
}

std::optional<Parts> cut(const Tensor& x, const Axes& axes) {
  constexpr int64_t longest_row = 16384;
  if (!are_columns(x, axes)) return cut(x, axes, longest_row);
  const std::optional<Parts> parts = cut(x, axes, longest_part_of_columns(x, count_over("var", x.shape(), axes)));
  // Longer columns are no kernel's where they are few, or begin between vectors (graph/planning/ownership/row_chains).
  if (!parts || is_whole(parts->x, parts->inner)) return parts;
  const std::optional<Parts> shorter = cut(x, axes, short_columns);
  return shorter && are_joined_at_once(*shorter) ? shorter : parts;
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

bool are_columns(const Tensor& x, const Axes& axes) { return axes[axes.rank() - 1] != x.rank() - 1; }

bool is_whole(const Tensor& x, const Axes& axes) {
  return x.size() == 0 || axes.empty() || has_rows_of_a_kernel(*x.node(), axes, limits_of(*x.node()));
}

int64_t longest_part_of_columns(const Tensor& x, int64_t length) {
  constexpr int64_t shortest = 128, longest = 4096;
  // A group for every sixth multiprocessor times so many: two each.
  const int64_t enough = 12 * limits_of(*x.node()).enough_columns;
  if (enough == 0) return longest;
  // The parts of a column that a group has in its registers: of 777,777 x 5 on an H200 31.5 us, of more parts 35.
  constexpr int64_t most_joined = 2 * short_columns;
  const int64_t joined = std::min(most_joined, std::max(short_columns, few_elements * length / x.size()));
  return std::clamp(std::max(x.size() / enough, ceil_divide(2 * length, joined)), shortest, longest);
}

}  // namespace eglantine::verbs
