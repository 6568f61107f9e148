#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "backend/gl/context/context.hpp"

namespace eglantine::gl {

/// A short mapping of the buffer that is bound to `target`.
class Mapping {
 public:
  /// what: names the work in errors, which are DeviceErrors.
  Mapping(Context& context, GLenum target, int64_t offset, size_t bytes, GLbitfield access, const char* what);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::span<std::byte> memory() const { return memory_; }
  void end();  ///< throws where the driver lost what was written

 private:
  std::string about(const std::string& text) const;

  const Functions& gl_;
  GLenum target_;
  const char* what_;
  std::span<std::byte> memory_;
};

}  // namespace eglantine::gl
