#include "backend/gl/context/advice.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace eglantine::gl {
namespace {

constexpr const char* nvidia_remedy =
    "in a container start it with NVIDIA_DRIVER_CAPABILITIES=graphics,compute,utility (or all); outside one install "
    "the "
    "driver's EGL part (libEGL_nvidia.so.0 and /usr/share/glvnd/egl_vendor.d/10_nvidia.json)";

constexpr const char* mesa_remedy = "install Mesa's drivers (libegl-mesa0 and libgl1-mesa-dri)";

constexpr const char* softpipe_remedy =
    "unset GALLIUM_DRIVER, and install Mesa's drivers with llvmpipe (libegl-mesa0 and libgl1-mesa-dri)";

bool exists(const char* path) { return access(path, F_OK) == 0; }
bool has_nvidia_kernel_driver() { return exists("/dev/nvidiactl") || exists("/proc/driver/nvidia/version"); }

}  // namespace

std::string advise_enumeration(EGLint error) {
  const std::string what = error == EGL_SUCCESS ? "eglQueryDevicesEXT found no device: "
                                                : "eglQueryDevicesEXT failed (" + egl_error_name(error) + "): ";
  return what + "no EGL driver is installed for a device of this machine; " +
         (has_nvidia_kernel_driver() ? nvidia_remedy : mesa_remedy);
}

std::string advise_no_vendor() {
  std::string text = "EGL offers neither devices nor surfaceless contexts: it found no vendor's library; ";
  for (const char* name : {"__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS"})
    if (std::getenv(name) != nullptr)
      return text + "unset " + name + ", or let it name the files of a driver that is here";
  return text + (has_nvidia_kernel_driver() ? nvidia_remedy : mesa_remedy);
}

std::string advise_missing_nvidia() {
  if (!has_nvidia_kernel_driver()) return "";
  return std::string("the NVIDIA kernel driver is loaded, but EGL lists no NVIDIA device: ") + nvidia_remedy;
}

std::string advise_render_node(const std::string& node, int error) {
  std::string text = "the render node " + node + " cannot be opened (" + std::strerror(error) + ")";
  if (error == EACCES || error == EPERM)
    text += ": add this user to the group \"render\" (or \"video\") and log in again";
  return text;
}

std::string advise_display(const Candidate& candidate, const std::string& step, EGLint error) {
  std::string text = step + " failed (" + egl_error_name(error) + "): ";
  const std::string& node = candidate.render_node;
  if (!node.empty() && access(node.c_str(), R_OK | W_OK) != 0) return text + advise_render_node(node, errno);
  if (candidate.nvidia) {
    return text + "the GPU is listed, but this process cannot use it; a GPU hidden from a container looks like this. " +
           "Check that nvidia-smi shows it here, and " + nvidia_remedy;
  }
  if (candidate.platform == Platform::default_display) return text + "there is no display server to connect to";
  return text + "the device may be hidden from this container, or its driver is missing; " + mesa_remedy;
}

std::string advise_version(bool gles, const std::string& offered, EGLint error) {
  const std::string wanted = gles ? "OpenGL ES 3.1" : "OpenGL 4.3";
  std::string text = "eglCreateContext failed (" + egl_error_name(error) + "): ";
  if (offered.empty()) {
    return text + "the driver makes no " + (gles ? "OpenGL ES" : "OpenGL") + " context; Eglantine needs " + wanted;
  }
  text += "the driver offers only \"" + offered + "\", and Eglantine needs " + wanted;
  if (offered.find("softpipe") != std::string::npos) return text + "; " + softpipe_remedy;
  return text + "; try a newer driver" + (gles ? "" : ", or open the device as \"gles\"");
}

std::string advise_softpipe(const std::string& renderer) {
  return "the renderer is " + renderer + ", whose compute shaders do not work; " + mesa_remedy +
         " with llvmpipe, and unset GALLIUM_DRIVER";
}

}  // namespace eglantine::gl
