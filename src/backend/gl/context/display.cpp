#include <fcntl.h>
#include <gbm.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>

#include "backend/gl/context/advice.hpp"
#include "backend/gl/context/candidate.hpp"
#include "eglantine/error.hpp"

namespace eglantine::gl {
namespace {

/// One GBM device for each render node, never destroyed, like the displays made from it.
gbm_device* gbm_of(const std::string& node) {
  static std::mutex mutex;
  static auto& devices = *new std::map<std::string, gbm_device*>();
  const std::lock_guard lock(mutex);
  if (const auto known = devices.find(node); known != devices.end()) return known->second;
  const int file = open(node.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) throw DeviceError(advise_render_node(node, errno));
  gbm_device* device = gbm_create_device(file);
  if (device == nullptr) {
    close(file);
    throw DeviceError("gbm_create_device failed on " + node + ": its driver is not installed (libgl1-mesa-dri)");
  }
  devices.emplace(node, device);
  return device;
}

EGLDisplay display_of(const Egl& egl, const Candidate& candidate) {
  switch (candidate.platform) {
    case Platform::device:
      return egl.GetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, candidate.device, nullptr);
    case Platform::gbm:
      return egl.GetPlatformDisplayEXT(EGL_PLATFORM_GBM_KHR, gbm_of(candidate.render_node), nullptr);
    case Platform::surfaceless:
      return egl.GetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    case Platform::default_display:
      break;
  }
  return egl.GetDisplay(EGL_DEFAULT_DISPLAY);
}

}  // namespace

Display open_display(const Egl& egl, const Candidate& candidate) {
  Display display;
  display.handle = display_of(egl, candidate);
  if (display.handle == EGL_NO_DISPLAY) {
    throw DeviceError(advise_display(candidate, "eglGetPlatformDisplay", egl.GetError()));
  }
  EGLint major = 0, minor = 0;
  if (egl.Initialize(display.handle, &major, &minor) != EGL_TRUE) {
    throw DeviceError(advise_display(candidate, "eglInitialize", egl.GetError()));
  }
  display.version = major * 10 + minor;
  const char* extensions = egl.QueryString(display.handle, EGL_EXTENSIONS);
  display.extensions = extensions == nullptr ? "" : extensions;
  return display;
}

}  // namespace eglantine::gl
