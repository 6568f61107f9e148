#pragma once

#include "lower/contraction/step_chunks.hpp"

/// Split k in one dispatch: the groups of a tile's chunks add up their sums among themselves, in pairs.
namespace eglantine::lower {

/// Where groups store partial sums, vec4s of whole tiles, and say that they have arrived.
struct JoinedChunks {
  BufferPtr partials, arrivals;
  int64_t words;  ///< of partial sums
};

/// Whether groups of one dispatch join so many chunks: a bit of a tile's word is a pair of them. Not those of tiles in
/// slices, which take up to 17 % longer so on an H200 (docs/performance-notes.md), nor of one step, which are short.
bool may_join(const MatmulTile& tile, int64_t tiles, int64_t chunks);

int64_t words_of_partials(const MatmulShader& shader, int64_t tiles, int64_t chunks);
JoinedChunks joined_chunks(Lowering& lowering, const MatmulShader& shader, int64_t tiles, int64_t chunks);

/// Makes a program's structure one that joins chunks.
void bind(const JoinedChunks& joined, MatmulShader& shader, codegen::Bindings& bindings, MatmulBlocks& blocks);

/// The product with those chunks as its first batch axis, all of which go to its own results.
Contraction in_joined_chunks(const Contraction& product, const StepChunks& chunks);

}  // namespace eglantine::lower
