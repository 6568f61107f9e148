#pragma once

#include <vector>

#include "backend/gl/context/context.hpp"
#include "backend/gl/lowered.hpp"

namespace eglantine::gl {

/// Binds ranges of buffers as texture buffers: one texture for each binding, attached again for each dispatch. The
/// textures live as long as the context.
class TexelBuffers {
 public:
  explicit TexelBuffers(Context& context) : context_(context) {}

  void bind(GLuint binding, GLuint buffer, const Range& range);
  void release();  ///< detaches the buffers bound last, whose memory the textures would keep alive

 private:
  Context& context_;
  std::vector<GLuint> textures_;  ///< by binding
};

}  // namespace eglantine::gl
