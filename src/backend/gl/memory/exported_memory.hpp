#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace eglantine::gl {

/// Device memory that another interface of the same driver allocates and exports as a file descriptor.
class ExportedMemory {
 public:
  virtual ~ExportedMemory() = default;
  /// Sizes must be multiples of this, in bytes.
  virtual int64_t granularity() = 0;
  /// A descriptor of `bytes` of new device memory, which lives until GL frees its import; the caller owns the
  /// descriptor. -1 on any failure.
  virtual int allocate(int64_t bytes) = 0;
};

/// NVIDIA's, by the virtual-memory functions of the CUDA driver library (libcuda.so.1, opened at run time): physical
/// memory in pages of 2 MiB, where plain GL storage has small ones. `uuid`: the GL device's, in hexadecimal. Null where
/// the library is missing. The first allocation initialises the driver, which takes a fifth of a second.
std::unique_ptr<ExportedMemory> cuda_memory(const std::string& uuid);

}  // namespace eglantine::gl
