#include "eglantine/verbs/segments.hpp"
#include "layout/layout.hpp"
#include "verbs/index/index.hpp"
#include "verbs/index/joined.hpp"

/// Reads and writes at tuples of coordinates, as one index along the axes that they span, joined.
namespace eglantine {

namespace {

using check::fail;

Shape part_of(const Shape& shape, int from, int to) { return Shape(shape.begin() + from, shape.begin() + to); }

Shape joined(std::initializer_list<Shape> parts) {
  Shape shape;
  for (const Shape& part : parts)
    for (int64_t length : part) shape.push_back(length);
  return shape;
}

/// Coordinates in the last axis of `indices`, of the axes [batch, batch + count) of x.
struct Coordinates {
  int batch, count;
  Shape places;  ///< the indices' shape without its last axis
  Shape axes;    ///< the lengths of the axes of x that they span
  Shape rest;    ///< and of those after them
};

void require_batch(std::string_view function, const Tensor& x, const Tensor& indices, int batch) {
  const int most = std::min(x.rank(), indices.rank() - 1);
  if (batch < 0 || batch > most)
    fail<ShapeError>(function, "batch is ", std::to_string(batch), ", and must lie in [0, ", std::to_string(most),
                     "]: first axes that ", to_string(x.shape()), " and the indices ", to_string(indices.shape()),
                     " share");
  for (int i = 0; i < batch; ++i)
    if (x.shape()[i] != indices.shape()[i])
      fail<ShapeError>(function, to_string(x.shape()), " and the indices ", to_string(indices.shape()),
                       " differ along axis ", std::to_string(i), ", one of the ", std::to_string(batch),
                       " that they share");
}

Coordinates coordinates_of(std::string_view function, const Tensor& x, const Tensor& indices, int batch) {
  verbs::require_indices(function, x, indices);
  if (indices.rank() == 0) fail<ShapeError>(function, "the indices () lack an axis of coordinates");
  require_batch(function, x, indices, batch);
  const int last = indices.rank() - 1;
  const int64_t count = indices.shape()[last], most = x.rank() - batch;
  if (count < 1 || count > most)
    fail<ShapeError>(function, "the last axis of the indices ", to_string(indices.shape()), " holds ",
                     std::to_string(count), " coordinates, and ", to_string(x.shape()), " has ", std::to_string(most),
                     " axes for them", batch > 0 ? " after " + std::to_string(batch) : "", ": from 1 to ",
                     std::to_string(most), " will do");
  const int end = batch + static_cast<int>(count);
  const Coordinates result{batch, static_cast<int>(count), part_of(indices.shape(), 0, last),
                           part_of(x.shape(), batch, end), part_of(x.shape(), end, x.rank())};
  verbs::require_joinable(function, x, result.axes);
  return result;
}

/// Coordinate i of each tuple.
Tensor coordinate(const Tensor& indices, int i) {
  const int last = indices.rank() - 1;
  return indices.slice(last, i, i + 1).squeeze({last});
}

/// One index along the axes that the coordinates span, joined.
Tensor index_of(const Tensor& indices, const Coordinates& of) {
  if (of.count == 1) return coordinate(indices, 0);
  const Layout order = layout::contiguous(of.axes);
  std::vector<verbs::AxisIndex> along;
  for (int i = 0; i < of.count; ++i)
    along.push_back({coordinate(indices, i), of.axes[i], order.strides[static_cast<size_t>(i)]});
  return verbs::joined_index(along, zeros(of.places, DType::i32, indices.device()));
}

IndexCheck check_of(std::string_view function, const Tensor& x, const Coordinates& of, const Layout& place) {
  IntList axes;
  for (int i = 0; i < of.count; ++i) axes.push_back(of.batch + i);
  return verbs::joint_check(function, x.shape(), axes, of.places, place);
}

/// Over the places and the rest: the number of the place.
Layout numbered(const Coordinates& of) { return verbs::numbered(joined({of.places, of.rest}), of.places, 0); }

/// The axes of the source for those of the places and the rest: the batch, none, and those after the joined one.
IntList axes_of(const Coordinates& of) {
  IntList axes;
  for (int i = 0; i < of.places.rank(); ++i) axes.push_back(i < of.batch ? i : -1);
  for (int i = 0; i < of.rest.rank(); ++i) axes.push_back(of.batch + 1 + i);
  return axes;
}

/// x with the axes that the coordinates span as one.
Tensor with_joined_axes(const Tensor& x, const Coordinates& of) {
  return of.count == 1 ? x : x.reshape(joined({part_of(x.shape(), 0, of.batch), Shape{of.axes.elements()}, of.rest}));
}

Tensor scattered(std::string_view function, const Tensor& x, const Tensor& indices, const Tensor& updates,
                 verbs::Combine combine) {
  if (combine) check::require_types(function, Types::numeric, x.dtype());
  const Coordinates of = coordinates_of(function, x, indices, 0);
  check::require_same_device(function, x, updates);
  check::require_converts(function, updates.dtype(), x.dtype());
  if (updates.rank() != of.places.rank() + of.rest.rank() || updates.shape() != joined({of.places, of.rest}))
    fail<ShapeError>(function, "the updates ", to_string(updates.shape()), " must have the axes of the indices ",
                     to_string(indices.shape()), " without the last, then those of ", to_string(x.shape()),
                     " from axis ", std::to_string(of.count), " on");
  const Layout place = numbered(of);
  const Tensor index = index_of(indices, of);
  return verbs::scattered(with_joined_axes(x, of), 0, make_view(index.node(), place), updates.astype(x.dtype()),
                          axes_of(of), combine, check_of(function, x, of, place), index)
      .reshape(x.shape());
}

}  // namespace

Tensor gather_nd(const Tensor& x, const Tensor& indices, int batch) {
  const Coordinates of = coordinates_of("gather_nd", x, indices, batch);
  if (of.places.rank() + of.rest.rank() > max_rank)
    fail<ShapeError>("gather_nd", "the coordinates ", to_string(indices.shape()), " in ", to_string(x.shape()),
                     " make a rank above ", std::to_string(max_rank));
  const Layout place = numbered(of);
  check::require_countable("gather_nd", place.shape);
  const Tensor index = index_of(indices, of);
  return verbs::gathered(with_joined_axes(x, of), batch, make_view(index.node(), place), axes_of(of),
                         check_of("gather_nd", x, of, place), index);
}

Tensor scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates) {
  return scattered("scatter_nd", x, indices, updates, {});
}

Tensor scatter_nd_add(const Tensor& x, const Tensor& indices, const Tensor& updates) {
  return scattered("scatter_nd_add", x, indices, updates, Reduction::sum);
}

}  // namespace eglantine
