#include "backend/cpu/instructions/piecewise.hpp"

#include <algorithm>

#include "backend/cpu/instructions/runs.hpp"

namespace eglantine::cpu {

namespace {

/// The places [first, end) of a row where first + step * i >= least.
struct Places {
  int64_t first, end;
};
Places at_least(int64_t least, int64_t first, int64_t step, Places in) {
  const int64_t missing = least - first;
  if (step == 0) return missing <= 0 ? in : Places{in.first, in.first};
  if (step > 0) return {std::clamp(missing <= 0 ? 0 : (missing - 1) / step + 1, in.first, in.end), in.end};
  return {in.first, std::clamp(missing > 0 ? 0 : missing / step + 1, in.first, in.end)};
}

}  // namespace

PiecewiseElements::PiecewiseElements(const Expr& expr, const PiecewiseRead& how)
    : elements_(expr.operands[how.operand]), iotas_(expr.iotas), how_(how) {}

const Word* PiecewiseElements::read(int64_t start, int64_t count, Word* scratch) const {
  const Layout& layout = elements_.layout();
  const int inner = layout.shape.rank() - 1;
  std::vector<int64_t> at(layout.strides.size());
  for (int axis = inner; axis >= 0; --axis) {
    at[static_cast<size_t>(axis)] = axis > 0 ? start % layout.shape[axis] : start;
    start /= layout.shape[axis];
  }
  std::vector<Line> coordinates(iotas_.size());
  const Word* values = scratch;
  for (int64_t position = 0; position < count;) {
    const int64_t length = std::min(count - position, layout.shape[inner] - at.back());
    for (const PiecewiseRead::Jump& jump : how_.jumps)
      coordinates[static_cast<size_t>(jump.iota)] = line(iotas_[static_cast<size_t>(jump.iota)], at);
    for (const PiecewiseRead::Bound& bound : how_.bounds)
      coordinates[static_cast<size_t>(bound.iota)] = line(iotas_[static_cast<size_t>(bound.iota)], at);
    values = read_row({coordinates, line(layout, at), 0, length, scratch + position, length == count ? count : 0});
    position += length;
    at.back() += length;
    for (int axis = inner; axis > 0 && at[static_cast<size_t>(axis)] == layout.shape[axis]; --axis) {
      at[static_cast<size_t>(axis)] = 0;
      ++at[static_cast<size_t>(axis) - 1];
    }
  }
  return values != nullptr ? values : scratch;
}

PiecewiseElements::Line PiecewiseElements::line(const Layout& x, const std::vector<int64_t>& at) const {
  Line result{x.offset, x.strides.back()};
  for (size_t axis = 0; axis < at.size(); ++axis) result.first += at[axis] * x.strides[axis];
  return result;
}

const Word* PiecewiseElements::read_row(Part part) const {
  Places inside{part.first, part.end};
  for (const PiecewiseRead::Bound& bound : how_.bounds) {
    const Line i = part.coordinates[static_cast<size_t>(bound.iota)];
    inside = at_least(0, i.first, i.step, inside);
    inside = at_least(1 - bound.count, -i.first, -i.step, inside);
  }
  std::fill(part.to + part.first, part.to + inside.first, how_.otherwise);
  std::fill(part.to + inside.end, part.to + part.end, how_.otherwise);
  part.first = inside.first;
  part.end = inside.end;
  return read_part(part, 0);
}

const Word* PiecewiseElements::read_part(Part part, size_t number) const {
  if (part.first >= part.end) return nullptr;
  if (number < how_.jumps.size()) {
    const PiecewiseRead::Jump& jump = how_.jumps[number];
    const Line i = part.coordinates[static_cast<size_t>(jump.iota)];
    const Places there = at_least(jump.from, i.first, i.step, {part.first, part.end});
    Part before = part, behind = part, within = part;
    before.end = within.first = there.first;
    behind.first = within.end = there.end;
    within.address.first += jump.add + jump.times * i.first;
    within.address.step += jump.times * i.step;
    const Word* values = nullptr;
    for (const Part& each : {before, within, behind})
      if (const Word* found = read_part(each, number + 1)) values = found;
    return values;
  }
  const int64_t from = part.address.first + part.address.step * part.first, count = part.end - part.first;
  elements_.with_memory([&](const auto* memory) {
    if constexpr (std::is_same_v<decltype(memory), const Word*>) {
      if (count == part.whole && part.address.step == 1) return part.to = const_cast<Word*>(memory + from), void();
    }
    gather_run(memory + from, part.address.step, part.to + part.first, count);
  });
  return count == part.whole ? part.to : nullptr;
}

}  // namespace eglantine::cpu
