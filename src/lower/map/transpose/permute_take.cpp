#include "codegen/glsl_type.hpp"
#include "layout/divide.hpp"
#include "lower/map/transpose/permute_text.hpp"

/// How the values of a box are combined.
namespace eglantine::lower {

using codegen::divided_by;
using codegen::literal;
using codegen::uniform_at;

/// GLSL: whether a box has the element at a place first, or no other box has it.
std::string PermuteText::is_own() const {
  std::string text, any;
  for (const int axis : tile_.written) {
    const AxisSlots& of = slots(axis);
    const std::string others = "eg_others" + std::to_string(axis);
    text += "  above = " + divided_by("rest", of.size) + ";\n";
    if (of.overlaps) {
      text += "  own = own && rest - above * " + uniform_at(of.size) + " >= " + others + ";\n";
      any += (any.empty() ? "" : " + ") + others;
    }
    text += "  rest = above;\n";
  }
  return "bool eg_overlaps() { return " + (any.empty() ? "false" : any + " > 0u") +
         "; }\nbool eg_is_own(uint number) {\n  uint rest = number, above;\n  bool own = true;\n" + text +
         "  return own;\n}\n";
}

/// Loads stand before what they depend on by conditions, so that all are in flight together.
std::string PermuteText::take() const {
  std::string text =
      is_own() +
      "EG_ACCUMULATOR eg_value(uint at, uint slot) {\n  eg_slot = slot;\n  return EG_ACCUMULATOR(eg_load("
      "eg_first + at));\n}\nvoid eg_take() {\n  EG_ACCUMULATOR sum = eg_identity();\n";
  if (!keeps_writes())
    return text + "  uint at, slot;\n  for (uint i = gl_LocalInvocationID.x; i < " + uniform_at(writes_slot_) +
           "; i += " + literal(static_cast<uint64_t>(group_size_)) +
           ") {\n    eg_written_place(i, at, slot);\n    EG_ACCUMULATOR x = eg_value(at, slot);\n"
           "    if (!eg_overlaps() || eg_is_own(i)) sum = eg_combine(sum, x);\n  }\n"
           "  eg_all = eg_combine(eg_all, sum);\n}\n";
  std::string choices, sums;
  for (int64_t k = 0; k * group_size_ < writes(); ++k) {
    const std::string n = std::to_string(k), there = exists(k, writes(), writes_slot_);
    const auto place = [&](const char* name) { return there.empty() ? name + n : there + " ? " + name + n + " : 0u"; };
    text += "  EG_ACCUMULATOR x" + n + " = eg_value(" + place("eg_at") + ", " + place("eg_of") + ");\n";
    if (!there.empty()) text += "  if (!(" + there + ")) x" + n + " = eg_identity();\n";
    choices += "    if (!eg_is_own(" + number(k) + ")) x" + n + " = eg_identity();\n";
    sums += "  sum = eg_combine(sum, x" + n + ");\n";
  }
  return text + "  if (eg_overlaps()) {\n" + choices + "  }\n" + sums + "  eg_all = eg_combine(eg_all, sum);\n}\n";
}

}  // namespace eglantine::lower
