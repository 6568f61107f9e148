#include "verbs/network/pooling/gathered_windows.hpp"

#include <bit>

#include "verbs/build.hpp"
#include "verbs/network/load_at.hpp"
#include "verbs/network/pooling/window_numbers.hpp"

namespace eglantine::verbs {

namespace {

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

}  // namespace

int64_t windows_of_element(const Pool& pool) {
  int64_t count = 1;
  for (const SpatialAxis& axis : pool.axes) count *= covering(axis);
  return count;
}

bool can_gather_windows(const Pool& pool, const Tensor& g) {
  constexpr int64_t most = 16;
  return windows_of_element(pool) <= most && can_load_at(g, numbers_of(pool.axes));
}

Tensor gathered_windows(const Pool& pool, const Tensor& numbers, const Tensor& g) {
  return Gathering(pool, numbers, g).sum();
}

}  // namespace eglantine::verbs
