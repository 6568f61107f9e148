#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "backend/gl/context/advice.hpp"
#include "backend/gl/context/options.hpp"
#include "backend/gl/gl_backend.hpp"
#include "eglantine/error.hpp"

/// Devices listed and opened when EGL behaves as on other machines.
namespace eglantine::test {
namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string error_of(std::string_view spec, const gl::Options& options = {}) {
  try {
    gl::open_backend(spec, options);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "opened";
}

/// All devices' problems in one text.
std::string problems(const gl::Options& options) {
  std::string text;
  for (const DeviceInfo& info : gl::list_devices(options)) {
    EXPECT_FALSE(info.available) << info.spec << " " << info.name;
    text += info.problem + "\n";
  }
  return text;
}

class GlDevices : public ::testing::Test {
 protected:
  GlDevices() : egl_(gl::system_egl()) { options_.egl = &egl_; }
  gl::Egl egl_;
  gl::Options options_;
};

TEST_F(GlDevices, are_listed_once_each_as_gl_and_as_gles) {
  const std::vector<DeviceInfo> devices = gl::list_devices();
  for (const char* kind : {"gl", "gles"}) {
    std::vector<std::string> found;
    for (const DeviceInfo& info : devices) {
      if (info.kind == kind && info.available && info.software) found.push_back(info.name);
    }
    EXPECT_LE(std::count_if(found.begin(), found.end(), [](const auto& name) { return holds(name, "llvmpipe"); }), 1)
        << kind;
  }
}

TEST_F(GlDevices, without_device_enumeration_are_reached_surfaceless) {
  egl_.QueryDevicesEXT = nullptr;
  const std::vector<DeviceInfo> devices = gl::list_devices(options_);
  ASSERT_TRUE(std::any_of(devices.begin(), devices.end(), [](const DeviceInfo& info) { return info.available; }));
  const auto backend = gl::open_backend("gl", options_);
  EXPECT_FALSE(backend->info().platform.starts_with("EGL device")) << backend->info().platform;
}

TEST_F(GlDevices, a_vendor_file_that_is_missing_is_explained) {
  egl_.QueryDevicesEXT = [](EGLint, EGLDeviceEXT*, EGLint*) { return static_cast<EGLBoolean>(EGL_FALSE); };
  egl_.GetError = [] { return static_cast<EGLint>(EGL_BAD_PARAMETER); };
  egl_.Initialize = [](EGLDisplay, EGLint*, EGLint*) { return static_cast<EGLBoolean>(EGL_FALSE); };
  const std::string text = problems(options_);
  EXPECT_TRUE(holds(text, "eglQueryDevicesEXT failed (EGL_BAD_PARAMETER): no EGL driver is installed")) << text;
  EXPECT_TRUE(holds(text, "libegl-mesa0") || holds(text, "10_nvidia.json")) << text;
}

TEST_F(GlDevices, a_library_that_finds_no_vendor_is_explained) {
  egl_.QueryDevicesEXT = nullptr;
  egl_.client_extensions = "EGL_EXT_client_extensions EGL_EXT_platform_base";
  egl_.Initialize = [](EGLDisplay, EGLint*, EGLint*) { return static_cast<EGLBoolean>(EGL_FALSE); };
  const std::string text = problems(options_);
  EXPECT_TRUE(holds(text, "EGL offers neither devices nor surfaceless contexts: it found no vendor's library")) << text;
}

TEST_F(GlDevices, no_devices_at_all_are_explained) {
  egl_.QueryDevicesEXT = [](EGLint, EGLDeviceEXT*, EGLint* count) {
    *count = 0;
    return static_cast<EGLBoolean>(EGL_TRUE);
  };
  const std::vector<DeviceInfo> devices = gl::list_devices(options_);
  ASSERT_FALSE(devices.empty());
  EXPECT_FALSE(devices.back().available);
  EXPECT_TRUE(holds(devices.back().problem, "eglQueryDevicesEXT found no device")) << devices.back().problem;
}

TEST_F(GlDevices, a_display_that_does_not_initialise_names_the_step_and_the_error) {
  egl_.Initialize = [](EGLDisplay, EGLint*, EGLint*) { return static_cast<EGLBoolean>(EGL_FALSE); };
  egl_.GetError = [] { return static_cast<EGLint>(EGL_NOT_INITIALIZED); };
  EXPECT_TRUE(holds(problems(options_), "eglInitialize failed (EGL_NOT_INITIALIZED): "));
  EXPECT_TRUE(holds(error_of("gl:0", options_), "eglInitialize failed (EGL_NOT_INITIALIZED): "));
  EXPECT_TRUE(holds(error_of("gl:0", options_), "gl:0 \""));
}

TEST_F(GlDevices, a_driver_without_the_versions_we_need_says_what_it_offers) {
  static decltype(egl_.CreateContext) create = nullptr;
  create = egl_.CreateContext;
  egl_.CreateContext = [](EGLDisplay display, EGLConfig config, EGLContext shared, const EGLint* attributes) {
    // The first attribute is the major version; requests for 3 or more fail.
    return attributes[1] >= 3 ? EGL_NO_CONTEXT : create(display, config, shared, attributes);
  };
  egl_.GetError = [] { return static_cast<EGLint>(EGL_BAD_MATCH); };
  const std::string text = problems(options_);
  EXPECT_TRUE(holds(text, "eglCreateContext failed (EGL_BAD_MATCH): the driver offers only \"OpenGL ")) << text;
  EXPECT_TRUE(holds(text, "and Eglantine needs OpenGL 4.3")) << text;
  EXPECT_TRUE(holds(text, "and Eglantine needs OpenGL ES 3.1")) << text;
}

TEST_F(GlDevices, an_older_context_is_taken_where_newer_ones_fail) {
  static decltype(egl_.CreateContext) create = nullptr;
  create = egl_.CreateContext;
  egl_.CreateContext = [](EGLDisplay display, EGLConfig config, EGLContext shared, const EGLint* attributes) {
    // Neither 4.6 nor 4.5, and no reset notification.
    for (const EGLint* pair = attributes; *pair != EGL_NONE; pair += 2) {
      const bool newer = *pair == EGL_CONTEXT_MINOR_VERSION && pair[1] > 3;
      if (newer || *pair == EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY) return EGL_NO_CONTEXT;
    }
    return create(display, config, shared, attributes);
  };
  EXPECT_EQ(gl::open_backend("gl", options_)->info().kind, "gl");
}

TEST_F(GlDevices, a_driver_without_surfaceless_contexts_gets_a_pbuffer) {
  static decltype(egl_.QueryString) query = nullptr;
  query = egl_.QueryString;
  egl_.QueryString = [](EGLDisplay display, EGLint name) {
    const char* text = query(display, name);
    if (display == EGL_NO_DISPLAY || name != EGL_EXTENSIONS) return text;
    static std::string rest;
    rest = text;
    const std::string hidden = "EGL_KHR_surfaceless_context";
    if (const size_t at = rest.find(hidden); at != std::string::npos) rest.erase(at, hidden.size());
    return rest.c_str();
  };
  static int pbuffers = 0;
  pbuffers = 0;
  static decltype(egl_.CreatePbufferSurface) make = nullptr;
  make = egl_.CreatePbufferSurface;
  egl_.CreatePbufferSurface = [](EGLDisplay display, EGLConfig config, const EGLint* attributes) {
    ++pbuffers;
    return make(display, config, attributes);
  };
  EXPECT_EQ(gl::open_backend("gl", options_)->info().kind, "gl");
  EXPECT_EQ(pbuffers, 1);
}

TEST_F(GlDevices, softpipe_is_refused_whatever_it_says_it_can_do) {
  options_.replace_functions = [](gl::Functions& functions) {
    static decltype(functions.GetString) get = nullptr;
    get = functions.GetString;
    functions.GetString = [](GLenum name) {
      return name == GL_RENDERER ? reinterpret_cast<const GLubyte*>("softpipe") : get(name);
    };
  };
  const std::string text = problems(options_);
  EXPECT_TRUE(holds(text, "the renderer is softpipe, whose compute shaders do not work")) << text;
}

TEST_F(GlDevices, opening_a_numbered_device_tries_no_other) {
  static int contexts = 0;
  contexts = 0;
  static decltype(egl_.CreateContext) create = nullptr;
  create = egl_.CreateContext;
  egl_.CreateContext = [](EGLDisplay display, EGLConfig config, EGLContext shared, const EGLint* attributes) {
    EGLContext context = create(display, config, shared, attributes);
    contexts += context != EGL_NO_CONTEXT ? 1 : 0;
    return context;
  };
  gl::open_backend("gl:0", options_);
  EXPECT_EQ(contexts, 1);
}

TEST_F(GlDevices, specs_that_make_no_sense_are_errors) {
  EXPECT_TRUE(holds(error_of("opengl"), "names no kind of device"));
  EXPECT_TRUE(holds(error_of("gl:"), "a colon"));
  EXPECT_TRUE(holds(error_of(":llvmpipe"), "a colon"));
  EXPECT_TRUE(holds(error_of("gl:no such card"), "its name does not contain \"no such card\""));
  EXPECT_FALSE(holds(error_of("gl:no such card"), "default display")) << "it reaches no other device";
  EXPECT_TRUE(holds(error_of("gl:99"), "no device for \"gl:99\": devices tried: "));
}

TEST_F(GlDevices, part_of_a_name_matches_in_any_case) {
  const auto backend = gl::open_backend("gl");
  std::string part = backend->info().name.substr(0, 4);
  std::transform(part.begin(), part.end(), part.begin(), [](unsigned char c) { return std::toupper(c); });
  EXPECT_EQ(gl::open_backend("gl:" + part)->info().spec, backend->info().spec);
}

TEST_F(GlDevices, settings_that_cannot_be_understood_are_errors) {
  for (const char* value : {"64K", "-1", "0", "1e6", "4096 "}) {
    setenv("EGLANTINE_MAX_BLOCK_BYTES", value, 1);
    const std::string text = error_of("gl");
    unsetenv("EGLANTINE_MAX_BLOCK_BYTES");
    EXPECT_TRUE(holds(text, "EGLANTINE_MAX_BLOCK_BYTES is \"" + std::string(value) + "\"")) << text;
  }
  for (const auto& [name, value] : {std::pair{"EGLANTINE_TIMEOUT_SECONDS", "soon"},
                                    {"EGLANTINE_MAX_BINDINGS", "3"},
                                    {"EGLANTINE_MAX_INVOCATIONS", "127"},
                                    {"EGLANTINE_LONGEST_DISPATCH", "0"},
                                    {"EGLANTINE_CLOCK", "fast"},
                                    {"EGLANTINE_FORMS", "gpu"}}) {
    const char* before = std::getenv(name);
    const std::string kept = before == nullptr ? "" : before;
    setenv(name, value, 1);
    EXPECT_TRUE(holds(error_of("gl"), std::string(name) + " is \"" + value + "\"")) << name;
    setenv(name, kept.c_str(), 1);
  }
}

TEST_F(GlDevices, the_block_limit_can_be_lowered) {
  const char* before = std::getenv("EGLANTINE_MAX_BLOCK_BYTES");
  const std::string kept = before == nullptr ? "" : before;
  setenv("EGLANTINE_MAX_BLOCK_BYTES", "10000", 1);
  const int64_t limit = gl::open_backend("gl")->info().max_block_bytes;
  setenv("EGLANTINE_MAX_BLOCK_BYTES", kept.c_str(), 1);
  EXPECT_LE(limit, 10000);
  EXPECT_GT(limit, 9000);
}

TEST(GlAdvice, for_a_render_node_without_permission_names_the_group) {
  const std::string text = gl::advise_render_node("/dev/dri/renderD128", EACCES);
  EXPECT_TRUE(holds(text, "/dev/dri/renderD128 cannot be opened (Permission denied)")) << text;
  EXPECT_TRUE(holds(text, "group \"render\"")) << text;
}

TEST(GlAdvice, for_an_nvidia_device_names_the_container_setting) {
  gl::Candidate candidate;
  candidate.nvidia = true;
  const std::string text = gl::advise_display(candidate, "eglInitialize", EGL_NOT_INITIALIZED);
  EXPECT_TRUE(text.starts_with("eglInitialize failed (EGL_NOT_INITIALIZED): ")) << text;
  EXPECT_TRUE(holds(text, "NVIDIA_DRIVER_CAPABILITIES=graphics")) << text;
  EXPECT_TRUE(holds(text, "10_nvidia.json")) << text;
}

}  // namespace
}  // namespace eglantine::test
