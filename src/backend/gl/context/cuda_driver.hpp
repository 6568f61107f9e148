#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace eglantine::gl::cuda {

// What is used of cuda.h, with its documented names and values; opened at run time, so that nothing depends on it.
using Result = int;             // CUresult; 0 is success
using Handle = uint64_t;        // CUmemGenericAllocationHandle
using DeviceNumber = int;       // CUdevice
using Context = void*;          // CUcontext
constexpr int pinned = 1;       // CU_MEM_ALLOCATION_TYPE_PINNED
constexpr int by_file = 1;      // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr int on_device = 1;    // CU_MEM_LOCATION_TYPE_DEVICE
constexpr int recommended = 1;  // CU_MEM_ALLOC_GRANULARITY_RECOMMENDED

struct Location {  // CUmemLocation
  int type = on_device;
  int id = 0;
};

struct Properties {  // CUmemAllocationProp
  int type = pinned;
  int handle_types = by_file;
  Location location;
  void* win32_data = nullptr;
  struct {
    unsigned char compression = 0, gpu_direct = 0;
    unsigned short usage = 0;
    unsigned char reserved[4] = {};
  } flags;
};

struct Uuid {  // CUuuid
  std::array<unsigned char, 16> bytes{};
};

struct Driver {
  Result (*init)(unsigned) = nullptr;
  Result (*device_count)(int*) = nullptr;
  Result (*device_uuid)(Uuid*, DeviceNumber) = nullptr;
  Result (*total_memory)(size_t*, DeviceNumber) = nullptr;
  Result (*retain)(Context*, DeviceNumber) = nullptr;  // the primary context, which CUDA code of the process shares
  Result (*release_context)(DeviceNumber) = nullptr;
  Result (*granularity)(size_t*, const Properties*, int) = nullptr;
  Result (*create)(Handle*, size_t, const Properties*, unsigned long long) = nullptr;
  Result (*release)(Handle) = nullptr;
  Result (*export_handle)(void*, Handle, int, unsigned long long) = nullptr;

  bool finds_devices() const { return init != nullptr && device_count != nullptr && device_uuid != nullptr; }
  bool exports_memory() const {
    return finds_devices() && granularity != nullptr && create != nullptr && release != nullptr &&
           export_handle != nullptr;
  }
  bool holds_contexts() const {
    return finds_devices() && total_memory != nullptr && retain != nullptr && release_context != nullptr;
  }
};

/// The functions of libcuda.so.1, null without it. Any thread.
const Driver& driver();

/// CUDA's number of the device with the UUID, hexadecimal; nothing where CUDA does not have it. The first call of a
/// process starts the driver: 0.1 s.
std::optional<DeviceNumber> find_device(const std::string& uuid);

}  // namespace eglantine::gl::cuda
