#include <algorithm>
#include <cstdlib>
#include <limits>

#include "layout/layout.hpp"
#include "verbs/build.hpp"

/// Triangles and diagonals of matrices; grids.
namespace eglantine {

namespace {

using check::fail;
using verbs::iota;

/// Where the column is at most k more than the row, in (rows, columns): compared as u32, so neither side is below 0.
Tensor is_lower(const Device& device, int64_t rows, int64_t columns, int64_t k) {
  const Tensor row = iota(device, {rows}).unsqueeze(1), column = iota(device, {columns});
  if (k >= 0) return column <= row + static_cast<uint32_t>(std::min(k, columns));
  return column + static_cast<uint32_t>(-std::max(k, -rows)) <= row;
}

/// What is compared has 32 bits. A diagonal adds up to an axis's length, so there `bits` are 31.
void require_short(std::string_view function, const Shape& shape, int bits = 31) {
  for (int i = shape.rank() - 2; i < shape.rank(); ++i)
    if (shape[i] > int64_t{1} << bits)
      fail<ShapeError>(function, to_string(shape), " has an axis longer than 2^", std::to_string(bits));
}

/// The checked shape of a matrix of n rows and m columns; m = -1: n columns.
Shape matrix_of(std::string_view function, int64_t n, int64_t m, DType dtype) {
  if (n < 0) fail<ShapeError>(function, "a negative number of rows: ", std::to_string(n));
  if (m < -1)
    fail<ShapeError>(function, "a negative number of columns: ", std::to_string(m), "; -1 means as many as rows");
  const Shape shape{n, m == -1 ? n : m};
  check::require_dtype(function, dtype);
  check::require_countable(function, shape);
  return shape;
}

/// The mask for the matrices of x's last two axes.
Tensor lower_of(std::string_view function, const Tensor& x, int64_t k) {
  if (x.rank() < 2)
    fail<ShapeError>(function, "wants matrices, of two axes at least, got shape ", to_string(x.shape()));
  require_short(function, x.shape());
  return is_lower(x.device(), x.shape()[x.rank() - 2], x.shape()[x.rank() - 1], k);
}

int64_t length_of_diagonal(int64_t rows, int64_t columns, int64_t k) {
  // Beyond either end it is empty; so limited, k has a negative.
  k = std::clamp(k, -rows, columns);
  return std::max<int64_t>(0, std::min(rows + std::min<int64_t>(k, 0), columns - std::max<int64_t>(k, 0)));
}

/// Diagonal k of a layout's axes a and b, as a last axis in their place.
Layout diagonal_of(const Layout& x, int64_t k, int a, int b) {
  const auto stride = [&](int axis) { return x.strides[static_cast<size_t>(axis)]; };
  const int64_t length = length_of_diagonal(x.shape[a], x.shape[b], k);
  Layout result{{}, {}, x.offset};
  for (int i = 0; i < x.shape.rank(); ++i) {
    if (i == a || i == b) continue;
    result.shape.push_back(x.shape[i]);
    result.strides.push_back(stride(i));
  }
  result.shape.push_back(length);
  result.strides.push_back(stride(a) + stride(b));
  if (length > 0) result.offset += k >= 0 ? k * stride(b) : -k * stride(a);
  return result;
}

}  // namespace

Tensor eye(int64_t n, int64_t m, DType dtype, const Device& device) {
  const Shape shape = matrix_of("eye", n, m, dtype);
  require_short("eye", shape, 32);
  return eq(iota(device, {shape[0]}).unsqueeze(1), iota(device, {shape[1]})).astype(dtype);
}

Tensor tri(int64_t n, int64_t m, int64_t k, DType dtype, const Device& device) {
  const Shape shape = matrix_of("tri", n, m, dtype);
  require_short("tri", shape);
  return is_lower(device, shape[0], shape[1], k).astype(dtype);
}

Tensor tril(const Tensor& x, int64_t k) { return where(lower_of("tril", x, k), x, zeros_like(x)); }

Tensor triu(const Tensor& x, int64_t k) {
  const int64_t before = std::max(k, std::numeric_limits<int64_t>::min() + 1) - 1;
  return where(lower_of("triu", x, before), zeros_like(x), x);
}

Tensor diagonal(const Tensor& x, int64_t k, int axis1, int axis2) {
  const int a = check::axis_of("diagonal", axis1, x.shape()), b = check::axis_of("diagonal", axis2, x.shape());
  if (a == b)
    fail<ShapeError>("diagonal", "axis ", std::to_string(axis2), " is named twice in ", to_string(Axes{axis1, axis2}),
                     " for shape ", to_string(x.shape()));
  return pend(make_view(x.node(), diagonal_of(layout::contiguous(x.shape()), k, a, b)));
}

Tensor diag(const Tensor& x, int64_t k) {
  if (x.rank() != 1 && x.rank() != 2)
    fail<ShapeError>("diag", "takes a vector or a matrix, got shape ", to_string(x.shape()));
  if (x.rank() == 2) return pend(make_view(x.node(), diagonal_of(layout::contiguous(x.shape()), k, 0, 1)));
  const int64_t most = std::numeric_limits<int64_t>::max() - x.size();
  if (k > most || k < -most)
    fail<ShapeError>("diag", "the diagonal ", std::to_string(k), " of a vector of ", std::to_string(x.size()),
                     " makes a matrix of more than 2^63 - 1 rows");
  const int64_t length = x.size() + std::abs(k);
  const Shape shape{length, length};
  check::require_countable("diag", shape);
  if (x.size() == 0) return zeros(shape, x.dtype(), x.device());
  const Layout region = diagonal_of(layout::contiguous(shape), k, 0, 1);
  return pend(make_placement(shape, x.dtype(), x.node()->device, {{x.node()}, {region}, 0}));
}

std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors) {
  if (tensors.size() > static_cast<size_t>(max_rank))
    fail<ShapeError>("meshgrid", std::to_string(tensors.size()), " tensors make more axes than the largest rank, ",
                     std::to_string(max_rank));
  Shape grid;
  for (const Tensor& x : tensors) {
    if (x.rank() > 1) fail<ShapeError>("meshgrid", "takes vectors, got shape ", to_string(x.shape()));
    grid.push_back(x.size());
  }
  check::require_countable("meshgrid", grid);
  std::vector<Tensor> result;
  for (int i = 0; i < grid.rank(); ++i) {
    Shape along(std::vector<int64_t>(tensors.size(), 1));
    along[i] = grid[i];
    result.push_back(tensors[static_cast<size_t>(i)].reshape(along).expand(grid));
  }
  return result;
}

}  // namespace eglantine
