#pragma once

namespace eglantine::shutdown {

// At exit, devices must stop before any handler that a driver has registered with atexit() or as a static's destructor:
// a worker inside the driver, or a context that is current on some thread, does not survive those. Handlers run in
// reverse order, and drivers register some late, when a part of them is first used: LLVM, behind Mesa's software
// drivers, during the first compilations. So our handler is registered again after each such phase, and by a thread
// that ends during one, since that thread may be ending the process.

/// Sets the function that stops the devices of this process, but not of a forked child. It is called several times.
void set_stop(void (*stop_them)());

/// While one lives, a driver may register handlers; its destructor registers ours again, which then runs before them.
class LateHandlers {
 public:
  LateHandlers() noexcept;
  ~LateHandlers();
  LateHandlers(const LateHandlers&) = delete;
  LateHandlers& operator=(const LateHandlers&) = delete;
};

/// If the calling thread ends, or ends the process, while a LateHandlers lives, registers our handler again. The main
/// thread is watched already.
void watch_this_thread() noexcept;

}  // namespace eglantine::shutdown
