#include "codegen/glsl_type.hpp"
#include "lower/map/transpose/permute_text.hpp"

/// Narrow results that an invocation computes and writes four at a time.
namespace eglantine::lower {

using namespace codegen;

/// GLSL: the words of four results from number `start` + `from` on, staged from eg_slot on. What is only moved keeps
/// its bits.
std::string PermuteText::four(const Bindings& bindings) const {
  const DType dtype = kernel_.value.dtype(), stored = bindings.at(out_binding_).dtype();
  const bool moves =
      tile_.pairs && kernel_.value.code.size() == 1 && kernel_.value.operands.front().storage == kernel_.out.storage;
  return moves ? "eg_pairs0(eg_slot)"
               : bindings.narrowed(out_binding_, to_stored(dtype, stored, 4, "eg_load(start + uint(from))"));
}

/// A run has four elements or more.
std::string PermuteText::write_four(const Bindings& bindings) const {
  const std::string out = uniform_at(out_slot_), type = bytes_of(kernel_.out.storage) == 1 ? "uint" : "uvec2";
  return "void eg_word_place(uint number, out uint at, out uint slot, out uint place) {\n  uint run = " +
         divided_by("number", words_slot_) + ";\n  eg_written_place(run, at, slot);\n  place = (number - run * " +
         uniform_at(words_slot_) + ") * 4u;\n}\nvoid eg_put(uint at, uint slot, uint place) {\n" +
         "  uint start = eg_first + at;\n  int count = int(" + uniform_at(run_slot_) + "), first = int(place) - int((" +
         out + " + start) & 3u);\n  if (first >= count) return;\n" +
         "  int from = clamp(first, 0, count - 4);\n  eg_slot = slot + uint(from);\n  " + type +
         " x = " + four(bindings) + ";\n  uint element = " + out +
         " + start + uint(max(first, 0));\n  if (first == from) {\n    " + block_name(out_binding_) +
         "[element >> 2] = x;\n    return;\n  }\n" + "  if (first > from) x = eg_joined(x, x, uint(first - from));\n" +
         bindings.write_narrow(out_binding_, "element", "uint(first < 0 ? first + 4 : count - first)", "x") + "}\n";
}

/// All of an invocation. Places that it keeps for all boxes take registers that cost more (transposed rows of 12 f16 on
/// an H200 28.4 us, and 25.6; short axes 34.1 and 29.8).
std::string PermuteText::write_fours() const {
  return "void eg_write() {\n  uint at, slot, place;\n  for (uint i = gl_LocalInvocationID.x; i < " +
         uniform_at(writes_slot_) + "; i += " + literal(static_cast<uint64_t>(group_size_)) +
         ") {\n    eg_word_place(i, at, slot, place);\n    eg_put(at, slot, place);\n  }\n}\n";
}

}  // namespace eglantine::lower
