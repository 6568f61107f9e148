#pragma once

#include <epoxy/egl.h>

#include <string>
#include <string_view>

// Missing in libepoxy's header.
#ifndef EGL_DRM_RENDER_NODE_FILE_EXT
#define EGL_DRM_RENDER_NODE_FILE_EXT 0x3377
#endif
#ifndef EGL_DEVICE_UUID_EXT
#define EGL_DEVICE_UUID_EXT 0x335C
#endif
#ifndef EGL_RENDERER_EXT
#define EGL_RENDERER_EXT 0x335F
#endif

namespace eglantine::gl {

using QueryDeviceBinary = EGLBoolean (*)(EGLDeviceEXT device, EGLint name, EGLint capacity, void* value, EGLint* size);

/// All EGL calls go through this table, so that tests can make each fail. Extensions the library lacks are null.
struct Egl {
  decltype(epoxy_eglGetError) GetError = nullptr;
  decltype(epoxy_eglQueryString) QueryString = nullptr;
  decltype(epoxy_eglGetDisplay) GetDisplay = nullptr;
  decltype(epoxy_eglInitialize) Initialize = nullptr;
  decltype(epoxy_eglBindAPI) BindAPI = nullptr;
  decltype(epoxy_eglChooseConfig) ChooseConfig = nullptr;
  decltype(epoxy_eglCreateContext) CreateContext = nullptr;
  decltype(epoxy_eglDestroyContext) DestroyContext = nullptr;
  decltype(epoxy_eglCreatePbufferSurface) CreatePbufferSurface = nullptr;
  decltype(epoxy_eglDestroySurface) DestroySurface = nullptr;
  decltype(epoxy_eglMakeCurrent) MakeCurrent = nullptr;
  decltype(epoxy_eglReleaseThread) ReleaseThread = nullptr;

  PFNEGLQUERYDEVICESEXTPROC QueryDevicesEXT = nullptr;
  PFNEGLQUERYDEVICESTRINGEXTPROC QueryDeviceStringEXT = nullptr;
  QueryDeviceBinary QueryDeviceBinaryEXT = nullptr;
  PFNEGLGETPLATFORMDISPLAYEXTPROC GetPlatformDisplayEXT = nullptr;

  std::string client_extensions;
};

/// The table, filled once. Throws DeviceError when libEGL is not installed, where libepoxy would end the process.
const Egl& system_egl();
/// Throws DeviceError when the library from which libepoxy loads the first GL or GLES functions is not installed.
void require_client_library(bool gles);
/// True when `name` is one of the words of `extensions` (null counts as empty).
bool has_word(const char* extensions, std::string_view name);
std::string egl_error_name(EGLint error);  ///< "EGL_BAD_MATCH", or the number in hexadecimal

}  // namespace eglantine::gl
