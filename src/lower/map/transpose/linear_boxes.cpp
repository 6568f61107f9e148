#include "lower/map/transpose/linear_boxes.hpp"

#include <algorithm>
#include <optional>

#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/copies.hpp"
#include "lower/expressions.hpp"
#include "lower/map/transpose/transpose_program.hpp"

namespace eglantine::lower {
namespace {

/// A box costs a call of the driver or a dispatch; pad and roll of two axes make 9 and 4, of three 27 and 8.
constexpr size_t most_boxes = 32;
/// Cuts of five axes padded on both sides, of which few boxes have a source.
constexpr size_t most_with_zeros = 243;
/// Over zeros: a copy by the driver takes as long as a piecewise read of some hundred narrow elements, 2.7 ns each. The
/// host copies rows of any length.
constexpr int64_t shortest_copied_row = 128;
/// Of a box on hardware, where a dispatch more takes as long as a piecewise read of so many.
constexpr int64_t least_elements = int64_t{1} << 17;

using Cuts = std::vector<std::vector<int64_t>>;  ///< by axis: where boxes start, and the axis ends

/// Cuts where the coordinate passes `value`; false unless it follows one axis, a step a coordinate.
bool cut(const Layout& coordinate, int64_t value, Cuts& cuts) {
  std::optional<size_t> along;
  for (size_t axis = 0; axis < coordinate.strides.size(); ++axis) {
    if (coordinate.strides[axis] == 0) continue;
    if (along || (coordinate.strides[axis] != 1 && coordinate.strides[axis] != -1)) return false;
    along = axis;
  }
  if (!along) return true;
  const int64_t distance = value - coordinate.offset;
  const int64_t place = coordinate.strides[*along] == 1 ? distance : 1 - distance;
  if (place > 0 && place < coordinate.shape[static_cast<int>(*along)]) cuts[*along].push_back(place);
  return true;
}

/// Adds the cuts of a read; false where conditions do not cut the domain into boxes.
bool add_cuts(const Expr& expr, const PiecewiseRead& read, Cuts& cuts) {
  bool all = true;
  const auto iota = [&](int32_t number) -> const Layout& { return expr.iotas[static_cast<size_t>(number)]; };
  for (const PiecewiseRead::Jump& jump : read.jumps) all = all && cut(iota(jump.iota), jump.from, cuts);
  for (const PiecewiseRead::Bound& bound : read.bounds)
    all = all && cut(iota(bound.iota), 0, cuts) && cut(iota(bound.iota), bound.count, cuts);
  return all;
}

/// Of all piecewise reads; empty where there are none.
Cuts cuts_of(const Expr& expr) {
  Cuts cuts;
  for (int64_t length : expr.domain) cuts.push_back({0, length});
  for (const PiecewiseRead& read : expr.piecewise)
    if (!add_cuts(expr, read, cuts)) return {};
  for (std::vector<int64_t>& axis : cuts) {
    std::sort(axis.begin(), axis.end());
    axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
  }
  return cuts;
}

/// At most one more than `most`.
std::vector<layout::Box> boxes_of(const Cuts& cuts, size_t most) {
  std::vector<layout::Box> boxes{{}};
  for (const std::vector<int64_t>& axis : cuts) {
    std::vector<layout::Box> more;
    for (const layout::Box& box : boxes)
      for (size_t k = 0; k + 1 < axis.size() && more.size() <= most; ++k) {
        more.push_back(box);
        more.back().start.push_back(axis[k]);
        more.back().length.push_back(axis[k + 1] - axis[k]);
      }
    boxes = std::move(more);
  }
  return boxes;
}

/// What is read in a box, where every condition is the same everywhere; nothing where that is nothing.
std::optional<Strided> read_in(const Expr& expr, const PiecewiseRead& read, const layout::Box& box) {
  const auto iota = [&](int32_t number) -> const Layout& { return expr.iotas[static_cast<size_t>(number)]; };
  Strided x = expr.operands[read.operand];
  for (const PiecewiseRead::Bound& bound : read.bounds) {
    const int64_t i = layout::address(iota(bound.iota), box.start);
    if (i < 0 || i >= bound.count) return std::nullopt;
  }
  for (const PiecewiseRead::Jump& jump : read.jumps) {
    if (layout::address(iota(jump.iota), box.start) < jump.from) continue;
    x.layout.offset += jump.add + jump.times * iota(jump.iota).offset;
    for (size_t axis = 0; axis < x.layout.strides.size(); ++axis)
      x.layout.strides[axis] += jump.times * iota(jump.iota).strides[axis];
  }
  x.layout = layout::restrict_to(x.layout, box);
  return x;
}

/// Whether the part runs several times as fast as a piecewise read: by the driver on a software device, else by tiles
/// where memory goes along another axis than the results.
bool is_fast(const Target& target, const MapKernel& part) {
  return target.software ? copy_of(target, part).has_value() : transposed_operands(target, part.value).has_value();
}

bool has_enough(const Target& target, const Shape& domain, size_t boxes) {
  return boxes <= most_boxes && (target.software || domain.elements() / least_elements >= static_cast<int64_t>(boxes));
}

/// The kernel in a box, where every condition is the same everywhere. Elements without a source, which only moves have,
/// are 0.
MapKernel part_in(const MapKernel& kernel, const layout::Box& box) {
  MapKernel part = kernel;
  restrict_to(part.value, box);
  restrict_to(part.out, box);
  part.value.piecewise.clear();
  const auto is_iota = [](const Instruction& step) { return step.op == Op::iota; };
  if (std::ranges::none_of(part.value.code, is_iota)) part.value.iotas.clear();
  for (const PiecewiseRead& read : kernel.value.piecewise) {
    if (const std::optional<Strided> x = read_in(kernel.value, read, box))
      part.value.operands[read.operand] = *x;
    else
      part.value = {box.length, {}, {}, {{0}}, {{Op::parameter, kernel.out.dtype(), {0, -1, -1}}}};
  }
  collapse(part);
  return part;
}

/// Elements of fast parts for each of the others. Others of narrow elements write parts of words, two atomics for each.
int64_t fast_for_each(const MapKernel& kernel) { return is_narrow(kernel.out.storage) ? 16 : 1; }

/// The words of a whole result, of 0; nothing where others share them.
std::optional<MapKernel> zeros(const Strided& out) {
  const int64_t each = 4 / bytes_of(out.storage);
  if (!out.whole || !out.layout.is_contiguous() || out.layout.offset != 0) return std::nullopt;
  return zeros_of({out.buffer, StorageType::u32, layout::contiguous({ceil_divide(out.layout.size(), each)}), true});
}

bool is_fast_copy(const Target& target, const MapKernel& part) {
  const Shape& domain = part.value.domain;
  const bool is_long = target.maps_memory || domain[domain.rank() - 1] >= shortest_copied_row;
  return is_long && copy_of(target, part).has_value();
}

/// On a software device: zeros, over which what has a source is copied. Copies are of any bytes, while a kernel would
/// write parts of words; and boxes without a source, however many, take one dispatch.
std::vector<MapKernel> copies_over_zeros(const Target& target, const MapKernel& kernel,
                                         const std::vector<layout::Box>& boxes) {
  std::vector<MapKernel> parts;
  for (const layout::Box& box : boxes) {
    MapKernel part = part_in(kernel, box);
    if (part.value.operands.empty()) continue;
    if (!is_fast_copy(target, part) || parts.size() == most_boxes) return {};
    parts.push_back(std::move(part));
  }
  if (parts.size() == boxes.size()) return parts;
  const std::optional<MapKernel> background = zeros(kernel.out);
  if (parts.empty() || !background) return {};
  parts.insert(parts.begin(), *background);
  return parts;
}

/// Whether each part is a map. The parts without a source are filled with 0, whose program the lowering knows.
bool has_parts(const Target& target, const MapKernel& kernel) {
  const Expr& expr = kernel.value;
  if (expr.piecewise.empty()) return false;
  const auto reads_everywhere = [](const PiecewiseRead& x) { return x.bounds.empty() && !x.computed; };
  const bool moves = target.software ? only_moves(expr) : expr.code.size() == 1;
  if (!moves) return !target.software && std::ranges::all_of(expr.piecewise, reads_everywhere);
  const PiecewiseRead& read = expr.piecewise.front();
  return (read.bounds.empty() || read.otherwise == 0) && kernel.out.storage == expr.operands[read.operand].storage;
}

}  // namespace

std::vector<MapKernel> linear_boxes(const Target& target, const MapKernel& kernel) {
  if (!has_parts(target, kernel)) return {};
  const Cuts cuts = cuts_of(kernel.value);
  const std::vector<layout::Box> boxes = boxes_of(cuts, target.software ? most_with_zeros : most_boxes);
  if (cuts.empty() || boxes.size() > most_with_zeros) return {};
  const bool only_copies = target.software && (is_narrow(kernel.out.storage) || boxes.size() > most_boxes);
  if (only_copies || target.maps_memory)
    if (std::vector<MapKernel> copies = copies_over_zeros(target, kernel, boxes); only_copies || !copies.empty())
      return copies;
  if (!has_enough(target, kernel.value.domain, boxes.size())) return {};
  std::vector<MapKernel> parts;
  int64_t fast = 0;
  for (const layout::Box& box : boxes) {
    parts.push_back(part_in(kernel, box));
    if (is_fast(target, parts.back())) fast += box.length.elements();
  }
  const int64_t others = kernel.value.domain.elements() - fast;
  return fast > fast_for_each(kernel) * others ? parts : std::vector<MapKernel>();
}

}  // namespace eglantine::lower
