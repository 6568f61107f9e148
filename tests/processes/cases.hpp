#pragma once

#include "eglantine/eglantine.hpp"

namespace eglantine::test {

constexpr int own_status = 7;

/// Kernels that take a good part of a second on a software device.
inline void start_work(const Device& device) {
  Tensor x = Tensor::from(std::vector<float>(1 << 18, 1.0F), {512, 512}, device);
  for (int i = 0; i < 5; ++i) x = (matmul(x, x) * 0.001F).eval();
}

inline float small_sum(const Device& device) {
  return sum(Tensor::from<float>({1, 2, 3}, {3}, device) * 2).item<float>();
}

/// Holds tensors that outlive the device.
struct Keeper {
  Tensor stored{NodePtr()}, pending{NodePtr()};
};

// In driver_cases.cpp.
int compiles_at_the_end();
int loses_a_device_and_opens_it_again();
int ends_before_its_driver();
int ends_before_its_driver_in_a_compilation();
int ends_before_its_driver_while_it_is_loaded();
int ends_before_its_driver_while_it_is_listed();
int ends_before_its_driver_in_another_thread();
int ends_before_its_driver_with_a_lost_device();

// In thread_cases.cpp.
int keeps_signals_from_its_threads();
int computes_in_little_address_space();
int says_that_no_thread_can_be_started();

// In memory_cases.cpp.
int keeps_little_of_checkpointed_blocks();

// In fork_cases.cpp.
int forks_after_opening();
int forks_a_child_that_exits();
int forks_while_a_thread_computes();
int forks_while_a_thread_computes_on_the_cpu();
int forks_while_threads_open_devices();
int forks_before_opening();
int shares_the_device_with_another_process();

}  // namespace eglantine::test
