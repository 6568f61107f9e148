#include <algorithm>

#include "verbs/build.hpp"
#include "verbs/movement/remap.hpp"

namespace eglantine {

namespace {

/// By how much each axis moves: in [0, length), 0 where it has no elements.
std::vector<int64_t> moves_of(const Tensor& x, const Axes& shifts, const Axes& axes) {
  const int shift_count = shifts.rank(), axis_count = axes.rank();
  if (shift_count == 0 || (shift_count != axis_count && shift_count != 1 && axis_count != 1))
    check::fail<ShapeError>("roll", std::to_string(shift_count), " shifts for ", std::to_string(axis_count),
                            " axes: wants as many, or one of either");
  std::vector<int64_t> moves(static_cast<size_t>(x.rank()), 0);
  for (int i = 0; i < std::max(shift_count, axis_count); ++i) {
    const int axis = check::axis_of("roll", axes[axis_count == 1 ? 0 : i], x.shape());
    const int64_t length = std::max<int64_t>(x.shape()[axis], 1);
    int64_t& move = moves[static_cast<size_t>(axis)];
    const int64_t more = (shifts[shift_count == 1 ? 0 : i] % length + length) % length;
    move = more < length - move ? move + more : move - (length - more);  // a sum could pass 64 bits
  }
  return moves;
}

}  // namespace

Tensor roll(const Tensor& x, Axes shifts, Axes axes) {
  if (axes.empty()) {
    const Tensor line = ravel(x);
    return roll(line, shifts, {0}).reshape(x.shape());
  }
  const std::vector<int64_t> moves = moves_of(x, shifts, axes);
  std::vector<layout::AxisMap> maps;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const int64_t length = x.shape()[axis], move = moves[static_cast<size_t>(axis)];
    maps.push_back(layout::identity(length));
    if (move > 0) maps.back().pieces = {{0, length - move, 1}, {move, 0, 1}};
  }
  return verbs::remapped(x, std::move(maps));
}

}  // namespace eglantine
