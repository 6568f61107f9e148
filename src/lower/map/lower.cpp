#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/copies.hpp"
#include "lower/expressions.hpp"
#include "lower/lowering.hpp"
#include "lower/map/interleaved.hpp"
#include "lower/map/program.hpp"
#include "lower/map/registers/channels_program.hpp"
#include "lower/map/registers/register_program.hpp"
#include "lower/map/repeated.hpp"
#include "lower/map/transpose/joint_tile.hpp"
#include "lower/map/transpose/linear_boxes.hpp"
#include "lower/map/transpose/other_orders.hpp"
#include "lower/map/transpose/permute_program.hpp"
#include "lower/map/transpose/transpose_program.hpp"
#include "lower/map/word_copies.hpp"
#include "lower/packing.hpp"
#include "lower/piecewise.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

/// By a tiled transpose, where an operand is strided along the output's rows and the bindings suffice.
bool run_transposed(Lowering& lowering, const MapKernel& kernel, const std::optional<Transposed>& transposed) {
  const Target& target = lowering.target();
  if (!transposed) return false;
  const TransposeProgram program(target, kernel, *transposed);
  if (program.bindings() > target.max_bindings) return false;
  if (is_narrow(kernel.out.storage) && !program.writes_words()) return false;
  lowering.dispatch(program.dispatch());
  return true;
}

/// By tiles of several axes, where an operand lies by another order of short ones and the bindings suffice.
bool run_permuted(Lowering& lowering, const MapKernel& kernel, const std::optional<JointTile>& tile) {
  const Target& target = lowering.target();
  if (!tile) return false;
  const PermuteProgram program(target, kernel, *tile);
  // What shifted views share reaches further than each of them, which the window covers.
  if (!program.fits() || program.bindings() > target.max_bindings) return false;
  lowering.dispatch(program.dispatch());
  return true;
}

/// By whole vectors of results that alternate, where the bindings suffice.
bool run_interleaved(Lowering& lowering, const MapKernel& kernel) {
  const std::optional<Interleaved> map = interleaved(kernel);
  if (!map) return false;
  const Target& target = lowering.target();
  MapSchedule schedule =
      plan_map(target, {map->value, {nullptr, map->out.storage, layout::contiguous(map->value.domain)}});
  if (schedule.width != vector_width || schedule.tiles || schedule.by_rows || schedule.lines) return false;
  schedule.unroll = 1;  // an invocation has several vectors in flight
  // An element of four results is a vector: of four vectors of an invocation none would be beside its neighbours'.
  const auto results = static_cast<int64_t>(map->results.size());
  if (results == vector_width && !target.software && !is_narrow(map->out.storage)) {
    const int64_t elements = map->value.domain.elements(), chunk = schedule.group_size;
    schedule = {chunk, {ceil_divide(elements, chunk), chunk}, 1, false, 1};
  }
  const InterleavedProgram program = program_of<InterleavedProgram>(target, schedule, *map);
  if (program.bindings() > target.max_bindings) return false;
  lowering.dispatch(program.dispatch());
  return true;
}

/// Whether all that is read are shifted views of one storage, which lie in one tile: tiles of two axes have a few of
/// them each for itself, and copies of the others.
bool share_a_tile(const MapKernel& kernel, const std::optional<JointTile>& tile) {
  return tile && tile->staged.size() > 1 && tile->staged.size() == kernel.value.operands.size();
}

/// By blocks transposed in registers, where they are quicker than tiles and the bindings suffice.
bool run_in_registers(Lowering& lowering, const MapKernel& kernel) {
  const Target& target = lowering.target();
  const std::optional<RegisterTranspose> how = transposed_in_registers(target, kernel);
  if (!how) return false;
  const RegisterTransposeProgram program(target, kernel, *how);
  if (!program.fits() || program.bindings() > target.max_bindings) return false;
  lowering.dispatch(program.dispatch());
  return true;
}

/// By 16 bytes of each channel at a time.
bool run_channels(Lowering& lowering, const MapKernel& kernel) {
  if (!moves_channels(lowering.target(), kernel)) return false;
  const ChannelsProgram program(lowering.target(), kernel);
  if (!program.fits()) return false;
  lowering.dispatch(program.dispatch());
  return true;
}

