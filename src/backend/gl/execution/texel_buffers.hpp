#pragma once

#include <vector>

#include "backend/gl/context/context.hpp"
#include "backend/gl/lowered.hpp"

namespace eglantine::gl {

/// Ranges of buffers as the texture buffers that samplers read: one texture for each binding, attached anew for each
/// dispatch. They live as long as the context.
class TexelBuffers {
 public:
  explicit TexelBuffers(Context& context) : context_(context) {}

  /// Binds the part of the buffer that the range tells.
  void bind(GLuint binding, GLuint buffer, const Range& range);
  /// Lets go of the buffers bound last, whose memory they would keep.
  void release();

 private:
  Context& context_;
  std::vector<GLuint> textures_;  ///< by binding
};

}  // namespace eglantine::gl
