#pragma once

#include <string>

#include "backend/gl/runtime.hpp"

namespace eglantine::gl {

/// The first lines of every shader for this target: version, precision, EG_PRECISE.
inline std::string glsl_header(const Target& target) {
  std::string text = "#version " + std::to_string(target.glsl_version) +
                     (target.gles ? " es\nprecision highp float;\nprecision highp int;\n" : "\n");
  return text + "#define EG_PRECISE" + (target.has_precise ? " precise\n" : "\n");
}

}  // namespace eglantine::gl
