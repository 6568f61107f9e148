#include "verbs/network/pooling/max_pool_gradient.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "eglantine/grad.hpp"
#include "verbs/build.hpp"
#include "verbs/composite.hpp"
#include "verbs/network/load_at.hpp"

/// Which element of its window is the largest, as a number: row-major, of the places from the window's first on. A
/// number is one byte where it fits: what a gradient waits for is memory.
namespace eglantine::verbs {

namespace {

constexpr int64_t most_in_byte = 256, most_in_float = int64_t{1} << 24;

/// How many windows cover one element of an axis, at most.
int64_t covering(const SpatialAxis& axis) { return (axis.extent() + axis.stride - 1) / axis.stride; }

/// Places along an axis that numbers tell apart: an element's place is less in each window that may cover it.
int64_t places_along(const SpatialAxis& axis) { return covering(axis) * axis.stride; }

int64_t numbers_in(const Pool& pool) {
  int64_t count = 1;
  for (const SpatialAxis& axis : pool.axes) count *= places_along(axis);
  return count;
}

/// Of the places along each axis.
template <class Place>
Place number_of(const Pool& pool, const std::vector<Place>& places) {
  Place number = places.front();
  for (size_t k = 1; k < places.size(); ++k)
    number = number * static_cast<int32_t>(places_along(pool.axes[k])) + places[k];
  return number;
}

/// The numbers of a window's elements, as taps_of() orders these.
std::vector<int64_t> numbers_of_taps(const Pool& pool) {
  std::vector<std::vector<int64_t>> taps{{}};
  for (const SpatialAxis& axis : pool.axes) {
    std::vector<std::vector<int64_t>> longer;
    for (const auto& tap : taps)
      for (int64_t j = 0; j < axis.window; ++j) {
        longer.push_back(tap);
        longer.back().push_back(j * axis.dilation);
      }
    taps = std::move(longer);
  }
  std::vector<int64_t> numbers;
  for (const auto& tap : taps) numbers.push_back(number_of(pool, tap));
  return numbers;
}

/// 0, 1, ... along one of x's axes, of another length.
Tensor along(const Pool& pool, int axis, int64_t length) {
  Shape shape;
  for (int i = 0; i < pool.x.rank(); ++i) shape.push_back(i == axis ? length : 1);
  return iota(pool.x.device(), {length}).astype(DType::i32).reshape(shape);
}

/// The number of each window's first element that is not padding.
Tensor numbers_of_first(const Pool& pool) {
  Tensors places;
  for (const SpatialAxis& axis : pool.axes) {
    const auto before = static_cast<int32_t>(axis.before), dilation = static_cast<int32_t>(axis.dilation);
    const Tensor window = along(pool, axis.axis, axis.outputs);
    const Tensor padding = clip(before - window * static_cast<int32_t>(axis.stride), 0, before);
    places.push_back(dilation == 1 ? padding : (padding + (dilation - 1)) / dilation * dilation);
  }
  return number_of(pool, places);
}

bool has_padding(const Pool& pool) {
  return std::any_of(pool.axes.begin(), pool.axes.end(),
                     [](const SpatialAxis& axis) { return axis.before > 0 || axis.behind() > 0; });
}

/// The number of each window's first largest element: one that is not below `bound`, which padding always is. Of a
/// window with a NaN, only infinity and NaNs are not below infinity; of one with negative infinity alone, it is the
/// first element.
Tensor numbers_of_largest(const Pool& pool, const Tensor& values) {
  constexpr float highest = std::numeric_limits<float>::infinity();
  const bool padded = has_padding(pool);
  const Tensor bound = where(isnan(values), highest, padded ? where(values == -highest, 0, values) : values);
  const std::vector<Tensor> taps = taps_of(pool.function, pool.x, pool.axes, lowest_of(pool.x.dtype()));
  const std::vector<int64_t> numbers = numbers_of_taps(pool);
  Tensor first = padded ? numbers_of_first(pool) : zeros({}, DType::i32, pool.x.device());
  for (size_t i = taps.size(); i-- > 0;) first = where(taps[i] < bound, first, static_cast<int32_t>(numbers[i]));
  return first.astype(numbers_in(pool) <= most_in_byte ? DType::u8 : DType::i32);
}

Axes numbers_of(const std::vector<SpatialAxis>& axes) {
  Axes numbers;
  for (const SpatialAxis& axis : axes) numbers.push_back(axis.axis);
  return numbers;
}

/// The windows that may cover each element along one axis: the t-th from the last.
struct Cover {
  Tensor window, exists;  ///< exists: undefined where all do
  int64_t place = 0;      ///< beyond the element's in the last
};

struct Covers {
  Tensor place;  ///< of each element, in the last window that may cover it
  std::vector<Cover> windows;
};

Cover cover(const SpatialAxis& axis, const Tensor& last, int64_t t) {
  const Tensor window = t == 0 ? last : last - static_cast<int32_t>(t);
  const auto end = static_cast<int32_t>(axis.outputs);
  const bool begins = axis.before / axis.stride >= t;
  const bool ends = (axis.before + axis.length - 1) / axis.stride - t < axis.outputs;
  if (begins && ends) return {window, {}, t * axis.stride};
  const Tensor exists = begins ? window < end : ends ? window >= 0 : (window >= 0) & (window < end);
  return {clip(window, 0, end - 1), exists, t * axis.stride};
}

/// x / stride of numbers that are not negative; by a shift where that does, which GPUs are quicker at
/// (docs/performance-notes.md).
Tensor divided(const Tensor& x, int64_t stride) {
  if (!std::has_single_bit(static_cast<uint64_t>(stride))) return x / static_cast<int32_t>(stride);
  return stride == 1 ? x : x >> std::countr_zero(static_cast<uint64_t>(stride));
}

Covers covers(const Pool& pool, const SpatialAxis& axis) {
  const auto before = static_cast<int32_t>(axis.before);
  const Tensor place = along(pool, axis.axis, axis.length), from_padding = before == 0 ? place : place + before;
  const Tensor last = divided(from_padding, axis.stride);
  Covers result{from_padding - last * static_cast<int32_t>(axis.stride), {}};
  for (int64_t t = 0; t < covering(axis); ++t) result.windows.push_back(cover(axis, last, t));
  return result;
}

/// Cotangents of windows, each at the element of its number: one map over the windows that cover each element.
class Gathering {
 public:
  Gathering(const Pool& pool, const Tensor& numbers, const Tensor& g) : pool_(pool), numbers_(numbers), g_(g) {
    Tensors places;
    for (const SpatialAxis& axis : pool.axes) {
      covers_.push_back(covers(pool, axis));
      places.push_back(covers_.back().place);
    }
    number_ = number_of(pool, places);
  }

