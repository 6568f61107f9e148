#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "backend/gl/context/egl_context.hpp"
#include "backend/gl/context/functions.hpp"
#include "backend/gl/context/options.hpp"

namespace eglantine::gl {

/// A context with its functions, current on the thread that made it; throws GL errors at their call; records a loss.
class Context {
 public:
  Context(const Candidate& candidate, bool gles, const Options& options);  ///< throws DeviceError
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Functions& gl() const { return gl_; }
  const ContextVersion& version() const { return version_; }
  std::string text(GLenum name) const;

  /// Throws DeviceError when a GL error is pending: "[doing] GL_INVALID_VALUE: what the driver says".
  void check(std::string_view doing);
  bool take_out_of_memory(std::string_view doing);  ///< clears pending errors; true if one is GL_OUT_OF_MEMORY
  bool take_error();                                ///< clears them; true if any; for calls that a driver may refuse
  void require_not_lost() const;                    ///< throws DeviceError if the device is known to be lost
  /// Queries the state: throws DeviceError when the device was lost, the display terminated, or the process forked.
  void require_alive();
  [[noreturn]] void lose(const std::string& why);  ///< marks the device lost; this and all later calls throw
  bool lost() const { return lost_; }              ///< thread-safe

 private:
  static void GLAPIENTRY on_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                    const GLchar* message, const void* self);
  void start_debug_output();

  EglContext egl_;
  Functions gl_;
  ContextVersion version_;
  std::string debug_message_;  ///< the driver's message for the error that glGetError returns next
  std::string lost_because_;
  std::atomic<bool> lost_ = false;
};

std::string gl_error_name(GLenum error);  ///< "GL_INVALID_VALUE", or the number in hexadecimal

}  // namespace eglantine::gl
