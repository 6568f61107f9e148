#pragma once

namespace eglantine::shutdown {

// A process that ends must stop its devices before anything that a driver has registered with atexit() or as the
// destructor of a static: a worker inside the driver, or a context that is current on some thread, does not survive
// those. They run in reverse order, and drivers register some late, where a part of theirs is used first: LLVM, behind
// Mesa's software drivers, in the middle of the first compilations. So ours is registered again after each such time,
// and by a thread that ends during one, since it may be the one that ends the process.

/// What stops the devices of this process; not of a child that it forks. It runs several times, and must not mind.
void set_stop(void (*stop_them)());

/// While one lives, a driver may be registering handlers; at its end ours is put before them.
class LateHandlers {
 public:
  LateHandlers() noexcept;
  ~LateHandlers();
  LateHandlers(const LateHandlers&) = delete;
  LateHandlers& operator=(const LateHandlers&) = delete;
};

/// Should the calling thread end, or end the process, while a LateHandlers lives, ours is put before what was
/// registered until then. The main thread is watched without being asked.
void watch_this_thread() noexcept;

}  // namespace eglantine::shutdown
