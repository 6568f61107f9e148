#include <cstdlib>

#include "layout/collapse.hpp"
#include "layout/compose_whole.hpp"
#include "layout/layout.hpp"
#include "layout/split.hpp"

namespace eglantine::layout {
namespace {

Shape coordinate(int64_t position, const Shape& shape) {
  Shape result = shape;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    result[i] = position % shape[i];
    position /= shape[i];
  }
  return result;
}

/// The box of inner's coordinates that outer reaches; it grows with every axis of outer.
struct Visited {
  Shape low;
  Shape high;

  /// Adds `count` - 1 steps of `step` along one axis; false when they leave [0, length).
  bool grow(int axis, int64_t step, int64_t count, int64_t length) {
    if (step == 0) return true;
    if (count - 1 > (length - 1) / std::abs(step)) return false;
    (step < 0 ? low : high)[axis] += step * (count - 1);
    return low[axis] >= 0 && high[axis] < length;
  }
};

}  // namespace

Layout compose_whole(const Layout& outer, int64_t first) {
  Layout result = outer;
  result.offset += first;
  for (int i = 0; i < outer.shape.rank(); ++i)
    if (outer.shape[i] == 1) result.strides[static_cast<size_t>(i)] = 0;
  return result;
}

/// A step along an axis of outer moves inner's coordinate by the difference of two positions' coordinates. The result
/// is linear when every further step moves it equally: when no sum of steps carries from one axis of inner into the
/// next. Each coordinate is a sum over outer's axes, so its extremes are reached, and checking them is exact.
std::optional<Layout> compose(const Layout& outer, const Layout& inner) {
  if (outer.size() == 0) return contiguous(outer.shape, inner.offset);
  if (inner.is_contiguous()) return compose_whole(outer, inner.offset);
  std::vector<Layout> merged{inner};
  collapse(merged);
  const Layout& base = merged.front();

  const Shape start = coordinate(outer.offset, base.shape);
  Layout result{outer.shape, std::vector<int64_t>(outer.strides.size(), 0), address(base, start)};
  Visited visited{start, start};
  for (int i = 0; i < outer.shape.rank(); ++i) {
    if (outer.shape[i] == 1) continue;
    const Shape next = coordinate(outer.offset + outer.strides[i], base.shape);
    for (int k = 0; k < base.shape.rank(); ++k) {
      const int64_t step = next[k] - start[k];
      if (!visited.grow(k, step, outer.shape[i], base.shape[k])) return std::nullopt;
      result.strides[i] += step * base.strides[k];
    }
  }
  return result;
}

}  // namespace eglantine::layout
