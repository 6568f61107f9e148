#include "lower/map/stencil_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "codegen/addresses/access_pattern.hpp"
#include "layout/divide.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

using codegen::vector_width;

constexpr int64_t widest_group = 256, narrowest_group = 32;
/// A tile has so many lines for each that the next tile reads as well, or fewer where the device would not have so many
/// rounds of groups.
constexpr int64_t lines_for_each_shared = 4, least_rounds = 2;
/// Of the lines that results read, so that a tile's lines stay in the cache meanwhile.
constexpr int64_t most_lines_apart = 8;

/// By how many lines along each outer axis two views lie apart; longer strides first. Empty where they lie on no lines
/// near each other.
std::vector<int64_t> lines_apart(const Layout& from, const Layout& to) {
  const int inner = from.shape.rank() - 1;
  std::vector<int64_t> apart(static_cast<size_t>(inner));
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < apart.size(); ++axis)
    if (from.strides[axis] != 0) axes.push_back(axis);
  std::stable_sort(axes.begin(), axes.end(),
                   [&](size_t a, size_t b) { return std::abs(from.strides[a]) > std::abs(from.strides[b]); });
  int64_t rest = to.offset - from.offset;
  for (const size_t axis : axes) {
    apart[axis] = std::llround(static_cast<double>(rest) / static_cast<double>(from.strides[axis]));
    rest -= apart[axis] * from.strides[axis];
    if (std::abs(apart[axis]) > most_lines_apart) return {};
  }
  return apart;
}

/// The most lines along each outer axis that lie between two views of one storage.
std::vector<int64_t> lines_between_views(const Expr& value) {
  std::vector<int64_t> most(static_cast<size_t>(value.domain.rank() - 1));
  for (const Strided& from : value.operands)
    for (const Strided& to : value.operands) {
      const bool alike =
          from.buffer == to.buffer && from.storage == to.storage && from.layout.strides == to.layout.strides;
      if (!alike || std::abs(from.layout.strides.back()) != 1) continue;
      const std::vector<int64_t> apart = lines_apart(from.layout, to.layout);
      for (size_t axis = 0; axis < apart.size(); ++axis) most[axis] = std::max(most[axis], apart[axis]);
    }
  return most;
}

/// The widest group whose invocations beyond the ends of rows are an eighth of them or fewer; 0 where none is.
int64_t group_along(const Target& target, int64_t columns) {
  const int64_t vectors = ceil_divide(columns, vector_width);
  for (int64_t group = group_size_of(target, widest_group); group >= narrowest_group; group /= 2)
    if (8 * round_up(vectors, group) <= 9 * vectors) return group;
  return 0;
}

}  // namespace

std::optional<TileOrder> stencil_order(const Target& target, const Expr& value) {
  if (target.software || value.domain.rank() < 2 || !value.piecewise.empty()) return {};
  const std::vector<int64_t> most = lines_between_views(value);
  const auto furthest = std::max_element(most.rbegin(), most.rend());
  const int64_t group = group_along(target, value.domain[value.domain.rank() - 1]);
  if (*furthest == 0 || group == 0) return {};
  const int axis = static_cast<int>(most.rend() - furthest) - 1;
  for (int64_t each = lines_for_each_shared; each > 0; --each) {
    const TileOrder order{axis, each * *furthest, group};
    if (order.tiles(value.domain) * group >= least_rounds * target.resident_invocations) return order;
  }
  return {};
}

}  // namespace eglantine::lower
