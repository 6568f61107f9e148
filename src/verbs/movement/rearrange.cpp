#include <algorithm>

#include "layout/layout.hpp"
#include "verbs/build.hpp"

/// Movement made of movement: other orders, ranks and repetitions of the same elements.
namespace eglantine {

namespace {

Axes in_order(int rank) {
  Axes axes;
  for (int i = 0; i < rank; ++i) axes.push_back(i);
  return axes;
}

/// Axes counted from the front in the order given. Throws ShapeError for one out of range or named twice.
Axes in_given_order(std::string_view function, const Axes& axes, const Shape& shape) {
  if (!axes.empty()) check::axes_of(function, axes, shape);
  Axes result;
  for (int64_t axis : axes) result.push_back(check::axis_of(function, axis, shape));
  return result;
}

void require_counts(std::string_view function, const std::vector<int64_t>& counts) {
  for (int64_t count : counts)
    if (count < 0) check::fail<ShapeError>(function, "a negative count: ", std::to_string(count));
  if (counts.size() > static_cast<size_t>(max_rank))
    check::fail<ShapeError>(function, std::to_string(counts.size()), " counts are more than the largest rank, ",
                            std::to_string(max_rank));
}

int64_t times(std::string_view function, int64_t length, int64_t count) {
  if (__builtin_mul_overflow(length, count, &length))
    check::fail<ShapeError>(function, "an axis would be longer than 2^63 - 1");
  return length;
}

int64_t lengths_between(const Shape& shape, int from, int to) {
  return Shape(shape.begin() + from, shape.begin() + to).elements();
}

Tensor at_least(const Tensor& x, int rank) {
  Tensor y = x;
  while (y.rank() < rank) y = y.unsqueeze(0);
  return y;
}

/// x with one axis repeated: each element `count` times in turn, or the whole axis.
Tensor repeated(std::string_view function, const Tensor& x, int axis, int64_t count, bool elements) {
  Shape shape = x.shape();
  const int64_t length = shape[axis];
  shape[axis] = times(function, length, count);
  check::require_countable(function, shape);
  if (count == 1) return x;
  if (shape.elements() == 0) return zeros(shape, x.dtype(), x.device());
  // Of rank 3, so that the largest rank has room for one axis more.
  const int64_t before = lengths_between(x.shape(), 0, axis), after = lengths_between(x.shape(), axis + 1, x.rank());
  const Tensor line = x.reshape({before, length, after});
  return elements ? line.unsqueeze(2).expand({before, length, count, after}).reshape(shape)
                  : line.unsqueeze(1).expand({before, count, length, after}).reshape(shape);
}

}  // namespace

Tensor flatten(const Tensor& x, int first, int last) {
  if (x.rank() == 0) return x.reshape({1});
  const int from = check::axis_of("flatten", first, x.shape()), to = check::axis_of("flatten", last, x.shape());
  if (from > to)
    check::fail<ShapeError>("flatten", "axis ", std::to_string(first), " comes after axis ", std::to_string(last),
                            " of ", to_string(x.shape()));
  Shape shape;
  int64_t length = 1;
  for (int i = 0; i < x.rank(); ++i) {
    if (i < from || i > to) shape.push_back(x.shape()[i]);
    if (i >= from && i <= to) length *= x.shape()[i];
    if (i == to) shape.push_back(length);
  }
  return x.reshape(shape);
}

Tensor ravel(const Tensor& x) { return x.reshape({x.size()}); }

Tensor moveaxis(const Tensor& x, Axes from, Axes to) {
  if (from.rank() != to.rank())
    check::fail<ShapeError>("moveaxis", "as many axes go as come: ", to_string(from), " to ", to_string(to));
  const Axes sources = in_given_order("moveaxis", from, x.shape()), targets = in_given_order("moveaxis", to, x.shape());
  const auto holds = [](const Axes& axes, int64_t axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  };
  Axes rest;
  for (int i = 0; i < x.rank(); ++i)
    if (!holds(sources, i)) rest.push_back(i);
  Axes order;
  for (int i = 0, next = 0; i < x.rank(); ++i) {
    const int64_t* found = std::find(targets.begin(), targets.end(), i);
    order.push_back(found != targets.end() ? sources[static_cast<int>(found - targets.begin())] : rest[next++]);
  }
  return x.permute(order);
}

Tensor swapaxes(const Tensor& x, int a, int b) {
  Axes order = in_order(x.rank());
  std::swap(order[check::axis_of("swapaxes", a, x.shape())], order[check::axis_of("swapaxes", b, x.shape())]);
  return x.permute(order);
}

Tensor rot90(const Tensor& x, int64_t count, Axes axes) {
  if (axes.rank() != 2) check::fail<ShapeError>("rot90", "turns a plane, which two axes name, got ", to_string(axes));
  const Axes plane = in_given_order("rot90", axes, x.shape());
  const int a = static_cast<int>(plane[0]), b = static_cast<int>(plane[1]);
  switch ((count % 4 + 4) % 4) {
    case 1:
      return x.flip(b).transpose(a, b);
    case 2:
      return x.flip(plane);
    case 3:
      return x.transpose(a, b).flip(b);
    default:
      return x;
  }
}

Tensor repeat(const Tensor& x, int64_t count, int axis) {
  const int along = check::axis_of("repeat", axis, x.shape());
  require_counts("repeat", {count});
  return repeated("repeat", x, along, count, true);
}

Tensor tile(const Tensor& x, const std::vector<int64_t>& counts) {
  require_counts("tile", counts);
  Tensor y = at_least(x, static_cast<int>(counts.size()));
  const int first = y.rank() - static_cast<int>(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) y = repeated("tile", y, first + static_cast<int>(i), counts[i], false);
  return y;
}

std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors) {
  Shape shape;
  for (const Tensor& x : tensors) shape = check::require_broadcast("broadcast_tensors", shape, x.shape());
  std::vector<Tensor> result;
  for (const Tensor& x : tensors) result.push_back(x.expand(shape));
  return result;
}

Tensor atleast_1d(const Tensor& x) { return at_least(x, 1); }
Tensor atleast_2d(const Tensor& x) { return at_least(x, 2); }
Tensor atleast_3d(const Tensor& x) { return x.rank() > 2 ? x : atleast_2d(x).unsqueeze(2); }

std::vector<Tensor> split_with_sizes(const Tensor& x, const std::vector<int64_t>& sizes, int axis) {
  const int along = check::axis_of("split_with_sizes", axis, x.shape());
  int64_t total = 0;
  for (int64_t size : sizes)
    if (size < 0 || __builtin_add_overflow(total, size, &total))
      check::fail<ShapeError>("split_with_sizes", "sizes are not negative and add up to the length of the axis");
  if (total != x.shape()[along])
    check::fail<ShapeError>("split_with_sizes", "sizes add up to ", std::to_string(total), ", axis ",
                            std::to_string(along), " of ", to_string(x.shape()), " is ",
                            std::to_string(x.shape()[along]), " long");
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (int64_t size : sizes) {
    parts.push_back(x.slice(along, start, start + size));
    start += size;
  }
  return parts;
}

std::vector<Tensor> unstack(const Tensor& x, int axis) {
  const int along = check::axis_of("unstack", axis, x.shape());
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < x.shape()[along]; ++i) parts.push_back(x.slice(along, i, i + 1).squeeze(along));
  return parts;
}

}  // namespace eglantine
