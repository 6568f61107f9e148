#include "lower/map/inner_box.hpp"

#include <algorithm>
#include <utility>

#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

/// Of a row of the domain: of shorter ones the vectors that reach over an end are half of all.
constexpr int64_t shortest_inner_row = 32;

const Layout& iota_of(const Expr& expr, int32_t number) { return expr.iotas[static_cast<size_t>(number)]; }

/// Cuts where the coordinate passes `value`; false unless it follows one axis, a step a coordinate.
bool cut(const Layout& coordinate, int64_t value, Cuts& cuts) {
  std::optional<size_t> along;
  for (size_t axis = 0; axis < coordinate.strides.size(); ++axis) {
    if (coordinate.strides[axis] == 0) continue;
    if (along || (coordinate.strides[axis] != 1 && coordinate.strides[axis] != -1)) return false;
    along = axis;
  }
  if (!along) return true;
  const int64_t distance = value - coordinate.offset;
  const int64_t place = coordinate.strides[*along] == 1 ? distance : 1 - distance;
  if (place > 0 && place < coordinate.shape[static_cast<int>(*along)]) cuts[*along].push_back(place);
  return true;
}

/// Adds the cuts of a read; false where conditions do not cut the domain into boxes.
bool add_cuts(const Expr& expr, const PiecewiseRead& read, Cuts& cuts) {
  bool all = true;
  for (const PiecewiseRead::Jump& jump : read.jumps) all = all && cut(iota_of(expr, jump.iota), jump.from, cuts);
  for (const PiecewiseRead::Bound& bound : read.bounds)
    all = all && cut(iota_of(expr, bound.iota), 0, cuts) && cut(iota_of(expr, bound.iota), bound.count, cuts);
  return all;
}

/// Whether each element has a source, and nothing but the result is stored.
bool reads_all_everywhere(const Expr& expr) {
  return !expr.piecewise.empty() && expr.stored.empty() &&
         std::ranges::all_of(expr.piecewise, [](const PiecewiseRead& x) { return x.bounds.empty() && !x.computed; });
}

}  // namespace

Cuts cuts_of(const Expr& expr) {
  Cuts cuts;
  for (int64_t length : expr.domain) cuts.push_back({0, length});
  for (const PiecewiseRead& read : expr.piecewise)
    if (!add_cuts(expr, read, cuts)) return {};
  for (std::vector<int64_t>& axis : cuts) {
    std::sort(axis.begin(), axis.end());
    axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
  }
  return cuts;
}

std::optional<Strided> read_around(const Expr& expr, const PiecewiseRead& read, const Shape& at) {
  Strided x = expr.operands[read.operand];
  for (const PiecewiseRead::Bound& bound : read.bounds) {
    const int64_t i = layout::address(iota_of(expr, bound.iota), at);
    if (i < 0 || i >= bound.count) return std::nullopt;
  }
  for (const PiecewiseRead::Jump& jump : read.jumps) {
    const Layout& coordinate = iota_of(expr, jump.iota);
    if (layout::address(coordinate, at) < jump.from) continue;
    x.layout.offset += jump.add + jump.times * coordinate.offset;
    for (size_t axis = 0; axis < x.layout.strides.size(); ++axis)
      x.layout.strides[axis] += jump.times * coordinate.strides[axis];
  }
  return x;
}

std::optional<layout::Box> inner_box(const Expr& expr) {
  if (!reads_all_everywhere(expr) || expr.domain[expr.domain.rank() - 1] < shortest_inner_row) return std::nullopt;
  const Cuts cuts = cuts_of(expr);
  if (cuts.empty()) return std::nullopt;
  layout::Box box;
  for (const std::vector<int64_t>& axis : cuts) {
    size_t longest = 0;
    for (size_t k = 1; k + 1 < axis.size(); ++k)
      if (axis[k + 1] - axis[k] > axis[longest + 1] - axis[longest]) longest = k;
    box.start.push_back(axis[longest]);
    box.length.push_back(axis[longest + 1] - axis[longest]);
  }
  return 4 * box.length.elements() >= 3 * expr.domain.elements() ? std::optional(box) : std::nullopt;
}

Expr linear_in(Expr expr, const layout::Box& box) {
  for (const PiecewiseRead& read : std::exchange(expr.piecewise, {}))
    if (std::optional<Strided> x = read_around(expr, read, box.start)) expr.operands[read.operand] = *std::move(x);
  if (std::ranges::none_of(expr.code, [](const Instruction& step) { return step.op == Op::iota; })) expr.iotas.clear();
  return expr;
}

}  // namespace eglantine::lower
