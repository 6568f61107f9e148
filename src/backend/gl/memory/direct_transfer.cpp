#include <cstring>
#include <span>

#include "backend/gl/memory/mapping.hpp"
#include "backend/gl/memory/transfer.hpp"

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

  void upload_read(const MemoryBlock& to, int64_t bytes, const ReadBytes& read) override {
    hazards_.before_copy(to, true);
    const Functions& gl = context_.gl();
    gl.BindBuffer(GL_COPY_WRITE_BUFFER, to.name);
    Mapping mapping(context_, GL_COPY_WRITE_BUFFER, 0, static_cast<size_t>(bytes),
                    GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT, "upload");
    read(mapping.memory());
    mapping.end();
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
    Mapping mapping(context_, GL_COPY_READ_BUFFER, offset, data.size(), GL_MAP_READ_BIT, "download");
    std::memcpy(data.data(), mapping.memory().data(), data.size());
    mapping.end();
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
