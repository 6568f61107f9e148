#include "verbs/network/pooling/unequal_windows.hpp"

#include <algorithm>

#include "evaluate/upload.hpp"
#include "layout/divide.hpp"
#include "verbs/build.hpp"
#include "verbs/composite.hpp"
#include "verbs/network/load_at.hpp"

namespace eglantine::verbs {

namespace {

using Windows = std::vector<UnequalWindows>;

int64_t pitch_of(const UnequalWindows& axis) { return round_up(axis.outputs, 4); }

/// Of each axis the windows' first elements and their last, in rows that begin where vectors do; uploaded once.
NodePtr bounds_of(const Device& device, const Windows& axes) {
  constexpr int64_t whose = 0x756e657175616c;  // "unequal"
  std::vector<int64_t> words{whose};
  for (const UnequalWindows& axis : axes) words.insert(words.end(), {axis.length, axis.outputs});
  return uploaded_once(device, words,
                       [&] {
                         std::vector<int32_t> bounds;
                         for (const UnequalWindows& axis : axes)
                           for (const bool ends : {false, true})
                             for (int64_t i = 0; i < pitch_of(axis); ++i) {
                               const int64_t window = std::min(i, axis.outputs - 1);
                               bounds.push_back(static_cast<int32_t>(ends ? axis.last(window) : axis.first(window)));
                             }
                         return std::vector<NodePtr>{Tensor::from(bounds, {std::ssize(bounds)}, device).node()};
                       })
      .front();
}

/// The elements of all windows, combined by axes: those of the last one first.
class Combination {
 public:
  Combination(const Tensor& x, const Tensor& bounds, const Windows& axes, bool adds) : x_(x), axes_(axes), adds_(adds) {
    int64_t start = 0;
    for (const UnequalWindows& axis : axes) {
      firsts_.push_back(row(bounds, start, axis));
      lasts_.push_back(row(bounds, start + pitch_of(axis), axis));
      start += 2 * pitch_of(axis);
      numbers_.push_back(axis.axis);
      shape_[axis.axis] = axis.outputs;
    }
  }

  Tensor all() const {
    std::vector<Tensor> places;
    return adds_ ? all_from(places) / counts() : all_from(places);
  }

 private:
  /// Along its axis of the result.
  Tensor row(const Tensor& bounds, int64_t start, const UnequalWindows& axis) const {
    Shape along(std::vector<int64_t>(static_cast<size_t>(x_.rank()), 1));
    along[axis.axis] = axis.outputs;
    return bounds.crop({{start, start + axis.outputs}}).reshape(along);
  }
  /// Along the axes that have no place yet.
  Tensor all_from(std::vector<Tensor>& places) const {
    const size_t k = places.size();
    if (k == axes_.size()) return element(places);
    Tensor total;
    for (int64_t i = 0; i < axes_[k].longest; ++i) {
      const Tensor place = i == 0 ? firsts_[k] : firsts_[k] + static_cast<int32_t>(i);
      const bool may_end = i >= axes_[k].shortest;
      places.push_back(may_end ? minimum(place, lasts_[k]) : place);
      const Tensor part = all_from(places);
      places.pop_back();
      total = total.defined() ? joined(total, may_end && adds_ ? where(place <= lasts_[k], part, 0.0F) : part) : part;
    }
    return total;
  }
  /// What a shorter window repeats changes no maximum.
  Tensor joined(const Tensor& a, const Tensor& b) const { return adds_ ? a + b : maximum(a, b); }
  Tensor element(const std::vector<Tensor>& places) const {
    const Tensor read = load_at(x_, numbers_, places, shape_);
    return adds_ ? to_f32(read) : read;
  }
  /// Elements of each window.
  Tensor counts() const {
    Tensor counts;
    for (size_t k = 0; k < axes_.size(); ++k) {
      const Tensor along = lasts_[k] - firsts_[k] + 1;
      counts = counts.defined() ? counts * along : along;
    }
    return counts.astype(DType::f32);
  }

  Tensor x_;
  const Windows& axes_;
  bool adds_;
  std::vector<Tensor> firsts_{}, lasts_{};
  Axes numbers_{};
  Shape shape_ = x_.shape();
};

constexpr std::ptrdiff_t words_of_axis = 5;

/// Of x and bounds_of(), and of whether elements are added, and the axes.
NodePtr combination(const nodes::Composite& of) {
  Windows axes;
  for (auto at = of.numbers.begin() + 1; at != of.numbers.end(); at += words_of_axis)
    axes.push_back({static_cast<int>(at[0]), at[1], at[2], at[3], at[4]});
  return Combination(Tensor(of.args[0]), Tensor(of.args[1]), axes, of.numbers.front() != 0).all().node();
}

int64_t elements_of(const Windows& axes) {
  int64_t elements = 1;
  for (const UnequalWindows& axis : axes) elements *= axis.longest;
  return elements;
}

Tensor combined(const Tensor& x, const Windows& axes, bool adds) {
  nodes::Composite all{combination, {x.node(), bounds_of(x.device(), axes)}, {int64_t{adds}}, 4 * elements_of(axes)};
  Shape shape = x.shape();
  for (const UnequalWindows& axis : axes) {
    shape[axis.axis] = axis.outputs;
    all.numbers.insert(all.numbers.end(), {axis.axis, axis.length, axis.outputs, axis.shortest, axis.longest});
  }
  return composite(adds ? DType::f32 : x.dtype(), shape, std::move(all));
}

}  // namespace

bool can_combine(const Tensor& x, const Windows& axes) {
  constexpr int64_t few = 32;
  Axes numbers;
  for (const UnequalWindows& axis : axes) numbers.push_back(axis.axis);
  return elements_of(axes) <= few && !x.node()->is_traced() && can_load_at(x, numbers);
}

Tensor means_of(const Tensor& x, const Windows& axes) { return combined(x, axes, true); }
Tensor largest_of(const Tensor& x, const Windows& axes) { return combined(x, axes, false); }

}  // namespace eglantine::verbs
