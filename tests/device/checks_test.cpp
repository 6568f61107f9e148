#include <gtest/gtest.h>

#include <map>

#include "backend/device_state.hpp"
#include "eglantine/error.hpp"
#include "layout/layout.hpp"

/// What the queue makes of checks that a backend leaves open, with a backend that does as it is told.
namespace eglantine::test {
namespace {

/// What the backend is told, and what it was asked.
struct Orders {
  std::map<int64_t, std::string> outcome;  ///< by the number of the kernel: what its check comes to; "" is well
  int64_t failing = -1;                    ///< the kernel that throws at once
  int64_t room = 1000;                     ///< allocations before memory runs out, until the checks are settled
  bool lost = false;
  int settled = 0;
};

class NoMemory : public Storage {};

class ObedientBackend : public Backend {
 public:
  explicit ObedientBackend(std::shared_ptr<Orders> orders) : orders_(std::move(orders)) {}

  const DeviceInfo& info() const override { return info_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  std::string explain(const Kernel&) const override { return ""; }
  std::unique_ptr<Storage> allocate(int64_t) override {
    if (orders_->room-- <= 0) throw OutOfMemoryError("no room");
    return std::make_unique<NoMemory>();
  }
  void upload(Storage&, int64_t, std::span<const std::byte>) override {}
  void download(const Storage&, int64_t, std::span<std::byte>) override {}
  CheckPtr run(const Kernel&) override {
    const int64_t number = kernels_++;
    if (number == orders_->failing) throw ShaderError("fails");
    if (!orders_->outcome.count(number)) return nullptr;
    open_.emplace_back(std::make_shared<Check>(), orders_->outcome[number]);
    return open_.back().first;
  }
  void settle() override {
    if (orders_->lost) throw DeviceError("lost");
    if (open_.empty()) return;
    ++orders_->settled;
    for (const auto& [check, error] : open_)
      check->settle(error.empty() ? nullptr : std::make_exception_ptr(IndexError(error)));
    open_.clear();
    orders_->room = 1000;
  }
  void synchronize() override {
    if (orders_->lost) throw DeviceError("lost");
  }
  MemoryInfo memory() const override { return {}; }
  void trim() override {}
  Statistics statistics() const override { return {}; }
  int64_t timestamp() override { return 0; }
  Mark mark() override { return {}; }
  int64_t time_of(const Mark&) override { return 0; }

 private:
  std::shared_ptr<Orders> orders_;
  DeviceInfo info_;
  Capabilities capabilities_;
  int64_t kernels_ = 0;
  std::vector<std::pair<CheckPtr, std::string>> open_;
};

class Checks : public testing::Test {
 protected:
  /// Runs a kernel that reads some buffers; returns what it writes.
  BufferPtr run(const std::vector<BufferPtr>& inputs = {}) {
    const BufferPtr out = queue_->allocate(16);
    MapKernel kernel{{{4}, {}, {}, {0}, {{Op::parameter, DType::u32, {0, -1, -1}}}},
                     {out, DType::u32, layout::contiguous(Shape{4})}};
    for (const BufferPtr& input : inputs)
      kernel.value.operands.push_back({input, DType::u32, layout::contiguous(Shape{4})});
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

  std::shared_ptr<Orders> orders_ = std::make_shared<Orders>();
  std::shared_ptr<Queue> queue_ = Queue::start([this] { return std::make_unique<ObedientBackend>(orders_); });
  std::unique_ptr<DeviceState> state_ = std::make_unique<DeviceState>(queue_);
};

TEST_F(Checks, are_settled_when_a_result_is_read_and_not_before) {
  orders_->outcome = {{0, ""}};
  const BufferPtr a = run(), b = run({a}), apart = run();
  EXPECT_EQ(read(apart), "");
  EXPECT_EQ(orders_->settled, 0);
  EXPECT_EQ(read(b), "");
  EXPECT_EQ(orders_->settled, 1);
  EXPECT_EQ(read(a), "");
  EXPECT_EQ(orders_->settled, 1);
}

TEST_F(Checks, reach_what_is_computed_from_the_result_alone) {
  orders_->outcome = {{0, "first"}, {2, ""}};
  const BufferPtr a = run(), b = run({a}), good = run(), c = run({good, b});
  EXPECT_EQ(read(c), "first");
  EXPECT_EQ(read(good), "");
  EXPECT_EQ(read(run({c})), "first") << "also what is computed later";
  EXPECT_EQ(read(a), "first");
  EXPECT_EQ(orders_->settled, 1);
}

TEST_F(Checks, come_out_in_the_order_of_their_kernels) {
  orders_->outcome = {{0, ""}, {1, "first"}, {2, "second"}};
  run();
  run();
  run();
  EXPECT_EQ(synchronize(), "first");
  EXPECT_EQ(synchronize(), "");
}

TEST_F(Checks, come_before_the_error_of_a_later_kernel) {
  orders_->outcome = {{0, "index"}};
  orders_->failing = 1;
  run();
  const BufferPtr failed = run();
  EXPECT_EQ(synchronize(), "index");
  EXPECT_EQ(read(failed), "fails");
}

TEST_F(Checks, are_settled_before_memory_is_given_up) {
  orders_->outcome = {{0, "index"}};
  orders_->room = 1;
  const BufferPtr a = run(), b = run();
  EXPECT_EQ(read(b), "");
  EXPECT_EQ(orders_->settled, 1);
  EXPECT_EQ(read(a), "index");
}

TEST_F(Checks, of_a_lost_device_give_its_error) {
  orders_->outcome = {{0, ""}};
  const BufferPtr a = run();
  orders_->lost = true;
  EXPECT_EQ(read(a), "lost");
  EXPECT_EQ(synchronize(), "lost");
}

TEST_F(Checks, that_stay_open_do_not_keep_the_queue) {
  orders_->outcome = {{0, ""}};
  run();
  const std::weak_ptr<Queue> queue = queue_;
  queue_ = nullptr;
  state_ = nullptr;
  EXPECT_TRUE(queue.expired());
}

}  // namespace
}  // namespace eglantine::test
