#pragma once

#include "lower/contraction/text/tile_operand.hpp"

namespace eglantine::lower {

/// EG_STORE of a tile: its slices are added up by then.
std::string store_results(const MatmulShader& shader, const TileOperand& a, const TileOperand& b,
                          const MatmulStore& store);

}  // namespace eglantine::lower
