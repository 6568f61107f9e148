#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "cases.hpp"

/// The errors in a forked child, and how its parent goes on.
namespace eglantine::test {
namespace {

/// A child's exit status, as a shell has it.
int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The status of a forked child that runs `work`.
template <class Work>
int in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  return status_of(child);
}

template <class Action>
bool says_forked(Action action) {
  try {
    action();
  } catch (const DeviceError& error) {
    return std::strstr(error.what(), "forked") != nullptr;
  }
  return false;
}

/// Everything that may wait for a lock or a thread, which stay behind in the parent.
std::vector<std::function<void()>> blocking_calls(const Device& device, const Tensor& stored, const Tensor& pending) {
  return {
      [=] { exp(stored); },
      [=] { stored.slice(0, 1, 2); },
      [=] { sum(stored, {0}); },
      [=] {
        concatenate({stored, pending}, 0);
      },
      [=] { arange(0, 3, 1, DType::f32, device); },
      [=] { pending.eval(); },
      [=] { pending.to_vector<float>(); },
      [=] { stored.to_vector<float>(); },
      [=] { stored.as_strided({1}, {1}, 0); },
      [=] { static_cast<void>(stored.layout()); },
      [=] { Tensor::from<float>({1}, {1}, device); },
      [=] { explain(pending); },
      [=] { device.synchronize(); },
      [=] { static_cast<void>(device.memory()); },
      [=] { device.trim(); },
      [=] { Device::current(); },
      [=] { Device::set_current(device); },
      [=] { Device::open("gl"); },
      [=] { Device::open("cpu"); },
      [=] { const Profile profile; },
  };
}

constexpr int hang_guard = 20;  ///< seconds

/// Each call throws that the process was forked, and the tensors can be destroyed.
int tries_everything(const Device& device, Keeper& keeper) {
  alarm(hang_guard);
  int number = 0;
  for (const auto& call : blocking_calls(device, keeper.stored, keeper.pending)) {
    ++number;
    if (says_forked(call)) continue;
    std::fprintf(stderr, "call %d does not say that the process was forked\n", number);
    return 1;
  }
  keeper = {};
  return Device::list().size() == 1 ? 3 : 2;
}

/// Builds, evaluates, reads and destroys tensors, so that each lock is held much of the time.
void compute(const Device& device, const std::atomic<bool>& enough) {
  while (!enough) {
    const Tensor start = Tensor::from<float>({1, 2, 3}, {3}, device);
    Tensor x = start;
    for (int i = 0; i < 40; ++i) x = (x * 0.5F + start).eval();
    for (int i = 0; i < 40; ++i) x = exp(x.flip({0})) * 0.01F;
    x.to_vector<float>();
  }
}

using Leave = void (*)(int status);

int forks_sixty_times(const char* spec, Leave leave) {
  const Device device = Device::open(spec);
  Device::set_current(device);
  std::atomic<bool> enough = false;
  std::thread other([&] { compute(device, enough); });
  int failed = 0;
  for (int i = 0; i < 60 && failed < 3; ++i) {
    static Keeper keeper;
    keeper.stored = Tensor::from<float>({1, 2, 3}, {3}, device).eval();
    keeper.pending = keeper.stored * 2;
    const int status = in_child([&] {
      leave(tries_everything(device, keeper));
      return 1;
    });
    if (status != 3) std::fprintf(stderr, "child %d ended with %d\n", i, status), ++failed;
  }
  enough = true;
  other.join();
  return failed == 0 && small_sum(device) == 12 ? own_status : 1;
}

/// Many kernels with known results.
int computes() {
  const Device device = Device::open("gl");
  for (int round = 1; round <= 50; ++round) {
    const Tensor x = Tensor::from(std::vector<float>(10'000, 1.0F), {100, 100}, device);
    if (sum(matmul(x, x) + static_cast<float>(round)).item<float>() != 10'000.0F * (100 + static_cast<float>(round)))
      return 1;
  }
  return 3;
}

}  // namespace

/// Every call in the child throws and none waits; the parent goes on.
int forks_after_opening() {
  const Device device = Device::open("gl");
  const Tensor x = Tensor::from<float>({1, 2, 3}, {3}, device), pending = x * 2;
  const int child = in_child([&] {
    const bool reads = says_forked([&] { x.to_vector<float>(); });
    const bool computes = says_forked([&] { sum(pending).item<float>(); });
    const bool uploads = says_forked([&] { Tensor::from<float>({1}, {1}, device).eval(); });
    const bool opens = says_forked([] { Device::open("gl"); }) && says_forked([] { Device::open("cpu"); });
    const bool waits = says_forked([&] { device.synchronize(); });
    return reads && computes && uploads && opens && waits ? 3 : 1;
  });
  if (child != 3) return 1;
  return small_sum(device) == 12 ? own_status : 2;
}

/// A child that leaves by exit(), with the parent's handlers and tensors.
int forks_a_child_that_exits() {
  const Device device = Device::open("gl");
  static Keeper keeper;
  keeper.stored = Tensor::from<float>({1, 2, 3}, {3}, device);
  const pid_t child = fork();
  if (child == 0) std::exit(3);
  const int status = status_of(child);
  std::fprintf(stderr, "the child ended with %d\n", status);
  return status == 3 ? own_status : 1;
}

/// The children leave by _exit(): Mesa's exit handlers wait for locks of the parent's threads.
int forks_while_a_thread_computes() { return forks_sixty_times("gl", &_exit); }
int forks_while_a_thread_computes_on_the_cpu() { return forks_sixty_times("cpu", &std::exit); }

/// When the first child is forked no device is open, but threads are opening or listing devices.
int forks_while_threads_open_devices() {
  std::atomic<int> begun = 0;
  std::thread opens([&] { ++begun, Device::open("gl"); }), lists([&] { ++begun, Device::list(); });
  while (begun < 2) std::this_thread::yield();
  int failed = 0;
  for (int i = 0; i < 20; ++i) {
    usleep(2000);
    const int status = in_child([] {
      alarm(hang_guard);
      return says_forked([] { Device::open("cpu"); }) && says_forked([] { Device::current(); }) ? 3 : 1;
    });
    if (status != 3) ++failed;
  }
  opens.join();
  lists.join();
  return failed == 0 ? own_status : 1;
}

/// Parent and child each open devices of their own.
int forks_before_opening() {
  const int child =
      in_child([] { return small_sum(Device::open("gl")) + small_sum(Device::open("cpu")) == 24 ? 3 : 1; });
  return child == 3 && small_sum(Device::open("gl")) == 12 ? own_status : 1;
}

int shares_the_device_with_another_process() {
  const pid_t first = fork();
  if (first == 0) _exit(computes());
  if (in_child(computes) != 3) return 1;
  return status_of(first) == 3 ? own_status : 2;
}

}  // namespace eglantine::test
