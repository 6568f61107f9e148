#include "graph/kernel/contraction.hpp"

#include <algorithm>
#include <cstdlib>

namespace eglantine {

namespace {

/// How many neighbours along axes [first, end) lie in as many places: of the axis with the most.
double density(const Layout& x, int first, int end) {
  double most = 0;
  for (int axis = first; axis < end; ++axis) {
    const int64_t stride = std::abs(x.strides[static_cast<size_t>(axis)]);
    if (stride > 0) most = std::max(most, static_cast<double>(x.shape[axis]) / static_cast<double>(stride));
  }
  return most;
}

}  // namespace

bool lies_along_kept(const Expr& side, int kept) {
  double along_kept = 0, along_summed = 0;
  for (const Strided& operand : side.operands) {
    along_kept += density(operand.layout, 0, kept);
    along_summed += density(operand.layout, kept, side.domain.rank());
  }
  return along_kept > along_summed;
}

Expr turned(Expr x, int first, int kept) {
  const auto turn = [&](auto& list) { std::rotate(list.begin() + first, list.begin() + kept, list.end()); };
  const auto turn_layout = [&](Layout& layout) {
    turn(layout.shape);
    turn(layout.strides);
  };
  turn(x.domain);
  for (Strided& operand : x.operands) turn_layout(operand.layout);
  for (Layout& iota : x.iotas) turn_layout(iota);
  return x;
}

}  // namespace eglantine
