#include "lower/map/line_vectors.hpp"

#include <algorithm>
#include <limits>

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/stage/window_reads.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

using codegen::vector_width;

Axes with_last(int rank, int last) {
  Axes axes;
  for (int axis = 0; axis < rank; ++axis)
    if (axis != last) axes.push_back(axis);
  axes.push_back(last);
  return axes;
}

Expr permuted(Expr value, const Axes& axes) {
  for (Strided& operand : value.operands) operand.layout = layout::permute(operand.layout, axes);
  for (Layout& iota : value.iotas) iota = layout::permute(iota, axes);
  value.domain = layout::permute(layout::contiguous(value.domain), axes).shape;
  return value;
}

/// Elements that four neighbours along an axis read of operands that are read everywhere, such as weights.
int64_t plain_loads(const Expr& value, int axis) {
  int64_t loads = 0;
  for (size_t i = 0; i < value.operands.size(); ++i)
    if (value.piecewise_of(i) == nullptr)
      loads += value.operands[i].layout.strides[static_cast<size_t>(axis)] == 0 ? 1 : vector_width;
  return loads;
}

}  // namespace

bool writes_again(const MapKernel& kernel) {
  const auto is_out = [&](const Strided& operand) { return operand.buffer == kernel.out.buffer; };
  return !kernel.value.stored.empty() || std::ranges::any_of(kernel.value.operands, is_out);
}

std::optional<int> axis_of_lines(const MapKernel& kernel) {
  const Expr& value = kernel.value;
  constexpr int64_t tenths = 7;
  std::optional<int> best;
  int64_t least = std::numeric_limits<int64_t>::max();
  if (writes_again(kernel)) return best;
  for (int axis = 0; axis + 1 < value.domain.rank(); ++axis) {
    if (value.domain[axis] < vector_width) continue;
    const codegen::WindowLoads loads =
        codegen::window_loads(permuted(value, with_last(value.domain.rank(), axis)), vector_width);
    const int64_t all = loads.once + plain_loads(value, axis);
    if (loads.singly == 0 || 10 * loads.once > tenths * loads.singly || all >= least) continue;
    best = axis;
    least = all;
  }
  return best;
}

MapKernel with_lines_last(const MapKernel& kernel, int axis) {
  const Axes axes = with_last(kernel.value.domain.rank(), axis);
  MapKernel lines{permuted(kernel.value, axes), kernel.out};
  lines.out.layout = layout::permute(kernel.out.layout, axes);
  return lines;
}

int64_t LineVectors::count(const Shape& domain, int lines) {
  return domain.elements() / domain[lines] * ceil_divide(domain[lines], vector_width);
}

LineVectors::LineVectors(const Shape& domain, codegen::Uniforms& uniforms)
    : columns_slot_(uniforms.add_divisor(domain[domain.rank() - 2])),
      fours_slot_(uniforms.add_divisor(ceil_divide(domain[domain.rank() - 1], vector_width))),
      lines_slot_(uniforms.add(domain[domain.rank() - 1])) {}

std::string LineVectors::text() const {
  using codegen::divided_by;
  using codegen::uniform_at;
  const std::string lines = uniform_at(lines_slot_), columns = uniform_at(columns_slot_);
  return "uint eg_line_vector(uint number) {\n  uint row = " + divided_by("number", columns_slot_) +
         ", plane = " + divided_by("row", fours_slot_) + ";\n  uint column = plane * " + columns +
         " + number - row * " + columns + ", line = 4u * (row - plane * " + uniform_at(fours_slot_) +
         ");\n  return column * " + lines + " + min(line, " + lines + " - 4u);\n}\n";
}

}  // namespace eglantine::lower
