#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace eglantine::gl {

/// Device memory that another interface of the same driver allocates and hands over as a file descriptor.
class ExportedMemory {
 public:
  virtual ~ExportedMemory() = default;
  /// Sizes are multiples of it, in bytes.
  virtual int64_t granularity() = 0;
  /// A descriptor of `bytes` of new device memory, which lives until GL has let go of it; the caller owns the
  /// descriptor. -1 when there is none, for whatever reason.
  virtual int allocate(int64_t bytes) = 0;
};

/// NVIDIA's, by the virtual-memory functions of the CUDA driver library (libcuda.so.1, opened at run time): physical
/// memory in pages of 2 MiB where plain GL storage has small ones. `uuid` in hexadecimal is the GL device's. Null where
/// the library is not there. The driver is initialised with the first allocation, since that takes a fifth of a second.
std::unique_ptr<ExportedMemory> cuda_memory(const std::string& uuid);

}  // namespace eglantine::gl
