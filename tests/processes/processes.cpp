#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>
#include <thread>

#include "cases.hpp"

/// How a process ends, and what it shares with others: cases that a test cannot try inside its own process. Run as
/// `eglantine_processes <case>`, each case ends with a status of its own (tests/processes/check compares); without a
/// case it lists them with their expected statuses.
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

/// Destroyed after the first device, which is made later: statics are destroyed in reverse order.
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

/// Uses a device around its shutdown at exit.
void use_after_main() {
  try {
    small_sum(Device::open("gl"));
  } catch (const Error& error) {
    if (std::strstr(error.what(), "the program is ending") == nullptr) _exit(1);
  }
}

/// Runs after all devices were shut down: opening one must fail.
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

std::atomic<bool> is_ending = false;
std::atomic<float> latest = -1;  ///< the last kernel that has started
constexpr float kernels_of_backlog = 300;

/// The first kernel lasts until the process ends, the others take some milliseconds.
float slow(std::span<const float> x) {
  latest = std::max(latest.load(), x[0]);
  while (!is_ending) std::this_thread::yield();
  usleep(10'000);
  return x[0];
}

/// The end waits for no kernel that has not started.
int returns_with_a_backlog() {
  std::atexit([] { _exit(latest < kernels_of_backlog - 1 ? own_status : 1); });  // after the devices were shut down
  const Device device = Device::open("cpu");
  std::atexit([] { is_ending = true; });
  const Tensor x = Tensor::from<float>({0}, {1}, device);
  for (float i = 0; i < kernels_of_backlog; ++i) elementwise({"slow", 1, "x0", &slow}, {x + i}).eval();
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
    {"returns_with_a_backlog", returns_with_a_backlog, own_status},
    {"uses_two_devices", uses_two_devices, own_status},
    {"compiles_at_the_end", compiles_at_the_end, own_status},
    {"loses_a_device_and_opens_it_again", loses_a_device_and_opens_it_again, own_status},
    {"ends_before_its_driver", ends_before_its_driver, own_status},
    {"ends_before_its_driver_in_a_compilation", ends_before_its_driver_in_a_compilation, own_status},
    {"ends_before_its_driver_while_it_is_loaded", ends_before_its_driver_while_it_is_loaded, own_status},
    {"ends_before_its_driver_while_it_is_listed", ends_before_its_driver_while_it_is_listed, own_status},
    {"ends_before_its_driver_in_another_thread", ends_before_its_driver_in_another_thread, own_status},
    {"ends_before_its_driver_with_a_lost_device", ends_before_its_driver_with_a_lost_device, own_status},
    {"keeps_signals_from_its_threads", keeps_signals_from_its_threads, own_status},
    {"computes_in_little_address_space", computes_in_little_address_space, own_status},
    {"says_that_no_thread_can_be_started", says_that_no_thread_can_be_started, own_status},
    {"keeps_little_of_checkpointed_blocks", keeps_little_of_checkpointed_blocks, own_status},
    {"forks_after_opening", forks_after_opening, own_status},
    {"forks_a_child_that_exits", forks_a_child_that_exits, own_status},
    {"forks_while_a_thread_computes", forks_while_a_thread_computes, own_status},
    {"forks_while_a_thread_computes_on_the_cpu", forks_while_a_thread_computes_on_the_cpu, own_status},
    {"forks_while_threads_open_devices", forks_while_threads_open_devices, own_status},
    {"forks_before_opening", forks_before_opening, own_status},
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
