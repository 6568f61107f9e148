#include <gtest/gtest.h>

#include <array>
#include <new>

#include "support/fake_device.hpp"

/// A device's worker thread survives every exception of its backend, and no error is lost.
namespace eglantine::test {
namespace {

class Worker : public testing::Test, protected FakeDevice {
 protected:
  void read(const BufferPtr& buffer) {
    std::array<std::byte, 16> data;
    queue_->download(buffer, 0, data);
  }

  /// Makes every kernel throw `what` from now on; no kernel runs meanwhile.
  template <class What>
  void throw_in_run(What what) {
    queue_->call([&](Backend&) { script_->in_run = [what] { throw what; }; });
  }
};

TEST_F(Worker, gives_back_an_exception_of_any_type) {
  throw_in_run(42);
  const BufferPtr failed = run(), epilogue = run(failed);
  EXPECT_THROW(read(failed), int);
  EXPECT_THROW(read(epilogue), int);
  EXPECT_NO_THROW(queue_->synchronize());
}

/// Otherwise threads would share one exception, whose reference count a thread sanitizer cannot see.
TEST_F(Worker, gives_every_reader_an_exception_of_its_own) {
  throw_in_run(ShaderError("[test] no such luck"));
  const BufferPtr failed = run();
  const auto caught = [&]() -> ShaderError {
    try {
      read(failed);
    } catch (const ShaderError& error) {
      return error;
    }
    throw std::logic_error("nothing was thrown");
  };
  const ShaderError first = caught(), second = caught();
  EXPECT_STREQ(first.what(), "[test] no such luck");
  EXPECT_STREQ(second.what(), first.what());
  EXPECT_NE(static_cast<const void*>(second.what()), static_cast<const void*>(first.what()));
  EXPECT_NO_THROW(queue_->synchronize());
}

/// A class derived by a user may hold more than a message.
TEST_F(Worker, gives_back_a_class_derived_from_the_librarys_whole) {
  struct Refused : DeviceError {
    Refused() : DeviceError("refused") {}
    int reason = 7;
  };
  throw_in_run(Refused());
  try {
    read(run());
    FAIL() << "nothing was thrown";
  } catch (const Refused& error) {
    EXPECT_EQ(error.reason, 7);
  }
}

TEST_F(Worker, says_that_the_programs_own_memory_ran_out) {
  throw_in_run(std::bad_alloc());
  const BufferPtr failed = run();
  try {
    read(failed);
    FAIL() << "nothing was thrown";
  } catch (const OutOfMemoryError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("[Device] the program's own memory ran out", 0), 0U) << error.what();
  }
  EXPECT_NO_THROW(queue_->synchronize());
}

TEST_F(Worker, goes_on_after_every_failure) {
  throw_in_run(42);
  const BufferPtr failed = run();
  queue_->call([&](Backend&) { script_->in_run = nullptr; });
  const BufferPtr good = run();
  EXPECT_NO_THROW(read(good));
  EXPECT_THROW(queue_->synchronize(), int) << "nobody has received it yet";
  EXPECT_THROW(read(failed), int);
}

TEST_F(Worker, tells_what_failed_while_it_was_idle) {
  queue_->call([&](Backend&) {
    script_->in_idle = [this] {
      script_->in_idle = nullptr;
      throw 42;
    };
  });
  // The first call may come before the worker is idle; the second comes after.
  int throws = 0;
  for (int i = 0; i < 1000 && throws == 0; ++i) {
    try {
      queue_->synchronize();
    } catch (int) {
      ++throws;
    }
  }
  EXPECT_EQ(throws, 1);
  EXPECT_NO_THROW(read(run()));
}

TEST_F(Worker, passes_on_what_a_call_throws_and_goes_on) {
  EXPECT_THROW(queue_->call([](Backend&) { throw 42; }), int);
  EXPECT_NO_THROW(read(run()));
  EXPECT_NO_THROW(queue_->synchronize());
}

TEST_F(Worker, gives_device_memory_back_when_a_kernel_has_run) {
  for (int i = 0; i < 500; ++i) run();
  const BufferPtr kept = run();
  // A kernel's own memory is freed at the next submission; its device memory is freed without waiting for that.
  queue_->call([&](Backend&) { EXPECT_EQ(script_->live, 1); });
}

TEST_F(Worker, ends_while_kernels_that_ran_wait_to_be_collected) {
  for (int i = 0; i < 100; ++i) run();
  queue_->synchronize();
  const std::weak_ptr<Queue> queue = queue_;
  queue_.reset();
  state_.reset();
  EXPECT_TRUE(queue.expired());
  EXPECT_EQ(script_->live, 0);
}

TEST(WorkerStart, gives_back_what_the_factory_throws) {
  EXPECT_THROW(Queue::start([]() -> std::unique_ptr<Backend> { throw 42; }), int);
  EXPECT_THROW(Queue::start([]() -> std::unique_ptr<Backend> { throw std::bad_alloc(); }), std::bad_alloc);
}

}  // namespace
}  // namespace eglantine::test
