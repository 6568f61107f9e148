#pragma once

#include <string>

#include "lower/runtime.hpp"

namespace eglantine::gl {

/// For shaders that use gl_SubgroupInvocationID, ballots, shuffles and arithmetic, after the version line; only where
/// Target::subgroup says that they are there.
inline constexpr const char* subgroup_extensions =
    "#extension GL_KHR_shader_subgroup_basic : require\n#extension GL_KHR_shader_subgroup_vote : require\n"
    "#extension GL_KHR_shader_subgroup_arithmetic : require\n#extension GL_KHR_shader_subgroup_ballot : require\n"
    "#extension GL_KHR_shader_subgroup_shuffle : require\n";

/// The first lines of every shader for this target: version, precision, EG_PRECISE, EG_ISNAN(x).
inline std::string glsl_header(const Target& target, bool subgroups = false) {
  std::string text = "#version " + std::to_string(target.glsl_version) + (target.gles ? " es\n" : "\n");
  // GLSL ES wants every #extension before the first declaration.
  if (subgroups) text += subgroup_extensions;
  if (target.gles) text += "precision highp float;\nprecision highp int;\n";
  if (!target.software) text += "#pragma optionNV(fastmath off)\n";  // Quirk::reassociated_products
  text += std::string("#define EG_PRECISE") + (target.has_precise ? " precise\n" : "\n");
  return text + "#define EG_ISNAN(x) " +
         (target.knows_nan ? "isnan(x)\n" : "((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u)\n");
}

}  // namespace eglantine::gl
