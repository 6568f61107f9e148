#include <algorithm>
#include <deque>

#include "backend/gl/memory/copy_team.hpp"
#include "backend/gl/memory/staging_ring.hpp"
#include "backend/gl/memory/transfer.hpp"

namespace eglantine::gl {
namespace {

constexpr auto slot_bytes = static_cast<size_t>(StagingRing::slot_bytes);

class StagedTransfer : public Transfer {
 public:
  StagedTransfer(Context& context, HazardTracker& hazards, Fences& fences)
      : context_(context),
        hazards_(hazards),
        fences_(fences),
        up_(context, fences, StagingRing::Direction::up),
        down_(context, fences, StagingRing::Direction::down) {}

  void upload(const MemoryBlock& to, int64_t offset, std::span<const std::byte> data) override {
    upload_parts(to, offset, data.size(), [&](std::span<std::byte> part, size_t done) {
      team_.copy(part.data(), data.data() + done, part.size());
    });
  }

  void upload_read(const MemoryBlock& to, int64_t bytes, const ReadBytes& read) override {
    upload_parts(to, 0, static_cast<size_t>(bytes), [&](std::span<std::byte> part, size_t) { read(part); });
  }

  void download(const MemoryBlock& from, int64_t offset, std::span<std::byte> data) override {
    if (from.host != nullptr) return read(from.host + offset, data);
    hazards_.before_copy(from, false);
    std::deque<Arrival> arrivals;
    for (size_t done = 0; done < data.size();) {
      const size_t bytes = std::min(slot_bytes, data.size() - done);
      if (arrivals.size() == StagingRing::slot_count - 1) receive(arrivals);  // read before the ring returns to it
      const StagingRing::StagedRange range = down_.take(static_cast<int64_t>(bytes));
      copy(from.name, down_.buffer(), offset + static_cast<int64_t>(done), range.offset, bytes);
      arrivals.push_back({fences_.insert(), range.memory, data.subspan(done, bytes)});
      // Flushed, several slots overlap with the host's copying; a single one is flushed by the wait for it.
      if (data.size() > slot_bytes) context_.gl().Flush();
      done += bytes;
    }
    context_.check("download");
    while (!arrivals.empty()) receive(arrivals);
  }

  void trim() override {
    up_.release();
    down_.release();
  }

  ~StagedTransfer() override { StagedTransfer::trim(); }

 private:
  /// fill(part, done): the bytes from `done` on, to staging memory.
  template <class Fill>
  void upload_parts(const MemoryBlock& to, int64_t offset, size_t bytes, const Fill& fill) {
    hazards_.before_copy(to, true);
    for (size_t done = 0; done < bytes; done += slot_bytes) {
      const size_t part = std::min(slot_bytes, bytes - done);
      const StagingRing::StagedRange range = up_.take(static_cast<int64_t>(part));
      fill(std::span(range.memory, part), done);
      copy(up_.buffer(), to.name, range.offset, offset + static_cast<int64_t>(done), part);
    }
    context_.check("upload");
  }

  struct Arrival {
    GLsync fence;
    const std::byte* memory;
    std::span<std::byte> to;
  };

  /// Reads kernels' results from memory that the host sees.
  void read(const std::byte* memory, std::span<std::byte> to) {
    hazards_.before_host();
    fences_.wait(fences_.insert());
    std::copy_n(memory, to.size(), to.data());
  }

  void receive(std::deque<Arrival>& arrivals) {
    const Arrival arrival = arrivals.front();
    arrivals.pop_front();
    fences_.wait(arrival.fence);
    team_.copy(arrival.to.data(), arrival.memory, arrival.to.size());
  }

  void copy(GLuint from, GLuint to, int64_t from_offset, int64_t to_offset, size_t bytes) {
    copy_buffer(context_.gl(), from, to, from_offset, to_offset, static_cast<int64_t>(bytes));
  }

  Context& context_;
  HazardTracker& hazards_;
  Fences& fences_;
  StagingRing up_, down_;
  CopyTeam team_;
};

}  // namespace

void copy_buffer(const Functions& gl, GLuint from, GLuint to, int64_t from_offset, int64_t to_offset, int64_t bytes) {
  if (gl.CopyNamedBufferSubData != nullptr) return gl.CopyNamedBufferSubData(from, to, from_offset, to_offset, bytes);
  gl.BindBuffer(GL_COPY_READ_BUFFER, from);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, to);
  gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, from_offset, to_offset, bytes);
}

std::unique_ptr<Transfer> make_staged_transfer(Context& context, HazardTracker& hazards, Fences& fences) {
  return std::make_unique<StagedTransfer>(context, hazards, fences);
}

}  // namespace eglantine::gl
