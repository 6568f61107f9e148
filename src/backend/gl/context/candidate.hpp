#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/gl/context/egl.hpp"

namespace eglantine::gl {

enum class Platform { device, gbm, surfaceless, default_display };

/// A way to reach a driver through EGL, not yet tried.
struct Candidate {
  Platform platform = Platform::device;
  EGLDeviceEXT device = EGL_NO_DEVICE_EXT;  ///< Platform::device only
  std::string label;                        ///< "EGL device 0", "GBM /dev/dri/renderD128", "surfaceless"
  std::string render_node;                  ///< "/dev/dri/renderD128"; empty where unknown
  std::string name;                         ///< the driver's name for it before it is opened; may be empty
  std::string uuid;                         ///< hexadecimal; empty where EGL gives none
  bool software = false;                    ///< EGL_MESA_device_software
  bool nvidia = false;
};

/// Candidates in the order to try: hardware EGL devices, render nodes no EGL device covers, software EGL devices,
/// surfaceless, the default display. If there are EGL devices, try nodes and the last two only if nothing better opens:
/// they lead to the same devices. Initialises no driver. `problem`: the enumeration's error, or empty.
std::vector<Candidate> find_candidates(const Egl& egl, std::string& problem);

/// A candidate's initialised display and its EGL version, 14 or 15. It is never terminated: eglTerminate is not
/// reference-counted, and GL calls in static destructors crash on several drivers. Throws DeviceError.
struct Display {
  EGLDisplay handle = EGL_NO_DISPLAY;
  int version = 14;
  std::string extensions;

  bool has(std::string_view name) const { return has_word(extensions.c_str(), name); }
};
Display open_display(const Egl& egl, const Candidate& candidate);

}  // namespace eglantine::gl
