#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "backend/gl/context/egl_context.hpp"
#include "backend/gl/context/functions.hpp"
#include "backend/gl/context/options.hpp"

namespace eglantine::gl {

/// A context with its functions, current on the thread that made it. Turns GL errors into exceptions at the call that
/// caused them, and records when the device is lost.
class Context {
 public:
  /// Throws DeviceError.
  Context(const Candidate& candidate, bool gles, const Options& options);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Functions& gl() const { return gl_; }
  const ContextVersion& version() const { return version_; }
  std::string text(GLenum name) const;

  /// Throws DeviceError when a GL error is pending: "[doing] GL_INVALID_VALUE: what the driver says".
  void check(std::string_view doing);
  /// Clears pending errors; true when one of them is GL_OUT_OF_MEMORY.
  bool take_out_of_memory(std::string_view doing);
  /// Clears pending errors of any kind; true when there were any. For calls that a driver may refuse.
  bool take_error();
  /// Throws DeviceError when the device is known to be lost.
  void require_not_lost() const;
  /// Queries the state: throws DeviceError when the device was lost, the display terminated, or the process forked.
  void require_alive();
  /// Marks the device as lost and throws DeviceError; every later call throws the same.
  [[noreturn]] void lose(const std::string& why);
  bool lost() const { return lost_; }  ///< thread-safe

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

/// "GL_INVALID_VALUE", or the number in hexadecimal.
std::string gl_error_name(GLenum error);

}  // namespace eglantine::gl
