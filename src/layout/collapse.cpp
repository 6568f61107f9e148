#include "layout/collapse.hpp"

#include <algorithm>

namespace eglantine::layout {
namespace {

/// True when `inner` continues `outer` in every layout: a step along outer is as long as all of inner.
bool continues(const std::vector<Layout>& layouts, int outer, int inner, int64_t inner_length) {
  return std::all_of(layouts.begin(), layouts.end(),
                     [=](const Layout& x) { return x.strides[outer] == x.strides[inner] * inner_length; });
}

}  // namespace

std::vector<int> collapse(std::vector<Layout>& layouts, const std::vector<int>& barriers) {
  if (layouts.empty()) return barriers;
  const Shape shape = layouts.front().shape;
  Shape merged;
  std::vector<int> starts(barriers.size());
  bool may_merge = false;
  for (int axis = 0; axis <= shape.rank(); ++axis) {
    for (size_t b = 0; b < barriers.size(); ++b) {
      if (barriers[b] != axis) continue;
      starts[b] = merged.rank();
      may_merge = false;
    }
    if (axis == shape.rank() || shape[axis] == 1) continue;
    const int last = merged.rank() - 1;
    const bool merge = may_merge && continues(layouts, last, axis, shape[axis]);
    if (merge) {
      merged[last] *= shape[axis];
    } else {
      merged.push_back(shape[axis]);
    }
    for (Layout& x : layouts) x.strides[merged.rank() - 1] = x.strides[axis];  // never passes the axes still to come
    may_merge = true;
  }
  const bool one_element = merged.empty();
  if (one_element) merged.push_back(1);
  for (Layout& x : layouts) {
    x.shape = merged;
    x.strides.resize(static_cast<size_t>(merged.rank()));
    if (one_element) x.strides[0] = 1;
  }
  return starts;
}

Layout collapsed(const Layout& x) {
  std::vector<Layout> alone{x};
  collapse(alone);
  return alone.front();
}

}  // namespace eglantine::layout
