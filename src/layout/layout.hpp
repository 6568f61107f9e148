#pragma once

#include <optional>
#include <vector>

#include "eglantine/shape.hpp"

/// Pure integer arithmetic on layouts, shared by every backend. Arguments are valid: the verbs have checked them, and
/// axes are not negative.
namespace eglantine::layout {

/// Row-major without gaps.
Layout contiguous(const Shape& shape, int64_t offset = 0);

/// Axis i of the result is axis axes[i].
Layout permute(const Layout& x, const Axes& axes);
/// Broadcasts to `shape` by NumPy's rule: stride 0 on new axes and where a length of 1 grows.
Layout expand(const Layout& x, const Shape& shape);
/// Elements start, start + step, ... (`length` of them) of one axis; step may be negative.
Layout slice(const Layout& x, int axis, int64_t start, int64_t length, int64_t step);
/// Reverses one axis.
Layout flip(const Layout& x, int axis);
/// Drops one axis of length 1.
Layout squeeze(const Layout& x, int axis);
/// Adds an axis of length 1 before `axis`.
Layout unsqueeze(const Layout& x, int axis);
/// The same elements in row-major order, in another shape of the same size; nothing when no strides express it.
std::optional<Layout> reshape(const Layout& x, const Shape& shape);

/// The layout that applies `outer` first: outer maps coordinates to row-major positions in inner.shape, inner maps
/// those to addresses. Nothing when no strides express it, or only because overlapping or irregular strides of three or
/// more axes of inner happen to cancel.
std::optional<Layout> compose(const Layout& outer, const Layout& inner);

/// The lowest and the highest address a layout reaches, in elements; 0 and -1 for an empty one. reach() throws
/// ShapeError when an address does not fit in 64 bits.
struct Reach {
  int64_t first = 0;
  int64_t last = -1;
  int64_t count() const { return last - first + 1; }
};
Reach reach(const Layout& x);

/// True when two layouts put every element at the same address.
bool same(const Layout& a, const Layout& b);

}  // namespace eglantine::layout
