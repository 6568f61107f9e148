#include <algorithm>
#include <cstdlib>

#include "eglantine/own.hpp"
#include "lower/tile/program.hpp"
#include "lower/tile/reductions.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t elements_a_dispatch = int64_t{1} << 30;
// Elements of a tile up to which one group of a GPU is efficient while others idle.
constexpr int64_t elements_of_one_group = 1 << 16;
constexpr int64_t gpu_group = 256;

TileProgram program_of(const Target& target, const TileKernel& kernel) {
  TileProgram program(target, kernel);
  // A buffer read both by vec4 and by element takes two bindings; reading by element always takes one.
  return program.bindings() <= target.max_bindings ? program : TileProgram(target, kernel, false);
}

/// Whether a group a tile takes an invocation too many trips, or leaves most of a GPU idle. A few tiles suffice for the
/// few cores of a software device.
bool too_large(const Target& target, const TileKernel& kernel) {
  const int64_t elements = kernel.tile.elements();
  if (elements > most_tile_vectors(target)) return true;
  const int64_t busy = kernel.epilogue.domain.elements() * group_size_of(target, gpu_group);
  return !target.software && elements > elements_of_one_group && busy < target.resident_invocations / 2;
}

/// The axis with several tiles along which operands or results are furthest apart in memory; -1 for a single tile.
int axis_to_cut(const TileKernel& kernel) {
  int result = -1;
  int64_t furthest = -1;
  const auto consider = [&](const Layout& x, int axis) {
    const int64_t distance = (x.shape[axis] - 1) * std::abs(x.strides[static_cast<size_t>(axis)]);
    if (distance <= furthest) return;
    furthest = distance;
    result = axis;
  };
  for (int axis = 0; axis < kernel.tile.rank(); ++axis) {
    if (kernel.epilogue.domain[axis] == 1) continue;
    for (const Strided& operand : kernel.prologue.operands) consider(operand.layout, axis);
    consider(kernel.out.layout, axis);
  }
  return result;
}

void run_reductions(Lowering& lowering, const TileKernel& kernel) {
  for (const ReduceKernel& reduction : tile_reductions(kernel)) lower(lowering, reduction);
}

/// Dispatches the kernel if one binding covers each operand.
bool run_at_once(Lowering& lowering, const TileKernel& kernel) {
  if (kernel.prologue.domain.elements() > elements_a_dispatch) return false;
  const TileProgram program = program_of(lowering.target(), kernel);
  if (!program.fits()) return false;
  lowering.dispatch(program.dispatch());
  return true;
}

/// One dispatch, or recursively each half of the tiles where operands reach further than one binding covers.
void run_windows(Lowering& lowering, const TileKernel& kernel) {
  if (run_at_once(lowering, kernel)) return;
  const int axis = axis_to_cut(kernel);
  if (axis < 0) return run_reductions(lowering, kernel);
  layout::Box half{kernel.epilogue.domain, kernel.epilogue.domain};
  std::fill(half.start.begin(), half.start.end(), 0);
  half.length[axis] /= 2;
  run_windows(lowering, restricted(kernel, half));
  half.start[axis] = half.length[axis];
  half.length[axis] = kernel.epilogue.domain[axis] - half.start[axis];
  run_windows(lowering, restricted(kernel, half));
}

}  // namespace

void lower(Lowering& lowering, const TileKernel& kernel) {
  too_large(lowering.target(), kernel) ? run_reductions(lowering, kernel) : run_windows(lowering, kernel);
}

}  // namespace eglantine::lower
