#include "system/thread.hpp"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "eglantine/error.hpp"
#include "system/forked.hpp"

namespace eglantine {

namespace {

std::atomic<Thread::Create> create_thread = &pthread_create;
thread_local bool of_library = false;

struct Start {
  std::string name;
  std::function<void()> work;
};

void* run(void* argument) {
  const std::unique_ptr<Start> start(static_cast<Start*>(argument));
  of_library = true;
#if defined(__linux__)
  pthread_setname_np(pthread_self(), start->name.c_str());
#endif
  start->work();
  return nullptr;
}

/// A fault is delivered to the thread that causes it: blocked, it would end the process without calling its handler.
sigset_t all_but_faults() {
  sigset_t set;
  sigfillset(&set);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&set, fault);
  return set;
}

/// A thread inherits the signal mask of its creator.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    const sigset_t set = all_but_faults();
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

int create(pthread_t& handle, size_t stack, Start& start) {
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes)) return error;
  int error = pthread_attr_setstacksize(&attributes, stack);
  if (error == 0) error = create_thread.load()(&handle, &attributes, &run, &start);
  pthread_attr_destroy(&attributes);
  return error;
}

/// A limit on the address space, or on overcommit, may not allow a large stack.
int create_with_less_and_less(pthread_t& handle, size_t stack, Start& start) {
  constexpr size_t smallest = size_t{1} << 20;
  const SignalsBlocked blocked;
  int error = create(handle, stack, start);
  while (error != 0 && stack > smallest) {
    stack = std::max(stack / 4, smallest);
    error = create(handle, stack, start);
  }
  return error;
}

}  // namespace

Thread::Thread(const std::string& name, size_t stack, std::function<void()> work) {
  auto start = std::make_unique<Start>(Start{name, std::move(work)});
  if (const int error = create_with_less_and_less(handle_, stack, *start))
    throw DeviceError("[Device] no thread could be started for \"" + name +
                      "\": " + std::generic_category().message(error) +
                      "; raise the limits on processes and address space (ulimit -u, ulimit -v; pids.max of a "
                      "container), or end other threads");
  static_cast<void>(start.release());  // the thread owns it
  joinable_ = true;
}

Thread::Thread(Thread&& other) noexcept : handle_(other.handle_), joinable_(std::exchange(other.joinable_, false)) {}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (joinable_ && !was_forked()) join();
  handle_ = other.handle_;
  joinable_ = std::exchange(other.joinable_, false);
  return *this;
}

Thread::~Thread() {
  if (joinable_ && !was_forked()) join();
}

void Thread::join() {
  joinable_ = false;
  pthread_join(handle_, nullptr);
}

void Thread::detach() {
  joinable_ = false;
  pthread_detach(handle_);
}

bool Thread::is_of_library() noexcept { return of_library; }

std::vector<Thread> start_threads(size_t count, const std::string& name, const std::function<void(size_t)>& work) {
  std::vector<Thread> threads;
  threads.reserve(count);
  try {
    while (threads.size() < count)
      threads.emplace_back(name, Thread::small_stack, [work, number = threads.size()] { work(number); });
  } catch (const DeviceError&) {
  } catch (const std::bad_alloc&) {
  }
  return threads;
}

Thread::Create Thread::replace_creation(Create create) { return create_thread.exchange(create); }

}  // namespace eglantine
