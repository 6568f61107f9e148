#include <algorithm>

#include "layout/layout.hpp"

namespace eglantine::layout {

Layout contiguous(const Shape& shape, int64_t offset) {
  Layout result{shape, std::vector<int64_t>(static_cast<size_t>(shape.rank())), offset};
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    result.strides[i] = stride;
    // Only an empty shape can wrap here (its other lengths are unbounded), and its strides are never used.
    (void)__builtin_mul_overflow(stride, std::max<int64_t>(shape[i], 1), &stride);
  }
  return result;
}

Layout permute(const Layout& x, const Axes& axes) {
  Layout result = x;
  for (int i = 0; i < axes.rank(); ++i) {
    result.shape[i] = x.shape[static_cast<int>(axes[i])];
    result.strides[i] = x.strides[axes[i]];
  }
  return result;
}

Layout expand(const Layout& x, const Shape& shape) {
  Layout result{shape, std::vector<int64_t>(static_cast<size_t>(shape.rank()), 0), x.offset};
  const int added = shape.rank() - x.shape.rank();
  for (int i = 0; i < x.shape.rank(); ++i) {
    if (x.shape[i] == shape[added + i]) result.strides[added + i] = x.strides[i];
  }
  return result;
}

Layout slice(const Layout& x, int axis, int64_t start, int64_t length, int64_t step) {
  Layout result = x;
  result.shape[axis] = length;
  // An empty slice may start outside the buffer, and the axis does not bound the step of a one-element slice.
  if (length > 0) result.offset += start * x.strides[axis];
  if (length > 1) result.strides[axis] *= step;
  return result;
}

Layout flip(const Layout& x, int axis) {
  const int64_t length = x.shape[axis];
  return slice(x, axis, length - 1, length, -1);
}

Layout squeeze(const Layout& x, int axis) {
  Layout result = x;
  result.shape.erase(axis);
  result.strides.erase(result.strides.begin() + axis);
  return result;
}

Layout unsqueeze(const Layout& x, int axis) {
  Layout result = x;
  result.shape.insert(axis, 1);
  // Any stride works; the outermost one of the axis after it reads best.
  const int64_t stride = axis < x.shape.rank() ? x.shape[axis] * x.strides[axis] : 1;
  result.strides.insert(result.strides.begin() + axis, stride);
  return result;
}

}  // namespace eglantine::layout
