#include <array>

#include "graph/expression.hpp"
#include "layout/layout.hpp"
#include "lower/contraction/groups_program.hpp"
#include "lower/expressions.hpp"

/// Contractions over groups of axes: read in place, or where a device's limits forbid it by way of matrices in memory.
namespace eglantine::lower {
namespace {

// Shaders number lines, steps and results in 32 bits.
constexpr int64_t most_numbers = int64_t{1} << 30;

int64_t longest_loop(const Target& target) {
  return target.max_loop_trips > 0 ? (target.max_loop_trips - 64) * 4 : most_numbers;
}

/// The hardware form has its epilogue, if any, in a pass of its own: beside a tile's results it takes too many
/// registers.
bool applies_epilogue(const Target& target, const ContractionKernel& kernel) {
  return target.software || is_only(kernel.epilogue, Op::accumulator);
}

/// Where results wait for the epilogue: as those of the kernel, in their order.
Strided results_for(Lowering& lowering, const ContractionKernel& kernel) {
  return lowering.temporary(kernel.left.dtype(), layout::contiguous(kernel.epilogue.domain));
}

bool run_in_place(Lowering& lowering, const ContractionKernel& kernel) {
  const Target& target = lowering.target();
  if (kernel.length > longest_loop(target) || kernel.epilogue.domain.elements() > most_numbers ||
      kernel.left.domain.elements() / kernel.length > most_numbers ||
      kernel.right.domain.elements() / kernel.length > most_numbers)
    return false;
  ContractionKernel plain = kernel;
  if (!applies_epilogue(target, kernel)) {
    plain.epilogue = accumulator_over(kernel.epilogue.domain, kernel.left.dtype());
    plain.out = results_for(lowering, kernel);
  }
  const auto program = program_of<GroupsProgram>(target, plain);
  if (!program.fits() || program.bindings() > target.max_bindings || !program.has_groups(target)) return false;
  program.dispatch(lowering);
  if (!applies_epilogue(target, kernel))
    lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, plain.out), kernel.out});
  return true;
}

/// A side as matrices of (lines, length) in memory, one for each batch.
Strided in_memory(Lowering& lowering, const Expr& side, const ContractionKernel& kernel, int64_t lines) {
  Strided made = materialize(lowering, side, layout::contiguous(side.domain));
  made.layout = layout::contiguous({kernel.batches, lines, kernel.length});
  return made;
}

void run_by_matrices(Lowering& lowering, const ContractionKernel& kernel) {
  MatmulKernel product;
  product.batch = {kernel.batches};
  product.m = kernel.rows;
  product.n = kernel.columns;
  product.k = kernel.length;
  product.a = in_memory(lowering, kernel.left, kernel, kernel.rows);
  product.b = in_memory(lowering, kernel.right, kernel, kernel.columns);
  std::swap(product.b.layout.shape[1], product.b.layout.shape[2]);
  std::swap(product.b.layout.strides[1], product.b.layout.strides[2]);
  product.out = results_for(lowering, kernel);
  product.epilogue = accumulator_over(kernel.epilogue.domain, kernel.left.dtype());
  lower(lowering, product);
  lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, product.out), kernel.out});
}

}  // namespace

void lower(Lowering& lowering, const ContractionKernel& kernel) {
  if (!run_in_place(lowering, kernel)) run_by_matrices(lowering, kernel);
}

}  // namespace eglantine::lower
