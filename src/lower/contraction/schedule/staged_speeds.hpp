#pragma once

#include "lower/contraction/schedule/speeds.hpp"

/// What the time of a contraction whose operands are staged depends on, on hardware.
namespace eglantine::lower {

/// As in_chunks(), of a contraction with an operand that is staged.
TileInChunks staged_in_chunks(const Target& target, const Contraction& product, const MatmulShader& shader,
                              const MatmulTile& tile, size_t number);

}  // namespace eglantine::lower
