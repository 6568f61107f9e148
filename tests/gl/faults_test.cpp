#include "eglantine/error.hpp"
#include "gl/fixture.hpp"

namespace eglantine::test {
namespace {

gl::Functions faulty_driver;

/// The message that `action` throws, or "nothing".
template <class Action>
std::string device_error(Action action) {
  try {
    action();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "nothing";
}

bool has_text(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::unique_ptr<gl::GlRuntime> open_with(void (*replace)(gl::Functions&)) {
  gl::Options options;
  options.transfer = gl::TransferPath::direct;
  options.timeout_nanoseconds = 2'000'000'000;
  options.replace_functions = [replace](gl::Functions& functions) {
    faulty_driver = functions;
    replace(functions);
  };
  return open_runtime(options);
}

TEST(GlFaults, a_link_that_fails_shows_the_source) {
  const auto runtime = open_with([](gl::Functions& functions) {
    functions.GetProgramiv = [](GLuint program, GLenum name, GLint* value) {
      faulty_driver.GetProgramiv(program, name, value);
      if (name == GL_LINK_STATUS) *value = GL_FALSE;
    };
  });
  const auto x = runtime->allocate(64), y = runtime->allocate(64);
  try {
    runtime->dispatch(multiply_add(*runtime, *x, *y, 16, 1, 0));
    FAIL() << "it linked";
  } catch (const ShaderError& error) {
    EXPECT_TRUE(has_text(error.what(), "[multiply_add u32] the shader does not link")) << error.what();
    EXPECT_TRUE(has_text(error.what(), " | void main() {")) << error.what();
  }
}

TEST(GlFaults, a_compilation_that_fails_shows_the_source_and_the_next_one_works) {
  static bool fails = false;
  fails = true;
  const auto runtime = open_with([](gl::Functions& functions) {
    functions.GetShaderiv = [](GLuint shader, GLenum name, GLint* value) {
      faulty_driver.GetShaderiv(shader, name, value);
      if (fails && name == GL_COMPILE_STATUS) *value = GL_FALSE;
    };
  });
  const auto x = runtime->allocate(64), y = runtime->allocate(64);
  upload(*runtime, *x, counting(16));
  try {
    runtime->dispatch(multiply_add(*runtime, *x, *y, 16, 1, 0));
    FAIL() << "it compiled";
  } catch (const ShaderError& error) {
    EXPECT_TRUE(has_text(error.what(), "[multiply_add u32] the shader does not compile")) << error.what();
    EXPECT_TRUE(has_text(error.what(), " | void main() {")) << error.what();
  }
  fails = false;
  runtime->dispatch(multiply_add(*runtime, *x, *y, 16, 1, 0));
  EXPECT_EQ(download(*runtime, *y, 16), counting(16)) << "a failure is not remembered";
}

TEST(GlFaults, a_shader_that_cannot_be_made_is_an_error) {
  const auto runtime = open_with([](gl::Functions& functions) {
    functions.CreateShader = [](GLenum) -> GLuint { return 0; };
    functions.GetError = [] { return static_cast<GLenum>(GL_NO_ERROR); };
  });
  const auto x = runtime->allocate(64), y = runtime->allocate(64);
  EXPECT_THROW(runtime->dispatch(multiply_add(*runtime, *x, *y, 16, 1, 0)), ShaderError);
}

TEST(GlFaults, a_device_that_hangs_is_lost_and_the_last_kernel_named) {
  const auto runtime = open_with([](gl::Functions& functions) {
    functions.ClientWaitSync = [](GLsync, GLbitfield, GLuint64) { return static_cast<GLenum>(GL_TIMEOUT_EXPIRED); };
  });
  const auto x = runtime->allocate(64), y = runtime->allocate(64);
  runtime->dispatch(multiply_add(*runtime, *x, *y, 16, 1, 0));
  const std::string text = device_error([&] { download(*runtime, *y, 16); });
  EXPECT_TRUE(has_text(text, "did not finish within 2 s")) << text;
  EXPECT_TRUE(has_text(text, "\"multiply_add u32\"")) << text;
  EXPECT_TRUE(runtime->context().lost());
  EXPECT_EQ(device_error([&] { runtime->synchronize(); }), text);
  EXPECT_EQ(device_error([&] { runtime->dispatch(multiply_add(*runtime, *x, *y, 16, 1, 0)); }), text);
  EXPECT_EQ(device_error([&] { runtime->allocate(16); }), text);
}

TEST(GlFaults, a_reset_loses_the_device) {
  static GLenum status = GL_NO_ERROR;
  status = GL_NO_ERROR;
  const auto runtime =
      open_with([](gl::Functions& functions) { functions.GetGraphicsResetStatus = [] { return status; }; });
  const auto x = runtime->allocate(64);
  runtime->synchronize();
  EXPECT_FALSE(runtime->context().lost());
  status = GL_GUILTY_CONTEXT_RESET;
  const std::string text = device_error([&] { upload(*runtime, *x, counting(16)); });
  EXPECT_TRUE(has_text(text, "by a kernel of this process")) << text;
  EXPECT_TRUE(runtime->context().lost());
}

TEST(GlFaults, a_gl_error_belongs_to_the_call_that_caused_it) {
  const auto runtime = open_with([](gl::Functions& functions) {
    functions.DispatchCompute = [](GLuint, GLuint, GLuint) { faulty_driver.DispatchCompute(0xFFFFFFFF, 1, 1); };
  });
  if (runtime->target().max_groups >= 0x7FFFFFFF) return;  // no group count exceeds such a driver's limit
  const auto x = runtime->allocate(64), y = runtime->allocate(64);
  const std::string text = device_error([&] { runtime->dispatch(multiply_add(*runtime, *x, *y, 16, 1, 0)); });
  EXPECT_TRUE(text.starts_with("[multiply_add u32] GL_INVALID_VALUE")) << text;
  EXPECT_FALSE(runtime->context().lost());
  EXPECT_EQ(device_error([&] { runtime->synchronize(); }), "nothing");
}

TEST(GlFaults, a_lost_context_loses_the_device) {
  static bool lost = false;
  lost = false;
  const auto runtime = open_with([](gl::Functions& functions) {
    functions.GetError = [] { return lost ? static_cast<GLenum>(GL_CONTEXT_LOST) : faulty_driver.GetError(); };
  });
  const auto x = runtime->allocate(64);
  lost = true;
  EXPECT_TRUE(has_text(device_error([&] { upload(*runtime, *x, counting(16)); }), "GL_CONTEXT_LOST"));
  EXPECT_TRUE(runtime->context().lost());
}

TEST(GlFaults, a_fence_that_cannot_be_made_is_an_error) {
  const auto runtime = open_with([](gl::Functions& functions) {
    functions.FenceSync = [](GLenum, GLbitfield) -> GLsync { return nullptr; };
    functions.GetError = [] { return static_cast<GLenum>(GL_NO_ERROR); };
  });
  EXPECT_TRUE(has_text(device_error([&] { runtime->synchronize(); }), "glFenceSync"));
}

TEST(GlFaults, staging_memory_that_cannot_be_had_is_an_error) {
  gl::Options options;
  options.transfer = gl::TransferPath::staging;
  options.replace_functions = [](gl::Functions& functions) {
    functions.MapBufferRange = [](GLenum, GLintptr, GLsizeiptr, GLbitfield) -> void* { return nullptr; };
  };
  const auto runtime = open_runtime(options);
  if (runtime->context().gl().BufferStorage == nullptr)
    return;  // such a driver has no staging memory that could be missing
  const auto x = runtime->allocate(64);
  EXPECT_THROW(upload(*runtime, *x, counting(16)), OutOfMemoryError);
  EXPECT_THROW(download(*runtime, *x, 16), OutOfMemoryError);
}

TEST(GlFaults, a_display_that_someone_terminated_loses_the_device) {
  static bool terminated = false;
  terminated = false;
  gl::Egl egl = gl::system_egl();
  static decltype(egl.QueryString) query = nullptr;
  query = egl.QueryString;
  egl.QueryString = [](EGLDisplay display, EGLint name) { return terminated ? nullptr : query(display, name); };
  gl::Options options;
  options.egl = &egl;
  const auto runtime = open_runtime(options);
  runtime->synchronize();
  terminated = true;
  EXPECT_TRUE(has_text(device_error([&] { runtime->synchronize(); }), "eglTerminate"));
  EXPECT_TRUE(runtime->context().lost());
}

}  // namespace
}  // namespace eglantine::test
