#include <algorithm>
#include <cstdlib>
#include <vector>

#include "graph/kernel/expression.hpp"
#include "graph/planning/planner.hpp"
#include "graph/planning/remap_frame.hpp"

/// Pieces side by side in one result, of which each element picks its own: kernels of one piece each would write parts
/// of words, by atomics, or of lines.
namespace eglantine {

namespace {

constexpr int64_t vector_width = 4;
/// An element tries each of them. Of words, parts of lines cost less.
constexpr size_t most_pieces = 16, most_pieces_of_words = 8, most_steps_to_words = 64;
/// Of the result that shares words, a part from which on a kernel that computes all of it pays.
constexpr int64_t least_shared = 8;
/// From which on a piece that is contiguous in the result is written by whole words but for its ends.
constexpr int64_t long_piece = int64_t{1} << 16;

/// Where the box that a region is begins in the result; nothing where it is none.
std::optional<Shape> start_of(const Layout& region, const Layout& result) {
  if (region.shape.rank() != result.shape.rank()) return std::nullopt;
  Shape start = result.shape;
  int64_t rest = region.offset;
  for (int axis = 0; axis < result.shape.rank(); ++axis) {
    const int64_t stride = result.strides[static_cast<size_t>(axis)];
    if (region.shape[axis] > 1 && region.strides[static_cast<size_t>(axis)] != stride) return std::nullopt;
    start[axis] = stride == 0 ? 0 : std::min(rest / stride, result.shape[axis] - region.shape[axis]);
    rest -= start[axis] * stride;
  }
  return rest == 0 ? std::optional(start) : std::nullopt;
}

/// Whether each run of a region begins and ends between two vectors of the result.
bool has_whole_runs(const Layout& region, int64_t run) {
  if (run % vector_width != 0 || region.offset % vector_width != 0) return false;
  for (int axis = 0; axis < region.shape.rank(); ++axis) {
    const int64_t stride = std::abs(region.strides[static_cast<size_t>(axis)]);
    if (region.shape[axis] > 1 && stride >= run && stride % vector_width != 0) return false;
  }
  return true;
}

/// Whether a kernel of a piece alone would share words, or lines of memory, with others.
bool is_shared(const Layout& region, int64_t line_bytes, StorageType storage) {
  const int64_t run = run_of(region), size = region.shape.elements();
  if (size == 0 || (run == size && size >= long_piece)) return false;
  if (run * bytes_of(storage) < line_bytes) return true;
  return is_narrow(storage) && !has_whole_runs(region, run);
}

/// Where the pieces begin, if enough of the result is of such pieces; nothing too where one is no box.
std::optional<std::vector<Shape>> starts_of(const Node& x, const nodes::Placement& what, int64_t line_bytes,
                                            StorageType storage) {
  std::vector<Shape> starts;
  int64_t shared = 0;
  for (const Layout& region : what.regions) {
    const std::optional<Shape> start = start_of(region, layout::contiguous(x.shape));
    if (!start) return std::nullopt;
    starts.push_back(*start);
    if (is_shared(region, line_bytes, storage)) shared += region.shape.elements();
  }
  return shared * least_shared > x.shape.elements() ? std::optional(starts) : std::nullopt;
}

layout::AxisMap within(int64_t length, int64_t start, int64_t count) {
  return {length, start, start + count, {{start, 0, 1}}};
}

/// Whether an operand's elements follow each other along another axis than the last one.
bool is_transposed(const Strided& operand) {
  const Layout& x = operand.layout;
  int inner = x.shape.rank() - 1;
  while (inner > 0 && x.shape[inner] == 1) --inner;
  if (inner <= 0 || std::abs(x.strides[static_cast<size_t>(inner)]) <= 1) return false;
  for (int axis = 0; axis < inner; ++axis)
    if (x.shape[axis] >= vector_width && std::abs(x.strides[static_cast<size_t>(axis)]) == 1) return true;
  return false;
}

}  // namespace

int64_t run_of(const Layout& region) {
  int64_t run = 1;
  for (int axis = region.shape.rank() - 1; axis >= 0; --axis) {
    if (region.shape[axis] == 1) continue;
    if (region.strides[static_cast<size_t>(axis)] != run) break;
    run *= region.shape[axis];
  }
  return run;
}

/// Whether a piece is read across its order: neighbours of the result would each read a line.
bool Planner::reads_across(const Node& piece) {
  if (piece.shape.elements() == 0 || stored_of(piece) != nullptr) return false;
  const Layout at = layout::contiguous(piece.shape);
  Writing trial{ExpressionBuilder(at.shape), nullptr, nullptr, {}};
  lower(trial, piece, at);
  return std::ranges::any_of(trial.builder.expr().operands, is_transposed);
}

/// Puts such pieces in order, by tiles.
void Planner::put_in_order(const nodes::Placement& what) {
  for (const NodePtr& piece : what.pieces)
    if (reads_across(*piece)) in_memory(*piece);
}

/// The piece's value at the elements of the result that the box from `start` on holds, 0 elsewhere, and whether an
/// element is one of these: an instruction, or -1 where all are. Nothing where shaders cannot tell.
std::optional<std::pair<int, int>> Planner::lower_piece(Writing& out, const Node& result, const NodePtr& piece,
                                                        const Shape& start) {
  nodes::Remap box{piece, {}, 0};
  for (int axis = 0; axis < result.shape.rank(); ++axis) {
    box.axes.push_back(within(result.shape[axis], start[axis], piece->shape[axis]));
    if (!layout::is_counted(box.axes.back())) return std::nullopt;
  }
  std::optional<RemapFrame> frame =
      RemapFrame::make(out.builder, box, result.shape, layout::contiguous(result.shape), nullptr);
  if (!frame) return std::nullopt;
  const int value = lower_within(out, *piece, *frame);
  return std::pair(value, frame->inside(out.builder));
}

/// One kernel that computes each element of a result from the last piece that holds it; false where a kernel a piece
/// writes whole words and lines, or the pieces are too much for one.
bool Planner::select(const Node& x, const nodes::Placement& what, const Strided& out) {
  const auto is_in_place = [&](const NodePtr& piece) { return owners_.in_place.count(piece.get()) != 0; };
  const bool words = !is_narrow(out.storage);
  if (device_.line == 0 || what.pieces.size() > (words ? most_pieces_of_words : most_pieces)) return false;
  if (std::ranges::any_of(what.pieces, is_in_place)) return false;
  const auto starts = starts_of(x, what, device_.line * bytes_of(StorageType::u32), out.storage);
  if (!starts) return false;
  const auto across = [&](const NodePtr& piece) { return reads_across(*piece); };
  if (words && std::ranges::any_of(what.pieces, across)) return false;
  put_in_order(what);
  Writing writing{ExpressionBuilder(x.shape), nullptr, nullptr, {}};
  const DType dtype = computed_type(x.dtype);
  int value = what.fill ? writing.builder.parameter(dtype, {*what.fill}) : -1;
  for (size_t i = 0; i < what.pieces.size(); ++i) {
    if (what.pieces[i]->shape.elements() == 0) continue;
    const auto found = lower_piece(writing, x, what.pieces[i], (*starts)[i]);
    if (!found || writing.builder.size() > (words ? most_steps_to_words : max_kernel_instructions)) return false;
    const auto [own, inside] = *found;
    const bool only = value < 0 || inside < 0;
    value = only ? own : writing.builder.operation(Op::where, dtype, {inside, own, value});
  }
  writing.builder.end_with(value);
  MapKernel kernel{writing.builder.take(), out};
  if (bindings_of(kernel, covered_bytes()) > device_.max_bindings) return false;
  emit(std::move(kernel), x);
  return true;
}

}  // namespace eglantine
