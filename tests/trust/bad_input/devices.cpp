#include <cstdlib>

#include "trust/bad_input/row.hpp"

/// Devices and profiles.
namespace eglantine::test::bad_input {
namespace {

Device moved_device() {
  Device x = Device::current();
  const Device y = std::move(x);
  return x;  // NOLINT(bugprone-use-after-move)
}

void add_specs(Rows& rows) {
  for (const std::string spec : {"cuda", "cpu:1", "GL", " ", "gl ", "vulkan:0", "-1"})
    rows.push_back(row<DeviceError>(
        "Device::open", "the spec \"" + spec + "\"", [=] { return Device::open(spec); },
        "[Device::open] \"" + spec +
            "\" names no kind of device; it wants gl, gles or cpu, as in \"gl\", \"gl:1\", \"gl:llvmpipe\""));
  for (const std::string spec : {"gl:", ":0", ":", "gles:"})
    rows.push_back(row<DeviceError>(
        "Device::open", "the spec \"" + spec + "\"", [=] { return Device::open(spec); },
        "[Device::open] \"" + spec +
            "\" says a colon but not both a kind before it and a number or a part of the name after it"));
  rows.push_back(row<DeviceError>(
      "Device::open", "a wrong EGLANTINE_DEVICE",
      [] {
        setenv("EGLANTINE_DEVICE", "abacus", 1);
        try {
          Device::open();
        } catch (...) {
          unsetenv("EGLANTINE_DEVICE");
          throw;
        }
      },
      "[Device::open] \"abacus\" names no kind of device; it wants gl, gles or cpu, as in \"gl\", \"gl:1\", "
      "\"gl:llvmpipe\" (EGLANTINE_DEVICE is set to \"abacus\")"));
}

}  // namespace

void add_devices(Rows& rows) {
  add_specs(rows);
  const auto of_moved = [&](const std::string& name, const std::function<void(const Device&)>& use) {
    rows.push_back(row<DeviceError>(
        name, "a device that was moved from", [=] { use(moved_device()); },
        "[Device] this handle was moved from and names no device; it can only be assigned to"));
  };
  of_moved("Device::set_current", [](const Device& x) { Device::set_current(x); });
  of_moved("Device::info", [](const Device& x) { (void)x.info(); });
  of_moved("Device::synchronize", [](const Device& x) { x.synchronize(); });
  of_moved("Device::memory", [](const Device& x) { (void)x.memory(); });
  of_moved("Device::reset_peak", [](const Device& x) { x.reset_peak(); });
  of_moved("Device::trim", [](const Device& x) { x.trim(); });
  of_moved("Tensor::to", [](const Device& x) { (void)of({3}).to(x); });
  of_moved("zeros", [](const Device& x) { (void)zeros({3}, DType::f32, x); });
  of_moved("Tensor::from", [](const Device& x) { (void)Tensor::from({1.0F}, {1}, x); });
  rows.push_back(row<Error>(
      "Profile::stop", "a profile that was moved from",
      [] {
        Profile x;
        const Profile y = std::move(x);
        x.stop();  // NOLINT(bugprone-use-after-move)
      },
      "[Profile::stop] this profile was moved from; stop the one that it was moved to"));
}

}  // namespace eglantine::test::bad_input
