#include "lower/contraction/joined_chunks.hpp"

#include "element_types.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t bits_of_a_word = 32;
// Of an invocation, for registers to hold those of another one as well, and of a group that waits for memory so often.
constexpr int most_results = 96, fewest_invocations = 64;

}  // namespace

bool may_join(const MatmulTile& tile, int64_t tiles, int64_t chunks) {
  return tile.form == MatmulForm::tile && tile.slices == 1 && tile.rows * tile.columns <= most_results &&
         tile.invocations() >= fewest_invocations && tile.depth != MatmulShader::one_step && chunks > 1 &&
         chunks <= bits_of_a_word && tiles <= exchange_counters;
}

JoinedChunks joined_chunks(Lowering& lowering, const MatmulShader& shader, int64_t tiles, int64_t chunks) {
  const int64_t words = tiles * chunks * shader.tile_rows() * shader.tile_columns();
  return {lowering.temporary(words * bytes_of(StorageType::u32)), lowering.exchange(), words};
}

void bind(const JoinedChunks& joined, MatmulShader& shader, codegen::Bindings& bindings, MatmulBlocks& blocks) {
  shader.joins_chunks = true;
  blocks.left = bindings.add_left_vectors(joined.left.get(), word_storage(shader.dtype), {0, joined.words - 1});
  blocks.came = bindings.add_coherent(joined.came.get(), {0, exchange_counters - 1});
}

Contraction in_joined_chunks(const Contraction& product, const StepChunks& chunks) {
  Contraction split = in_chunks_of_k(product, product.out, chunks);
  split.out = product.out;
  split.out.layout.shape = split.domain;
  split.out.layout.strides.insert(split.out.layout.strides.begin(), 0);
  return split;
}

}  // namespace eglantine::lower
