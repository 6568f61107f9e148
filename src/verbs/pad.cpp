#include <algorithm>

#include "eglantine/windows.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"

namespace eglantine {

namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

/// The padded shape. Throws ShapeError for a wrong number of pairs, a negative count, or too many elements.
Shape padded(const Tensor& x, const Pairs& before_after) {
  if (before_after.size() != static_cast<size_t>(x.rank()))
    check::fail<ShapeError>("pad", "wants a pair for each of the ", std::to_string(x.rank()), " axes of ",
                            to_string(x.shape()), ", got ", std::to_string(before_after.size()));
  Shape shape = x.shape();
  for (int i = 0; i < x.rank(); ++i) {
    const auto [before, after] = before_after[static_cast<size_t>(i)];
    if (before < 0 || after < 0)
      check::fail<ShapeError>("pad", "(", std::to_string(before), ", ", std::to_string(after), ") on axis ",
                              std::to_string(i), ": counts are not negative; crop cuts");
    if (__builtin_add_overflow(shape[i], before, &shape[i]) || __builtin_add_overflow(shape[i], after, &shape[i]))
      check::fail<ShapeError>("pad", "axis ", std::to_string(i), " would be longer than 2^63 - 1");
  }
  check::require_countable("pad", shape);
  return shape;
}

/// One element of an axis, `count` times.
Tensor repeated(const Tensor& x, int axis, int64_t at, int64_t count) {
  Shape shape = x.shape();
  shape[axis] = count;
  return x.slice(axis, at, at + 1).expand(shape);
}

/// x along an axis again and again: `before` elements before its first, `after` behind its last.
Tensor wrapped(const Tensor& x, int axis, int64_t before, int64_t after) {
  const int64_t length = x.shape()[axis];
  if (before <= length && after <= length)
    return concatenate({x.slice(axis, length - before), x, x.slice(axis, 0, after)}, axis);
  const int64_t start = (length - before % length) % length, total = before + length + after;
  std::vector<int64_t> counts(static_cast<size_t>(x.rank()), 1);
  counts[static_cast<size_t>(axis)] = (start + total - 1) / length + 1;
  return tile(x, counts).slice(axis, start, start + total);
}

/// Mirrored at the first and the last element, which stand there once.
Tensor reflected(const Tensor& x, int axis, int64_t before, int64_t after) {
  const int64_t last = x.shape()[axis] - 1;
  if (last == 0) return repeated(x, axis, 0, before + 1 + after);
  const auto back = [&](int64_t from, int64_t to) { return x.slice(axis, from, to + 1).flip({axis}); };
  if (before <= last && after <= last) return concatenate({back(1, before), x, back(last - after, last - 1)}, axis);
  // There and back, less the ends, is what repeats: from there on x is the start of a period.
  const Tensor period = concatenate({x, back(1, last - 1)}, axis);
  const int64_t rest = std::max<int64_t>(after - (last - 1), 0);
  const Tensor longer = wrapped(period, axis, before, rest);
  return longer.slice(axis, 0, before + 1 + last + after);
}

Tensor padded_along(const Tensor& x, int axis, int64_t before, int64_t after, PadMode mode) {
  if (before == 0 && after == 0) return x;
  const int64_t length = x.shape()[axis];
  switch (mode) {
    case PadMode::reflect:
      return reflected(x, axis, before, after);
    case PadMode::edge:
      return concatenate({repeated(x, axis, 0, before), x, repeated(x, axis, length - 1, after)}, axis);
    default:
      return wrapped(x, axis, before, after);
  }
}

}  // namespace

Tensor Tensor::pad(Pairs before_after, float value) const {
  const Shape target = padded(*this, before_after);
  const uint32_t fill = Scalar(value).bits(dtype(), "pad", "; convert the tensor with astype");
  if (target == shape()) return *this;
  Layout region = layout::contiguous(target);
  for (int i = 0; i < rank(); ++i)
    region = layout::slice(region, i, before_after[static_cast<size_t>(i)].first, shape()[i], 1);
  return pend(make_placement(target, dtype(), node_->device, {{node_}, {region}, fill}));
}

Tensor pad(const Tensor& x, Pairs before_after, float value) { return x.pad(std::move(before_after), value); }

Tensor pad(const Tensor& x, Pairs before_after, PadMode mode, float value) {
  if (mode == PadMode::constant) return x.pad(std::move(before_after), value);
  if (mode > PadMode::wrap)
    check::fail<ShapeError>("pad", std::to_string(static_cast<int>(mode)),
                            " is no PadMode; there are constant, reflect, edge and wrap");
  const Shape target = padded(x, before_after);
  for (int i = 0; i < x.rank(); ++i)
    if (x.shape()[i] == 0 && target[i] > 0)
      check::fail<ShapeError>("pad", "axis ", std::to_string(i), " of ", to_string(x.shape()),
                              " has no elements to pad it with: only PadMode::constant needs none");
  Tensor result = x;
  for (int i = 0; i < x.rank(); ++i) {
    const auto [before, after] = before_after[static_cast<size_t>(i)];
    result = padded_along(result, i, before, after, mode);
  }
  return result;
}

}  // namespace eglantine
