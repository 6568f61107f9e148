#include "backend/gl/context/egl_context.hpp"

#include <array>
#include <vector>

#include "backend/gl/context/advice.hpp"
#include "backend/gl/context/environment.hpp"
#include "backend/gl/context/functions.hpp"
#include "eglantine/error.hpp"

namespace eglantine::gl {

EglContext::EglContext(const Egl& egl, const Candidate& candidate, bool gles)
    : egl_(egl), gles_(gles), display_(open_display(egl, candidate)) {
  // The bound API is per thread and defaults to GLES: a core request would fail with EGL_BAD_MATCH.
  if (egl_.BindAPI(gles ? EGL_OPENGL_ES_API : EGL_OPENGL_API) != EGL_TRUE) {
    throw DeviceError(advise_version(gles, "", egl_.GetError()));
  }
  choose_config();
  create();
  if (make_current()) return;
  const EGLint error = egl_.GetError();
  destroy();
  throw DeviceError(advise_display(candidate, "eglMakeCurrent", error));
}

EglContext::~EglContext() { destroy(); }

void EglContext::destroy() {
  if (context_ == EGL_NO_CONTEXT) return;
  egl_.MakeCurrent(display_.handle, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  if (surface_ != EGL_NO_SURFACE) egl_.DestroySurface(display_.handle, surface_);
  egl_.DestroyContext(display_.handle, context_);
  egl_.ReleaseThread();
  context_ = EGL_NO_CONTEXT;
  surface_ = EGL_NO_SURFACE;
}

bool EglContext::display_is_alive() const { return egl_.QueryString(display_.handle, EGL_VERSION) != nullptr; }

void EglContext::choose_config() {
  const bool without_config = display_.has("EGL_KHR_no_config_context") || display_.has("EGL_MESA_configless_context");
  if (without_config && display_.has("EGL_KHR_surfaceless_context")) return;
  const EGLint renderable = gles_ ? EGL_OPENGL_ES3_BIT_KHR : EGL_OPENGL_BIT;
  const std::array<EGLint, 5> wanted{EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, renderable, EGL_NONE};
  EGLint count = 0;
  if (egl_.ChooseConfig(display_.handle, wanted.data(), &config_, 1, &count) != EGL_TRUE || count < 1) {
    throw DeviceError("eglChooseConfig failed (" + egl_error_name(egl_.GetError()) +
                      "): the display has no config for " + (gles_ ? "OpenGL ES 3" : "OpenGL") + " with a pbuffer");
  }
}

void EglContext::create() {
  static constexpr std::array<Version, 3> desktop{{{4, 6}, {4, 5}, {4, 3}}};
  static constexpr std::array<Version, 2> embedded{{{3, 2}, {3, 1}}};
  const std::vector<Version> versions = gles_ ? std::vector<Version>(embedded.begin(), embedded.end())
                                              : std::vector<Version>(desktop.begin(), desktop.end());
  EGLint error = EGL_SUCCESS;
  for (const Version version : versions) {
    for (const bool robust : {true, false}) {
      context_ = try_version(version, robust);
      if (context_ != EGL_NO_CONTEXT) return;
      error = egl_.GetError();
    }
  }
  throw DeviceError(advise_version(gles_, offered_version(), error));
}

EGLContext EglContext::try_version(Version version, bool robust) const {
  std::vector<EGLint> attributes;
  const auto add = [&](EGLint name, EGLint value) { attributes.insert(attributes.end(), {name, value}); };
  const bool modern = display_.version >= 15 || display_.has("EGL_KHR_create_context");
  add(EGL_CONTEXT_MAJOR_VERSION, version.major == 0 ? (gles_ ? 2 : 1) : version.major);
  if (version.major != 0 && modern) add(EGL_CONTEXT_MINOR_VERSION, version.minor);
  if (version.major != 0 && modern && !gles_) {
    add(EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT);
  }
  if (version.major != 0 && modern && is_set_in_environment("EGLANTINE_LOG")) {
    add(EGL_CONTEXT_FLAGS_KHR, EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR);
  }
  if (robust && !gles_ && modern) {
    add(EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET);
  } else if (robust && display_.has("EGL_EXT_create_context_robustness")) {
    add(EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT, EGL_LOSE_CONTEXT_ON_RESET_EXT);
  }
  attributes.push_back(EGL_NONE);
  return egl_.CreateContext(display_.handle, config_, EGL_NO_CONTEXT, attributes.data());
}

bool EglContext::make_current() {
  if (!display_.has("EGL_KHR_surfaceless_context")) {
    static constexpr std::array<EGLint, 5> size{EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    surface_ = egl_.CreatePbufferSurface(display_.handle, config_, size.data());
    if (surface_ == EGL_NO_SURFACE) return false;
  }
  return egl_.MakeCurrent(display_.handle, surface_, surface_, context_) == EGL_TRUE;
}

/// Version and renderer of a context of any version: tells "too old" from "no driver".
std::string EglContext::offered_version() {
  context_ = try_version({}, false);
  if (context_ == EGL_NO_CONTEXT) return "";
  std::string text;
  if (make_current()) {
    require_client_library(gles_);
    const auto word = [](GLenum name) {
      const auto* value = reinterpret_cast<const char*>(epoxy_glGetString(name));
      return std::string(value == nullptr ? "" : value);
    };
    text = word(GL_VERSION) + " by " + word(GL_RENDERER);
    if (!text.starts_with("OpenGL")) text = "OpenGL " + text;
  }
  destroy();
  return text;
}

}  // namespace eglantine::gl
