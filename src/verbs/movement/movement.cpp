#include <algorithm>
#include <limits>

#include "evaluate/evaluate.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"

/// Movement: views of the source's elements. The members of Tensor do the work; the free functions call them.
namespace eglantine {

namespace {

Tensor view(const Tensor& x, const Layout& layout) { return pend(make_view(x.node(), layout)); }

Layout whole(const Tensor& x) { return layout::contiguous(x.shape()); }

/// A shape as reshape takes it: the product of the lengths that are given, and which one is not; -1 for none.
struct Wanted {
  int64_t known = 1;
  int unknown = -1;
};

Wanted wanted(const Shape& shape) {
  Wanted result{shape.contains(0) ? 0 : 1, -1};
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] < -1)
      check::fail<ShapeError>("reshape", "length ", std::to_string(shape[i]), " in ", to_string(shape),
                              ": lengths are not negative; one may be -1");
    if (shape[i] == -1 && result.unknown >= 0)
      check::fail<ShapeError>("reshape", "two lengths of ", to_string(shape), " are -1: only one can be inferred");
    if (shape[i] == -1)
      result.unknown = i;
    else if (__builtin_mul_overflow(result.known, shape[i], &result.known))
      check::fail<ShapeError>("reshape", to_string(shape), " has more than 2^63 - 1 elements");
  }
  return result;
}

/// The shape with a -1 replaced by the length that makes the counts agree.
Shape inferred(const Tensor& x, const Shape& shape) {
  const auto [known, unknown] = wanted(shape);
  const auto of_x = [&] { return to_string(x.shape()) + ": " + std::to_string(x.size()) + " elements"; };
  if (unknown < 0 && known != x.size())
    check::fail<ShapeError>("reshape", "cannot make ", to_string(shape), " of ", std::to_string(known),
                            " elements from ", of_x());
  if (unknown >= 0 && (known == 0 || x.size() % known != 0))
    check::fail<ShapeError>("reshape", "cannot infer -1 in ", to_string(shape), " from ", of_x());
  Shape result = shape;
  if (unknown >= 0) result[unknown] = x.size() / known;
  return result;
}

void require_pairs(std::string_view function, const Tensor& x, size_t pairs) {
  if (pairs != static_cast<size_t>(x.rank()))
    check::fail<ShapeError>(function, "wants a pair for each of the ", std::to_string(x.rank()), " axes of ",
                            to_string(x.shape()), ", got ", std::to_string(pairs));
}

/// A bound of a slice counted from the front, checked to lie in [lowest, length].
int64_t bound(std::string_view what, int64_t value, int64_t length, int64_t lowest, const Tensor& x) {
  if (value < lowest || value > length)
    check::fail<IndexError>("slice", what, " ", std::to_string(value), " is outside [", std::to_string(lowest), ", ",
                            std::to_string(length), "] for an axis of length ", std::to_string(length), " of ",
                            to_string(x.shape()));
  return value < 0 ? value + length : value;
}

Tensor expanded(std::string_view function, const Tensor& x, const Shape& target) {
  for (int64_t length : target)
    if (length < 0) check::fail<ShapeError>(function, to_string(target), " has a negative length");
  check::require_countable(function, target);
  bool reaches = target.rank() >= x.rank();
  for (int i = 0; reaches && i < x.rank(); ++i) {
    const int64_t length = x.shape()[i];
    reaches = length == 1 || length == target[target.rank() - x.rank() + i];
  }
  if (!reaches)
    check::fail<ShapeError>(function, "cannot repeat ", to_string(x.shape()), " to ", to_string(target),
                            ": only axes of length 1 grow, and new axes come in front");
  return target == x.shape() ? x : view(x, layout::expand(whole(x), target));
}

}  // namespace

Tensor Tensor::reshape(Shape shape) const {
  const Shape target = inferred(*this, shape);
  return target == this->shape() ? *this : view(*this, layout::contiguous(target));
}

Tensor Tensor::permute(Axes axes) const {
  Axes order;
  if (axes.rank() == rank())
    for (int64_t axis : axes) order.push_back(check::axis_of("permute", axis, shape()));
  Axes sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool whole_set = sorted.rank() == rank();
  for (int i = 0; i < sorted.rank(); ++i) whole_set = whole_set && sorted[i] == i;
  if (!whole_set)
    check::fail<ShapeError>("permute", to_string(axes), " is no permutation of the ", std::to_string(rank()),
                            " axes of ", to_string(shape()));
  return view(*this, layout::permute(whole(*this), order));
}

