#include "backend/shutdown.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace eglantine::shutdown {
namespace {

std::atomic<void (*)()> stop_devices = nullptr;
std::atomic<pid_t> process = 0;  ///< that has devices to stop
std::atomic<int> late = 0;       ///< how many LateHandlers there are

/// A forked child inherits the handlers, but not the threads.
void stop() {
  if (getpid() == process) stop_devices.load()();
}

void put_first() {
  if (process != 0) std::atexit(&stop);
}

/// exit() destroys the calling thread's thread_locals before it runs the first handler.
struct Watch {
  ~Watch() {
    if (late > 0) put_first();
  }
};

[[maybe_unused]] const bool main_is_watched = [] {
  watch_this_thread();
  return true;
}();

}  // namespace

void set_stop(void (*stop_them)()) {
  stop_devices = stop_them;
  process = getpid();
}

LateHandlers::LateHandlers() noexcept { ++late; }

LateHandlers::~LateHandlers() {
  put_first();
  --late;
}

void watch_this_thread() noexcept { static thread_local const Watch watch; }

}  // namespace eglantine::shutdown
