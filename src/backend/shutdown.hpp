#pragma once

namespace eglantine::shutdown {

// At exit, devices must stop before any handler of a driver (atexit(), a static's destructor): neither a worker in the
// driver nor a current context survives those. Handlers run in reverse order, and drivers register some late, at first
// use of a part: LLVM, behind Mesa's software drivers, during the first compilations. So ours is registered again after
// each such phase, and by a thread that ends during one, as that may be ending the process.

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

/// If this thread ends (or the process by it) during a LateHandlers, registers ours again. The main thread is watched.
void watch_this_thread() noexcept;

}  // namespace eglantine::shutdown
