#include <algorithm>
#include <utility>

#include "layout/layout.hpp"
#include "verbs/build.hpp"

/// Movement made of movement: other orders, ranks and repetitions of the same elements.
namespace eglantine {

namespace {

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

int64_t lengths_between(std::string_view function, const Shape& shape, int from, int to) {
  return check::elements_of(function, Shape(shape.begin() + from, shape.begin() + to));
}

Tensor at_least(const Tensor& x, int rank) {
  Tensor y = x;
  while (y.rank() < rank) y = y.unsqueeze(0);
  return y;
}

/// A shape with an axis before each that is repeated whole, and runs of the others as one.
struct Tiles {
  Shape apart, repeated;
  bool joins = false;  ///< whether the last axis is of others

  /// Axes that a repeated one takes; one of length 1 grows by itself.
  static int needed(int64_t length) { return length == 1 ? 1 : 2; }

  void repeat(int64_t length, int64_t count) {
    add(1, count);
    if (length != 1) add(length, length);
    joins = false;
  }
  void keep(int64_t length) {
    if (!joins) add(1, 1);
    apart[apart.rank() - 1] *= length;
    repeated[repeated.rank() - 1] *= length;
    joins = true;
  }

 private:
  void add(int64_t length, int64_t wide) {
    apart.push_back(length);
    repeated.push_back(wide);
  }
};

/// x with whole axes repeated, in one copy: the first of those whose counts are not 1, as many as the largest rank
/// holds beside an axis for the rest. Their counts become 1.
Tensor tiled(const Tensor& x, std::vector<int64_t>& counts) {
  Tiles tiles;
  Shape shape = x.shape();
  for (int i = 0; i < x.rank(); ++i) {
    int64_t& count = counts[static_cast<size_t>(i)];
    const int rest = i + 1 < x.rank() ? 1 : 0;
    if (count == 1 || tiles.apart.rank() + Tiles::needed(shape[i]) + rest > max_rank) {
      tiles.keep(shape[i]);
    } else {
      tiles.repeat(shape[i], count);
      shape[i] *= std::exchange(count, 1);
    }
  }
  return x.reshape(tiles.apart).expand(tiles.repeated).reshape(shape);
}

/// x with each element along an axis repeated in turn.
Tensor repeated_in_turn(const Tensor& x, int axis, int64_t count, const Shape& shape) {
  // Of rank 3, so that the largest rank has room for one axis more.
  const int64_t length = x.shape()[axis], before = lengths_between("repeat", x.shape(), 0, axis),
                after = lengths_between("repeat", x.shape(), axis + 1, x.rank());
  return x.reshape({before, length, 1, after}).expand({before, length, count, after}).reshape(shape);
}

}  // namespace

Tensor flatten(const Tensor& x, int first, int last) {
  if (x.rank() == 0) return x.reshape({1});
  const int from = check::axis_of("flatten", first, x.shape()), to = check::axis_of("flatten", last, x.shape());
  if (from > to)
    check::fail<ShapeError>("flatten", "axis ", std::to_string(first), " comes after axis ", std::to_string(last),
                            " of ", to_string(x.shape()));
  Shape shape(x.shape().begin(), x.shape().begin() + from);
  shape.push_back(lengths_between("flatten", x.shape(), from, to + 1));
  for (int i = to + 1; i < x.rank(); ++i) shape.push_back(x.shape()[i]);
  return x.reshape(shape);
}

Tensor ravel(const Tensor& x) { return x.reshape({x.size()}); }

Tensor moveaxis(const Tensor& x, Axes from, Axes to) {
  if (from.rank() != to.rank())
    check::fail<ShapeError>("moveaxis", "as many axes go as come: ", to_string(from), " to ", to_string(to));
  const Axes sources = in_given_order("moveaxis", from, x.shape()), targets = in_given_order("moveaxis", to, x.shape());
  Axes rest;
  for (int i = 0; i < x.rank(); ++i)
    if (!sources.contains(i)) rest.push_back(i);
  Axes order;
  for (int i = 0, next = 0; i < x.rank(); ++i) {
    const int64_t* found = std::find(targets.begin(), targets.end(), i);
    order.push_back(found != targets.end() ? sources[static_cast<int>(found - targets.begin())] : rest[next++]);
  }
  return x.permute(order);
}

Tensor swapaxes(const Tensor& x, int a, int b) {
  return x.transpose(check::axis_of("swapaxes", a, x.shape()), check::axis_of("swapaxes", b, x.shape()));
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
  Shape shape = x.shape();
  shape[along] = times("repeat", shape[along], count);
  check::require_countable("repeat", shape);
  if (count == 1) return x;
  if (shape.elements() == 0) return zeros(shape, x.dtype(), x.device());
  return repeated_in_turn(x, along, count, shape);
}

Tensor tile(const Tensor& x, const std::vector<int64_t>& counts) {
  require_counts("tile", counts);
  Tensor y = at_least(x, static_cast<int>(counts.size()));
  std::vector<int64_t> of_axes(static_cast<size_t>(y.rank()) - counts.size(), 1);
  of_axes.insert(of_axes.end(), counts.begin(), counts.end());
  Shape shape = y.shape();
  for (int i = 0; i < y.rank(); ++i) shape[i] = times("tile", shape[i], of_axes[static_cast<size_t>(i)]);
  check::require_countable("tile", shape);
  if (shape.elements() == 0) return zeros(shape, x.dtype(), x.device());
  while (y.shape() != shape) y = tiled(y, of_axes);
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
      check::fail<ShapeError>("split_with_sizes", size < 0 ? "a negative size: " : "sizes pass 2^63 - 1 at ",
                              std::to_string(size), "; they add up to the length of axis ", std::to_string(along),
                              " of ", to_string(x.shape()));
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
