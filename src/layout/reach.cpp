#include <algorithm>
#include <cstdlib>
#include <limits>

#include "eglantine/error.hpp"
#include "layout/layout.hpp"

namespace eglantine::layout {

Reach reach(const Layout& x) {
  if (x.size() == 0) return {};
  Reach result{x.offset, x.offset};
  for (int i = 0; i < x.shape.rank(); ++i) {
    int64_t& end = x.strides[i] < 0 ? result.first : result.last;
    int64_t travel = 0;
    if (!__builtin_mul_overflow(x.shape[i] - 1, x.strides[i], &travel) && !__builtin_add_overflow(end, travel, &end)) {
      continue;
    }
    throw ShapeError("[layout] strides " + to_string(IntList(x.strides)) + " over shape " + to_string(x.shape) +
                     " reach further than 64 bits can address");
  }
  return result;
}

bool shows_one_element(const Layout& x) {
  return std::all_of(x.strides.begin(), x.strides.end(), [](int64_t stride) { return stride == 0; });
}

bool same(const Layout& a, const Layout& b) {
  if (!(a.shape == b.shape)) return false;
  if (a.size() == 0) return true;
  if (a.offset != b.offset) return false;
  for (int i = 0; i < a.shape.rank(); ++i) {
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
  }
  return true;
}

Axes by_distance(const Layout& x) {
  Axes order;
  for (int axis = 0; axis < x.shape.rank(); ++axis) order.push_back(axis);
  const auto apart = [&](int64_t axis) {
    const int at = static_cast<int>(axis);
    return x.shape[at] == 1 ? std::numeric_limits<int64_t>::max() : std::abs(x.strides[at]);
  };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return apart(a) > apart(b); });
  return order;
}

}  // namespace eglantine::layout
