#include "codegen/stage/piecewise.hpp"

#include <algorithm>

#include "codegen/glsl_type.hpp"

namespace eglantine::codegen {
namespace {

using layout::Reach;

Reach intersection(const Reach& a, const Reach& b) { return {std::max(a.first, b.first), std::min(a.last, b.last)}; }

/// What a jump adds where the coordinate lies in `places`; nothing where it has not jumped, or only may have.
Reach distance(const PiecewiseRead::Jump& jump, const Reach& places) {
  if (places.last < jump.from) return {0, 0};
  const int64_t one = jump.add + jump.times * std::max(places.first, jump.from),
                other = jump.add + jump.times * places.last;
  Reach added{std::min(one, other), std::max(one, other)};
  if (places.first < jump.from) added = {std::min<int64_t>(added.first, 0), std::max<int64_t>(added.last, 0)};
  return added;
}

}  // namespace

Reach reach_of(const Expr& expr, const PiecewiseRead& read) {
  const Reach nothing{read.within.first, read.within.first};
  std::vector<Reach> places;
  for (const Layout& iota : expr.iotas) places.push_back(layout::reach(iota));
  for (const PiecewiseRead::Bound& bound : read.bounds) {
    Reach& inside = places[static_cast<size_t>(bound.iota)];
    inside = intersection(inside, {0, bound.count - 1});
    if (inside.count() <= 0) return nothing;
  }
  Reach reached = layout::reach(expr.operands[read.operand].layout);
  for (const PiecewiseRead::Jump& jump : read.jumps) {
    const Reach added = distance(jump, places[static_cast<size_t>(jump.iota)]);
    reached.first += added.first;
    reached.last += added.last;
  }
  if (read.computed) {
    reached.first += read.computed->first;
    reached.last += read.computed->last;
  }
  reached = intersection(reached, read.within);
  return reached.count() > 0 ? reached : nothing;
}

void PiecewiseText::add_uniforms(Uniforms& uniforms) {
  for (const PiecewiseRead::Jump& jump : read_.jumps) {
    jump_slots_.push_back(uniforms.add(jump.from));
    uniforms.add(jump.add);
    if (jump.times != 0) uniforms.add(jump.times);
  }
  if (has_packed_bounds()) bound_slots_ = {uniforms.add(signs_)};
  for (const PiecewiseRead::Bound& bound : read_.bounds)
    if (!has_packed_bounds()) bound_slots_.push_back(uniforms.add(bound.count));
  if (!read_.bounds.empty()) otherwise_slot_ = uniforms.add_parameter(read_.otherwise);
}

std::string PiecewiseText::place(const std::string& address, const Coordinate& coordinate) const {
  std::string place = address;
  for (size_t k = 0; k < read_.jumps.size(); ++k) {
    const std::string i = "(" + coordinate(read_.jumps[k].iota) + ")";
    const int slot = jump_slots_[k];
    const std::string more = read_.jumps[k].times != 0 ? " + " + uniform_at(slot + 2) + " * " + i : "";
    place += " + (" + i + " >= " + uniform_at(slot) + " ? " + uniform_at(slot + 1) + more + " : 0u)";
  }
  return place;
}

std::string PiecewiseText::exists(const std::string& packed) const {
  return "(" + packed + " & " + uniform_at(bound_slots_[0]) + ") == 0u";
}

std::string PiecewiseText::exists(const Coordinate& coordinate, const std::string& packed) const {
  if (has_packed_bounds()) return exists(packed);
  std::string inside;
  for (size_t k = 0; k < read_.bounds.size(); ++k)
    inside += (k > 0 ? " && " : "") + coordinate(read_.bounds[k].iota) + " < " + uniform_at(bound_slots_[k]);
  return inside;
}

std::string PiecewiseText::otherwise(DType dtype, int width) const {
  const std::string bits = from_bits(dtype, uniform_at(otherwise_slot_));
  return width == 1 ? bits : std::string(value_type(dtype, width)) + "(" + bits + ")";
}

std::string PiecewiseText::statements(const std::string& name, DType dtype, int width, const std::string& address,
                                      const Coordinate& coordinate,
                                      const std::function<std::string(const std::string&)>& element,
                                      const std::string& packed) const {
  const std::string at = place(address, coordinate), inside = exists(coordinate, packed);
  const std::string type(value_type(dtype, width));
  if (inside.empty()) return "  " + type + " " + name + " = " + element(at) + ";\n";
  const std::string there = name + "_there";
  return "  bool " + there + " = " + inside + ";\n  " + type + " " + name + " = " +
         element(there + " ? " + at + " : 0u") + ";\n  " + name + " = " + there + " ? " + name + " : " +
         otherwise(dtype, width) + ";\n";
}

}  // namespace eglantine::codegen
