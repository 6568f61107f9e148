#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "cases.hpp"

/// How a process ends, and what it shares with others: things that a test cannot try inside its own process. Run as
/// `eglantine_processes <case>`, each case ends with a status of its own (tests/processes/check compares); without a
/// case it prints them all, each with the status it should end with.
namespace {

using namespace eglantine;
using namespace eglantine::test;

int returns_with_work_in_flight() {
  start_work(Device::open("gl"));
  return own_status;
}

int exits_in_main() {
  start_work(Device::open("gl"));
  std::exit(own_status);
}

int exits_in_another_thread() {
  start_work(Device::open("gl"));
  std::thread([] { std::exit(own_status); }).detach();
  while (true) std::this_thread::yield();
}

int exits_quickly() {
  start_work(Device::open("gl"));
  std::quick_exit(own_status);
}

int exits_at_once() {
  start_work(Device::open("gl"));
  _exit(own_status);
}

int lets_an_exception_escape() {
  start_work(Device::open("gl"));
  throw std::runtime_error("escaping on purpose");
}

int exits_while_an_exception_unwinds() {
  const Device device = Device::open("gl");
  try {
    const Tensor x = sum(Tensor::from<float>({1, 2}, {2}, device));
    start_work(device);
    throw std::runtime_error("caught");
  } catch (const std::runtime_error&) {
    return own_status;
  }
}

/// Made before the first device was, and gone after it: statics end in reverse.
struct Keeper {
  Tensor stored{NodePtr()}, pending{NodePtr()};
};
Keeper made_before_main;

int keeps_tensors_in_statics() {
  static Keeper made_in_main;
  const Device device = Device::open("gl");
  static Keeper made_after_the_device;
  for (Keeper* keeper : {&made_before_main, &made_in_main, &made_after_the_device}) {
    keeper->stored = Tensor::from<float>({1, 2, 3}, {3}, device);
    keeper->pending = exp(keeper->stored);
  }
  start_work(device);
  return own_status;
}

/// Uses a device that the program's end has shut down already, or will.
void use_after_main() {
  try {
    small_sum(Device::open("gl"));
  } catch (const Error& error) {
    if (std::strstr(error.what(), "the program is ending") == nullptr) _exit(1);
  }
}

/// Runs when all devices were shut down: nothing wakes a driver again.
void open_after_main() {
  if (Device::list().size() != 1) _exit(1);
  try {
    Device::open("gles");
    _exit(1);
  } catch (const DeviceError& error) {
    if (std::strstr(error.what(), "the program is ending") == nullptr) _exit(1);
  }
}

int uses_the_device_in_handlers_of_exit() {
  std::atexit(&use_after_main);
  std::atexit(&open_after_main);
  const Device device = Device::open("gl");
  std::atexit(&use_after_main);
  start_work(device);
  return own_status;
}

int leaves_threads_that_compute() {
  const Device device = Device::open("gl");
  small_sum(device);
  for (int i = 0; i < 4; ++i) {
    std::thread([device] {
      try {
        while (true) small_sum(device);
      } catch (const Error&) {
        while (true) pause();
      }
    }).detach();
  }
  usleep(20'000);
  return own_status;
}

int keeps_tensors_in_a_thread() {
  const Device device = Device::open("gl");
  std::thread([device] {
    static thread_local Keeper keeper;
    keeper.stored = Tensor::from<float>({1, 2, 3}, {3}, device);
    keeper.pending = exp(keeper.stored);
    start_work(device);
  }).join();
  return own_status;
}

int uses_two_devices() {
  start_work(Device::open("gl"));
  start_work(Device::open("cpu"));
  start_work(Device::open("gles"));
  return own_status;
}

/// What a child ends with, as a shell says it.
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

/// Everything in the child throws and nothing waits; the parent goes on.
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

/// Many kernels, each of whose results is known.
int computes() {
  const Device device = Device::open("gl");
  for (int round = 1; round <= 50; ++round) {
    const Tensor x = Tensor::from(std::vector<float>(10'000, 1.0F), {100, 100}, device);
    if (sum(matmul(x, x) + static_cast<float>(round)).item<float>() != 10'000.0F * (100 + static_cast<float>(round)))
      return 1;
  }
  return 3;
}

int shares_the_device_with_another_process() {
  const pid_t first = fork();
  if (first == 0) _exit(computes());
  if (in_child(computes) != 3) return 1;
  return status_of(first) == 3 ? own_status : 2;
}

struct Case {
  const char* name;
  int (*run)();
  int status;
};

constexpr int aborted = 128 + 6;

constexpr Case cases[] = {
    {"returns_with_work_in_flight", returns_with_work_in_flight, own_status},
    {"exits_in_main", exits_in_main, own_status},
    {"exits_in_another_thread", exits_in_another_thread, own_status},
    {"exits_quickly", exits_quickly, own_status},
    {"exits_at_once", exits_at_once, own_status},
    {"lets_an_exception_escape", lets_an_exception_escape, aborted},
    {"exits_while_an_exception_unwinds", exits_while_an_exception_unwinds, own_status},
    {"keeps_tensors_in_statics", keeps_tensors_in_statics, own_status},
    {"keeps_tensors_in_a_thread", keeps_tensors_in_a_thread, own_status},
    {"uses_the_device_in_handlers_of_exit", uses_the_device_in_handlers_of_exit, own_status},
    {"leaves_threads_that_compute", leaves_threads_that_compute, own_status},
    {"uses_two_devices", uses_two_devices, own_status},
    {"compiles_at_the_end", compiles_at_the_end, own_status},
    {"loses_a_device_and_opens_it_again", loses_a_device_and_opens_it_again, own_status},
    {"ends_before_its_driver", ends_before_its_driver, own_status},
    {"ends_before_its_driver_in_a_compilation", ends_before_its_driver_in_a_compilation, own_status},
    {"ends_before_its_driver_while_it_is_loaded", ends_before_its_driver_while_it_is_loaded, own_status},
    {"ends_before_its_driver_while_it_is_listed", ends_before_its_driver_while_it_is_listed, own_status},
    {"ends_before_its_driver_in_another_thread", ends_before_its_driver_in_another_thread, own_status},
    {"ends_before_its_driver_with_a_lost_device", ends_before_its_driver_with_a_lost_device, own_status},
    {"forks_after_opening", forks_after_opening, own_status},
    {"forks_a_child_that_exits", forks_a_child_that_exits, own_status},
    {"shares_the_device_with_another_process", shares_the_device_with_another_process, own_status},
};

}  // namespace

int main(int count, char** arguments) {
  for (const Case& each : cases) {
    if (count < 2) std::printf("%s %d\n", each.name, each.status);
    if (count == 2 && std::strcmp(arguments[1], each.name) == 0) return each.run();
  }
  return count < 2 ? 0 : 2;
}
