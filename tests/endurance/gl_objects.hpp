#pragma once

#include <cstdint>
#include <string>

#include "backend/gl/context/functions.hpp"

namespace eglantine::test {

/// GL objects that were made and not deleted, by kind.
struct GlObjects {
  int64_t buffers = 0, shaders = 0, programs = 0, fences = 0, queries = 0;

  int64_t others() const { return shaders + programs + fences + queries; }
  std::string text() const;
};

/// Puts functions that count in the place of those that make and delete objects. For one device in a process.
void count_gl_objects(gl::Functions& functions);

/// As counted so far. On the device's own thread.
GlObjects gl_objects();

}  // namespace eglantine::test
