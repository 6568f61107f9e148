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
  std::string name;                         ///< what the driver calls it before it is opened; may be empty
  std::string uuid;                         ///< hexadecimal; empty where EGL gives none
  bool software = false;                    ///< EGL_MESA_device_software
  bool nvidia = false;
};

/// Everything to try, in the order to try it: hardware EGL devices, render nodes that no EGL device covers, software
/// EGL devices, then surfaceless and the default display. The last two, and the render nodes, reach only what EGL
/// devices reach too, where there are any; so whoever tries them does it only when nothing better opened.
/// No driver is initialised. `problem` receives what is wrong with the enumeration itself; empty when nothing is.
std::vector<Candidate> find_candidates(const Egl& egl, std::string& problem);

/// The display of a candidate, initialised, and its EGL version: 14 or 15. It is never terminated: eglTerminate is not
/// reference-counted, and GL work in static destructors crashes on several drivers. Throws DeviceError.
struct Display {
  EGLDisplay handle = EGL_NO_DISPLAY;
  int version = 14;
  std::string extensions;

  bool has(std::string_view name) const { return has_word(extensions.c_str(), name); }
};
Display open_display(const Egl& egl, const Candidate& candidate);

}  // namespace eglantine::gl
