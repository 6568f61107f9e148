#include <fstream>
#include <string>

#include "backend/cpu/cpu_backend.hpp"
#include "backend/cpu/memory_pool.hpp"
#include "eglantine/error.hpp"
#include "system/main_memory.hpp"
#include "system/thread_pool.hpp"

namespace eglantine::cpu {

namespace {

// The processor's name; empty where /proc/cpuinfo lacks it (it is an x86 field).
std::string model_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t at = line.find_first_not_of(" \t", line.find(':') + 1);
    return at == std::string::npos ? "" : line.substr(at);
  }
  return "";
}

std::string name_with(int threads) {
  const std::string model = model_name();
  return "cpu (" + model + (model.empty() ? "" : ", ") + std::to_string(threads) +
         (threads == 1 ? " thread)" : " threads)");
}

}  // namespace

DeviceInfo describe_cpu() {
  DeviceInfo info;
  info.kind = "cpu";
  info.spec = "cpu";
  info.software = true;
  info.memory_bytes = system_memory().total;
  try {
    info.name = name_with(thread_count("Device::list"));
  } catch (const DeviceError& error) {
    info.name = "cpu";
    info.available = false;
    info.problem = error.what();
  }
  return info;
}

}  // namespace eglantine::cpu
