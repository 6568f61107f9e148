#include "perf/open_like.hpp"

#include "backend/gl/devices/device_search.hpp"
#include "eglantine/error.hpp"

namespace eglantine::perf {

std::unique_ptr<gl::GlRuntime> open_like(const DeviceInfo& info) {
  gl::DeviceSearch search(gl::system_egl());
  while (const gl::Candidate* candidate = search.next()) {
    try {
      auto runtime = std::make_unique<gl::GlRuntime>(*candidate, info.kind == "gles", gl::Options{});
      if (runtime->context().text(GL_RENDERER) == info.name) return runtime;
    } catch (const DeviceError&) {
      continue;  // another device's trouble
    }
  }
  throw DeviceError("[eglantine_bench] " + info.name + " does not open a second time");
}

}  // namespace eglantine::perf
