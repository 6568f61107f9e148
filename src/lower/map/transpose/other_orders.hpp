#pragma once

#include <optional>

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// The map with those operands put in the order of the results, by steps of their own, that lie across these by other
/// axes than the operands that a tiled transpose stages: they would be read an element a sector. On hardware; nothing
/// of other maps.
std::optional<MapKernel> with_other_orders_copied(Lowering& lowering, const MapKernel& kernel);

}  // namespace eglantine::lower
