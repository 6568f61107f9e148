#include "verbs/network/pooling/windows_by_remainders.hpp"

#include <algorithm>

#include "evaluate/pend.hpp"
#include "graph/node.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"
#include "verbs/network/pooling/window_numbers.hpp"
#include "verbs/network/residues.hpp"

namespace eglantine::verbs {

namespace {

constexpr size_t most_pieces = 4;  // of one kernel

/// One for each remainder of an axis's elements by the stride that some window takes, where these are few.
std::vector<Residues> remainders_of(const SpatialAxis& axis) { return one_by_one(without_waste(axis), most_pieces); }

/// The windows that elements of a part are in along an axis: so much further than an element's number among them, and
/// the elements' place in each.
struct Covering {
  int64_t further, place;
};

/// The last first.
std::vector<Covering> coverings(const SpatialAxis& axis, const Residues& of) {
  std::vector<Covering> windows;
  for (int64_t j = of.taps - 1; j >= 0; --j)
    windows.push_back({of.shift + j * of.step, (of.last - j * of.apart) * axis.dilation});
  return windows;
}

class ByRemainders {
 public:
  ByRemainders(const Pool& pool, const Tensor& numbers, const Tensor& g)
      : pool_(pool), numbers_(numbers.astype(DType::i32)), g_(g) {}

  Tensor sum() const {
    std::vector<Part> of_axes;
    for (const SpatialAxis& axis : pool_.axes) of_axes.push_back(remainders_of(axis));
    nodes::Placement placement;
    for (const Part& part : combinations(of_axes)) {
      placement.pieces.push_back(sum_of(part, {}).node());
      placement.regions.push_back(region_of(part));
    }
    if (placement.pieces.size() == 1) return Tensor(placement.pieces.front());
    return pend(make_placement(pool_.x.shape(), g_.dtype(), g_.node()->device, std::move(placement)));
  }

 private:
  using Window = std::vector<Covering>;  ///< one for each axis

  Layout region_of(const Part& part) const {
    Layout region = layout::contiguous(pool_.x.shape());
    for (size_t k = 0; k < part.size(); ++k)
      region = layout::slice(region, pool_.axes[k].axis, part[k].first, part[k].places, pool_.axes[k].stride);
    return region;
  }

  /// Over the windows along the axes behind those of `window`.
  Tensor sum_of(const Part& part, const Window& window) const {
    const size_t k = window.size();
    if (k == part.size()) return share(part, window);
    Tensor total;
    for (const Covering& covering : coverings(pool_.axes[k], part[k])) {
      Window longer = window;
      longer.push_back(covering);
      const Tensor one = sum_of(part, longer);
      total = total.defined() ? total + one : one;
    }
    return total;
  }

  Tensor share(const Part& part, const Window& window) const {
    std::vector<int64_t> places;
    for (const Covering& covering : window) places.push_back(covering.place);
    Tensor share = where(numbers_ == static_cast<int32_t>(number_of(pool_, places)), g_, 0);
    for (size_t k = 0; k < window.size(); ++k)
      share = from_window(share, pool_.axes[k], window[k].further, part[k].places);
    return share;
  }

  /// So many windows along an axis, from the `first` on: 0 of those that are none.
  static Tensor from_window(const Tensor& share, const SpatialAxis& axis, int64_t first, int64_t count) {
    std::vector<std::pair<int64_t, int64_t>> around(static_cast<size_t>(share.rank()));
    auto& [before, behind] = around[static_cast<size_t>(axis.axis)];
    before = std::max<int64_t>(-first, 0);
    behind = std::max<int64_t>(first + count - axis.outputs, 0);
    return share.pad(around).slice(axis.axis, first + before, first + before + count);
  }

  const Pool& pool_;
  const Tensor numbers_, &g_;
};

}  // namespace

bool has_few_remainders(const Pool& pool) {
  constexpr int64_t most_windows = 16;  // what one kernel adds up
  int64_t pieces = 1, windows = 1;
  for (const SpatialAxis& axis : pool.axes) {
    if (axis.length % axis.stride != 0) return false;
    if (static_cast<int64_t>(remainders_of(axis).size()) != axis.stride) return false;
    pieces *= axis.stride;
    windows *= axis.window;
  }
  return pieces <= static_cast<int64_t>(most_pieces) && windows <= most_windows && windows > pieces;
}

Tensor windows_by_remainders(const Pool& pool, const Tensor& numbers, const Tensor& g) {
  return ByRemainders(pool, numbers, g).sum();
}

}  // namespace eglantine::verbs
