#include "backend/gl/execution/timing/fences.hpp"

#include <climits>

#include "gl/fixture.hpp"

/// wait() polls a fence before it blocks. The fence's status is faked.
namespace eglantine::test {
namespace {

int polls = 0, blocks = 0, polls_needed = 0;

GLenum answer(GLsync, GLbitfield, GLuint64 nanoseconds) {
  if (nanoseconds > 0) return ++blocks, GL_CONDITION_SATISFIED;
  return ++polls < polls_needed ? GL_TIMEOUT_EXPIRED : GL_ALREADY_SIGNALED;
}

class WaitingForAFence : public ::testing::Test {
 protected:
  WaitingForAFence() {
    gl::Options options;
    options.replace_functions = [](gl::Functions& functions) { functions.ClientWaitSync = &answer; };
    runtime_ = open_runtime(options);
  }
  void wait(int64_t spin_nanoseconds, int needed) {
    polls = blocks = 0;
    polls_needed = needed;
    gl::Fences fences(runtime_->context(), gl::fence_timeout(true), spin_nanoseconds);
    fences.wait(fences.insert());
  }

  std::unique_ptr<gl::GlRuntime> runtime_;
};

TEST_F(WaitingForAFence, blocks_at_once_without_spin_time) {
  wait(0, 1);
  EXPECT_EQ(polls, 0);
  EXPECT_EQ(blocks, 1);
}

TEST_F(WaitingForAFence, polls_until_it_is_signalled) {
  constexpr int64_t minutes = 600'000'000'000;
  wait(minutes, 3);
  EXPECT_EQ(polls, 3);
  EXPECT_EQ(blocks, 0);
}

TEST_F(WaitingForAFence, blocks_when_the_spin_time_is_over) {
  wait(1'000'000, INT_MAX);
  EXPECT_GE(polls, 1);
  EXPECT_EQ(blocks, 1);
}

}  // namespace
}  // namespace eglantine::test