void run_window(Lowering& lowering, const MapKernel& kernel) {
  const Target& target = lowering.target();
  if (run_channels(lowering, kernel) || run_in_registers(lowering, kernel)) return;
  if (run_interleaved(lowering, kernel) || run_transposed(lowering, kernel, joint_lines(target, kernel))) return;
  const std::optional<JointTile> tile = joint_tile(target, kernel);
  if (share_a_tile(kernel, tile) && run_permuted(lowering, kernel, tile)) return;
  if (const std::optional<MapKernel> ordered = with_other_orders_copied(lowering, kernel))
    return run_window(lowering, *ordered);
  if (run_permuted(lowering, kernel, tile)) return;
  if (run_transposed(lowering, kernel, transposed_operands(target, kernel.value))) return;
  const MapSchedule schedule = plan_map(target, kernel);
  const MapKernel& ordered = schedule.lines ? with_lines_last(kernel, *schedule.lines) : kernel;
  lowering.dispatch(program_of<MapProgram>(target, schedule, ordered).dispatch());
}

/// The kernel over one box of its domain, its axes merged again as far as they can be.
MapKernel restricted(MapKernel kernel, const layout::Box& box) {
  restrict_to(kernel.value, box);
  restrict_to(kernel.out, box);
  collapse(kernel);
  return kernel;
}

/// The window in as many parts as its piecewise reads take.
void add_boxes(const Target& target, const MapKernel& window, std::vector<MapKernel>& parts) {
  if (binds_piecewise(target, window.value)) return parts.push_back(window);
  const auto [first, second] = halves(window.value.domain, axis_to_halve(target, window.value));
  add_boxes(target, restricted(window, first), parts);
  add_boxes(target, restricted(window, second), parts);
}

/// Whether rows that the host may copy fill a quarter of the memory that they lie in, or less: a kernel takes up to
/// four times as long for them as for dense ones.
bool is_sparse(const Target& target, const Layout& out) {
  constexpr int64_t parts = 4;
  return target.maps_memory && out.strides.back() == 1 && out.size() * parts <= layout::reach(out).count();
}

/// By copies, from dense memory of the map's own.
bool run_by_copies(Lowering& lowering, const MapKernel& kernel) {
  if (!shares_words(kernel) && !is_sparse(lowering.target(), kernel.out.layout)) return false;
  Strided dense{nullptr, kernel.out.storage, layout::contiguous(kernel.value.domain), true};
  MapKernel move{load_of(dense), kernel.out};
  collapse(move);
  if (!copy_of(lowering.target(), move)) return false;
  dense.buffer = lowering.temporary(dense.layout.size() * bytes_of(dense.storage));
  move.value.operands.front().buffer = dense.buffer;
  lower(lowering, MapKernel{kernel.value, dense});
  lowering.copy(*copy_of(lowering.target(), move));
  return true;
}

/// In windows that fit the device's bindings.
void run_windows(Lowering& lowering, const MapKernel& kernel) {
  const Target& target = lowering.target();
  const Cut cut = cut_along_inner(target, layouts_of(kernel), vector_width, widest_element(kernel));
  const std::vector<layout::Box> boxes = windows_of(target, kernel.value.domain, cut);
  std::vector<MapKernel> windows;
  for (const layout::Box& box : boxes) add_boxes(target, boxes.size() == 1 ? kernel : restricted(kernel, box), windows);
  for (const MapKernel& window : windows) run_window(lowering, window);
}

}  // namespace

void lower(Lowering& lowering, const MapKernel& kernel) {
  if (std::optional<Copy> copy = copy_of(lowering.target(), kernel)) return lowering.copy(std::move(*copy));
  if (std::vector<Copy> copies = copies_of(lowering.target(), kernel); !copies.empty()) {
    for (Copy& copy : copies) lowering.copy(std::move(copy));
    return;
  }
  if (const std::optional<MapKernel> words = copy_of_words(kernel)) return lower(lowering, *words);
  if (run_repeated_once(lowering, kernel)) return;
  const Target& target = lowering.target();
  if (const std::vector<MapKernel> parts = linear_boxes(target, kernel); !parts.empty()) {
    for (const MapKernel& part : parts) lower(lowering, part);
    return;
  }
  if (const std::vector<layout::Box> boxes = boxes_of_whole_words(target, kernel); !boxes.empty()) {
    for (const layout::Box& box : boxes) lower(lowering, restricted(kernel, box));
    return;
  }
  if (!run_by_copies(lowering, kernel)) run_windows(lowering, kernel);
}

}  // namespace eglantine::lower
