#include <algorithm>
#include <cstdlib>

#include "eglantine/own.hpp"
#include "lower/expressions.hpp"
#include "lower/tile/program.hpp"
#include "lower/tile/reductions.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

// Elements of a tile up to which one group of a GPU is efficient while others idle.
constexpr int64_t elements_of_one_group = 1 << 16;
constexpr int64_t gpu_group = 256;

/// Whether a group a tile takes an invocation too many trips, or leaves most of a GPU idle. A few tiles suffice for the
/// few cores of a software device.
bool too_large(const Target& target, const TileKernel& kernel) {
  const int64_t elements = kernel.tile.elements();
  if (elements > most_tile_vectors(target)) return true;
  const int64_t busy = kernel.epilogue.domain.elements() * group_size_of(target, gpu_group);
  return !target.software && elements > elements_of_one_group && busy < target.resident_invocations / 2;
}

void run_reductions(Lowering& lowering, const TileKernel& kernel) {
  for (const ReduceKernel& reduction : tile_reductions(kernel)) lower(lowering, reduction);
}

/// Dispatches the kernel if one binding covers each operand.
bool run_at_once(Lowering& lowering, const TileKernel& kernel) {
  if (kernel.prologue.domain.elements() > elements_a_dispatch) return false;
  const auto program = program_of<TileProgram>(lowering.target(), kernel);
  if (!program.fits()) return false;
  lowering.dispatch(program.dispatch());
  return true;
}

/// Over the grid of tiles: layouts of each tile's first element, and of what its result becomes.
std::vector<Layout> layouts_over_grid(const TileKernel& kernel) {
  std::vector<Layout> layouts{kernel.out.layout};
  for (const Layout& layout : layouts_of(kernel.epilogue)) layouts.push_back(layout);
  for (const Layout& layout : layouts_of(kernel.prologue)) {
    Layout firsts{kernel.epilogue.domain, layout.strides, layout.offset};
    for (int axis = 0; axis < kernel.tile.rank(); ++axis)
      firsts.strides[static_cast<size_t>(axis)] *= kernel.tile[axis];
    layouts.push_back(firsts);
  }
  return layouts;
}

/// Elements that a tile of any operand reaches.
int64_t reach_of_tile(const TileKernel& kernel) {
  int64_t furthest = 0;
  for (const Layout& layout : layouts_of(kernel.prologue))
    furthest = std::max(furthest, layout::reach({kernel.tile, layout.strides, 0}).count());
  return furthest;
}

/// One dispatch; or windows of tiles where operands reach further than one binding covers, less what a tile reaches.
void run_windows(Lowering& lowering, const TileKernel& kernel) {
  if (run_at_once(lowering, kernel)) return;
  const int64_t bytes = widest_element(kernel);
  layout::SplitLimits limits = limits_of(lowering.target());
  limits.block_bytes -= reach_of_tile(kernel) * bytes;
  limits.box_elements = std::max<int64_t>(1, limits.box_elements / kernel.tile.elements());
  if (limits.block_bytes <= 2 * limits.alignment) return run_reductions(lowering, kernel);
  Shape anywhere = kernel.epilogue.domain;
  std::fill(anywhere.begin(), anywhere.end(), 1);
  const Shape& grid = kernel.epilogue.domain;
  for (const layout::Box& box : layout::split(grid, layouts_over_grid(kernel), anywhere, bytes, limits)) {
    const TileKernel window = restricted(kernel, box);
    if (!run_at_once(lowering, window)) run_reductions(lowering, window);
  }
}

}  // namespace

void lower(Lowering& lowering, const TileKernel& kernel) {
  too_large(lowering.target(), kernel) ? run_reductions(lowering, kernel) : run_windows(lowering, kernel);
}

}  // namespace eglantine::lower
