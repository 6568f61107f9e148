#include "backend/gl/memory/mapping.hpp"

#include "eglantine/error.hpp"

namespace eglantine::gl {

Mapping::Mapping(Context& context, GLenum target, int64_t offset, size_t bytes, GLbitfield access, const char* what)
    : gl_(context.gl()), target_(target), what_(what) {
  const auto size = static_cast<GLsizeiptr>(bytes);
  memory_ = {static_cast<std::byte*>(gl_.MapBufferRange(target, offset, size, access)), bytes};
  if (memory_.data() != nullptr) return;
  context.check(what);
  throw DeviceError(about("the driver could not map " + std::to_string(bytes) + " bytes of a buffer"));
}

Mapping::~Mapping() {
  if (memory_.data() != nullptr) gl_.UnmapBuffer(target_);
}

void Mapping::end() {
  memory_ = {};
  if (gl_.UnmapBuffer(target_) != GL_TRUE) throw DeviceError(about("the driver lost the contents of a mapped buffer"));
}

std::string Mapping::about(const std::string& text) const { return "[" + std::string(what_) + "] " + text; }

}  // namespace eglantine::gl
