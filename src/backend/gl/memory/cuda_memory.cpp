#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <optional>

#include "backend/gl/context/hexadecimal.hpp"
#include "backend/gl/memory/exported_memory.hpp"
#include "backend/shutdown.hpp"

namespace eglantine::gl {
namespace {

// What is used of cuda.h, with its documented names and values; opened at run time, so that nothing depends on it.
using CudaResult = int;         // CUresult; 0 is success
using Handle = uint64_t;        // CUmemGenericAllocationHandle
using DeviceNumber = int;       // CUdevice
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

struct Cuda {
  CudaResult (*init)(unsigned) = nullptr;
  CudaResult (*device_count)(int*) = nullptr;
  CudaResult (*device_uuid)(Uuid*, DeviceNumber) = nullptr;
  CudaResult (*granularity)(size_t*, const Properties*, int) = nullptr;
  CudaResult (*create)(Handle*, size_t, const Properties*, unsigned long long) = nullptr;
  CudaResult (*release)(Handle) = nullptr;
  CudaResult (*export_handle)(void*, Handle, int, unsigned long long) = nullptr;

  bool complete() const {
    return init != nullptr && device_count != nullptr && device_uuid != nullptr && granularity != nullptr &&
           create != nullptr && release != nullptr && export_handle != nullptr;
  }
};

/// Never closed: the driver's threads and exit handlers may still run.
Cuda open_library() {
  Cuda cuda;
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return cuda;
  const auto find = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  find(cuda.init, "cuInit");
  find(cuda.device_count, "cuDeviceGetCount");
  find(cuda.device_uuid, "cuDeviceGetUuid");
  find(cuda.granularity, "cuMemGetAllocationGranularity");
  find(cuda.create, "cuMemCreate");
  find(cuda.release, "cuMemRelease");
  find(cuda.export_handle, "cuMemExportToShareableHandle");
  return cuda;
}

class CudaMemory : public ExportedMemory {
 public:
  CudaMemory(const Cuda& cuda, std::string uuid) : cuda_(cuda), uuid_(std::move(uuid)) {}

  int64_t granularity() override {
    size_t bytes = 0;
    const bool known = device() && cuda_.granularity(&bytes, &properties_, recommended) == 0;
    return known ? static_cast<int64_t>(bytes) : 0;
  }

  int allocate(int64_t bytes) override {
    Handle handle = 0;
    int file = -1;
    if (!device() || cuda_.create(&handle, static_cast<size_t>(bytes), &properties_, 0) != 0) return -1;
    if (cuda_.export_handle(&file, handle, by_file, 0) != 0) file = -1;
    cuda_.release(handle);  // the descriptor, and later GL's import of it, keep the memory alive
    return file;
  }

 private:
  /// Whether CUDA has a device with the UUID; queried once.
  bool device() {
    if (!known_) known_ = find_device();
    return *known_;
  }

  bool find_device() {
    const shutdown::LateHandlers of_cuda;
    int count = 0;
    if (cuda_.init(0) != 0 || cuda_.device_count(&count) != 0) return false;
    for (DeviceNumber i = 0; i < count; ++i) {
      Uuid uuid;
      if (cuda_.device_uuid(&uuid, i) != 0 || hexadecimal(uuid.bytes) != uuid_) continue;
      properties_.location.id = i;
      return true;
    }
    return false;
  }

  Cuda cuda_;
  std::string uuid_;
  std::optional<bool> known_;
  Properties properties_;
};

}  // namespace

std::unique_ptr<ExportedMemory> cuda_memory(const std::string& uuid) {
  static const Cuda cuda = open_library();
  if (uuid.empty() || !cuda.complete()) return nullptr;
  return std::make_unique<CudaMemory>(cuda, uuid);
}

}  // namespace eglantine::gl
