#pragma once

#include "backend/gl/context/candidate.hpp"

namespace eglantine::gl {

/// An EGL context, current on the thread that made it until its destruction: the newest version that the driver has of
/// 4.6, 4.5, 4.3 core, or GLES 3.2, 3.1; with LOSE_CONTEXT_ON_RESET where the driver supports it.
class EglContext {
 public:
  EglContext(const Egl& egl, const Candidate& candidate, bool gles);  ///< throws DeviceError: step, error, advice
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  bool display_is_alive() const;  ///< false once eglTerminate was called on the display, which ends its contexts

 private:
  struct Version {
    int major = 0, minor = 0;  ///< 0: any version
  };
  void choose_config();
  void create();
  EGLContext try_version(Version version, bool robust) const;
  bool make_current();
  std::string offered_version();
  void destroy();

  const Egl& egl_;
  bool gles_;
  Display display_;
  EGLConfig config_ = nullptr;
  EGLContext context_ = EGL_NO_CONTEXT;
  EGLSurface surface_ = EGL_NO_SURFACE;
};

}  // namespace eglantine::gl
