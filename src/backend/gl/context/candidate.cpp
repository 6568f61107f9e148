#include "backend/gl/context/candidate.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "backend/gl/context/advice.hpp"
#include "backend/gl/context/hexadecimal.hpp"

namespace eglantine::gl {
namespace {

std::string device_string(const Egl& egl, EGLDeviceEXT device, EGLint name) {
  const char* text = egl.QueryDeviceStringEXT(device, name);
  return text == nullptr ? "" : text;
}

std::string device_uuid(const Egl& egl, EGLDeviceEXT device) {
  std::array<uint8_t, 16> bytes{};
  EGLint size = 0;
  if (egl.QueryDeviceBinaryEXT == nullptr) return "";
  if (egl.QueryDeviceBinaryEXT(device, EGL_DEVICE_UUID_EXT, 16, bytes.data(), &size) != EGL_TRUE || size != 16)
    return "";
  return hexadecimal(bytes);
}

Candidate describe_device(const Egl& egl, EGLDeviceEXT device, size_t number) {
  Candidate candidate;
  candidate.device = device;
  candidate.label = "EGL device " + std::to_string(number);
  if (egl.QueryDeviceStringEXT == nullptr) return candidate;
  const std::string extensions = device_string(egl, device, EGL_EXTENSIONS);
  const auto has = [&](std::string_view name) { return has_word(extensions.c_str(), name); };
  candidate.software = has("EGL_MESA_device_software");
  candidate.nvidia = has("EGL_NV_device_cuda");
  if (has("EGL_EXT_device_query_name")) candidate.name = device_string(egl, device, EGL_RENDERER_EXT);
  if (has("EGL_EXT_device_persistent_id")) candidate.uuid = device_uuid(egl, device);
  if (has("EGL_EXT_device_drm_render_node")) {
    candidate.render_node = device_string(egl, device, EGL_DRM_RENDER_NODE_FILE_EXT);
  }
  return candidate;
}

/// Queries the count first: Mesa lists its software device last, and only within the capacity given.
std::vector<Candidate> egl_devices(const Egl& egl, std::string& problem) {
  std::vector<Candidate> found;
  if (egl.QueryDevicesEXT == nullptr || egl.GetPlatformDisplayEXT == nullptr) {
    // Neither devices nor a platform that needs none: the dispatching library found no vendor's library.
    if (!has_word(egl.client_extensions.c_str(), "EGL_MESA_platform_surfaceless")) problem = advise_no_vendor();
    return found;
  }
  EGLint count = 0;
  std::vector<EGLDeviceEXT> devices;
  bool counted = egl.QueryDevicesEXT(0, nullptr, &count) == EGL_TRUE;
  if (counted && count > 0) {
    devices.resize(static_cast<size_t>(count));
    counted = egl.QueryDevicesEXT(count, devices.data(), &count) == EGL_TRUE;
  }
  if (!counted || count <= 0) {
    problem = advise_enumeration(counted ? EGL_SUCCESS : egl.GetError());
    return found;
  }
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) found.push_back(describe_device(egl, devices[i], i));
  return found;
}

std::vector<std::string> render_nodes() {
  std::vector<std::string> nodes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/dri", error)) {
    if (entry.path().filename().string().starts_with("renderD")) nodes.push_back(entry.path().string());
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

void add_uncovered_nodes(const Egl& egl, const std::vector<Candidate>& devices, std::vector<Candidate>& found) {
  const bool supported =
      egl.GetPlatformDisplayEXT != nullptr && (has_word(egl.client_extensions.c_str(), "EGL_KHR_platform_gbm") ||
                                               has_word(egl.client_extensions.c_str(), "EGL_MESA_platform_gbm"));
  if (!supported) return;
  for (const std::string& node : render_nodes()) {
    const auto covers = [&](const Candidate& device) { return device.render_node == node; };
    if (std::any_of(devices.begin(), devices.end(), covers)) continue;
    Candidate candidate;
    candidate.platform = Platform::gbm;
    candidate.label = "GBM " + node;
    candidate.render_node = node;
    found.push_back(candidate);
  }
}

}  // namespace

std::vector<Candidate> find_candidates(const Egl& egl, std::string& problem) {
  const std::vector<Candidate> devices = egl_devices(egl, problem);
  if (problem.empty() && std::none_of(devices.begin(), devices.end(), [](const Candidate& c) { return c.nvidia; })) {
    problem = advise_missing_nvidia();
  }
  std::vector<Candidate> found;
  const auto add_devices = [&](bool software) {
    std::copy_if(devices.begin(), devices.end(), std::back_inserter(found),
                 [&](const Candidate& candidate) { return candidate.software == software; });
  };
  add_devices(false);
  add_uncovered_nodes(egl, devices, found);
  add_devices(true);
  const auto add_fallback = [&](Platform platform, const char* label) {
    Candidate candidate;
    candidate.platform = platform;
    candidate.label = label;
    found.push_back(candidate);
  };
  if (egl.GetPlatformDisplayEXT != nullptr &&
      has_word(egl.client_extensions.c_str(), "EGL_MESA_platform_surfaceless")) {
    add_fallback(Platform::surfaceless, "surfaceless");
  }
  add_fallback(Platform::default_display, "default display");
  return found;
}

}  // namespace eglantine::gl
