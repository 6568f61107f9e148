#include <epoxy/egl.h>
#include <gtest/gtest.h>

/// Drivers crash when a process ends while a thread has a context current: tests that open contexts on their own thread
/// must destroy them.
namespace eglantine::test {
namespace {

class LeftContexts : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& /*test*/) override { before_ = eglGetCurrentContext(); }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    const bool leaves_one = before_ == EGL_NO_CONTEXT && eglGetCurrentContext() != EGL_NO_CONTEXT;
    EXPECT_FALSE(leaves_one) << test.name() << " leaves a context current";
  }
  void OnTestSuiteEnd(const ::testing::TestSuite& suite) override {
    EXPECT_EQ(eglGetCurrentContext(), EGL_NO_CONTEXT) << suite.name() << " leaves a context current";
  }

  EGLContext before_ = EGL_NO_CONTEXT;  ///< a suite may keep one
};

[[maybe_unused]] const bool listens = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new LeftContexts);
  return true;
}();

}  // namespace
}  // namespace eglantine::test
