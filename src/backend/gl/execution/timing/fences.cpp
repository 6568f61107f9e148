#include "backend/gl/execution/timing/fences.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "backend/gl/context/environment.hpp"
#include "eglantine/error.hpp"

namespace eglantine::gl {
namespace {
constexpr int64_t second = 1'000'000'000;
}

int64_t fence_timeout(bool software) { return timeout_seconds_setting().value_or(software ? 600 : 60) * second; }

GLsync Fences::insert() {
  GLsync fence = context_.gl().FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  if (fence == nullptr) {
    context_.require_alive();
    context_.check("glFenceSync");
    throw DeviceError("[Device] glFenceSync gave no fence, and no reason");
  }
  return fence;
}

/// Polls, yielding, before the driver blocks: a blocked driver wakes up late.
GLenum Fences::spin(GLsync fence) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(spin_nanoseconds_);
  GLenum status = context_.gl().ClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
  while (status == GL_TIMEOUT_EXPIRED && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
    status = context_.gl().ClientWaitSync(fence, 0, 0);
  }
  return status;
}

GLenum Fences::poll(GLsync fence) {
  // Waits a second at a time, to notice a reset before the time-out.
  GLenum status = spin_nanoseconds_ > 0 ? spin(fence) : GL_TIMEOUT_EXPIRED;
  for (int64_t left = timeout_; status == GL_TIMEOUT_EXPIRED && left > 0; left -= second) {
    const auto interval = static_cast<GLuint64>(std::min(left, second));
    status = context_.gl().ClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, interval);
    if (status == GL_TIMEOUT_EXPIRED) context_.require_alive();
  }
  return status;
}

void Fences::wait(GLsync fence) {
  const GLenum status = poll(fence);
  context_.gl().DeleteSync(fence);
  context_.require_alive();
  if (status == GL_WAIT_FAILED) context_.check("glClientWaitSync");
  if (status == GL_ALREADY_SIGNALED || status == GL_CONDITION_SATISFIED) return;
  const std::string kernel = last_kernel_.empty() ? "no kernel yet" : "\"" + last_kernel_ + "\"";
  context_.lose("[Device] the device did not finish within " + std::to_string(timeout_ / second) +
                " s; the kernel submitted last was " + kernel +
                ". If it only is slow, set EGLANTINE_TIMEOUT_SECONDS higher");
}

}  // namespace eglantine::gl
