#include "system/main_memory.hpp"

#include <fstream>
#include <string>

#include "eglantine/error.hpp"

#ifdef __GLIBC__  // which the headers above define
#include <malloc.h>
#endif

namespace eglantine {
namespace {

// Smaller vectors cannot exhaust the system's memory, and checking costs more than the vector.
constexpr size_t checked_bytes = size_t{64} << 20;

}  // namespace

SystemMemory system_memory() {
  SystemMemory memory;
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  int64_t kib = 0;
  while (file >> name >> kib) {
    if (name == "MemTotal:") memory.total = kib * 1024;
    if (name == "MemAvailable:") {
      memory.available = kib * 1024;
      break;
    }
    std::getline(file, unit);
  }
  return memory;
}

bool has_host_memory(size_t bytes) {
  if (bytes < checked_bytes) return true;
  const SystemMemory system = system_memory();
  return system.total == 0 || bytes <= static_cast<size_t>(system.available);
}

void require_host_memory(std::string_view function, size_t bytes) {
  if (!has_host_memory(bytes)) fail_host_memory(function, bytes);
}

void fail_host_memory(std::string_view function, size_t bytes) {
  throw OutOfMemoryError("[" + std::string(function) + "] out of memory: the host has no room for the " +
                         std::to_string(bytes) + " bytes of the elements; work on smaller pieces");
}

void give_back_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace eglantine
