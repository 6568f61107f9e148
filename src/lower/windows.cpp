#include "lower/windows.hpp"

#include <cstdlib>
#include <utility>

namespace eglantine::lower {

std::vector<Layout> layouts_of(const Expr& expr) {
  std::vector<Layout> layouts;
  for (size_t i = 0; i < expr.operands.size(); ++i)
    if (expr.piecewise_of(i) == nullptr) layouts.push_back(expr.operands[i].layout);
  return layouts;
}

layout::SplitLimits limits_of(const Target& target) {
  return {target.max_block_bytes, elements_a_dispatch, target.binding_alignment};
}

Cut cut_along_inner(const Target& target, std::vector<Layout> layouts, int64_t wanted, int64_t element_bytes) {
  Shape multiples = layout::inner_multiples(layouts, wanted, element_bytes, limits_of(target));
  return {std::move(layouts), std::move(multiples), element_bytes};
}

std::vector<layout::Box> windows_of(const Target& target, const Shape& domain, const Cut& cut) {
  return layout::split(domain, cut.layouts, cut.multiples, cut.element_bytes, limits_of(target));
}

bool can_be_cut(const Target& target, const Cut& cut) {
  return std::all_of(cut.layouts.begin(), cut.layouts.end(), [&](const Layout& x) {
    int64_t elements = 1;
    for (int i = 0; i < x.shape.rank(); ++i)
      elements += (std::min(cut.multiples[i], x.shape[i]) - 1) * std::abs(x.strides[static_cast<size_t>(i)]);
    return elements * cut.element_bytes + target.binding_alignment <= target.max_block_bytes;
  });
}

}  // namespace eglantine::lower
