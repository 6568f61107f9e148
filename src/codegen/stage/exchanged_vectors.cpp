#include <array>

#include "codegen/glsl_type.hpp"
#include "codegen/stage/stage.hpp"
#include "codegen/value_text.hpp"

/// Results of lines that begin between vectors of memory: where an invocation's four elements begin within one, its
/// first elements are the last of the invocation before. It gets those, and writes that vector whole.
namespace eglantine::codegen {
namespace {

constexpr std::array<const char*, 4> components{".x", ".y", ".z", ".w"};

/// GLSL: the vector of invocation `lane`; of four words the first is never another's.
std::string shown_text(bool halves) {
  const auto shown = [](const std::string& x) { return "subgroupShuffle(four" + x + ", lane)"; };
  if (halves) return "uvec2(" + shown(".x") + ", " + shown(".y") + ")";
  return "vec4(0.0, " + shown(".y") + ", " + shown(".z") + ", " + shown(".w") + ")";
}

std::string words_text(const std::string& block) {
  std::string text;
  for (size_t j = 0; j < components.size(); ++j) {
    const std::string n = std::to_string(j) + "u", c = components[j];
    text += "  if (first <= " + n + " && " + n + " < end) " + block + "[quad]" + c + " = v" + c + ";\n";
  }
  return text;
}

/// Whole words where they are; others have the rest of the others.
std::string halves_text(const std::string& block) {
  std::string text = "  uvec2 mask = eg_halves_before(end) & ~eg_halves_before(first);\n";
  for (size_t k = 0; k < 2; ++k) {
    const std::string c = components[k], word = block + "[quad]" + c;
    text += "  if (mask" + c + " == 0xffffffffu) {\n    " + word + " = v" + c + ";\n  } else if (mask" + c +
            " != 0u) {\n    atomicAnd(" + word + ", ~mask" + c + ");\n    atomicOr(" + word + ", v" + c + " & mask" +
            c + ");\n  }\n";
  }
  return text;
}

}  // namespace

/// `whole`, the vector of memory that `four` begins in, `before` elements behind its start; and its place, `quad`.
std::string StoreStage::whole_vector_text() const {
  const std::string type = is_narrow(out_.storage) ? "uvec2" : "vec4", behind = spec_.name + "_behind";
  const std::string lanes = literal(static_cast<uint64_t>(exchanging_)), own = addresses_.element(0, 0),
                    start = addresses_.first_of_vectors(0);
  const std::string at = start.empty() ? own : start;
  return "  uint before = (" + at + ") & 3u, quad = ((" + at + ") >> 2)" + (start.empty() ? "" : " + number") +
         ";\n  uint me = gl_SubgroupInvocationID % " + lanes + ", lane = gl_SubgroupInvocationID - me + (me + " +
         lanes + " - 1u) % " + lanes + ";\n  " + type + " shown = " + shown_text(is_narrow(out_.storage)) +
         ", last = me == 0u ? " + behind + " : shown;\n  " + behind + " = shown;\n  " + type +
         " whole = eg_behind(last, four, before);\n";
}

/// A vector of memory that others have elements of, too, is written element by element: `<name>_part`.
std::string StoreStage::exchanging_text(const Bindings& bindings) const {
  const bool halves = is_narrow(out_.storage);
  const std::string block = block_name(binding_), part = spec_.name + "_part", type = halves ? "uvec2" : "vec4";
  const std::string stored = to_stored(out_.dtype(), bindings.at(binding_).dtype(), vector_width, "value");
  return type + " " + spec_.name + "_behind;\nvoid " + part + "(uint quad, " + type + " v, uint first, uint end) {\n" +
         (halves ? halves_text(block) : words_text(block)) + "}\nvoid " + spec_.name + "(uint number, " +
         std::string(value_type(out_.dtype(), vector_width)) + " value, bool mine, bool follows, bool leads) {\n" +
         addresses_.statements("number") + "  " + type +
         " four = " + (halves ? bindings.narrowed(binding_, stored) : stored) + ";\n" + whole_vector_text() +
         "  uint first = follows ? 0u : before, end = " + addresses_.count() +
         " + before;\n  if (mine) {\n    if (first == 0u && end >= 4u) " + block + "[quad] = whole;\n    else " + part +
         "(quad, whole, first, min(end, 4u));\n    if (!leads && end > 4u) " + part + "(quad + 1u, eg_behind(four, " +
         type + "(0), before), 0u, end - 4u);\n  }\n}\n";
}

}  // namespace eglantine::codegen
