#include "layout/collapse.hpp"
#include "layout/layout.hpp"

namespace eglantine::layout {

/// After collapse() a new axis is expressible exactly when it takes a whole factor of one merged axis, innermost first.
std::optional<Layout> reshape(const Layout& x, const Shape& shape) {
  if (x.size() == 0) return contiguous(shape, x.offset);
  std::vector<Layout> merged{x};
  collapse(merged);
  const Layout& old = merged.front();

  Layout result{shape, std::vector<int64_t>(static_cast<size_t>(shape.rank())), x.offset};
  int axis = old.shape.rank() - 1;
  int64_t length = old.shape[axis];
  int64_t stride = old.strides[axis];
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (length == 1 && shape[i] > 1) {
      --axis;
      length = old.shape[axis];
      stride = old.strides[axis];
    }
    if (length % shape[i] != 0) return std::nullopt;
    result.strides[i] = stride;
    length /= shape[i];
    stride *= shape[i];
  }
  return result;
}

}  // namespace eglantine::layout
