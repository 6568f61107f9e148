#include "layout/permutation.hpp"

#include <algorithm>

namespace eglantine::layout {

Axes inverse_of(const Axes& order) {
  Axes back = order;
  for (int i = 0; i < order.rank(); ++i) back[static_cast<int>(order[i])] = i;
  return back;
}

Axes places_of_left(const Axes& order, const Axes& axes) {
  Axes left, places;
  for (const int64_t axis : order)
    if (!axes.contains(axis)) left.push_back(axis);
  for (int i = 0; i < left.rank(); ++i) places.push_back(i);
  std::sort(places.begin(), places.end(),
            [&](int64_t a, int64_t b) { return left[static_cast<int>(a)] < left[static_cast<int>(b)]; });
  return places;
}

Layout with_last_before(const Layout& x, int axis) {
  Axes order;
  const int last = x.shape.rank() - 1;
  for (int i = 0; i < axis; ++i) order.push_back(i);
  order.push_back(last);
  for (int i = axis; i < last; ++i) order.push_back(i);
  return permute(x, order);
}

}  // namespace eglantine::layout
