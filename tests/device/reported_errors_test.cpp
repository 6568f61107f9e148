#include <gtest/gtest.h>

#include "backend/device_state.hpp"
#include "eglantine/ops.hpp"
#include "layout/layout.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/fake_device.hpp"

/// synchronize() throws the first error that no reader has received; every reader of a failed result receives its
/// error.
namespace eglantine::test {
namespace {

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// With a backend whose kernels fail at once ("at once 3"), or by a check that is settled later ("check 3").
class ReportedErrors : public testing::TestWithParam<bool>, protected FakeDevice {
 protected:
  /// Makes kernels fail from now on.
  void fail() {
    queue_->call([this](Backend&) {
      if (GetParam())
        script_->in_run = [failed = 0]() mutable { throw IndexError(std::to_string(++failed)); };
      else
        for (int64_t i = 0; i < 1000; ++i) script_->outcome[i] = std::to_string(i + 1);
    });
  }
  std::string read(const BufferPtr& buffer) {
    std::array<std::byte, 16> data;
    return error_of([&] { queue_->download(buffer, 0, data); });
  }
  std::string synchronize() {
    return error_of([&] { queue_->synchronize(); });
  }
};

INSTANTIATE_TEST_SUITE_P(Device, ReportedErrors, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "at_once" : "by_a_check"; });

TEST_P(ReportedErrors, of_what_was_read_are_not_thrown_again) {
  fail();
  const BufferPtr a = run();
  EXPECT_EQ(read(a), "1");
  EXPECT_EQ(synchronize(), "");
  EXPECT_EQ(read(a), "1") << "every read throws it";
  EXPECT_EQ(synchronize(), "");
}

TEST_P(ReportedErrors, that_nobody_read_are_thrown_whatever_was_read_in_between) {
  fail();
  const BufferPtr a = run(), b = run(), c = run(), d = run();
  EXPECT_EQ(read(a), "1");
  EXPECT_EQ(read(c), "3");
  EXPECT_EQ(synchronize(), "2");
  EXPECT_EQ(synchronize(), "") << "only the first of them";
  EXPECT_EQ(read(d), "4");
  EXPECT_EQ(read(b), "2");
}

TEST_P(ReportedErrors, that_were_all_read_leave_nothing) {
  fail();
  const BufferPtr a = run(), b = run();
  EXPECT_EQ(read(b), "2");
  EXPECT_EQ(read(a), "1");
  EXPECT_EQ(synchronize(), "");
}

TEST_P(ReportedErrors, of_results_that_are_gone_are_thrown) {
  fail();
  run();
  EXPECT_EQ(read(run()), "2");
  EXPECT_EQ(synchronize(), "1");
}

/// More errors than the queue retains, each read at once.
TEST_P(ReportedErrors, read_one_by_one_are_not_retained) {
  fail();
  for (int i = 1; i <= 500; ++i) EXPECT_EQ(read(run()), std::to_string(i));
  EXPECT_EQ(synchronize(), "");
  run();
  EXPECT_EQ(synchronize(), "501");
}

TEST(ReportedError, of_an_operand_is_one_with_its_own) {
  const auto script = std::make_shared<FakeScript>();
  script->failing = 0;
  const DeviceState state(Queue::start([&] { return std::make_unique<FakeBackend>(script); }));
  const Layout four = layout::contiguous(Shape{4});
  BufferPtr x;
  for (int i = 0; i < 3; ++i) {
    const BufferPtr out = state.queue().allocate(16);
    MapKernel kernel{{{4}, {}, {}, {{0}}, {{Op::parameter, DType::u32, {0, -1, -1}}}}, {out, StorageType::u32, four}};
    if (x) kernel.value.operands.push_back({x, StorageType::u32, four});
    state.queue().run(std::move(kernel));
    x = out;
  }
  std::array<std::byte, 16> data;
  EXPECT_THROW(state.queue().download(x, 0, data), ShaderError);
  EXPECT_NO_THROW(state.queue().synchronize());
}

class Uploads : public testing::Test, protected FakeDevice {
 protected:
  BufferPtr upload(size_t bytes) {
    const BufferPtr to = queue_->allocate(static_cast<int64_t>(bytes));
    queue_->upload(to, std::vector<std::byte>(bytes));
    return to;
  }
  std::array<std::byte, 16> data_;
};

/// As of a kernel's result.
TEST_F(Uploads, of_little_data_that_fail_are_reported_by_their_readers) {
  script_->allocations_left = 0;
  const BufferPtr x = upload(16);
  EXPECT_THROW(queue_->download(x, 0, data_), OutOfMemoryError);
  EXPECT_THROW(queue_->download(run(x), 0, data_), OutOfMemoryError);
  EXPECT_NO_THROW(queue_->synchronize());
  script_->allocations_left = 0;
  upload(16);
  EXPECT_THROW(queue_->synchronize(), OutOfMemoryError) << "that nobody read";
}

TEST_F(Uploads, of_much_data_that_fail_throw) {
  script_->allocations_left = 0;
  EXPECT_THROW(upload(size_t{1} << 20), OutOfMemoryError);
}

EG_ON_EACH_DEVICE(Device, DeliveredErrors);

Tensor taken(int32_t index) { return take(zeros({5}) + 1, Tensor::from<int32_t>({index}, {1}), 0).eval(); }
std::string words(int index) {
  return "[take] index " + std::to_string(index) + " at (0,) lies outside [-5, 5): axis 0 of (5,)";
}

EG_TEST(DeliveredErrors, do_not_come_back_from_unrelated_work) {
  EXPECT_ERROR(taken(6).item<float>(), IndexError, words(6));
  (ones({3}) * 2).eval();
  EXPECT_NO_THROW(device().synchronize());
}

EG_TEST(DeliveredErrors, do_not_hide_what_nobody_received) {
  const Tensor a = taken(6), b = taken(7), c = taken(8);
  EXPECT_ERROR(b.item<float>(), IndexError, words(7));
  EXPECT_ERROR(a.item<float>(), IndexError, words(6));
  EXPECT_ERROR(device().synchronize(), IndexError, words(8));
  EXPECT_ERROR(c.item<float>(), IndexError, words(8));
  EXPECT_NO_THROW(device().synchronize());
}

EG_TEST(DeliveredErrors, of_a_chain_of_updates_come_once) {
  const auto add = [](const Tensor& x, int32_t at) {
    return scatter_add(x, 0, Tensor::from<int32_t>({at}, {1}), ones({1}));
  };
  Tensor x = add(zeros({5}), 1);
  x = add(add(x, 9), 2).eval();
  const std::string text = "[scatter_add] index 9 at (0,) lies outside [-5, 5): axis 0 of (5,)";
  EXPECT_ERROR((x * 2).to_vector<float>(), IndexError, text);
  EXPECT_NO_THROW(device().synchronize());
  EXPECT_ERROR(x.to_vector<float>(), IndexError, text);
  EXPECT_NO_THROW(device().synchronize());
}

}  // namespace
}  // namespace eglantine::test
