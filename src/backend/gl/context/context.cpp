#include "backend/gl/context/context.hpp"

#include <cstdio>
#include <utility>

#include "backend/gl/context/advice.hpp"
#include "backend/gl/context/environment.hpp"
#include "backend/gl/context/workarounds.hpp"
#include "eglantine/error.hpp"
#include "system/forked.hpp"

namespace eglantine::gl {
namespace {

/// Quirk::chatty_debug_output: NVIDIA's buffer places, recompiled shaders. Not 0x20072: a move to the host is our bug.
bool is_noise(GLuint id) { return id == 0x20071 || id == 0x20092; }

EglContext open_context(const Candidate& candidate, bool gles, const Options& options) {
  require_client_library(gles);
  return {options.egl != nullptr ? *options.egl : system_egl(), candidate, gles};
}

}  // namespace

std::string gl_error_name(GLenum error) {
  switch (error) {
    case GL_INVALID_ENUM:
      return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE:
      return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION:
      return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY:
      return "GL_OUT_OF_MEMORY";
    case GL_CONTEXT_LOST:
      return "GL_CONTEXT_LOST";
    default:
      break;
  }
  char text[16];
  std::snprintf(text, sizeof text, "0x%04X", error);
  return text;
}

Context::Context(const Candidate& candidate, bool gles, const Options& options)
    : egl_(open_context(candidate, gles, options)), gl_(core_functions()), version_(version_of(gl_)) {
  gl_ = load_functions(version_);
  if (options.replace_functions) options.replace_functions(gl_);
  const std::string renderer = text(GL_RENDERER);
  Driver driver;
  driver.renderer = renderer;
  if (in_force(Quirk::no_compute, driver)) throw DeviceError(advise_softpipe(renderer));
  if (version_.version < (gles ? 31 : 43)) {
    throw DeviceError(advise_version(gles, text(GL_VERSION) + " by " + renderer, EGL_SUCCESS));
  }
  start_debug_output();
}

Context::~Context() {
  // The driver may send messages while the EGL context is destroyed, when this object is half destroyed.
  if (gl_.DebugMessageCallback != nullptr) gl_.DebugMessageCallback(nullptr, nullptr);
}

std::string Context::text(GLenum name) const {
  const auto* value = reinterpret_cast<const char*>(gl_.GetString(name));
  return value == nullptr ? "" : value;
}

void Context::start_debug_output() {
  if (gl_.DebugMessageCallback == nullptr) return;
  gl_.Enable(GL_DEBUG_OUTPUT);
  gl_.Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  gl_.DebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DEBUG_SEVERITY_NOTIFICATION, 0, nullptr, GL_FALSE);
  gl_.DebugMessageCallback(&Context::on_message, this);
}

void GLAPIENTRY Context::on_message(GLenum, GLenum type, GLuint id, GLenum, GLsizei, const GLchar* message,
                                    const void* self) {
  auto& context = *static_cast<Context*>(const_cast<void*>(self));  // GL passes it as const; the object is not
  if (type == GL_DEBUG_TYPE_ERROR) {
    context.debug_message_ = message;
  } else if (!is_noise(id) && is_set_in_environment("EGLANTINE_LOG")) {
    std::fprintf(stderr, "eglantine: GL 0x%x: %s\n", id, message);
  }
}

void Context::check(std::string_view doing) {
  const GLenum error = gl_.GetError();
  if (error == GL_NO_ERROR) return;
  for (int i = 0; i < 8 && gl_.GetError() != GL_NO_ERROR; ++i) continue;  // a lost context returns errors for ever
  const std::string words = std::exchange(debug_message_, "");
  const std::string text = "[" + std::string(doing) + "] " + gl_error_name(error) + (words.empty() ? "" : ": " + words);
  if (error == GL_CONTEXT_LOST) lose(text);
  throw DeviceError(text);
}

bool Context::take_out_of_memory(std::string_view doing) {
  const GLenum error = gl_.GetError();
  if (error == GL_NO_ERROR) return false;
  if (error != GL_OUT_OF_MEMORY) {
    throw DeviceError("[" + std::string(doing) + "] " + gl_error_name(error) + ": " +
                      std::exchange(debug_message_, ""));
  }
  debug_message_.clear();
  return true;
}

bool Context::take_error() {
  bool any = false;
  for (int i = 0; i < 8 && gl_.GetError() != GL_NO_ERROR; ++i) any = true;  // a lost context returns errors for ever
  debug_message_.clear();
  return any;
}

void Context::require_not_lost() const {
  if (lost_) throw DeviceError(lost_because_);
}

void Context::require_alive() {
  require_not_lost();
  require_own_process("Device");
  if (!egl_.display_is_alive()) {
    lose("[Device] someone called eglTerminate on the display this device uses, which ends its context");
  }
  const GLenum status = gl_.GetGraphicsResetStatus == nullptr ? GL_NO_ERROR : gl_.GetGraphicsResetStatus();
  if (status == GL_NO_ERROR) return;
  const char* guilt = status == GL_GUILTY_CONTEXT_RESET     ? "by a kernel of this process"
                      : status == GL_INNOCENT_CONTEXT_RESET ? "by another program"
                                                            : "for a reason the driver does not know";
  lose(std::string("[Device] the GPU was reset ") + guilt);
}

void Context::lose(const std::string& why) {
  lost_because_ = why + ". The device is lost and its tensors with it; Device::open gives a new one";
  lost_ = true;
  throw DeviceError(lost_because_);
}

}  // namespace eglantine::gl
