#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "eglantine/ops.hpp"
#include "eglantine/own.hpp"
#include "support/custom_ops.hpp"
#include "support/random/draw.hpp"
#include "support/verb_table.hpp"

/// A program that renders with GL keeps its own context current while it uses Eglantine.
namespace eglantine::test {
namespace {

/// The caller's context, on the surfaceless platform.
class OwnContext : public ::testing::Test {
 protected:
  void SetUp() override {
    display_ = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    ASSERT_NE(display_, EGL_NO_DISPLAY);
    ASSERT_TRUE(eglInitialize(display_, nullptr, nullptr));
    ASSERT_TRUE(eglBindAPI(EGL_OPENGL_API));
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    context_ = eglCreateContext(display_, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    ASSERT_NE(context_, EGL_NO_CONTEXT);
    ASSERT_TRUE(eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_));
  }

  // The display stays initialised: eglTerminate would also end the library's contexts on it.
  void TearDown() override {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context_ != EGL_NO_CONTEXT) eglDestroyContext(display_, context_);
  }

  void expect_current() {
    EXPECT_EQ(eglGetCurrentContext(), context_);
    EXPECT_EQ(eglGetCurrentDisplay(), display_);
    EXPECT_EQ(eglQueryAPI(), static_cast<EGLenum>(EGL_OPENGL_API));
  }

  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

TEST_F(OwnContext, stays_current_while_tensors_are_computed) {
  const Device device = Device::open("gl");
  expect_current();
  const Tensor x = ones({127}, DType::f32, device) + 1;
  EXPECT_EQ(sum(x).item<float>(), 254.0F);
  expect_current();
  device.synchronize();
  expect_current();
}

TEST_F(OwnContext, keeps_its_buffers_and_bindings) {
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  const float value = 3;
  glBufferData(GL_ARRAY_BUFFER, sizeof value, &value, GL_STATIC_DRAW);
  EXPECT_EQ(sum(full({1025}, 2, DType::f32, Device::open("gl"))).item<float>(), 2050.0F);
  GLint bound = 0;
  glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &bound);
  EXPECT_EQ(static_cast<GLuint>(bound), buffer);
  float back = 0;
  glGetBufferSubData(GL_ARRAY_BUFFER, 0, sizeof back, &back);
  EXPECT_EQ(back, 3.0F);
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  glDeleteBuffers(1, &buffer);
}

TEST_F(OwnContext, stays_current_while_devices_are_listed) {
  EXPECT_FALSE(Device::list().empty());
  expect_current();
}

TEST_F(OwnContext, stays_current_through_every_verb) {
  const Device device = Device::open("gl");
  const Tensor x = full({3, 4}, 0.5F, DType::f32, device) * 2, whole = x.astype(DType::i32), truth = gt(x, 0);
  for (const Verb& verb : verbs()) {
    SCOPED_TRACE(verb.name);
    const bool bits = verb.name.starts_with("bit_") || verb.name.starts_with("shift_");
    const bool logical = verb.name.starts_with("logical_");
    std::vector<Tensor> arguments(verb.arity, bits ? whole : logical ? truth : x);
    if (verb.name == "where") arguments[0] = truth;
    verb.call(arguments).eval();
    expect_current();
  }
}

TEST_F(OwnContext, stays_current_through_every_family) {
  const Device device = Device::open("gl");
  const Tensor x = full({4, 4}, 0.5F, DType::f32, device) * 2, index = zeros({4}, DType::i32, device);
  const std::vector<std::function<void()>> calls = {
      [&] { sum(x, {1}).to_vector<float>(); },
      [&] { softmax(x, 1).to_vector<float>(); },
      [&] { argmax(x, 0).to_vector<int32_t>(); },
      [&] { matmul(x, x).to_vector<float>(); },
      [&] { cumsum(x, 1).to_vector<float>(); },
      [&] { sort(x, 0).to_vector<float>(); },
      [&] { take(x, index, 0).to_vector<float>(); },
      [&] {
        scatter_add(x, 0, zeros({4, 4}, DType::i32, device), x).to_vector<float>();
      },
      [&] {
        concatenate({x, x.transpose(0, 1)}, 0).to_vector<float>();
      },
      [&] {
        x.pad({{1, 0}, {0, 1}}).to(Device::open("cpu")).eval();
      },
      [&] { uniform({13}, 1, DType::f32, device).to_vector<float>(); },
      [&] { elementwise(swish(), {x}).to_vector<float>(); },
      [&] { explain(sum(x * x)); },
      [&] { std::ostringstream() << x; },
      [&] { device.memory(), device.trim(), device.synchronize(); },
  };
  Draw draw = draw_one_of(3);
  for (size_t i = 0; i < calls.size(); ++i) {
    if (!draw.next()) continue;
    SCOPED_TRACE(i);
    calls[i]();
    expect_current();
  }
}

}  // namespace
}  // namespace eglantine::test
