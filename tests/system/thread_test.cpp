#include "system/thread.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <limits>
#include <numeric>

#include "backend/device_state.hpp"
#include "backend/gl/gl_backend.hpp"
#include "backend/gl/memory/copy_team.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/fake_backend.hpp"
#include "system/thread_pool.hpp"

/// The library's threads: the sizes of their stacks, their signal masks, and what happens where none can be started.
namespace eglantine::test {
namespace {

size_t stack_of_this_thread() {
  pthread_attr_t attributes;
  size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

bool blocks(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

/// Makes the creation of some threads fail.
class Creation : public testing::Test {
 protected:
  void SetUp() override {
    left = std::numeric_limits<int>::max();
    largest = std::numeric_limits<size_t>::max();
    Thread::replace_creation(&create);
  }
  void TearDown() override { Thread::replace_creation(&pthread_create); }

  static inline int left = 0;        ///< threads that may still be started
  static inline size_t largest = 0;  ///< the largest stack that succeeds

 private:
  static int create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
    size_t stack = 0;
    pthread_attr_getstacksize(attributes, &stack);
    if (stack > largest || left == 0) return EAGAIN;
    --left;
    return pthread_create(thread, attributes, run, argument);
  }
};

std::string none_for(const std::string& name) {
  return "[Device] no thread could be started for \"" + name +
         "\": Resource temporarily unavailable; raise the limits on processes and address space (ulimit -u, ulimit -v; "
         "pids.max of a container), or end other threads";
}

TEST_F(Creation, gives_the_stack_that_was_asked_for) {
  size_t stack = 0;
  Thread("test", Thread::stack_for_compilers, [&] { stack = stack_of_this_thread(); }).join();
  EXPECT_EQ(stack, size_t{256} << 20);
}

TEST_F(Creation, takes_a_smaller_stack_where_space_is_short) {
  for (const size_t limit : {size_t{100} << 20, size_t{20} << 20, size_t{1} << 20}) {
    largest = limit;
    size_t stack = 0;
    Thread("test", Thread::stack_for_compilers, [&] { stack = stack_of_this_thread(); }).join();
    EXPECT_LE(stack, limit);
    EXPECT_GE(stack, limit / 4);
  }
}

TEST_F(Creation, of_no_thread_is_an_error_of_the_device) {
  left = 0;
  EXPECT_ERROR(Thread("test", Thread::small_stack, [] {}), DeviceError, none_for("test"));
  EXPECT_ERROR(Queue::start([]() -> std::unique_ptr<Backend> { return nullptr; }), DeviceError, none_for("eglantine"));
  EXPECT_ERROR(gl::list_devices(), DeviceError, none_for("eglantine-list"));
}

TEST_F(Creation, of_few_threads_leaves_a_pool_of_few) {
  for (const int few : {0, 1, 2}) {
    left = few;
    ThreadPool pool(5, "test");
    EXPECT_EQ(pool.threads(), few + 1);
    std::atomic<int64_t> sum = 0;
    pool.parallel_for(1000, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    EXPECT_EQ(sum, 1000);
  }
}

TEST_F(Creation, of_few_threads_leaves_a_copy_to_few) {
  std::vector<int> from(3 << 20), to(from.size());
  std::iota(from.begin(), from.end(), 0);
  for (const int few : {0, 1}) {
    left = few;
    gl::CopyTeam team;
    for (int i = 0; i < 2; ++i) {
      std::fill(to.begin(), to.end(), -1);
      team.copy(to.data(), from.data(), from.size() * sizeof(int));
      EXPECT_EQ(to, from);
    }
  }
}

TEST(Threads, block_all_signals_but_those_of_faults) {
  ASSERT_FALSE(blocks(SIGUSR1));
  std::array<bool, 5> blocked{};
  Thread("test", Thread::small_stack, [&] {
    blocked = {blocks(SIGUSR1), blocks(SIGINT), blocks(SIGALRM), blocks(SIGSEGV), blocks(SIGFPE)};
  }).join();
  EXPECT_EQ(blocked, (std::array<bool, 5>{true, true, true, false, false}));
  EXPECT_FALSE(blocks(SIGUSR1)) << "the caller's own signals are as they were";
}

TEST(Threads, know_whether_they_are_the_librarys) {
  bool theirs = false;
  Thread("test", Thread::small_stack, [&] { theirs = Thread::is_of_library(); }).join();
  EXPECT_TRUE(theirs);
  EXPECT_FALSE(Thread::is_of_library());
}

TEST(Threads, that_are_moved_are_joined_once) {
  std::atomic<int> done = 0;
  {
    Thread a("test", Thread::small_stack, [&] { ++done; });
    Thread b = std::move(a);
    EXPECT_TRUE(b.joinable());
    a = Thread("test", Thread::small_stack, [&] { ++done; });
    b = std::move(a);
  }
  EXPECT_EQ(done, 2);
}

EG_ON_EACH_DEVICE(Device, WorkerThread);

EG_TEST(WorkerThread, has_a_stack_for_compilers_and_no_signals) {
  device().state()->queue().call([](Backend&) {
    EXPECT_GE(stack_of_this_thread(), Thread::stack_for_compilers);
    EXPECT_TRUE(blocks(SIGINT));
  });
}

}  // namespace
}  // namespace eglantine::test
