#include "lower/contraction/step_chunks.hpp"

#include <algorithm>

#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/contraction/schedule/speeds.hpp"

namespace eglantine::lower {
namespace {

// What vec4s along k and the tiles' steps are multiples of.
constexpr int64_t chunk_multiple = 16;

/// Whether one binding covers all of these elements.
bool one_binding_covers(const Target& target, int64_t elements) {
  return elements <= (target.max_block_bytes - target.binding_alignment) / 4;
}

}  // namespace

int64_t StepChunks::count() const { return ceil_divide(end - first, depth); }

int64_t longest_depth(const Target& target) {
  return target.max_loop_trips > 0 ? (target.max_loop_trips - 64) * 4 : int64_t{1} << 30;
}

bool has_groups_for(const Target& target, const Contraction& product, const MatmulShader& shader) {
  return product.m() <= target.max_groups * shader.tile_rows() &&
         product.n() <= target.max_groups * shader.tile_columns();
}

bool may_run_together(const Target& target, const Contraction& product, const MatmulShader& shader,
                      const StepChunks& chunks, int64_t partials) {
  return shader.form == MatmulForm::tile && !shader.in_one_step() && chunks.depth <= longest_depth(target) &&
         product.batches() * chunks.count() <= target.max_groups && has_groups_for(target, product, shader) &&
         one_binding_covers(target, layout::reach(product.a.layout).count()) &&
         one_binding_covers(target, layout::reach(product.b.layout).count()) && one_binding_covers(target, partials);
}

SplitK split_k(const Target& target, const Contraction& product, const MatmulShader& shader, int64_t splits) {
  const int64_t k = product.k();
  if (cuts_evenly(k, splits)) return {{0, k, k / splits}, false};
  const StepChunks longer{0, k, round_up(ceil_divide(k, splits), chunk_multiple)};
  const int64_t partials = product.m() * product.n() * product.batches() * longer.count();
  if (may_run_together(target, product, shader, longer, partials)) return {longer, true};
  return {{0, k, k / splits / chunk_multiple * chunk_multiple}, false};
}

Contraction in_chunks_of_k(const Contraction& product, const Strided& partials, const StepChunks& chunks) {
  Contraction split = product;
  const int64_t results = product.m() * product.n() * product.batches();
  split.domain[product.k_axis()] = std::min(chunks.depth, chunks.end - chunks.first);
  split.domain.insert(0, chunks.count());
  ++split.batch_rank;
  split.of_chunks = true;
  split.out.buffer = partials.buffer;
  for (Strided* x : {&split.a, &split.b, &split.out}) {
    const int64_t k_stride = x->layout.strides.back();
    const bool is_out = x == &split.out;
    x->layout.offset = is_out ? chunks.first / chunks.depth * results : x->layout.offset + chunks.first * k_stride;
    x->layout.strides.insert(x->layout.strides.begin(), is_out ? results : chunks.depth * k_stride);
    x->layout.shape = split.domain;
  }
  return split;
}

}  // namespace eglantine::lower
