#include "backend/gl/context/cuda_driver.hpp"

#include <dlfcn.h>

#include "backend/gl/context/hexadecimal.hpp"
#include "backend/shutdown.hpp"

namespace eglantine::gl::cuda {
namespace {

/// Never closed: the driver's threads and exit handlers may still run.
Driver open_library() {
  Driver cuda;
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return cuda;
  const auto find = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  find(cuda.init, "cuInit");
  find(cuda.device_count, "cuDeviceGetCount");
  find(cuda.device_uuid, "cuDeviceGetUuid");
  find(cuda.total_memory, "cuDeviceTotalMem_v2");
  find(cuda.retain, "cuDevicePrimaryCtxRetain");
  find(cuda.release_context, "cuDevicePrimaryCtxRelease_v2");
  find(cuda.granularity, "cuMemGetAllocationGranularity");
  find(cuda.create, "cuMemCreate");
  find(cuda.release, "cuMemRelease");
  find(cuda.export_handle, "cuMemExportToShareableHandle");
  return cuda;
}

}  // namespace

const Driver& driver() {
  static const Driver cuda = open_library();
  return cuda;
}

std::optional<DeviceNumber> find_device(const std::string& uuid) {
  const Driver& cuda = driver();
  if (uuid.empty() || !cuda.finds_devices()) return std::nullopt;
  const shutdown::LateHandlers of_cuda;
  int count = 0;
  if (cuda.init(0) != 0 || cuda.device_count(&count) != 0) return std::nullopt;
  for (DeviceNumber i = 0; i < count; ++i) {
    Uuid found;
    if (cuda.device_uuid(&found, i) == 0 && hexadecimal(found.bytes) == uuid) return i;
  }
  return std::nullopt;
}

}  // namespace eglantine::gl::cuda
