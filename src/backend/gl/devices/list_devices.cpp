#include <algorithm>
#include <exception>

#include "backend/gl/context/make_target.hpp"
#include "backend/gl/devices/device_search.hpp"
#include "backend/gl/gl_backend.hpp"
#include "system/thread.hpp"

namespace eglantine::gl {
namespace {

DeviceInfo unusable(std::string name, std::string problem) {
  DeviceInfo info;
  info.name = std::move(name);
  info.kind = "gl";
  info.available = false;
  info.problem = std::move(problem);
  return info;
}

DeviceInfo try_candidate(const Candidate& candidate, const DeviceName& name, const Options& options) {
  DeviceInfo info;
  try {
    const Context context(candidate, name.gles, options);
    Driver driver = make_driver(context, candidate);
    const Target target = make_target(context, driver);
    info = describe_device(context, candidate, target, driver);
  } catch (const std::exception& error) {
    info = unusable(candidate.name.empty() ? candidate.label : candidate.name, error.what());
    info.platform = candidate.label;
    info.software = candidate.software;
    info.uuid = candidate.uuid;
  }
  info.kind = name.kind();
  info.spec = name.spec();
  return info;
}

/// Hardware comes first; an unavailable fallback may be anything, so it comes later.
bool comes_later(const DeviceInfo& info) {
  return info.software || (!info.available && !info.platform.starts_with("EGL device"));
}

std::vector<DeviceInfo> try_all(const Options& options) {
  std::vector<DeviceInfo> devices;
  DeviceSearch search(options.egl != nullptr ? *options.egl : system_egl());
  while (const Candidate* candidate = search.next()) {
    for (const bool gles : {false, true}) {
      devices.push_back(try_candidate(*candidate, {gles, search.number()}, options));
      if (devices.back().available) search.opened(devices.back().software);
    }
  }
  std::stable_sort(devices.begin(), devices.end(),
                   [](const DeviceInfo& a, const DeviceInfo& b) { return comes_later(a) < comes_later(b); });
  if (!search.problem().empty()) devices.push_back(unusable("EGL", search.problem()));
  return devices;
}

}  // namespace

std::vector<DeviceInfo> list_devices() { return list_devices(Options{}); }

std::vector<DeviceInfo> list_devices(const Options& options) {
  std::vector<DeviceInfo> devices;
  // On a thread of its own: a context that is current on the caller's thread must stay current.
  Thread helper("eglantine-list", Thread::small_stack, [&] {
    try {
      devices = try_all(options);
    } catch (const std::exception& error) {
      devices.push_back(unusable("EGL", error.what()));
    }
  });
  helper.join();
  return devices;
}

}  // namespace eglantine::gl
