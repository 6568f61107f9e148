#pragma once

#include <optional>
#include <vector>

#include "eglantine/shape.hpp"

/// Integer arithmetic on layouts, shared by every backend. Arguments are valid (verbs check them), no axis negative.
namespace eglantine::layout {

Layout contiguous(const Shape& shape, int64_t offset = 0);  ///< row-major without gaps

Layout permute(const Layout& x, const Axes& axes);   ///< axis i is x's axis axes[i]
Layout expand(const Layout& x, const Shape& shape);  ///< NumPy's broadcasting: stride 0 on new and grown axes
Layout slice(const Layout& x, int axis, int64_t start, int64_t length, int64_t step);  ///< step may be negative
Layout flip(const Layout& x, int axis);
Layout squeeze(const Layout& x, int axis);    ///< drops one axis of length 1
Layout unsqueeze(const Layout& x, int axis);  ///< adds an axis of length 1 before `axis`
/// The same elements in row-major order, in another shape of the same size; nothing when no strides express it.
std::optional<Layout> reshape(const Layout& x, const Shape& shape);

/// `outer` maps coordinates to row-major positions in inner.shape, inner those to addresses. Nothing when no strides
/// express it, or only because overlapping or irregular strides of three or more axes of inner cancel.
std::optional<Layout> compose(const Layout& outer, const Layout& inner);

/// The lowest and the highest address reached, in elements; 0 and -1 if empty. reach(): ShapeError beyond 64 bits.
struct Reach {
  int64_t first = 0;
  int64_t last = -1;
  int64_t count() const { return last - first + 1; }
  bool operator==(const Reach&) const = default;
};
Reach reach(const Layout& x);

bool shows_one_element(const Layout& x);      ///< the same one everywhere
bool same(const Layout& a, const Layout& b);  ///< every element at the same address

/// The axes from those whose neighbours are furthest apart in memory to the nearest; before them those of length 1,
/// whose strides say nothing. Of equal ones the first is first.
Axes by_distance(const Layout& x);

}  // namespace eglantine::layout
