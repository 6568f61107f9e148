#pragma once

#include "lower/contraction/text/parts.hpp"

namespace eglantine::lower {

/// The holes of a tile whose groups join their chunks of k.
void define_joined_chunks(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks);

}  // namespace eglantine::lower
