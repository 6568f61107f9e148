#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace eglantine::gl {

/// Device memory that another interface of the same driver allocates and exports as a file descriptor.
class ExportedMemory {
 public:
  virtual ~ExportedMemory() = default;
  virtual int64_t granularity() = 0;  ///< sizes are multiples of this, in bytes
  /// A descriptor, the caller's, of `bytes` of new device memory, which lives until GL frees its import; -1 on failure.
  virtual int allocate(int64_t bytes) = 0;
};

/// NVIDIA's, by libcuda.so.1's virtual-memory functions, opened at run time: pages of 2 MiB; plain GL storage has small
/// ones. `uuid`: the GL device's, hexadecimal. Null without the library. The first allocation starts the driver: 0.2 s.
std::unique_ptr<ExportedMemory> cuda_memory(const std::string& uuid);

}  // namespace eglantine::gl
