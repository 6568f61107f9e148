#include "layout/closer_axis.hpp"

#include <cstdlib>

namespace eglantine::layout {

int closer_axis(const Layout& x, int64_t least) {
  const auto step = [&](int axis) { return std::abs(x.strides[static_cast<size_t>(axis)]); };
  const int inner = x.shape.rank() - 1;
  int closest = inner;
  for (int axis = 0; axis < inner; ++axis)
    if (x.shape[axis] >= least && step(axis) > 0 && step(axis) < step(closest)) closest = axis;
  return closest == inner ? -1 : closest;
}

}  // namespace eglantine::layout