  /// How many windows cover an element at most.
  static int64_t windows_of(const Pool& pool) {
    int64_t count = 1;
    for (const SpatialAxis& axis : pool.axes) count *= covering(axis);
    return count;
  }

  static bool is_short(const Pool& pool, const Tensor& g) {
    constexpr int64_t most = 16;
    return windows_of(pool) <= most && can_load_at(g, numbers_of(pool.axes));
  }

  Tensor sum() const { return sum_from(0, {}, {}, {}); }

 private:
  /// Over the windows along the axes from the k-th on; of those before, the windows, their places and whether they are.
  Tensor sum_from(size_t k, const Tensors& at, const std::vector<int64_t>& places, const Tensor& exist) const {
    if (k == pool_.axes.size()) return share(at, static_cast<int32_t>(number_of(pool_, places)), exist);
    Tensor total;
    for (const Cover& of : covers_[k].windows) {
      Tensors windows = at;
      windows.push_back(of.window);
      std::vector<int64_t> within = places;
      within.push_back(of.place);
      const Tensor both = !exist.defined() ? of.exists : of.exists.defined() ? exist & of.exists : exist;
      const Tensor part = sum_from(k + 1, windows, within, both);
      total = total.defined() ? total + part : part;
    }
    return total;
  }

  Tensor share(const Tensors& at, int32_t beyond, const Tensor& exist) const {
    const Axes axes = numbers_of(pool_.axes);
    const Shape& shape = pool_.x.shape();
    const Tensor found = load_at(numbers_, axes, at, shape).astype(DType::i32);
    const Tensor from_here = (beyond == 0 ? found : found - beyond) == number_;
    return where(exist.defined() ? exist & from_here : from_here, load_at(g_, axes, at, shape), 0);
  }

  const Pool& pool_;
  const Tensor &numbers_, &g_;
  std::vector<Covers> covers_;
  Tensor number_;  ///< of each element in the last windows
};

/// The cotangent of each window's result, added at the place that it came from.
Tensor scattered(const Pool& pool, const Tensor& places, const Tensor& g) {
  const Shape& shape = pool.x.shape();
  Shape flat(shape.begin(), shape.begin() + pool.axes.front().axis), windows = flat;
  flat.push_back(pool.spatial().elements());
  windows.push_back(g.size() / windows.elements());
  const Tensor none = zeros(flat, g.dtype(), g.device());
  return scatter_add(none, flat.rank() - 1, places.reshape(windows), g.reshape(windows)).reshape(shape);
}

/// Of x, the windows' largest elements and their cotangents.
NodePtr gathered(const nodes::Composite& of) {
  const Tensor x(of.args[0]), values(of.args[1]), g(of.args[2]);
  const Pool pool{"max_pool", x, axes_of_words(of.numbers)};
  return Gathering(pool, numbers_of_largest(pool, values), g).sum().node();
}

/// Nodes that gathered() takes for each window that covers an element.
constexpr int64_t nodes_of_window = 25;

}  // namespace

Tensor cotangent_of_largest(const Pool& pool, const Tensor& values, const Tensor& g) {
  const bool few = pool.x.size() > 0 && g.size() > 0 && has_few_taps(pool.axes) && numbers_in(pool) <= most_in_float;
  if (few && Gathering::is_short(pool, g))
    return composite(g.dtype(), pool.x.shape(),
                     {gathered,
                      {pool.x.node(), values.node(), g.node()},
                      words_of(pool.axes),
                      nodes_of_window * Gathering::windows_of(pool)});
  return scattered(pool, places_of_largest(pool, values), g);
}

}  // namespace eglantine::verbs
