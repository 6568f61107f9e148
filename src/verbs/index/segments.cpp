#include "eglantine/verbs/segments.hpp"

#include <limits>

#include "layout/layout.hpp"
#include "verbs/index/index.hpp"

/// Indexed reads and writes along one axis of whole slices, or of what broadcasts.
namespace eglantine {

namespace {

using check::fail;

/// The index of rank 1 for every element of a shape: by its coordinate along an axis.
Layout along_axis(const Shape& shape, int axis) {
  Layout result{shape, std::vector<int64_t>(static_cast<size_t>(shape.rank()), 0), 0};
  result.strides[static_cast<size_t>(axis)] = 1;
  return result;
}

/// The slices of updates along the axis, combined with those of x at the indices.
Tensor combined_slices(const std::string& function, const Tensor& x, int axis, const Tensor& indices,
                       const Tensor& updates, Reduction reduction) {
  const Layout place = along_axis(updates.shape(), axis);
  return verbs::scattered(x, axis, make_view(indices.node(), place), updates.astype(x.dtype()),
                          verbs::axes_but(x.rank(), axis), reduction,
                          {function, x.shape(), axis, indices.shape(), place}, indices);
}

/// The slices of x combined with `start` by the segment that each belongs to.
Tensor segmented(const std::string& function, const Tensor& x, const Tensor& segments, int64_t count,
                 Reduction reduction) {
  check::require_types(function, Types::numeric, x.dtype());
  check::axis_of(function, 0, x.shape());
  if (count < 0) fail<ShapeError>(function, "a negative count: ", std::to_string(count));
  if (count > std::numeric_limits<int32_t>::max())
    fail<ShapeError>(function, "a count of ", std::to_string(count), ": i32 segments reach 2^31 - 1");
  verbs::require_indices(function, x, segments);
  if (segments.shape() != Shape{x.shape()[0]})
    fail<ShapeError>(function, "the segments ", to_string(segments.shape()), " must be one for each slice of ",
                     to_string(x.shape()), " along axis 0, so (", std::to_string(x.shape()[0]), ",)");
  Shape shape = x.shape();
  shape[0] = count;
  check::require_countable(function, shape);
  const Tensor start(make_constant(x.node()->device, x.dtype(), shape, over_nothing(reduction, x.dtype())));
  return combined_slices(function, start, 0, segments, x, reduction);
}

/// What x and the index broadcast to, of the index's length along the axis.
Shape require_along(std::string_view function, const Tensor& x, const Tensor& index, int axis) {
  if (index.rank() != x.rank())
    fail<ShapeError>(function, "the index ", to_string(index.shape()), " must have the rank of ", to_string(x.shape()));
  Shape shape = index.shape();
  for (int i = 0; i < x.rank(); ++i) {
    if (i == axis || index.shape()[i] == x.shape()[i]) continue;
    if (index.shape()[i] != 1 && x.shape()[i] != 1)
      fail<ShapeError>(function, "the index ", to_string(index.shape()), " and ", to_string(x.shape()),
                       " do not broadcast along axis ", std::to_string(i), ": only along axis ", std::to_string(axis),
                       " may any lengths differ");
    if (index.shape()[i] == 1) shape[i] = x.shape()[i];
  }
  check::require_countable(function, shape);
  return shape;
}

}  // namespace

Tensor take_along_axis(const Tensor& x, const Tensor& index, int axis) {
  const int along = check::i32_axis_of("take_along_axis", axis, x.shape());
  verbs::require_indices("take_along_axis", x, index);
  const Shape shape = require_along("take_along_axis", x, index, along);
  Shape source = shape;
  source[along] = x.shape()[along];
  check::require_countable("take_along_axis", source);
  const Layout place = layout::expand(layout::contiguous(index.shape()), shape);
  return verbs::gathered(x.expand(source), along, make_view(index.node(), place), verbs::axes_but(x.rank(), along),
                         {"take_along_axis", x.shape(), along, index.shape(), place}, index);
}

Tensor index_add(const Tensor& x, int axis, const Tensor& indices, const Tensor& updates) {
  check::require_types("index_add", Types::numeric, x.dtype());
  const int along = check::i32_axis_of("index_add", axis, x.shape());
  verbs::require_indices("index_add", x, indices);
  check::require_same_device("index_add", x, updates);
  check::require_converts("index_add", updates.dtype(), x.dtype());
  if (indices.rank() != 1)
    fail<ShapeError>("index_add", "wants indices of rank 1, their shape is ", to_string(indices.shape()));
  Shape shape = x.shape();
  shape[along] = indices.size();
  if (updates.shape() != shape)
    fail<ShapeError>("index_add", "the updates ", to_string(updates.shape()), " must have the shape ", to_string(shape),
                     ": that of x, but along axis ", std::to_string(along), " the indices' length");
  return combined_slices("index_add", x, along, indices, updates, Reduction::sum);
}

Tensor segment_sum(const Tensor& x, const Tensor& segments, int64_t count) {
  return segmented("segment_sum", verbs::to_counted(x), segments, count, Reduction::sum);
}

Tensor segment_max(const Tensor& x, const Tensor& segments, int64_t count) {
  return segmented("segment_max", x, segments, count, Reduction::max);
}

}  // namespace eglantine
