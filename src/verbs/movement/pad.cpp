#include <algorithm>

#include "verbs/build.hpp"
#include "verbs/movement/remap.hpp"

namespace eglantine {

namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

/// The padded shape. Throws ShapeError for a wrong number of pairs, a negative count, or too many elements.
Shape padded_shape(const Tensor& x, const Pairs& before_after) {
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

using layout::AxisMap;

/// x along an axis again and again: `before` elements before its first, `after` behind its last.
Tensor repeated(const Tensor& x, int axis, int64_t before, int64_t after) {
  const int64_t length = x.shape()[axis], total = before + length + after;
  const int64_t start = (length - before % length) % length;
  std::vector<int64_t> counts(static_cast<size_t>(x.rank()), 1);
  counts[static_cast<size_t>(axis)] = (start + total - 1) / length + 1;
  return tile(x, counts).slice(axis, start, start + total);
}

/// The axis mirrored at its ends, far enough that what stands there repeats.
Tensor reflected(const Tensor& x, int axis, int64_t before, int64_t after) {
  std::vector<AxisMap> maps;
  for (int64_t length : x.shape()) maps.push_back(layout::identity(length));
  const int64_t last = x.shape()[axis] - 1;
  maps[static_cast<size_t>(axis)] = {2 * last, 0, 2 * last, {{0, 0, 1}, {last, last, -1}}};
  const int64_t rest = std::max<int64_t>(after - (last - 1), 0);
  return repeated(verbs::remapped(x, maps), axis, before, rest).slice(axis, 0, before + 1 + last + after);
}

/// A padded axis, of which at least one element is left: at most as long a pad as the axis, less one to reflect.
AxisMap padded_axis(int64_t length, int64_t before, int64_t after, PadMode mode) {
  AxisMap map{before + length + after, 0, before + length + after, {}};
  const int64_t behind = before + length;
  const auto add = [&](int64_t start, int64_t count, int64_t first, int64_t step) {
    if (count > 0) map.pieces.push_back({start, first, step});
  };
  if (mode == PadMode::reflect && length > 1) {
    add(0, before, before, -1);
    add(before, length, 0, 1);
    add(behind, after, length - 2, -1);
  } else if (mode == PadMode::wrap) {
    add(0, before, length - before, 1);
    add(before, length, 0, 1);
    add(behind, after, 0, 1);
  } else if (mode == PadMode::constant) {
    map.begin = before;
    map.end = behind;
    add(before, length, 0, 1);
  } else {
    add(0, before, 0, 0);
    add(before, length, 0, 1);
    add(behind, after, length - 1, 0);
  }
  return map;
}

/// x with the axes padded by more than a padded_axis may be.
Tensor padded_far(Tensor x, Pairs& before_after, PadMode mode) {
  for (int i = 0; i < x.rank(); ++i) {
    auto& [before, after] = before_after[static_cast<size_t>(i)];
    const int64_t length = x.shape()[i];
    const bool reflects = mode == PadMode::reflect && length > 1;
    if (std::max(before, after) <= (reflects ? length - 1 : length) || (!reflects && mode != PadMode::wrap)) continue;
    x = reflects ? reflected(x, i, before, after) : repeated(x, i, before, after);
    before = after = 0;
  }
  return x;
}

Tensor padded(const Tensor& x, const Pairs& before_after, PadMode mode, uint32_t fill) {
  std::vector<AxisMap> maps;
  for (int i = 0; i < x.rank(); ++i) {
    const auto [before, after] = before_after[static_cast<size_t>(i)];
    maps.push_back(padded_axis(x.shape()[i], before, after, mode));
  }
  return verbs::remapped(x, std::move(maps), fill);
}

}  // namespace

Tensor Tensor::pad(Pairs before_after, float value) const {
  const Shape target = padded_shape(*this, before_after);
  const uint32_t fill = Scalar(value).bits(dtype(), "pad", "; convert the tensor with astype");
  if (size() == 0) return pend(make_constant(node_->device, dtype(), target, fill));
  return padded(*this, before_after, PadMode::constant, fill);
}

Tensor pad(const Tensor& x, Pairs before_after, float value) { return x.pad(std::move(before_after), value); }

Tensor pad(const Tensor& x, Pairs before_after, PadMode mode, float value) {
  if (mode == PadMode::constant) return x.pad(std::move(before_after), value);
  // Unsigned: a number below all modes is none either.
  if (static_cast<unsigned>(mode) > static_cast<unsigned>(PadMode::wrap))
    check::fail<Error>("pad", std::to_string(static_cast<int>(mode)),
                       " is no PadMode; there are constant, reflect, edge and wrap");
  const Shape target = padded_shape(x, before_after);
  for (int i = 0; i < x.rank(); ++i)
    if (x.shape()[i] == 0 && target[i] > 0)
      check::fail<ShapeError>("pad", "axis ", std::to_string(i), " of ", to_string(x.shape()),
                              " has no elements to pad it with: only PadMode::constant needs none");
  if (target.elements() == 0) return zeros(target, x.dtype(), x.device());
  const Tensor near = padded_far(x, before_after, mode);
  return padded(near, before_after, mode, 0);
}

}  // namespace eglantine
