#include <algorithm>
#include <utility>

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/glsl_type.hpp"
#include "layout/divide.hpp"
#include "lower/map/transpose/pair_slots.hpp"
#include "lower/map/transpose/permute_text.hpp"

/// Where pairs of a box lie (pair_slots.hpp).
namespace eglantine::lower {

using codegen::divided_by;
using codegen::literal;
using codegen::uniform_at;

int64_t PermuteText::front_stride() const {
  return tiles_.front().operand.layout.strides[static_cast<size_t>(tile_.read.front())];
}

/// The axes that neighbours of a pair lie along: a run's, or those before that of vectors.
std::vector<int> PermuteText::axes_of_pairs() const {
  const auto first = tile_.written.begin(), last = first + tile_.run_axes;
  return {first, tile_.pairs->across > 0 ? std::find(first, last, tile_.read.front()) : last};
}

/// Pairs of a run before the next elements along the axis read the fastest, where runs go along it.
int64_t PermuteText::pairs_before_next() const {
  const int64_t before = run_before(tile_, tile_.read.front()), pairs = before % 2 == 0 ? before / 2 : before;
  return pairs_across(tile_) % pairs == 0 ? pairs : 1;
}

void PermuteText::add_pair_uniforms(codegen::Uniforms& uniforms) {
  const int64_t next = pairs_before_next();
  pair_.vectors = uniforms.add_divisor(vectors_of(tile_));
  pair_.plane = uniforms.add(tile_.pairs->plane / 2);
  pair_.pairs = uniforms.add_divisor(pairs_across(tile_));
  pair_.last = uniforms.add(tile_.run() - 1);
  pair_.across = uniforms.add(tile_.pairs->across);
  pair_.next = uniforms.add(next);
  pair_.blocks = uniforms.add_divisor(std::max<int64_t>(1, pairs_across(tile_) / next));
}

/// GLSL: statements that add where pair `i` of a run lies. Neighbouring invocations go along the axis read the fastest.
std::string PermuteText::pair_of_run() const {
  const std::string block = divided_by("i", pair_.blocks);
  const std::string along = "  i = " + block + " + (i - " + block + " * " + uniform_at(pair_.blocks) + ") * " +
                            uniform_at(pair_.next) + ";\n";
  return (tile_.in_run(tile_.read.front()) ? along : "") +
         "  to += i * 2u;\n  eg_run_place(i * 2u, first, slot);\n  eg_run_place(min(i * 2u + 1u, " +
         uniform_at(pair_.last) + "), second, slot);\n";
}

/// GLSL: the same across vectors along a run. Of an odd number each second one begins an element further along them.
std::string PermuteText::pair_across() const {
  const std::string across = uniform_at(pair_.across);
  const auto within = [&](const std::string& k) { return k + " < " + across + " ? " + k + " : " + k + " - " + across; };
  return "  to += i * 2u;\n  uint low = i * 2u, high = low + 1u;\n  sides = (low < " + across +
         " ? 0u : 1u) + (high < " + across + " ? 0u : 2u);\n  eg_run_place(" + within("low") +
         ", first, slot);\n  eg_run_place(" + within("high") + ", second, slot);\n";
}

/// GLSL: where both neighbours lie, the word of the tile that has the first pair, and which elements of words are its.
std::string PermuteText::pair_place() const {
  const std::vector<int> neighbours = axes_of_pairs();
  std::vector<std::pair<int, std::string>> parts;  // divisors, and what a coordinate adds
  bool has_pairs = false;
  for (const int axis : tile_.read) {
    const AxisSlots& of = slots(axis);
    if (std::ranges::find(neighbours, axis) != neighbours.end()) {
      if (!has_pairs) parts.emplace_back(pair_.pairs, tile_.pairs->across > 0 ? pair_across() : pair_of_run());
      has_pairs = true;
      continue;
    }
    const bool is_front = axis == tile_.read.front();
    const std::string each = is_front ? " * " + literal(static_cast<uint64_t>(tile_.pairs->elements)) : std::string();
    parts.emplace_back(is_front ? pair_.vectors : of.size_read,
                       "  at += i" + each + " * " + uniform_at(of.stride) + ";\n  to += i" +
                           (tile_.pairs->across > 0 ? each : "") + " * " + uniform_at(of.pitch) + ";\n");
  }
  std::string text;
  for (size_t k = 0; k < parts.size(); ++k) {
    const std::string length = uniform_at(parts[k].first);
    text += (k + 1 < parts.size() ? "  above = " + divided_by("rest", parts[k].first) + ";\n  i = rest - above * " +
                                        length + ";\n  rest = above;\n"
                                  : "  i = rest;\n") +
            parts[k].second;
  }
  return "void eg_read_pair(uint number, out uint at, out uint next, out uint to, out uint sides) {\n"
         "  uint rest = number, above, i, slot, first = 0u, second = 0u;\n  at = 0u;\n  to = 0u;\n  sides = 0u;\n" +
         text + "  next = at + second;\n  at += first;\n  to >>= 1;\n}\n";
}

std::string PermuteText::prepare_pair(int64_t k, std::string& globals) const {
  const std::string n = std::to_string(k), places = "eg_from" + n + ", eg_next" + n + ", eg_to" + n + ", eg_sides" + n;
  globals += "uint " + places + ";\n";
  return "  eg_read_pair(" + number(k) + ", " + places + ");\n";
}

}  // namespace eglantine::lower
