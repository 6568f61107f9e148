#include "backend/gl/context/idle_clock.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "gl/fixture.hpp"

/// When a GPU's clock is kept up, and for how long.
namespace eglantine::test {
namespace {

using std::chrono::milliseconds;

/// Counts what is held, and how often it was begun.
struct Holder {
  std::atomic<int> begun = 0, held = 0;

  gl::IdleClock::Hold hold() {
    return [this] {
      ++begun;
      ++held;
      return std::shared_ptr<void>(this, [this](void*) { --held; });
    };
  }
  /// Whether something is held before a minute is over.
  bool comes_to_hold() const {
    for (int i = 0; i < 60000 && held == 0; ++i) std::this_thread::sleep_for(milliseconds(1));
    return held == 1;
  }
};

TEST(IdleClock, is_held_a_while_after_the_first_kernel) {
  Holder holder;
  gl::Options options;
  options.hold_clock = holder.hold();
  {
    const auto runtime = open_runtime(options);
    std::this_thread::sleep_for(2 * gl::IdleClock::grace);
    EXPECT_EQ(holder.begun, 0) << "before any kernel";
    const std::vector<uint32_t> values = counting(100);
    const BufferPtr x = buffer_of(*runtime, values), y = buffer_of(*runtime, values);
    for (int i = 0; i < 3; ++i) runtime->dispatch(multiply_add(*runtime, x->storage(), y->storage(), 100, 2, 1));
    EXPECT_TRUE(holder.comes_to_hold());
    runtime->dispatch(multiply_add(*runtime, x->storage(), y->storage(), 100, 2, 1));
  }
  EXPECT_EQ(holder.begun, 1);
  EXPECT_EQ(holder.held, 0) << "after the device was closed";
}

TEST(IdleClock, of_a_device_that_closes_early_is_never_held) {
  Holder holder;
  {
    gl::IdleClock clock(holder.hold(), std::chrono::hours(1));
    clock.work_begins();
  }
  EXPECT_EQ(holder.begun, 0);
}

TEST(IdleClock, is_let_go_where_nothing_can_be_held) {
  std::atomic<int> asked = 0;
  {
    gl::IdleClock clock([&] { return ++asked, nullptr; }, milliseconds(0));
    clock.work_begins();
    while (asked == 0) std::this_thread::yield();
    clock.work_begins();
  }
  EXPECT_EQ(asked, 1);
  gl::IdleClock none(nullptr, milliseconds(0));
  none.work_begins();
}

TEST(IdleClock, of_no_device_of_the_cuda_driver_is_not_held) {
  EXPECT_EQ(gl::cuda_context("", 0), nullptr);
  const gl::IdleClock::Hold hold = gl::cuda_context("00000000000000000000000000000000", 0);
  EXPECT_TRUE(hold == nullptr || hold() == nullptr);
}

}  // namespace
}  // namespace eglantine::test
