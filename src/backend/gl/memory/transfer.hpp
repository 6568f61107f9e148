#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "backend/gl/execution/timing/fences.hpp"
#include "backend/gl/memory/hazards.hpp"
#include "backend/read_bytes.hpp"

namespace eglantine::gl {

/// Copies between the host and device memory.
class Transfer {
 public:
  virtual ~Transfer() = default;
  /// `data` may be freed after the call.
  virtual void upload(const MemoryBlock& to, int64_t offset, std::span<const std::byte> data) = 0;
  /// The first `bytes` bytes of `to` from `read`, which writes them to memory that the device sees. Throws what it
  /// throws.
  virtual void upload_read(const MemoryBlock& to, int64_t bytes, const ReadBytes& read) = 0;
  /// Waits for the kernels that write `from`.
  virtual void download(const MemoryBlock& from, int64_t offset, std::span<std::byte> data) = 0;
  virtual void trim() {}  ///< frees the memory held for transfers
};

/// By glBufferSubData and glGetBufferSubData, or a short mapping where GLES lacks the latter. The fastest on a software
/// device, where a buffer is host memory, and the only way without buffer storage.
std::unique_ptr<Transfer> make_direct_transfer(Context& context, HazardTracker& hazards, Fences& fences);

/// Through persistently mapped staging memory; large data in several slots, so that the host's copying and the device's
/// overlap. The right choice on hardware: NVIDIA moves a buffer that is read directly to host memory.
std::unique_ptr<Transfer> make_staged_transfer(Context& context, HazardTracker& hazards, Fences& fences);

/// Copies between buffers, on the device.
void copy_buffer(const Functions& gl, GLuint from, GLuint to, int64_t from_offset, int64_t to_offset, int64_t bytes);

}  // namespace eglantine::gl
