#pragma once

#include <optional>

#include "codegen/uniforms.hpp"
#include "graph/kernel/kernel.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// An order in which a map's vectors are computed: tile by tile, so that what a tile reads is used up before it leaves
/// the cache.
struct TileOrder {
  int axis;         ///< of its lines
  int64_t lines;    ///< of a tile
  int64_t vectors;  ///< of a line of a tile: one for each invocation of a group

  int64_t tiles(const Shape& domain) const;
  /// EG_ALL_LINES and what follows it in map.comp.
  void add_uniforms(const Shape& domain, codegen::Uniforms& uniforms) const;
};

/// Of a software device, where an operand is strided along the output's rows: along the axis on which it lies closer
/// together. Nothing on hardware, where an axis is shorter than a tile, and where the cache holds what a row reads
/// until the next one reads its neighbours.
std::optional<TileOrder> tile_order(const Target& target, const Expr& value, int64_t group_size);

}  // namespace eglantine::lower
