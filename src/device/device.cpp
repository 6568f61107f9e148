#include "eglantine/device.hpp"

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backend/cpu/cpu_backend.hpp"
#include "backend/device_state.hpp"
#include "backend/gl/gl_backend.hpp"
#include "backend/shutdown.hpp"
#include "device/open_devices.hpp"
#include "eglantine/error.hpp"
#include "graph/graph_lock.hpp"
#include "profile/session.hpp"
#include "system/forked.hpp"

namespace eglantine {
namespace {

using StatePtr = std::shared_ptr<DeviceState>;

/// Every device that this process opened. Never destroyed: handles may live in static variables.
struct Registry {
  std::mutex mutex;
  std::map<std::string, StatePtr> by_spec;     ///< by the device's own spec, "gl:0"
  std::map<std::string, std::string> aliases;  ///< from the spec requested, "gl:llvmpipe", to the device's own
  std::vector<StatePtr> lost;                  ///< replaced ones, kept: a worker must not end on its own thread
  StatePtr current;
  std::mutex listing;               ///< held while contexts are made and destroyed for listing
  std::atomic<bool> ended = false;  ///< the drivers may be gone: no device is opened any more
};

Registry& registry() {
  static auto& instance = *new Registry;
  return instance;
}

void stop_all() {
  Registry& devices = registry();
  {
    const std::scoped_lock lock(devices.mutex, devices.listing);
    devices.ended = true;
    for (const auto& [spec, state] : devices.by_spec) state->queue().stop();
    // Drivers crash when they are unloaded while a thread has a context current, even a lost one.
    for (const StatePtr& state : devices.lost) state->queue().stop();
  }
  profile::end_from_environment();
}

StatePtr find_open(Registry& devices, const std::string& spec) {
  const auto alias = devices.aliases.find(spec);
  const auto known = devices.by_spec.find(alias == devices.aliases.end() ? spec : alias->second);
  if (known == devices.by_spec.end() || known->second->queue().lost()) return nullptr;
  return known->second;
}

StatePtr start(const Queue::Factory& factory) { return std::make_shared<DeviceState>(Queue::start(factory)); }

StatePtr start_cpu() {
  return start([] { return cpu::make_backend(); });
}

StatePtr start_gl(const std::string& spec) {
  return start([spec] { return gl::open_backend(spec); });
}

StatePtr start_best() {
  gl::check_environment();
  try {
    return start_gl("");
  } catch (const DeviceError&) {
    return start_cpu();
  }
}

StatePtr start_device(const std::string& spec) {
  if (spec.empty()) return start_best();
  if (spec == "cpu") return start_cpu();
  return start_gl(spec);
}

StatePtr open_state(Registry& devices, const std::string& spec) {
  if (StatePtr known = find_open(devices, spec)) return known;
  if (devices.ended) throw DeviceError("[Device::open] no device can be opened any more: the program is ending");
  shutdown::set_stop(&stop_all);
  const shutdown::LateHandlers of_the_driver;
  profile::begin_from_environment();
  StatePtr state = start_device(spec);
  const std::string own = state->info().spec;
  devices.aliases[spec] = own;
  // Two specs may name one device: the first context stays.
  if (StatePtr known = find_open(devices, own)) return known;
  StatePtr& known = devices.by_spec[own];
  if (known) devices.lost.push_back(known);
  known = state;
  return state;
}

}  // namespace

std::vector<StatePtr> open_devices() {
  std::vector<StatePtr> open;
  if (was_forked()) return open;
  const InUse in_use;
  Registry& devices = registry();
  const std::lock_guard lock(devices.mutex);
  for (const auto& [spec, state] : devices.by_spec)
    if (!state->queue().lost()) open.push_back(state);
  return open;
}

void Device::fail_moved_from() {
  throw DeviceError("[Device] this handle was moved from and names no device; it can only be assigned to");
}

std::vector<DeviceInfo> Device::list() {
  std::vector<DeviceInfo> list;
  if (!was_forked()) {
    const InUse in_use;
    Registry& devices = registry();
    const std::lock_guard lock(devices.listing);
    shutdown::set_stop(&stop_all);
    const shutdown::LateHandlers of_the_drivers;
    if (!devices.ended) list = gl::list_devices();
  }
  list.push_back(cpu::describe_cpu());
  return list;
}

Device Device::open(std::string_view spec) {
  require_own_process("Device::open");
  const InUse in_use;
  Registry& devices = registry();
  const std::lock_guard lock(devices.mutex);
  if (!spec.empty()) return Device(open_state(devices, std::string(spec)));
  const char* variable = std::getenv("EGLANTINE_DEVICE");
  if (variable == nullptr || *variable == '\0') return Device(open_state(devices, ""));
  try {
    return Device(open_state(devices, variable));
  } catch (const DeviceError& error) {
    throw DeviceError(std::string(error.what()) + " (EGLANTINE_DEVICE is set to \"" + variable + "\")");
  }
}

Device Device::current() {
  require_own_process("Device::current");
  const InUse in_use;
  Registry& devices = registry();
  {
    const std::lock_guard lock(devices.mutex);
    if (devices.current != nullptr) return Device(devices.current);
  }
  const Device opened = open("");
  const std::lock_guard lock(devices.mutex);
  if (devices.current == nullptr) devices.current = opened.state();
  return Device(devices.current);
}

void Device::set_current(const Device& device) {
  require_own_process("Device::set_current");
  Registry& devices = registry();
  const StatePtr& state = device.state();
  const std::lock_guard lock(devices.mutex);
  devices.current = state;
}

const DeviceInfo& Device::info() const { return state()->info(); }

void Device::synchronize() const {
  require_own_process("Device::synchronize");
  state()->queue().synchronize();
}

MemoryInfo Device::memory() const {
  require_own_process("Device::memory");
  MemoryInfo info;
  state()->queue().call([&](Backend& backend) { info = backend.memory(); });
  return info;
}

void Device::reset_peak() const {
  require_own_process("Device::reset_peak");
  state()->queue().call([](Backend& backend) { backend.reset_peak(); });
}

void Device::trim() const {
  require_own_process("Device::trim");
  {
    const GraphLock lock;
    state()->uploads(lock).clear();
  }
  state()->queue().call([](Backend& backend) { backend.trim(); });
}

}  // namespace eglantine
