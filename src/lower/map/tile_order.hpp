#pragma once

#include <optional>

#include "codegen/uniforms.hpp"
#include "graph/kernel.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// The order in which a software device computes the vectors of a map whose operand is strided along the output's rows:
/// tile by tile, so that the cache lines that a tile reads are used up before they leave the cache.
struct TileOrder {
  int axis;         ///< along which the operand lies closer together
  int64_t lines;    ///< of a tile
  int64_t vectors;  ///< of a line of a tile: one for each invocation of a group

  int64_t tiles(const Shape& domain) const;
  /// EG_ALL_LINES and what follows it in map.comp.
  void add_uniforms(const Shape& domain, codegen::Uniforms& uniforms) const;
};

/// Nothing on hardware, where an axis is shorter than a tile, and where the cache holds what a row reads until the next
/// one reads its neighbours.
std::optional<TileOrder> tile_order(const Target& target, const Expr& value, int64_t group_size);

}  // namespace eglantine::lower
