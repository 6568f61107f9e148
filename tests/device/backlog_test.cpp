#include "backend/backlog.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "backend/device_state.hpp"
#include "eglantine/ops.hpp"
#include "graph/node.hpp"
#include "layout/layout.hpp"
#include "support/compare.hpp"
#include "support/fake_backend.hpp"

/// A thread that submits faster than its device computes waits; a program that ends waits for no kernel that has not
/// started. With a backend whose kernels run on demand.
namespace eglantine::test {
namespace {

/// Lets kernels run one by one.
class Gate {
 public:
  void open(int64_t kernels) {
    const std::scoped_lock lock(mutex_);
    allowed_ += kernels;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return passed_ < allowed_; });
    ++passed_;
    changed_.notify_all();
  }
  int64_t passed() {
    const std::scoped_lock lock(mutex_);
    return passed_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t allowed_ = 0, passed_ = 0;
};

class FullQueue : public testing::Test {
 protected:
  FullQueue() {
    script_->allocations_left = 1'000'000;
    script_->in_run = [this] { gate_.pass(); };
  }
  ~FullQueue() override { gate_.open(1'000'000); }

  Tensor operand(int64_t count) {
    return Tensor(make_leaf(state_, {count}, {state_->queue().allocate(count * 4), StorageType::f32}));
  }
  /// Evaluates `kernels` kernels, one after another, on a thread of its own.
  std::thread evaluates(int64_t kernels, int64_t elements) {
    return std::thread([this, kernels, x = operand(elements)] {
      for (int64_t i = 0; i < kernels; ++i) {
        (x + static_cast<float>(i)).eval();
        ++submitted_;
        most_ahead_ = std::max(most_ahead_, submitted_ - gate_.passed());
      }
      done_ = true;
    });
  }
  template <class Condition>
  static void await(const Condition& condition) {
    while (!condition()) std::this_thread::yield();
  }

  Gate gate_;
  std::atomic<int64_t> submitted_ = 0;
  int64_t most_ahead_ = 0;
  std::atomic<bool> done_ = false;
  std::shared_ptr<FakeScript> script_ = std::make_shared<FakeScript>();
  std::shared_ptr<DeviceState> state_ =
      std::make_shared<DeviceState>(Queue::start([this] { return std::make_unique<FakeBackend>(script_); }));
};

/// Kernels run one by one while the program evaluates as fast as it can.
TEST_F(FullQueue, of_many_kernels_makes_evaluation_wait) {
  constexpr int64_t kernels = 4 * Backlog::most_kernels;
  std::thread program = evaluates(kernels, 1);
  for (int64_t i = 0; i < kernels; ++i) {
    await([&] { return submitted_ > i; });
    gate_.open(1);
    await([&] { return gate_.passed() > i; });
  }
  program.join();
  EXPECT_LE(most_ahead_, Backlog::most_kernels + 1);
}

TEST_F(FullQueue, of_many_bytes_makes_evaluation_wait) {
  constexpr int64_t kernels = 64, elements = Backlog::most_bytes / 8 / 4;
  std::thread program = evaluates(kernels, elements);
  for (int64_t i = 0; i < kernels; ++i) {
    await([&] { return submitted_ > i; });
    gate_.open(1);
    await([&] { return gate_.passed() > i; });
  }
  program.join();
  EXPECT_LE(most_ahead_, 8 + 1);
}

/// While the worker is in a kernel.
TEST_F(FullQueue, is_not_waited_for_by_little_data) {
  std::thread program = evaluates(1, 1);
  await([&] { return submitted_ == 1; });
  const std::vector<float> values(100, 2.0F);
  const Tensor x = Tensor::from(values, {100}, Device(state_));
  EXPECT_EQ(gate_.passed(), 0);
  gate_.open(1);
  program.join();
  state_->queue().synchronize();
}

/// A kernel may write more than the queue's limit; the sum of these is beyond 64 bits.
TEST_F(FullQueue, takes_kernels_larger_than_its_capacity) {
  gate_.open(40);
  std::thread program = evaluates(40, int64_t{1} << 57);
  program.join();
  EXPECT_TRUE(done_);
}

TEST_F(FullQueue, does_not_keep_other_devices_waiting) {
  std::thread program = evaluates(2 * Backlog::most_kernels, 1);
  await([&] { return submitted_ >= Backlog::most_kernels; });
  const auto others = std::make_shared<FakeScript>();
  const auto other = std::make_shared<DeviceState>(Queue::start([&] { return std::make_unique<FakeBackend>(others); }));
  const Tensor x(make_leaf(other, {4}, {other->queue().allocate(16), StorageType::f32}));
  for (int i = 0; i < 10; ++i) (x + 1.0F).eval();
  other->queue().synchronize();
  EXPECT_FALSE(done_);
  gate_.open(1'000'000);
  program.join();
}

TEST_F(FullQueue, lets_go_of_who_waits_when_the_device_is_shut_down) {
  std::thread program([this, x = operand(1)] {
    const auto evaluate_for_ever = [&] {
      while (true) {
        (x + 1.0F).eval();
        ++submitted_;
      }
    };
    EXPECT_ERROR(evaluate_for_ever(), DeviceError, "[Device] the device has been shut down: the program is ending");
  });
  await([&] { return submitted_ >= Backlog::most_kernels; });
  std::thread end([this] { state_->queue().stop(); });
  program.join();
  gate_.open(1);  // for the one that has started
  end.join();
  EXPECT_LE(gate_.passed(), 1);
}

TEST_F(FullQueue, drops_unstarted_kernels_at_the_end_and_fails_waiting_calls) {
  Queue& queue = state_->queue();
  const Tensor x = operand(1);
  const Tensor first = (x + 1.0F).eval();
  for (int i = 0; i < 20; ++i) (x + static_cast<float>(i)).eval();
  std::atomic<bool> asks = false;
  std::thread reader([&] {
    asks = true;
    EXPECT_ERROR(queue.synchronize(), DeviceError, "[Device] the device has been shut down: the program is ending");
  });
  await([&] { return asks.load(); });
  std::thread end([&] { queue.stop(); });
  await([&] {
    try {
      queue.backend();
      return false;
    } catch (const DeviceError&) {
      return true;
    }
  });
  gate_.open(1'000'000);
  reader.join();
  end.join();
  EXPECT_LE(gate_.passed(), 1);
}

/// The library's thread would wait for itself.
TEST_F(FullQueue, does_not_let_its_own_thread_wait) {
  gate_.open(1'000'000);
  const Tensor x = operand(1);
  state_->queue().call([&](Backend&) {
    for (int64_t i = 0; i < 2 * Backlog::most_kernels; ++i) (x + 1.0F).eval();
    EXPECT_ERROR(
        (x + 1.0F).item<float>(), DeviceError,
        "[Device] a function that runs on a device's own thread waits for a device, and might wait for itself; "
        "read what it needs before, and capture that");
  });
}

}  // namespace
}  // namespace eglantine::test
