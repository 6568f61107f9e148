#include "layout/permutation.hpp"

namespace eglantine::layout {

Axes inverse_of(const Axes& order) {
  Axes back = order;
  for (int i = 0; i < order.rank(); ++i) back[static_cast<int>(order[i])] = i;
  return back;
}

}  // namespace eglantine::layout
