#include "backend/cpu/instructions/piecewise.hpp"

#include <algorithm>
#include <array>

#include "backend/cpu/instructions/runs.hpp"

namespace eglantine::cpu {

namespace {

/// The first place in [first, end] from which on value + step * place >= least; step > 0.
int64_t first_at_least(int64_t least, int64_t value, int64_t step, int64_t first, int64_t end) {
  const int64_t missing = least - value;
  const int64_t place = missing <= 0 || step == 1 ? missing : (missing - 1) / step + 1;
  return std::clamp(place, first, end);
}

/// Where in [first, end] it stops being so; step < 0.
int64_t end_of_at_least(int64_t least, int64_t value, int64_t step, int64_t first, int64_t end) {
  const int64_t spare = value - least;
  const int64_t place = spare < 0 ? 0 : (step == -1 ? spare : spare / -step) + 1;
  return std::clamp(place, first, end);
}

}  // namespace

PiecewiseElements::PiecewiseElements(const Expr& expr, const PiecewiseRead& how)
    : elements_(expr.operands[how.operand]),
      is_narrow_(is_narrow(expr.operands[how.operand].storage)),
      lines_{{elements_.layout(), elements_.layout().strides.back()}},
      otherwise_(how.otherwise) {
  const auto line = [&](int32_t iota) { return line_of(expr.iotas[static_cast<size_t>(iota)]); };
  for (const PiecewiseRead::Jump& jump : how.jumps)
    jumps_.push_back({line(jump.iota), jump.from, jump.add, jump.times});
  for (const PiecewiseRead::Bound& bound : how.bounds) bounds_.push_back({line(bound.iota), bound.count});
}

size_t PiecewiseElements::line_of(const Layout& layout) {
  for (size_t i = 1; i < lines_.size(); ++i)
    if (layout::same(lines_[i].layout, layout)) return i;
  lines_.push_back({layout, layout.strides.back()});
  return lines_.size() - 1;
}

const Word* PiecewiseElements::read(int64_t start, int64_t count, Word* scratch) const {
  const Shape& shape = lines_.front().layout.shape;
  const int inner = shape.rank() - 1;
  std::array<int64_t, max_rank> at{};
  for (int axis = inner; axis >= 0; --axis) {
    at[static_cast<size_t>(axis)] = axis > 0 ? start % shape[axis] : start;
    start /= shape[axis];
  }
  std::vector<int64_t> lines;
  for (const Line& line : lines_) {
    lines.push_back(line.layout.offset);
    for (int axis = 0; axis <= inner; ++axis)
      lines.back() += at[static_cast<size_t>(axis)] * line.layout.strides[static_cast<size_t>(axis)];
  }
  const auto move = [&](int axis, int64_t steps) {
    at[static_cast<size_t>(axis)] += steps;
    for (size_t i = 0; i < lines.size(); ++i) lines[i] += steps * lines_[i].layout.strides[static_cast<size_t>(axis)];
  };
  for (int64_t position = 0; position < count;) {
    const int64_t length = std::min(count - position, shape[inner] - at[static_cast<size_t>(inner)]);
    const Part row = inside({lines.data(), lines[0], lines_[0].step, 0, length, scratch + position});
    const Word* whole = nullptr;
    visit_parts(row, 0, [&](const Part& part) {
      if (part.end - part.first == count && is_in_place(part))
        elements_.with_memory(
            [&](const auto* memory) { whole = reinterpret_cast<const Word*>(memory) + part.address; });
      else
        gather(part);
    });
    if (whole != nullptr) return whole;
    position += length;
    move(inner, length);
    for (int axis = inner; axis > 0 && at[static_cast<size_t>(axis)] == shape[axis]; --axis) {
      move(axis, -shape[axis]);
      move(axis - 1, 1);
    }
  }
  return scratch;
}

/// The places that are read. The others get their value here.
PiecewiseElements::Part PiecewiseElements::inside(Part part) const {
  const int64_t length = part.end;
  for (const Bound& bound : bounds_) {
    const int64_t value = part.lines[bound.line], step = lines_[bound.line].step;
    const int64_t last = value + step * (length - 1), most = bound.count - 1;
    if (std::min(value, last) >= 0 && std::max(value, last) <= most) continue;
    if (step == 0) part.end = part.first;
    if (step > 0) {
      part.first = first_at_least(0, value, step, part.first, part.end);
      part.end = end_of_at_least(-most, -value, -step, part.first, part.end);
    } else if (step < 0) {
      part.first = first_at_least(-most, -value, -step, part.first, part.end);
      part.end = end_of_at_least(0, value, step, part.first, part.end);
    }
  }
  std::fill(part.to, part.to + part.first, otherwise_);
  std::fill(part.to + part.end, part.to + length, otherwise_);
  return part;
}

template <class Visit>
void PiecewiseElements::visit_parts(Part part, size_t number, Visit visit) const {
  if (part.first == part.end) return;
  for (; number < jumps_.size(); ++number) {
    const Jump& jump = jumps_[number];
    const bool starts = at(part, jump.line, part.first) >= jump.from,
               ends = at(part, jump.line, part.end - 1) >= jump.from;
    if (starts != ends) {
      const int64_t value = part.lines[jump.line], step = lines_[jump.line].step;
      Part behind = part;
      part.end = behind.first = ends ? first_at_least(jump.from, value, step, part.first, part.end)
                                     : end_of_at_least(jump.from, value, step, part.first, part.end);
      visit_parts(part, number, visit);
      return visit_parts(behind, number, visit);
    }
    if (!starts) continue;
    part.address += jump.add + jump.times * part.lines[jump.line];
    part.step += jump.times * lines_[jump.line].step;
  }
  visit(part);
}

void PiecewiseElements::gather(const Part& part) const {
  elements_.with_memory([&](const auto* memory) {
    gather_run(memory + (part.address + part.step * part.first), part.step, part.to + part.first,
               part.end - part.first);
  });
}

}  // namespace eglantine::cpu
