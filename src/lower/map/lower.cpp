#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/copies.hpp"
#include "lower/expressions.hpp"
#include "lower/lowering.hpp"
#include "lower/map/interleaved.hpp"
#include "lower/map/program.hpp"
#include "lower/map/repeated.hpp"
#include "lower/map/transpose/joint_tile.hpp"
#include "lower/map/transpose/linear_boxes.hpp"
#include "lower/map/transpose/other_orders.hpp"
#include "lower/map/transpose/permute_program.hpp"
#include "lower/map/transpose/transpose_program.hpp"
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
bool run_permuted(Lowering& lowering, const MapKernel& kernel) {
  const Target& target = lowering.target();
  const std::optional<JointTile> tile = joint_tile(target, kernel);
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
bool shares_a_tile(const Target& target, const MapKernel& kernel) {
  const std::optional<JointTile> tile = joint_tile(target, kernel);
  return tile && tile->staged.size() > 1 && tile->staged.size() == kernel.value.operands.size();
}

void run_window(Lowering& lowering, const MapKernel& kernel) {
  const Target& target = lowering.target();
  if (run_interleaved(lowering, kernel) || run_transposed(lowering, kernel, joint_lines(target, kernel))) return;
  if (shares_a_tile(target, kernel) && run_permuted(lowering, kernel)) return;
  if (const std::optional<MapKernel> ordered = with_other_orders_copied(lowering, kernel))
    return run_window(lowering, *ordered);
  if (run_permuted(lowering, kernel)) return;
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

/// By the driver, from dense memory of the map's own.
bool run_by_copies(Lowering& lowering, const MapKernel& kernel) {
  if (!shares_words(kernel)) return false;
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

/// Rows of narrow elements as the words that they fill, where all are whole vectors of words and begin at such.
std::optional<Strided> rows_as_words(const Strided& x) {
  const int64_t each = 4 / bytes_of(x.storage), vector = each * vector_width;
  Strided words{x.buffer, StorageType::u32, x.layout};
  const int inner = x.layout.shape.rank() - 1;
  if (x.layout.strides.back() != 1 || x.layout.shape[inner] % vector != 0 || x.layout.offset % vector != 0)
    return std::nullopt;
  words.layout.shape[inner] /= each;
  words.layout.offset /= each;
  for (int axis = 0; axis < inner; ++axis) {
    int64_t& stride = words.layout.strides[static_cast<size_t>(axis)];
    if (stride % vector != 0) return std::nullopt;
    stride /= each;
  }
  return words;
}

/// `count` elements in a line, as the words that they fill from a whole one on.
std::optional<Strided> as_words(const Strided& x, int64_t count) {
  const int64_t each = 4 / bytes_of(x.storage);
  const Layout& line = x.layout;
  if (line.shape.rank() != 1 || !line.is_contiguous() || line.offset % each != 0) return std::nullopt;
  return Strided{x.buffer, StorageType::u32, {{ceil_divide(count, each)}, {1}, line.offset / each}, x.whole};
}

/// A copy of narrow elements, as one of words, which moves more at a time; nothing where the two lie differently, or
/// others share the last word.
std::optional<MapKernel> copy_of_words(const MapKernel& kernel) {
  if (!is_only(kernel.value, Op::load) || !is_narrow(kernel.out.storage)) return std::nullopt;
  const Strided& from = kernel.value.operands.front();
  const int64_t count = kernel.value.domain.elements();
  const bool fills = kernel.out.whole || count * bytes_of(kernel.out.storage) % 4 == 0;
  if (from.storage != kernel.out.storage) return std::nullopt;
  if (kernel.value.domain.rank() > 1) {
    const std::optional<Strided> words = rows_as_words(from), out = rows_as_words(kernel.out);
    if (!words || !out) return std::nullopt;
    return MapKernel{load_of(*words), *out};
  }
  if (!fills) return std::nullopt;
  const std::optional<Strided> words = as_words(from, count), out = as_words(kernel.out, count);
  if (!words || !out) return std::nullopt;
  return MapKernel{load_of(*words), *out};
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
