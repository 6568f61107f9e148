#include <optional>

#include "backend/gl/context/cuda_driver.hpp"
#include "backend/gl/memory/exported_memory.hpp"

namespace eglantine::gl {
namespace {

class CudaMemory : public ExportedMemory {
 public:
  explicit CudaMemory(std::string uuid) : uuid_(std::move(uuid)) {}

  int64_t granularity() override {
    size_t bytes = 0;
    const bool known = device() && cuda_.granularity(&bytes, &properties_, cuda::recommended) == 0;
    return known ? static_cast<int64_t>(bytes) : 0;
  }

  int allocate(int64_t bytes) override {
    cuda::Handle handle = 0;
    int file = -1;
    if (!device() || cuda_.create(&handle, static_cast<size_t>(bytes), &properties_, 0) != 0) return -1;
    if (cuda_.export_handle(&file, handle, cuda::by_file, 0) != 0) file = -1;
    cuda_.release(handle);  // the descriptor, and later GL's import of it, keep the memory alive
    return file;
  }

 private:
  /// Whether CUDA has a device with the UUID; queried once.
  bool device() {
    if (!known_) {
      const std::optional<cuda::DeviceNumber> number = cuda::find_device(uuid_);
      properties_.location.id = number.value_or(0);
      known_ = number.has_value();
    }
    return *known_;
  }

  const cuda::Driver& cuda_ = cuda::driver();
  std::string uuid_;
  std::optional<bool> known_;
  cuda::Properties properties_;
};

}  // namespace

std::unique_ptr<ExportedMemory> cuda_memory(const std::string& uuid) {
  if (uuid.empty() || !cuda::driver().exports_memory()) return nullptr;
  return std::make_unique<CudaMemory>(uuid);
}

}  // namespace eglantine::gl
