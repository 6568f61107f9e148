#include "lower/reduce/rewrites/rows_in_fours.hpp"

#include <algorithm>

#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/reduce/rewrites/kept_parts.hpp"
#include "lower/reduce/schedule/together.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t rows_cut_off = 4, shortest_cut = 4 * rows_cut_off;

Layout cut(const Layout& x, int axis) {
  Layout result;
  result.offset = x.offset;
  for (int i = 0; i < x.shape.rank(); ++i) {
    const int64_t stride = x.strides[static_cast<size_t>(i)];
    if (i == axis) {
      result.shape.push_back(x.shape[i] / rows_cut_off);
      result.strides.push_back(stride * rows_cut_off);
    }
    result.shape.push_back(i == axis ? rows_cut_off : x.shape[i]);
    result.strides.push_back(stride);
  }
  return result;
}

ReduceKernel cut(ReduceKernel kernel, int axis) {
  for (Strided& operand : kernel.prologue.operands) operand.layout = cut(operand.layout, axis);
  for (Layout& iota : kernel.prologue.iotas) iota = cut(iota, axis);
  kernel.prologue.domain = cut(layout::contiguous(kernel.prologue.domain), axis).shape;
  ++kernel.kept_rank;
  return kernel;
}

/// Whether neighbours along a kept axis all read elements that differ along their rows.
bool shares_elements(const ReduceKernel& kernel, int axis) {
  return std::ranges::any_of(kernel.prologue.operands, [&](const Strided& operand) {
    const auto& strides = operand.layout.strides;
    return strides[static_cast<size_t>(axis)] == 0 &&
           std::any_of(strides.begin() + kernel.kept_rank, strides.end(), [](int64_t stride) { return stride != 0; });
  });
}

/// The kernel with a kept axis cut. Empty where the axis is short, or what the kernel reads or makes of the results
/// cannot be cut.
std::vector<ReduceKernel> rows_in_fours(const ReduceKernel& kernel, int axis) {
  const Shape& domain = kernel.prologue.domain;
  const int64_t length = axis >= 0 ? domain[axis] : 1, left = length % rows_cut_off;
  const bool fits = domain.rank() < max_rank && kernel.prologue.piecewise.empty();
  if (length < shortest_cut || !fits || !shares_elements(kernel, axis)) return {};
  if (left == 0) return {cut(kernel, axis)};
  if (axis != 0 || !has_kept_parts(kernel)) return {};
  return {cut(kept_part(kernel, 0, length - left), axis), kept_part(kernel, length - left, left)};
}

/// Whether what is left beside fours, whose few rows take as long as others, is little beside all of them.
bool is_worth_what_is_left(const Target& target, const std::vector<ReduceKernel>& fours) {
  const ReduceLevel level = first_level(fours.front());
  const int64_t groups = level.kept / rows_cut_off * ceil_divide(level.length, layout::row_block);
  return fours.size() == 1 || groups * layout::row_lanes >= target.resident_invocations;
}

}  // namespace

std::vector<ReduceKernel> fours_at_once(const Target& target, const ReduceKernel& kernel) {
  if (target.software || kernel.tree == layout::ReduceTree::column) return {};
  const int own = axes_together(target, first_level(kernel));
  if (own > 1) return {};
  std::vector<ReduceKernel> fours = rows_in_fours(kernel, kernel.kept_rank - 1 - own);
  const bool together = !fours.empty() && axes_together(target, first_level(fours.front())) == own + 1;
  return together && (own == 0 || is_worth_what_is_left(target, fours)) ? fours : std::vector<ReduceKernel>{};
}

}  // namespace eglantine::lower
