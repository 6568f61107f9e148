#include "lower/contraction/joined_chunks.hpp"

#include "element_types.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t bits_of_a_word = 32;
// Of an invocation, whose registers hold another one's sums beside its own.
constexpr int most_results = 96;
// Of one subgroup they took half as long again (342 x 136 x 7262 on an H200 46 and 67 us).
constexpr int64_t fewest_invocations = 64;

}  // namespace

bool may_join(const MatmulTile& tile, int64_t tiles, int64_t chunks) {
  return tile.form == MatmulForm::tile && tile.slices == 1 && tile.rows * tile.columns <= most_results &&
         tile.invocations() >= fewest_invocations && tile.depth != MatmulShader::one_step && chunks > 1 &&
         chunks <= bits_of_a_word && tiles <= exchange_counters;
}

int64_t words_of_partials(const MatmulShader& shader, int64_t tiles, int64_t chunks) {
  return tiles * chunks * shader.tile_rows() * shader.tile_columns();
}

JoinedChunks joined_chunks(Lowering& lowering, const MatmulShader& shader, int64_t tiles, int64_t chunks) {
  const int64_t words = words_of_partials(shader, tiles, chunks);
  return {lowering.temporary(words * bytes_of(StorageType::u32)), lowering.exchange(), words};
}

void bind(const JoinedChunks& joined, MatmulShader& shader, codegen::Bindings& bindings, MatmulBlocks& blocks) {
  shader.joins_chunks = true;
  blocks.partials =
      bindings.add_coherent_vectors(joined.partials.get(), word_storage(shader.dtype), {0, joined.words - 1});
  blocks.arrivals = bindings.add_coherent(joined.arrivals.get(), {0, exchange_counters - 1});
}

Contraction in_joined_chunks(const Contraction& product, const StepChunks& chunks) {
  Contraction split = in_chunks_of_k(product, product.out, chunks);
  split.out = product.out;
  split.out.layout.shape = split.domain;
  split.out.layout.strides.insert(split.out.layout.strides.begin(), 0);
  if (chunks.depth * chunks.count() != product.k()) split.end_k = chunks.end;
  return split;
}

}  // namespace eglantine::lower
