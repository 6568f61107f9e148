#include "layout/layout.hpp"
#include "verbs/build.hpp"

/// Concatenation and splitting.
namespace eglantine {

namespace {

/// Throws unless the shapes are equal, except along `axis`; -1 for no exception.
void require_compatible(std::string_view function, const std::vector<Tensor>& tensors, int axis) {
  const Tensor& first = tensors.front();
  for (const Tensor& x : tensors) {
    check::require_same_device(function, first, x);
    bool fits = x.rank() == first.rank();
    for (int i = 0; fits && i < x.rank(); ++i) fits = i == axis || x.shape()[i] == first.shape()[i];
    if (fits) continue;
    const std::string rule = axis < 0 ? ": all lengths must be equal"
                                      : " along axis " + std::to_string(axis) + ": all other lengths must be equal";
    check::fail<ShapeError>(function, "cannot join ", to_string(first.shape()), " and ", to_string(x.shape()), rule);
  }
}

DType common_dtype(std::string_view function, const std::vector<Tensor>& tensors) {
  DType dtype = tensors.front().dtype();
  for (const Tensor& x : tensors) dtype = check::common_dtype(function, dtype, x.dtype());
  return dtype;
}

void require_nonempty(std::string_view function, const std::vector<Tensor>& tensors) {
  if (tensors.empty()) check::fail<ShapeError>(function, "got no tensors, and wants one at least");
}

Tensor joined(std::string_view function, const std::vector<Tensor>& tensors, int axis) {
  require_nonempty(function, tensors);
  const DType dtype = common_dtype(function, tensors);
  const int along = check::axis_of(function, axis, tensors.front().shape());
  require_compatible(function, tensors, along);
  Shape shape = tensors.front().shape();
  shape[along] = 0;
  for (const Tensor& x : tensors)
    if (__builtin_add_overflow(shape[along], x.shape()[along], &shape[along]))
      check::fail<ShapeError>(function, "the result would be longer than 2^63 - 1");
  check::require_countable(function, shape);
  nodes::Placement parts;
  int64_t start = 0;
  for (const Tensor& x : tensors) {
    parts.pieces.push_back(x.astype(dtype).node());
    parts.regions.push_back(layout::slice(layout::contiguous(shape), along, start, x.shape()[along], 1));
    start += x.shape()[along];
  }
  if (tensors.size() == 1) return tensors.front();
  return pend(make_placement(shape, dtype, tensors.front().node()->device, std::move(parts)));
}

}  // namespace

Tensor concatenate(const std::vector<Tensor>& tensors, int axis) { return joined("concatenate", tensors, axis); }

Tensor stack(const std::vector<Tensor>& tensors, int axis) {
  require_nonempty("stack", tensors);
  const Shape& row = tensors.front().shape();
  if (row.rank() == max_rank)
    check::fail<ShapeError>("stack", to_string(row), " has the largest rank already, ", std::to_string(max_rank));
  const int along = check::axis_in("stack", axis, row.rank() + 1);
  common_dtype("stack", tensors);
  require_compatible("stack", tensors, -1);
  Shape shape = row;
  shape.insert(along, static_cast<int64_t>(tensors.size()));
  check::require_countable("stack", shape);
  std::vector<Tensor> rows;
  for (const Tensor& x : tensors) rows.push_back(x.unsqueeze(along));
  return concatenate(rows, along);
}

Tensor hstack(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> parts;
  for (const Tensor& x : tensors) parts.push_back(atleast_1d(x));
  return joined("hstack", parts, parts.empty() || parts.front().rank() == 1 ? 0 : 1);
}

Tensor vstack(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> rows;
  for (const Tensor& x : tensors) rows.push_back(atleast_2d(x));
  return joined("vstack", rows, 0);
}

std::vector<Tensor> split(const Tensor& x, int64_t parts, int axis) {
  const int along = check::axis_of("split", axis, x.shape());
  const int64_t length = x.shape()[along];
  if (parts <= 0 || length % parts != 0)
    check::fail<ShapeError>("split", "cannot cut axis ", std::to_string(along), " of ", to_string(x.shape()), " into ",
                            std::to_string(parts), " equal parts");
  std::vector<Tensor> result;
  for (int64_t i = 0; i < parts; ++i)
    result.push_back(x.slice(along, i * (length / parts), (i + 1) * (length / parts)));
  return result;
}

}  // namespace eglantine
