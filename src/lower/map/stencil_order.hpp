#pragma once

#include <optional>

#include "lower/map/tile_order.hpp"

namespace eglantine::lower {

/// The order in which hardware computes a stencil whose operands lie in several lines of one storage: tile by tile,
/// each group line after line, so that what it has read for one line serves the next ones from the cache next to it.
/// Otherwise the cache that all share gives each line as often as results read it. Nothing where tiles would not fill
/// the device, or rows are too short to be divided among groups.
std::optional<TileOrder> stencil_order(const Target& target, const Expr& value);

}  // namespace eglantine::lower
