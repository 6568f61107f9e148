#include "lower/map/tile_order.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "codegen/addresses/access_pattern.hpp"
#include "layout/closer_axis.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

using codegen::vector_width;

/// Of the second-level cache, in which addresses a way apart share their set: bytes of a line and of a way, and ways.
constexpr int64_t cache_line = 64, way = int64_t{1} << 16, ways = 16;
constexpr int64_t least_lines = 8;

/// Lines of a tile that share the cache lines of the operand.
int64_t lines_of(const Strided& x, int axis) {
  const int64_t apart = std::abs(x.layout.strides[static_cast<size_t>(axis)]) * bytes_of(x.storage);
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, cache_line / apart))));
}

int64_t columns_of(const Shape& domain) { return domain[domain.rank() - 1]; }

/// Whether the cache lines that a row reads, one an element, push one another out of the cache.
bool overflows(const Strided& x) {
  const int64_t apart = std::abs(x.layout.strides.back()) * bytes_of(x.storage);
  const int64_t sets = way / std::max(cache_line, std::gcd(apart, way));
  return columns_of(x.layout.shape) > sets * ways;
}

int64_t tiles_across(const TileOrder& order, const Shape& domain) {
  return ceil_divide(columns_of(domain), vector_width * order.vectors);
}

int64_t tiles_down(const TileOrder& order, const Shape& domain) { return ceil_divide(domain[order.axis], order.lines); }

}  // namespace

int64_t TileOrder::tiles(const Shape& domain) const {
  const int64_t planes = domain.elements() / domain[axis] / columns_of(domain);
  return planes * tiles_down(*this, domain) * tiles_across(*this, domain);
}

void TileOrder::add_uniforms(const Shape& domain, codegen::Uniforms& uniforms) const {
  int64_t between = 1;
  for (int other = axis + 1; other + 1 < domain.rank(); ++other) between *= domain[other];
  uniforms.add(domain[axis]);
  uniforms.add(columns_of(domain));
  uniforms.add_divisor(between);
  uniforms.add_divisor(tiles_across(*this, domain));
  uniforms.add_divisor(tiles_down(*this, domain));
}

std::optional<TileOrder> tile_order(const Target& target, const Expr& value, int64_t group_size) {
  if (!target.software || value.domain.rank() < 2) return {};
  if (columns_of(value.domain) < vector_width * group_size) return {};
  for (const Strided& operand : value.operands) {
    const int axis = layout::closer_axis(operand.layout, least_lines);
    if (axis >= 0 && lines_of(operand, axis) > 1 && overflows(operand))
      return TileOrder{axis, lines_of(operand, axis), group_size};
  }
  return {};
}

}  // namespace eglantine::lower
