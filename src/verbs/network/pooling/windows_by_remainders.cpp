#include "verbs/network/pooling/windows_by_remainders.hpp"

#include <algorithm>

#include "evaluate/pend.hpp"
#include "graph/node.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"
#include "verbs/network/pooling/window_numbers.hpp"

namespace eglantine::verbs {

namespace {

/// A window that elements of one remainder are in along an axis: so much further than their own number among them.
struct Covering {
  int64_t further, place;  ///< place: of the elements in it
};

/// The elements `first`, `first` + stride, ... of an axis.
struct Remainder {
  int64_t first;
  std::vector<Covering> windows;  ///< the last first
};

Remainder remainder_of(const SpatialAxis& axis, int64_t first) {
  Remainder remainder{first, {}};
  int64_t window = (first + axis.before) / axis.stride;
  for (int64_t place = (first + axis.before) % axis.stride; place < axis.extent(); place += axis.stride, --window)
    if (place % axis.dilation == 0) remainder.windows.push_back({window, place});
  return remainder;
}

/// One for each axis.
using Remainders = std::vector<Remainder>;
using Window = std::vector<Covering>;

class ByRemainders {
 public:
  ByRemainders(const Pool& pool, const Tensor& numbers, const Tensor& g)
      : pool_(pool), numbers_(numbers.astype(DType::i32)), g_(g) {}

  Tensor sum() const {
    nodes::Placement placement;
    place({}, placement);
    if (placement.pieces.size() == 1) return Tensor(placement.pieces.front());
    return pend(make_placement(pool_.x.shape(), g_.dtype(), g_.node()->device, std::move(placement)));
  }

 private:
  /// Elements of an axis that have one remainder.
  static int64_t count(const SpatialAxis& axis) { return axis.length / axis.stride; }

  /// The pieces of all remainders along the axes behind those of `of`.
  void place(const Remainders& of, nodes::Placement& placement) const {
    if (of.size() == pool_.axes.size()) {
      placement.pieces.push_back(sum_of(of, {}).node());
      placement.regions.push_back(region_of(of));
      return;
    }
    const SpatialAxis& axis = pool_.axes[of.size()];
    for (int64_t first = 0; first < axis.stride; ++first) {
      Remainders longer = of;
      longer.push_back(remainder_of(axis, first));
      place(longer, placement);
    }
  }

  Layout region_of(const Remainders& of) const {
    Layout region = layout::contiguous(pool_.x.shape());
    for (size_t k = 0; k < of.size(); ++k) {
      const SpatialAxis& axis = pool_.axes[k];
      region = layout::slice(region, axis.axis, of[k].first, count(axis), axis.stride);
    }
    return region;
  }

  /// Over the windows along the axes behind those of `window`.
  Tensor sum_of(const Remainders& of, const Window& window) const {
    if (window.size() == of.size()) return share(window);
    Tensor total;
    for (const Covering& covering : of[window.size()].windows) {
      Window longer = window;
      longer.push_back(covering);
      const Tensor part = sum_of(of, longer);
      total = total.defined() ? total + part : part;
    }
    return total;
  }

  Tensor share(const Window& window) const {
    std::vector<int64_t> places;
    for (const Covering& covering : window) places.push_back(covering.place);
    Tensor share = where(numbers_ == static_cast<int32_t>(number_of(pool_, places)), g_, 0);
    for (size_t k = 0; k < window.size(); ++k) share = of_windows_from(share, pool_.axes[k], window[k].further);
    return share;
  }

  /// As many windows along an axis as it has elements of one remainder, from the `first` on: 0 of those that are none.
  static Tensor of_windows_from(const Tensor& share, const SpatialAxis& axis, int64_t first) {
    std::vector<std::pair<int64_t, int64_t>> around(static_cast<size_t>(share.rank()));
    auto& [before, behind] = around[static_cast<size_t>(axis.axis)];
    before = std::max<int64_t>(-first, 0);
    behind = std::max<int64_t>(first + count(axis) - axis.outputs, 0);
    return share.pad(around).slice(axis.axis, first + before, first + before + count(axis));
  }

  const Pool& pool_;
  const Tensor numbers_, &g_;
};

}  // namespace

bool has_few_remainders(const Pool& pool) {
  // Four pieces are results of one kernel, which holds what so many windows give them.
  constexpr int64_t most_pieces = 4, most_windows = 16;
  int64_t pieces = 1, windows = 1;
  for (const SpatialAxis& axis : pool.axes) {
    if (axis.length % axis.stride != 0) return false;
    for (int64_t first = 0; first < axis.stride; ++first)
      if (remainder_of(axis, first).windows.empty()) return false;
    pieces *= axis.stride;
    windows *= axis.window;
  }
  return pieces <= most_pieces && windows <= most_windows && windows > pieces;
}

Tensor windows_by_remainders(const Pool& pool, const Tensor& numbers, const Tensor& g) {
  return ByRemainders(pool, numbers, g).sum();
}

}  // namespace eglantine::verbs
