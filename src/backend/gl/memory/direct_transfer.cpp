#include <cstring>

#include "backend/gl/memory/transfer.hpp"
#include "eglantine/error.hpp"

namespace eglantine::gl {
namespace {

class DirectTransfer : public Transfer {
 public:
  DirectTransfer(Context& context, HazardTracker& hazards, Fences& fences)
      : context_(context), hazards_(hazards), fences_(fences) {}

  void upload(const MemoryBlock& to, int64_t offset, std::span<const std::byte> data) override {
    hazards_.before_copy(to, true);
    const Functions& gl = context_.gl();
    gl.BindBuffer(GL_COPY_WRITE_BUFFER, to.name);
    gl.BufferSubData(GL_COPY_WRITE_BUFFER, offset, static_cast<GLsizeiptr>(data.size()), data.data());
    gl.BindBuffer(GL_COPY_WRITE_BUFFER, 0);
    context_.check("upload");
  }

  void download(const MemoryBlock& from, int64_t offset, std::span<std::byte> data) override {
    hazards_.before_copy(from, false);
    fences_.wait(fences_.insert());  // the read below would wait without a time-out
    const Functions& gl = context_.gl();
    gl.BindBuffer(GL_COPY_READ_BUFFER, from.name);
    if (gl.GetBufferSubData != nullptr) {
      gl.GetBufferSubData(GL_COPY_READ_BUFFER, offset, static_cast<GLsizeiptr>(data.size()), data.data());
    } else {
      read_mapped(offset, data);
    }
    gl.BindBuffer(GL_COPY_READ_BUFFER, 0);
    context_.check("download");
  }

 private:
  void read_mapped(int64_t offset, std::span<std::byte> data) {
    const Functions& gl = context_.gl();
    const auto size = static_cast<GLsizeiptr>(data.size());
    const void* memory = gl.MapBufferRange(GL_COPY_READ_BUFFER, offset, size, GL_MAP_READ_BIT);
    if (memory == nullptr) {
      context_.check("download");
      throw DeviceError("[download] the driver could not map " + std::to_string(size) + " bytes of a buffer");
    }
    std::memcpy(data.data(), memory, data.size());
    if (gl.UnmapBuffer(GL_COPY_READ_BUFFER) != GL_TRUE) {
      throw DeviceError("[download] the driver lost the contents of a mapped buffer");
    }
  }

  Context& context_;
  HazardTracker& hazards_;
  Fences& fences_;
};

}  // namespace

std::unique_ptr<Transfer> make_direct_transfer(Context& context, HazardTracker& hazards, Fences& fences) {
  return std::make_unique<DirectTransfer>(context, hazards, fences);
}

}  // namespace eglantine::gl
