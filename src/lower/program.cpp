#include "lower/program.hpp"

#include <functional>
#include <string_view>

namespace eglantine::lower {
namespace {

/// For shaders that use gl_SubgroupInvocationID, ballots, shuffles and arithmetic, after the version line; only where
/// Target::subgroup is not 0.
constexpr const char* subgroup_extensions =
    "#extension GL_KHR_shader_subgroup_basic : require\n#extension GL_KHR_shader_subgroup_vote : require\n"
    "#extension GL_KHR_shader_subgroup_arithmetic : require\n#extension GL_KHR_shader_subgroup_ballot : require\n"
    "#extension GL_KHR_shader_subgroup_shuffle : require\n";

/// The first lines of every shader for this target: version, precision, EG_PRECISE, EG_ISNAN(x), EG_FMA(a, b, c), which
/// is a b + c.
std::string header(const Target& target, bool subgroups) {
  std::string text = "#version " + std::to_string(target.glsl_version) + (target.gles ? " es\n" : "\n");
  // GLSL ES wants every #extension before the first declaration.
  if (subgroups) text += subgroup_extensions;
  if (*target.precise_by != 0) text += std::string("#extension ") + target.precise_by + " : require\n";
  if (target.gles) text += "precision highp float;\nprecision highp int;\n";
  if (!target.software) text += "#pragma optionNV(fastmath off)\n";  // Quirk::reassociated_products
  if (!target.software) text += "#define EG_SKIPS\n";  // a branch that no invocation of a subgroup takes costs nothing
  if (target.software) text += "#define EG_SLOW_HALVES\n";  // Quirk::slow_halves
  if (target.packs_nearest) text += "#define EG_PACKS_NEAREST\n#define EG_CLOSE_EXP2\n";
  // fma() rounds once, and takes no longer than a product, where arithmetic is NVIDIA's.
  text += target.packs_nearest ? "#define EG_FUSED\n#define EG_FMA(a, b, c) fma(a, b, c)\n"
                               : "#define EG_FMA(a, b, c) ((a) * (b) + (c))\n";
  text += std::string("#define EG_PRECISE") + (target.has_precise ? " precise\n" : "\n");
  return text + "#define EG_ISNAN(x) " +
         (target.knows_nan ? "isnan(x)\n" : "((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u)\n");
}

/// Where `precise` does not exist: floats that would be precise pass through their bits, changed by a zero that
/// compilers do not look for, so that none leaves out what rounds: (x + 0.5) - 0.5 would be x. Of one float a
/// declaration.
std::string with_unfolded_floats(std::string_view text) {
  constexpr std::string_view declare = "EG_PRECISE float ", is = " = ";
  std::string result;
  while (true) {
    const size_t at = text.find(declare), value = text.find(is, at), end = text.find_first_of(";\n", at);
    if (at == std::string_view::npos) return result += text;
    const bool is_whole = value < end && text[end] == ';';
    const size_t from = is_whole ? value + is.size() : end;
    result += text.substr(0, from);
    if (is_whole)
      result.append("uintBitsToFloat(floatBitsToUint(")
          .append(text.substr(from, end - from))
          .append(") ^ (gl_LocalInvocationIndex >> 31u))");
    text.remove_prefix(end);
  }
}

}  // namespace

Program::Program(codegen::SourceParts parts)
    : parts_(std::move(parts)),
      key_(parts_.template_name + (parts_.subgroups ? "\nsubgroups\n" : "\n") + parts_.defines + parts_.declarations +
           parts_.holes),
      hash_(std::hash<std::string>()(key_)) {}

Program::Program(std::string text) : key_(std::move(text)), hash_(std::hash<std::string>()(key_)) {}

std::string Program::text(const Target& target) const {
  if (parts_.template_name.empty()) return key_;
  std::string text = codegen::shader_text(header(target, parts_.subgroups), parts_);
  return target.has_precise ? text : with_unfolded_floats(text);
}

}  // namespace eglantine::lower
