#include "codegen/stage/window_reads.hpp"

#include <algorithm>
#include <set>

namespace eglantine::codegen {
namespace {

using Read = PiecewiseRead;

/// A read along the last axis: what bounds it there, and by how much that moves.
struct Line {
  int64_t step = 1, apart = 1;
  std::optional<size_t> bound;  ///< among the read's
};

std::optional<Line> line_of(const Expr& expr, const Read& read) {
  if (!read.jumps.empty() || read.computed) return std::nullopt;
  const int64_t stride = expr.operands[read.operand].layout.strides.back();
  Line line{stride, 1, std::nullopt};
  for (size_t k = 0; k < read.bounds.size(); ++k) {
    const int64_t moves = expr.iotas[static_cast<size_t>(read.bounds[k].iota)].strides.back();
    if (moves == 0) continue;
    if (line.bound || stride % moves != 0) return std::nullopt;
    line = {moves, stride / moves, k};
  }
  // A line of one place where nothing moves.
  const bool forwards = line.step > 0 || (line.step == 0 && !line.bound);
  return forwards && line.apart > 0 ? std::optional<Line>(line) : std::nullopt;
}

bool same_but_for_offsets(const Layout& a, const Layout& b) { return a.shape == b.shape && a.strides == b.strides; }

/// Where `other` begins on the line of `read`; nothing where it lies on another one.
std::optional<int64_t> place_on(const Expr& expr, const Read& read, const Line& line, const Read& other) {
  const Strided &x = expr.operands[read.operand], &y = expr.operands[other.operand];
  const bool alike = x.buffer == y.buffer && x.storage == y.storage && same_but_for_offsets(x.layout, y.layout) &&
                     read.otherwise == other.otherwise && read.bounds.size() == other.bounds.size();
  const int64_t distance = y.layout.offset - x.layout.offset;
  if (!alike || !other.jumps.empty() || other.computed || distance % line.apart != 0) return std::nullopt;
  for (size_t k = 0; k < read.bounds.size(); ++k) {
    const Layout &i = expr.iotas[static_cast<size_t>(read.bounds[k].iota)],
                 &j = expr.iotas[static_cast<size_t>(other.bounds[k].iota)];
    const int64_t moved = line.bound == k ? distance / line.apart : 0;
    if (read.bounds[k].count != other.bounds[k].count || !same_but_for_offsets(i, j) || j.offset - i.offset != moved)
      return std::nullopt;
  }
  return distance / line.apart;
}

int64_t modulo_4(int64_t x) { return ((x % 4) + 4) % 4; }

bool outer_strides_divide(const Layout& x) {
  return std::all_of(x.strides.begin(), x.strides.end() - 1, [](int64_t stride) { return stride % 4 == 0; });
}

/// Where vec4s of the line begin, from the read's first element on, if an element of one exists only with all four.
std::optional<int64_t> phase_of(const Expr& expr, const Read& read, const Line& line) {
  if (!line.bound || line.step != 1 || line.apart != 1) return std::nullopt;
  const Read::Bound& bound = read.bounds[*line.bound];
  const Layout &memory = expr.operands[read.operand].layout, &moving = expr.iotas[static_cast<size_t>(bound.iota)];
  const bool together = bound.count % 4 == 0 && (memory.offset - moving.offset) % 4 == 0;
  if (!together || !outer_strides_divide(memory) || !outer_strides_divide(moving)) return std::nullopt;
  return modulo_4(-memory.offset);
}

/// All reads on one line, from the one that begins first on.
WindowReads group_of(const Expr& expr, size_t first, const Line& line) {
  const auto& reads = expr.piecewise;
  std::vector<std::pair<int64_t, size_t>> on_it;
  for (size_t i = 0; i < reads.size(); ++i)
    if (const auto place = place_on(expr, reads[first], line, reads[i])) on_it.emplace_back(*place, i);
  std::sort(on_it.begin(), on_it.end());
  WindowReads group{{}, {}, line.step, line.apart, std::nullopt};
  for (const auto& [place, read] : on_it) {
    group.reads.push_back(read);
    group.firsts.push_back(place - on_it.front().first);
  }
  const Read& begin = reads[group.reads.front()];
  if (line.bound) group.moving = begin.bounds[*line.bound].iota;
  group.phase = phase_of(expr, begin, line);
  return group;
}

}  // namespace

std::vector<int64_t> WindowReads::places(int64_t width) const {
  std::set<int64_t> all;
  for (const int64_t first : firsts)
    for (int64_t j = 0; j < width; ++j) all.insert(first + j * step);
  return {all.begin(), all.end()};
}

WindowReads WindowReads::alone(size_t i) const {
  WindowReads one{{reads[i]}, {0}, step, apart, moving, phase};
  if (phase) one.phase = modulo_4(*phase - firsts[i]);
  return one;
}

std::vector<WindowReads> window_reads(const Expr& expr) {
  std::vector<WindowReads> groups;
  std::set<size_t> grouped;
  for (size_t i = 0; i < expr.piecewise.size(); ++i) {
    const std::optional<Line> line = line_of(expr, expr.piecewise[i]);
    if (!line || grouped.count(i) > 0) continue;
    groups.push_back(group_of(expr, i, *line));
    grouped.insert(groups.back().reads.begin(), groups.back().reads.end());
  }
  return groups;
}

WindowLoads window_loads(const Expr& expr, int64_t width) {
  WindowLoads loads;
  for (const WindowReads& group : window_reads(expr)) {
    loads.once += static_cast<int64_t>(group.places(width).size());
    loads.singly += width * static_cast<int64_t>(group.reads.size());
  }
  return loads;
}

}  // namespace eglantine::codegen
