#include "backend/gl/context/idle_clock.hpp"

#include "backend/gl/context/cuda_driver.hpp"
#include "backend/shutdown.hpp"

namespace eglantine::gl {
namespace {

std::shared_ptr<void> hold_context(const std::string& uuid, size_t smallest_memory) {
  const cuda::Driver& cuda = cuda::driver();
  const std::optional<cuda::DeviceNumber> device = cuda::find_device(uuid);
  size_t memory = 0;
  if (!device || cuda.total_memory(&memory, *device) != 0 || memory < smallest_memory) return nullptr;
  const shutdown::LateHandlers of_cuda;
  cuda::Context context = nullptr;
  if (cuda.retain(&context, *device) != 0) return nullptr;
  return {context, [&cuda, number = *device](void*) { cuda.release_context(number); }};
}

}  // namespace

IdleClock::~IdleClock() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void IdleClock::hold_after_a_while() {
  shutdown::watch_this_thread();
  {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, wait_, [this] { return closing_; })) return;
  }
  held_ = hold_();
}

IdleClock::Hold cuda_context(const std::string& uuid, size_t smallest_memory) {
  if (uuid.empty() || !cuda::driver().holds_contexts()) return nullptr;
  return [uuid, smallest_memory] { return hold_context(uuid, smallest_memory); };
}

}  // namespace eglantine::gl
