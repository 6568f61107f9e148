#include "backend/gl/context/egl.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <utility>

#include "eglantine/error.hpp"

namespace eglantine::gl {
namespace {

bool can_load(const char* library) {
  // Never closed: libepoxy opens it again, and drivers do not survive being unloaded.
  return dlopen(library, RTLD_LAZY | RTLD_LOCAL) != nullptr;
}

[[noreturn]] void throw_missing(const std::string& library, const std::string& package) {
  throw DeviceError(library + " cannot be loaded: install the package " + package);
}

template <class Function>
Function extension_function(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

void load_core(Egl& egl) {
  egl.GetError = [] { return eglGetError(); };
  egl.QueryString = [](EGLDisplay display, EGLint name) { return eglQueryString(display, name); };
  egl.GetDisplay = [](EGLNativeDisplayType native) { return eglGetDisplay(native); };
  egl.Initialize = [](EGLDisplay display, EGLint* major, EGLint* minor) {
    return eglInitialize(display, major, minor);
  };
  egl.BindAPI = [](EGLenum api) { return eglBindAPI(api); };
  egl.ChooseConfig = [](EGLDisplay display, const EGLint* wanted, EGLConfig* configs, EGLint capacity, EGLint* count) {
    return eglChooseConfig(display, wanted, configs, capacity, count);
  };
  egl.CreateContext = [](EGLDisplay display, EGLConfig config, EGLContext shared, const EGLint* attributes) {
    return eglCreateContext(display, config, shared, attributes);
  };
  egl.DestroyContext = [](EGLDisplay display, EGLContext context) { return eglDestroyContext(display, context); };
  egl.CreatePbufferSurface = [](EGLDisplay display, EGLConfig config, const EGLint* attributes) {
    return eglCreatePbufferSurface(display, config, attributes);
  };
  egl.DestroySurface = [](EGLDisplay display, EGLSurface surface) { return eglDestroySurface(display, surface); };
  egl.MakeCurrent = [](EGLDisplay display, EGLSurface draw, EGLSurface read, EGLContext context) {
    return eglMakeCurrent(display, draw, read, context);
  };
  egl.ReleaseThread = [] { return eglReleaseThread(); };
}

Egl load_egl() {
  if (!can_load("libEGL.so.1")) throw_missing("libEGL.so.1", "libegl1");
  Egl egl;
  load_core(egl);
  if (const char* extensions = egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS)) egl.client_extensions = extensions;
  const auto has = [&](std::string_view name) { return has_word(egl.client_extensions.c_str(), name); };
  const bool base = has("EGL_EXT_device_base");  // NVIDIA reports this alone, others only its two halves
  if (base || has("EGL_EXT_device_enumeration")) {
    egl.QueryDevicesEXT = extension_function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  }
  if (base || has("EGL_EXT_device_query")) {
    egl.QueryDeviceStringEXT = extension_function<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
  }
  // A device extension, not a client extension: only called for a device that has it.
  egl.QueryDeviceBinaryEXT = extension_function<QueryDeviceBinary>("eglQueryDeviceBinaryEXT");
  // libepoxy aborts in the core eglGetPlatformDisplay while no display is current.
  if (has("EGL_EXT_platform_base")) {
    egl.GetPlatformDisplayEXT = extension_function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  }
  return egl;
}

}  // namespace

const Egl& system_egl() {
  static const Egl egl = load_egl();
  return egl;
}

void require_client_library(bool gles) {
  if (gles && !can_load("libGLESv2.so.2")) throw_missing("libGLESv2.so.2", "libgles2");
  if (!gles && !can_load("libOpenGL.so.0") && !can_load("libGL.so.1")) throw_missing("libGL.so.1", "libgl1");
}

bool has_word(const char* extensions, std::string_view name) {
  std::string_view rest(extensions == nullptr ? "" : extensions);
  while (!rest.empty()) {
    const size_t space = rest.find(' ');
    if (rest.substr(0, space) == name) return true;
    rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
  }
  return false;
}

std::string egl_error_name(EGLint error) {
  static constexpr std::array names{"EGL_SUCCESS",       "EGL_NOT_INITIALIZED",     "EGL_BAD_ACCESS",
                                    "EGL_BAD_ALLOC",     "EGL_BAD_ATTRIBUTE",       "EGL_BAD_CONFIG",
                                    "EGL_BAD_CONTEXT",   "EGL_BAD_CURRENT_SURFACE", "EGL_BAD_DISPLAY",
                                    "EGL_BAD_MATCH",     "EGL_BAD_NATIVE_PIXMAP",   "EGL_BAD_NATIVE_WINDOW",
                                    "EGL_BAD_PARAMETER", "EGL_BAD_SURFACE",         "EGL_CONTEXT_LOST"};
  const auto index = static_cast<size_t>(error - EGL_SUCCESS);
  if (error >= EGL_SUCCESS && index < names.size()) return names[index];
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%04X", static_cast<unsigned>(error));
  return text.data();
}

}  // namespace eglantine::gl
