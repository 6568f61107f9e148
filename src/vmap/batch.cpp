#include "vmap/batch.hpp"

#include <limits>

#include "eglantine/ops.hpp"
#include "layout/layout.hpp"

namespace eglantine::mapping {

Tensor Batch::of(const NodePtr& x) const {
  const auto found = all_.find(x.get());
  if (found != all_.end()) return found->second;
  return broadcast_to(Tensor(x), with_slices(x->shape));
}

Shape Batch::with_slices(const Shape& shape) const {
  Shape result{slices_};
  for (int64_t length : shape) result.push_back(length);
  return result;
}

Layout Batch::with_slices(const Layout& layout, int64_t stride) const {
  Layout result{with_slices(layout.shape), {stride}, layout.offset};
  result.strides.insert(result.strides.end(), layout.strides.begin(), layout.strides.end());
  return result;
}

bool can_batch(const Node& x, int64_t slices) {
  constexpr int64_t most = std::numeric_limits<uint32_t>::max() - 2;
  const auto fits = [&](const Node& node) {
    return node.shape.rank() < max_rank && node.shape.elements() <= most / slices;
  };
  bool all_fit = fits(x);
  for_each_source_of(x.origin(), [&](const NodePtr& source) { all_fit = all_fit && fits(*source); });
  const auto* view = std::get_if<nodes::View>(&x.origin());
  return all_fit && !(view != nullptr && view->boundary && view->boundary->own && x.is_differentiated());
}

}  // namespace eglantine::mapping
