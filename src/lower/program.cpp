#include "lower/program.hpp"

#include <functional>

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

}  // namespace

Program::Program(codegen::SourceParts parts)
    : parts_(std::move(parts)),
      key_(parts_.template_name + (parts_.subgroups ? "\nsubgroups\n" : "\n") + parts_.defines + parts_.declarations +
           parts_.holes),
      hash_(std::hash<std::string>()(key_)) {}

Program::Program(std::string text) : key_(std::move(text)), hash_(std::hash<std::string>()(key_)) {}

std::string Program::text(const Target& target) const {
  return parts_.template_name.empty() ? key_ : codegen::shader_text(header(target, parts_.subgroups), parts_);
}

}  // namespace eglantine::lower
