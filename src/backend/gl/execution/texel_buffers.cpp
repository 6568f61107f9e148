#include "backend/gl/execution/texel_buffers.hpp"

namespace eglantine::gl {
namespace {

GLenum format_of(const codegen::Texels& texels) {
  const bool four = texels.width == 4;
  if (texels.dtype == DType::f32) return four ? GL_RGBA32F : GL_R32F;
  if (texels.dtype == DType::i32) return four ? GL_RGBA32I : GL_R32I;
  return four ? GL_RGBA32UI : texels.width == 2 ? GL_RG32UI : GL_R32UI;
}

}  // namespace

void TexelBuffers::bind(GLuint binding, GLuint buffer, const Range& range) {
  const Functions& gl = context_.gl();
  if (textures_.size() <= binding) textures_.resize(binding + 1, 0);
  GLuint& texture = textures_[binding];
  if (texture == 0) gl.GenTextures(1, &texture);
  gl.ActiveTexture(GL_TEXTURE0 + binding);
  gl.BindTexture(GL_TEXTURE_BUFFER, texture);
  gl.TexBufferRange(GL_TEXTURE_BUFFER, format_of(range.texels), buffer, range.offset, range.size);
}

void TexelBuffers::release() {
  if (!textures_.empty()) context_.gl().DeleteTextures(static_cast<GLsizei>(textures_.size()), textures_.data());
  textures_.clear();
}

}  // namespace eglantine::gl
