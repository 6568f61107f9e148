#include "lower/reduce/rows_in_fours.hpp"

#include <algorithm>

#include "layout/layout.hpp"
#include "lower/expressions.hpp"

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

ReduceKernel cut(ReduceKernel kernel) {
  const int axis = kernel.kept_rank - 1;
  for (Strided& operand : kernel.prologue.operands) operand.layout = cut(operand.layout, axis);
  for (Layout& iota : kernel.prologue.iotas) iota = cut(iota, axis);
  kernel.prologue.domain = cut(layout::contiguous(kernel.prologue.domain), axis).shape;
  ++kernel.kept_rank;
  return kernel;
}

/// `count` results from `first` on, of a kernel with one kept axis, and one of results.
ReduceKernel part(ReduceKernel kernel, int64_t first, int64_t count) {
  layout::Box box{Shape{first}, Shape{count}};
  restrict_to(kernel.epilogue, box);
  restrict_to(kernel.out, box);
  for (int axis = 1; axis < kernel.prologue.domain.rank(); ++axis) {
    box.start.push_back(0);
    box.length.push_back(kernel.prologue.domain[axis]);
  }
  restrict_to(kernel.prologue, box);
  return kernel;
}

/// Whether neighbouring rows all read elements that differ along them.
bool shares_elements(const ReduceKernel& kernel) {
  const auto axis = static_cast<size_t>(kernel.kept_rank - 1);
  return std::ranges::any_of(kernel.prologue.operands, [&](const Strided& operand) {
    const auto& strides = operand.layout.strides;
    return strides[axis] == 0 &&
           std::any_of(strides.begin() + kernel.kept_rank, strides.end(), [](int64_t stride) { return stride != 0; });
  });
}

}  // namespace

std::vector<ReduceKernel> rows_in_fours(const ReduceKernel& kernel) {
  const int64_t length = kernel.kept_rank > 0 ? kernel.prologue.domain[kernel.kept_rank - 1] : 1;
  const bool fits = kernel.prologue.domain.rank() < max_rank && kernel.prologue.piecewise.empty();
  if (length < shortest_cut || !fits || !shares_elements(kernel)) return {};
  if (length % rows_cut_off == 0) return {cut(kernel)};
  const bool in_line = kernel.kept_rank == 1 && kernel.epilogue.domain.rank() == 1 && kernel.epilogue.piecewise.empty();
  if (!in_line) return {};
  const int64_t left = length % rows_cut_off;
  return {cut(part(kernel, 0, length - left)), part(kernel, length - left, left)};
}

}  // namespace eglantine::lower
