#include <gtest/gtest.h>

#include "backend/device_state.hpp"
#include "layout/layout.hpp"
#include "support/fake_backend.hpp"

/// How the queue treats open checks, with a fake backend.
namespace eglantine::test {
namespace {

class Checks : public testing::Test {
 protected:
  /// Runs a kernel that reads `inputs`; returns its output.
  BufferPtr run(const std::vector<BufferPtr>& inputs = {}) {
    const BufferPtr out = queue_->allocate(16);
    MapKernel kernel{{{4}, {}, {}, {{0}}, {{Op::parameter, DType::u32, {0, -1, -1}}}},
                     {out, StorageType::u32, layout::contiguous(Shape{4})}};
    for (const BufferPtr& input : inputs)
      kernel.value.operands.push_back({input, StorageType::u32, layout::contiguous(Shape{4})});
    queue_->run(std::move(kernel));
    return out;
  }

  std::string read(const BufferPtr& buffer) {
    std::array<std::byte, 16> data;
    return error_of([&] { queue_->download(buffer, 0, data); });
  }

  std::string synchronize() {
    return error_of([&] { queue_->synchronize(); });
  }

  template <class Action>
  static std::string error_of(Action action) {
    try {
      action();
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  std::shared_ptr<FakeScript> script_ = std::make_shared<FakeScript>();
  std::shared_ptr<Queue> queue_ = Queue::start([this] { return std::make_unique<FakeBackend>(script_); });
  std::unique_ptr<DeviceState> state_ = std::make_unique<DeviceState>(queue_);
};

TEST_F(Checks, are_settled_when_a_result_is_read_and_not_before) {
  script_->outcome = {{0, ""}};
  const BufferPtr a = run(), b = run({a}), apart = run();
  EXPECT_EQ(read(apart), "");
  EXPECT_EQ(script_->settled, 0);
  EXPECT_EQ(read(b), "");
  EXPECT_EQ(script_->settled, 1);
  EXPECT_EQ(read(a), "");
  EXPECT_EQ(script_->settled, 1);
}

TEST_F(Checks, reach_what_is_computed_from_the_result_alone) {
  script_->outcome = {{0, "first"}, {2, ""}};
  const BufferPtr a = run(), b = run({a}), good = run(), c = run({good, b});
  EXPECT_EQ(read(c), "first");
  EXPECT_EQ(read(good), "");
  EXPECT_EQ(read(run({c})), "first") << "also what is computed later";
  EXPECT_EQ(read(a), "first");
  EXPECT_EQ(script_->settled, 1);
}

TEST_F(Checks, come_out_in_the_order_of_their_kernels) {
  script_->outcome = {{0, ""}, {1, "first"}, {2, "second"}};
  run();
  run();
  run();
  EXPECT_EQ(synchronize(), "first");
  EXPECT_EQ(synchronize(), "");
}

TEST_F(Checks, come_before_the_error_of_a_later_kernel) {
  script_->outcome = {{0, "index"}};
  script_->failing = 1;
  run();
  const BufferPtr failed = run();
  EXPECT_EQ(synchronize(), "index");
  EXPECT_EQ(read(failed), "fails");
}

TEST_F(Checks, are_settled_before_memory_is_given_up) {
  script_->outcome = {{0, "index"}};
  script_->allocations_left = 1;
  const BufferPtr a = run(), b = run();
  EXPECT_EQ(read(b), "");
  EXPECT_EQ(script_->settled, 1);
  EXPECT_EQ(read(a), "index");
}

TEST_F(Checks, of_a_lost_device_give_its_error) {
  script_->outcome = {{0, ""}};
  const BufferPtr a = run();
  script_->lost = true;
  EXPECT_EQ(read(a), "lost");
  EXPECT_EQ(synchronize(), "lost");
}

TEST_F(Checks, that_stay_open_do_not_keep_the_queue) {
  script_->outcome = {{0, ""}};
  run();
  const std::weak_ptr<Queue> queue = queue_;
  queue_ = nullptr;
  state_ = nullptr;
  EXPECT_TRUE(queue.expired());
}

}  // namespace
}  // namespace eglantine::test
