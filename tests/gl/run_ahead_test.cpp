#include "backend/gl/execution/timing/run_ahead.hpp"

#include <algorithm>
#include <map>

#include "gl/fixture.hpp"

/// The worker waits for the device periodically, and the device never waits for the worker.
namespace eglantine::test {
namespace {

using gl::RunAhead;

gl::Functions fence_driver;

/// The work submitted, and how much of it the host knows to be done.
struct Progress {
  int64_t submitted = 0, done = 0, most_ahead = 0;
  std::map<GLsync, int64_t> fences;  ///< work submitted before each fence
  RunAhead::Clock::time_point now;
  std::chrono::duration<double> time_of_one{};  ///< that the device takes for it
};
Progress progress;

RunAhead::Clock::time_point now() { return progress.now; }

class Ahead : public ::testing::Test {
 protected:
  void SetUp() override {
    progress = {};
    gl::Options options;
    options.replace_functions = [](gl::Functions& functions) {
      fence_driver = functions;
      functions.DispatchCompute = [](GLuint x, GLuint y, GLuint z) {
        fence_driver.DispatchCompute(x, y, z);
        ++progress.submitted;
        progress.most_ahead = std::max(progress.most_ahead, progress.submitted - progress.done);
      };
      functions.FenceSync = [](GLenum condition, GLbitfield flags) {
        GLsync fence = fence_driver.FenceSync(condition, flags);
        progress.fences[fence] = progress.submitted;
        return fence;
      };
      functions.DeleteSync = [](GLsync fence) {
        fence_driver.DeleteSync(fence);
        progress.fences.erase(fence);
      };
      functions.ClientWaitSync = [](GLsync fence, GLbitfield flags, GLuint64 nanoseconds) {
        const GLenum status = fence_driver.ClientWaitSync(fence, flags, nanoseconds);
        if (status == GL_TIMEOUT_EXPIRED) return status;
        const int64_t done = std::max(progress.done, progress.fences[fence]), newly = done - progress.done;
        progress.now += std::chrono::ceil<std::chrono::nanoseconds>(progress.time_of_one * static_cast<double>(newly));
        progress.done = done;
        return status;
      };
    };
    runtime_ = open_runtime(options);
  }

  /// Submits work `times` times; returns how far the host is ahead at the end.
  int64_t ahead_after(int64_t times, int64_t bytes, std::chrono::nanoseconds expected) {
    gl::Fences fences(runtime_->context(), 2'000'000'000, 0);
    RunAhead ahead(runtime_->context(), fences, &now);
    for (int64_t i = 0; i < times; ++i) {
      ++progress.submitted;
      progress.most_ahead = std::max(progress.most_ahead, progress.submitted - progress.done);
      ahead.submitted(bytes, expected);
    }
    return progress.submitted - progress.done;
  }

  std::unique_ptr<gl::GlRuntime> runtime_;
};

TEST_F(Ahead, many_dispatches_are_waited_for) {
  const auto x = runtime_->allocate(64), y = runtime_->allocate(64);
  upload(*runtime_, *x, counting(16));
  const auto dispatch = multiply_add(*runtime_, *x, *y, 16, 1, 0);
  for (int64_t i = 0; i < 6 * RunAhead::most_dispatches; ++i) runtime_->dispatch(dispatch);
  EXPECT_LE(progress.most_ahead, 2 * RunAhead::most_dispatches);
  EXPECT_EQ(download(*runtime_, *y, 16), counting(16));
}

TEST_F(Ahead, the_batch_that_was_just_begun_is_not_waited_for) {
  EXPECT_EQ(ahead_after(RunAhead::most_dispatches, 0, {}), RunAhead::most_dispatches);
  EXPECT_EQ(progress.fences.size(), 0U) << "no fence is left behind";
}

TEST_F(Ahead, many_bytes_are_waited_for) {
  progress.time_of_one = RunAhead::longest;
  EXPECT_EQ(ahead_after(32, RunAhead::fewest_bytes / 4, {}), 4);
}

/// Batches grow to what the device writes in a quarter of the longest time, to twice as much at a time, within limits.
TEST_F(Ahead, batches_write_more_where_the_device_is_faster) {
  constexpr int64_t first = 4, largest = RunAhead::most_bytes / RunAhead::fewest_bytes;
  for (const int64_t speed : {1, 2, 3, 7, 16, 1000}) {
    progress = {};
    progress.time_of_one = std::chrono::duration<double>(RunAhead::longest) / static_cast<double>(4 * first * speed);
    ahead_after(4 * first, RunAhead::fewest_bytes / first, {});
    EXPECT_LE(progress.most_ahead, 3 * first) << "the third batch is at most twice as large, speed " << speed;
    progress.submitted = progress.done = progress.most_ahead = 0;
    ahead_after(500 * first, RunAhead::fewest_bytes / first, {});
    EXPECT_NEAR(static_cast<double>(progress.most_ahead), static_cast<double>(2 * first * std::min(speed, largest)), 1);
  }
}

TEST_F(Ahead, what_takes_long_is_waited_for) { EXPECT_EQ(ahead_after(32, 0, RunAhead::longest / 4), 4); }

}  // namespace
}  // namespace eglantine::test
