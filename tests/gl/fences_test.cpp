#include "backend/gl/execution/fences.hpp"

#include <climits>

#include "gl/fixture.hpp"

/// Who waits for a fence looks first and sleeps later. What the driver says of the fence is played.
namespace eglantine::test {
namespace {

int looks = 0, sleeps = 0, looks_needed = 0;

GLenum answer(GLsync, GLbitfield, GLuint64 nanoseconds) {
  if (nanoseconds > 0) return ++sleeps, GL_CONDITION_SATISFIED;
  return ++looks < looks_needed ? GL_TIMEOUT_EXPIRED : GL_ALREADY_SIGNALED;
}

class WaitingForAFence : public ::testing::Test {
 protected:
  WaitingForAFence() {
    gl::Options options;
    options.replace_functions = [](gl::Functions& functions) { functions.ClientWaitSync = &answer; };
    runtime_ = open_runtime(options);
  }
  void wait(int64_t patience_nanoseconds, int needed) {
    looks = sleeps = 0;
    looks_needed = needed;
    gl::Fences fences(runtime_->context(), gl::fence_timeout(true), patience_nanoseconds);
    fences.wait(fences.insert());
  }

  std::unique_ptr<gl::GlRuntime> runtime_;
};

TEST_F(WaitingForAFence, sleeps_at_once_without_patience) {
  wait(0, 1);
  EXPECT_EQ(looks, 0);
  EXPECT_EQ(sleeps, 1);
}

TEST_F(WaitingForAFence, looks_until_it_is_signalled) {
  constexpr int64_t minutes = 600'000'000'000;
  wait(minutes, 3);
  EXPECT_EQ(looks, 3);
  EXPECT_EQ(sleeps, 0);
}

TEST_F(WaitingForAFence, sleeps_when_patience_is_over) {
  wait(1'000'000, INT_MAX);
  EXPECT_GE(looks, 1);
  EXPECT_EQ(sleeps, 1);
}

}  // namespace
}  // namespace eglantine::test
