#include "lower/repeated_axes.hpp"

#include <algorithm>

namespace eglantine::lower {
namespace {

bool repeats(const Expr& value, int axis) {
  const auto stays = [axis](const Layout& x) { return x.strides[static_cast<size_t>(axis)] == 0; };
  for (size_t i = 0; i < value.operands.size(); ++i)
    if (!value.stores(i) && !stays(value.operands[i].layout)) return false;
  return value.domain[axis] > 1 && std::ranges::all_of(value.iotas, stays);
}

}  // namespace

Axes repeated_axes(const Expr& value, const std::function<bool(int)>& may) {
  Axes axes;
  for (int axis = 0; axis < value.domain.rank(); ++axis)
    if (may(axis) && repeats(value, axis)) axes.push_back(axis);
  return axes;
}

layout::Box first_along(const Shape& domain, const Axes& axes) {
  layout::Box first{{}, domain};
  for (int axis = 0; axis < domain.rank(); ++axis) first.start.push_back(0);
  for (const int64_t axis : axes) first.length[static_cast<int>(axis)] = 1;
  return first;
}

Strided repeated_along(Strided once, const Shape& domain, const Axes& axes) {
  once.layout.shape = domain;
  for (const int64_t axis : axes) once.layout.strides[static_cast<size_t>(axis)] = 0;
  return once;
}

}  // namespace eglantine::lower
