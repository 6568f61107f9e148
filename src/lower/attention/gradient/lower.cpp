#include <algorithm>
#include <numeric>
#include <vector>

#include "eglantine/error.hpp"
#include "layout/layout.hpp"
#include "lower/attention/gradient/apart.hpp"
#include "lower/attention/gradient/parts.hpp"
#include "lower/attention/gradient/sum.hpp"
#include "lower/attention/parts.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

/// x's elements without any between them, in the order of memory; of axes with one stride that of length 1 is first.
Layout dense_in_order(Layout x) {
  std::vector<int> axes(x.strides.size());
  std::iota(axes.begin(), axes.end(), 0);
  const auto stride = [&](int axis) -> int64_t& { return x.strides[static_cast<size_t>(axis)]; };
  std::ranges::stable_sort(
      axes, [&](int a, int b) { return std::pair(stride(a), x.shape[a]) < std::pair(stride(b), x.shape[b]); });
  int64_t next = 1;
  for (int axis : axes) {
    stride(axis) = next;
    next *= x.shape[axis];
  }
  x.offset = 0;
  return x;
}

/// Whether the dispatch of a part has numbers and groups for it, and the driver runs its loops to their end.
bool is_counted(const Target& target, const AttentionGradientKernel& kernel, const AttentionGradientTile& tile) {
  const int64_t lines = tile.of_keys ? kernel.columns : kernel.rows,
                others = tile.of_keys ? kernel.rows : kernel.columns;
  const int64_t widest =
      std::max({tile.parts * kernel.out.layout.size(), tile.of_keys ? layout::reach(kernel.second.layout).last : 0,
                kernel.is_of_all() ? layout::reach(kernel.third).last : 0});
  return widest <= elements_a_dispatch && kernel.heads <= target.max_groups &&
         lines <= target.max_groups * tile.tile_lines() && others <= longest_others(target, kernel, tile);
}

bool run_at_once(Lowering& lowering, const AttentionGradientPart& part, const AttentionGradientTile& tile) {
  const Target& target = lowering.target();
  if (!is_counted(target, part.kernel, tile)) return false;
  const auto program = program_of<AttentionGradientProgram>(target, part, tile);
  if (!program.fits() || program.bindings() > target.max_bindings) return false;
  lowering.dispatch(program.dispatch());
  return true;
}

/// By one kernel, whose parts of q's gradient another adds up; where it does not fit by others.
void lower_all(Lowering& lowering, const AttentionGradientKernel& kernel, const AttentionGradientTile& tile) {
  AttentionGradientPart whole{kernel};
  Strided& parts = whole.kernel.out;
  if (tile.parts > 1) {
    parts = lowering.temporary(DType::f32, layout::contiguous({tile.parts * kernel.out.layout.size()}));
    parts.layout = dense_in_order(kernel.out.layout);
  }
  if (!tile.of_all || !run_at_once(lowering, whole, tile)) return lower_apart(lowering, kernel);
  if (tile.parts > 1) add_parts(lowering, kernel, parts, tile);
}

/// Half of `count`, in whole tiles where there are several.
int64_t half_of(int64_t count, int64_t tile) { return count / 2 >= tile ? count / 2 / tile * tile : count / 2; }

void run_parts(Lowering& lowering, const AttentionGradientPart& part, const AttentionGradientTile& tile) {
  if (run_at_once(lowering, part, tile)) return;
  const AttentionGradientKernel& kernel = part.kernel;
  const auto run_both = [&](const AttentionGradientHalves& halves) {
    run_parts(lowering, halves.first, tile);
    run_parts(lowering, halves.second, tile);
  };
  const auto add_both = [&](AttentionGradientHalves halves) {
    const AttentionGradientSums sums(lowering, halves);
    run_both(halves);
    sums.add(lowering, kernel);
  };
  const int64_t lines = tile.of_keys ? kernel.columns : kernel.rows,
                others = tile.of_keys ? kernel.rows : kernel.columns;
  if (kernel.heads > std::max<int64_t>(1, kernel.together)) return run_both(halves_of_heads(part));
  if (kernel.together > 1) return add_both(halves_of_sum(part));
  if (lines == 1 && others == 1)
    throw DeviceError("[scaled_dot_product_attention] one storage buffer binding covers " +
                      std::to_string(lowering.target().max_block_bytes) +
                      " bytes, less than a row; raise EGLANTINE_MAX_BLOCK_BYTES");
  const bool loops_end = others <= longest_others(lowering.target(), kernel, tile);
  if (loops_end && lines >= others) return run_both(halves_of_lines(part, half_of(lines, tile.tile_lines())));
  add_both(halves_of_others(part, half_of(others, tile.tile_others())));
}

}  // namespace

void lower(Lowering& lowering, const AttentionGradientKernel& kernel) {
  const AttentionGradientTile tile = attention_gradient_tile(lowering.target(), kernel);
  if (kernel.is_of_all()) return lower_all(lowering, kernel, tile);
  if (run_at_once(lowering, {kernel}, tile)) return;
  AttentionGradientPart plain{kernel};
  AttentionGradientKernel& x = plain.kernel;
  for (Strided* operand : {&x.q, &x.k, &x.v, &x.mask, &x.cotangent}) copy_scattered(lowering, *operand);
  run_parts(lowering, plain, tile);
}

}  // namespace eglantine::lower