Tensor Tensor::transpose(int a, int b) const {
  Axes order;
  for (int i = 0; i < rank(); ++i) order.push_back(i);
  std::swap(order[check::axis_of("transpose", a, shape())], order[check::axis_of("transpose", b, shape())]);
  return view(*this, layout::permute(whole(*this), order));
}

Tensor Tensor::expand(Shape target) const { return expanded("expand", *this, target); }
Tensor broadcast_to(const Tensor& x, Shape shape) { return expanded("broadcast_to", x, shape); }

Tensor Tensor::squeeze(Axes axes) const {
  Layout result = whole(*this);
  const Axes named = rank() == 0 && axes.empty() ? Axes{} : check::axes_of("squeeze", axes, shape());
  for (int i = named.rank() - 1; i >= 0; --i) {
    const int axis = static_cast<int>(named[i]);
    if (shape()[axis] == 1)
      result = layout::squeeze(result, axis);
    else if (!axes.empty())
      check::fail<ShapeError>("squeeze", "axis ", std::to_string(axis), " of ", to_string(shape()), " has length ",
                              std::to_string(shape()[axis]), ", not 1");
  }
  return result.shape == shape() ? *this : view(*this, result);
}

Tensor Tensor::unsqueeze(int axis) const {
  if (rank() == max_rank)
    check::fail<ShapeError>("unsqueeze", to_string(shape()), " has the largest rank already, ",
                            std::to_string(max_rank));
  return view(*this, layout::unsqueeze(whole(*this), check::axis_in("unsqueeze", axis, rank() + 1)));
}

Tensor Tensor::flip(Axes axes) const {
  Layout result = whole(*this);
  for (int64_t axis : check::axes_of("flip", axes, shape())) result = layout::flip(result, static_cast<int>(axis));
  return view(*this, result);
}

Tensor Tensor::crop(std::vector<std::pair<int64_t, int64_t>> start_stop) const {
  require_pairs("crop", *this, start_stop.size());
  Layout result = whole(*this);
  for (int i = 0; i < rank(); ++i) {
    const auto [start, stop] = start_stop[static_cast<size_t>(i)];
    if (start < 0 || start > stop || stop > shape()[i])
      check::fail<IndexError>("crop", "[", std::to_string(start), ", ", std::to_string(stop), ") of axis ",
                              std::to_string(i), " is not within [0, ", std::to_string(shape()[i]), ") of ",
                              to_string(shape()));
    result = layout::slice(result, i, start, stop - start, 1);
  }
  return view(*this, result);
}

Tensor Tensor::slice(int axis, int64_t start, std::optional<int64_t> stop, int64_t step) const {
  const int along = check::axis_of("slice", axis, shape());
  if (step == 0) check::fail<IndexError>("slice", "a step of 0 goes nowhere");
  const int64_t length = shape()[along];
  int64_t from = bound("start", start, length, -length, *this);
  // With a negative step, the position before the first element is a stop too: -length - 1, or none.
  int64_t to = step > 0 ? length : -1;
  if (stop) to = bound("stop", *stop, length, step > 0 ? -length : -length - 1, *this);
  if (step < 0) from = std::min(from, length - 1);
  return view(*this, layout::slice(whole(*this), along, from, verbs::count_of_steps(from, to, step), step));
}

Tensor reshape(const Tensor& x, Shape shape) { return x.reshape(shape); }
Tensor permute(const Tensor& x, Axes axes) { return x.permute(axes); }
Tensor transpose(const Tensor& x, int a, int b) { return x.transpose(a, b); }
Tensor expand(const Tensor& x, Shape shape) { return x.expand(shape); }
Tensor squeeze(const Tensor& x, Axes axes) { return x.squeeze(axes); }
Tensor unsqueeze(const Tensor& x, int axis) { return x.unsqueeze(axis); }
Tensor flip(const Tensor& x, Axes axes) { return x.flip(axes); }
Tensor crop(const Tensor& x, std::vector<std::pair<int64_t, int64_t>> start_stop) {
  return x.crop(std::move(start_stop));
}
Tensor slice(const Tensor& x, int axis, int64_t start, std::optional<int64_t> stop, int64_t step) {
  return x.slice(axis, start, stop, step);
}

}  // namespace eglantine
