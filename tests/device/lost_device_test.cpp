#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <atomic>
#include <thread>

#include "backend/device_state.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// A device that is lost while tensors live on it, as a user sees it. Functions of the test replace the driver's in
/// libepoxy's pointers; they affect one context only, so that other devices go on.
namespace eglantine::test {
namespace {

/// A tensor with elements on the device, unlike one made by full().
Tensor stored_on(const Device& device, int64_t count) {
  return Tensor::from(std::vector<float>(static_cast<size_t>(count), 3), {count}, device);
}

/// The context that is reset, or whose fences never signal.
std::atomic<EGLContext> reset_context = EGL_NO_CONTEXT, hanging_context = EGL_NO_CONTEXT;
PFNGLCLIENTWAITSYNCPROC driver_wait = nullptr;

GLenum APIENTRY status_of_current() {
  const bool lost = eglGetCurrentContext() == reset_context;
  return lost ? static_cast<GLenum>(GL_INNOCENT_CONTEXT_RESET) : static_cast<GLenum>(GL_NO_ERROR);
}

GLenum APIENTRY wait_on_current(GLsync fence, GLbitfield flags, GLuint64 nanoseconds) {
  if (eglGetCurrentContext() == hanging_context) return GL_TIMEOUT_EXPIRED;
  return driver_wait(fence, flags, nanoseconds);
}

/// Runs `work` on the device's own thread, where its context is current.
template <class Work>
void on_worker(const Device& device, Work work) {
  device.state()->queue().call([&](Backend&) { work(); });
}

void reset(const Device& device) {
  on_worker(device, [] {
    reset_context = eglGetCurrentContext();
    epoxy_glGetGraphicsResetStatus = &status_of_current;
    epoxy_glGetGraphicsResetStatusARB = &status_of_current;
    epoxy_glGetGraphicsResetStatusEXT = &status_of_current;
    epoxy_glGetGraphicsResetStatusKHR = &status_of_current;
  });
}

void hang(const Device& device) {
  device.synchronize();  // so that libepoxy's pointer is the driver's function
  on_worker(device, [] {
    hanging_context = eglGetCurrentContext();
    if (driver_wait == nullptr) driver_wait = std::exchange(epoxy_glClientWaitSync, &wait_on_current);
  });
}

std::vector<std::string> gl_specs() {
  std::vector<std::string> specs = device_specs();
  std::erase(specs, "cpu");
  return specs;
}

class LostDevice : public ::testing::TestWithParam<std::string> {
 protected:
  /// The next test opens the device again.
  void TearDown() override {
    reset_context = EGL_NO_CONTEXT;
    hanging_context = EGL_NO_CONTEXT;
    Device::set_current(open_device(GetParam()));
  }
  Device device_ = open_device(GetParam());
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LostDevice);
INSTANTIATE_TEST_SUITE_P(Device, LostDevice, ::testing::ValuesIn(gl_specs()), spec_name);

template <class Action>
std::string device_error(Action action) {
  try {
    action();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "nothing";
}

const std::string was_reset =
    "[Device] the GPU was reset by another program. The device is lost and its tensors with it; Device::open gives a "
    "new one";

TEST_P(LostDevice, every_read_says_so) {
  const Tensor stored = stored_on(device_, 1025), evaluated = (stored + 1).eval();
  const Tensor pending = exp(stored * 2);
  device_.synchronize();
  reset(device_);
  for (const Tensor& x : {stored, evaluated, pending, sum(stored), stored.slice(0, 1, 2)})
    EXPECT_ERROR(x.to_vector<float>(), DeviceError, was_reset);
  EXPECT_ERROR(evaluated.to(Device::open("cpu")).to_vector<float>(), DeviceError, was_reset);
  EXPECT_ERROR(device_.synchronize(), DeviceError, was_reset);
  EXPECT_ERROR(Tensor::from<float>({1}, {1}, device_).to_vector<float>(), DeviceError, was_reset);
  EXPECT_NO_THROW(device_.memory()) << "what is only counted is known still";
}

TEST_P(LostDevice, every_waiting_thread_throws) {
  const Tensor x = stored_on(device_, 1025);
  device_.synchronize();
  reset(device_);
  std::vector<std::string> messages(8);
  std::vector<std::thread> threads;
  for (std::string& text : messages)
    threads.emplace_back([&text, x] { text = device_error([&] { sum(x * 2).item<float>(); }); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : messages) EXPECT_EQ(text, was_reset);
}

TEST_P(LostDevice, is_opened_again_beside_the_old_handle) {
  const Tensor gone = stored_on(device_, 13);
  device_.synchronize();
  reset(device_);
  EXPECT_THROW(gone.to_vector<float>(), DeviceError);
  const Device again = Device::open(GetParam());
  EXPECT_FALSE(again == device_);
  EXPECT_EQ(again.info().spec, device_.info().spec);
  EXPECT_EQ((stored_on(again, 3) + 1).to_vector<float>(), (std::vector<float>{4, 4, 4}));
  EXPECT_ERROR(gone.to_vector<float>(), DeviceError, was_reset);
  EXPECT_THROW(stored_on(again, 13) + gone, DeviceError) << "they are two devices";
}

TEST_P(LostDevice, leaves_other_devices_alone) {
  const Device cpu = Device::open("cpu"), other = Device::open(device_.info().kind == "gl" ? "gles" : "gl");
  const Tensor on_cpu = stored_on(cpu, 13) * 2, on_other = stored_on(other, 13) * 2;
  device_.synchronize();
  reset(device_);
  EXPECT_THROW(device_.synchronize(), DeviceError);
  EXPECT_EQ(on_cpu.to_vector<float>(), std::vector<float>(13, 6));
  EXPECT_EQ(on_other.to_vector<float>(), std::vector<float>(13, 6));
}

TEST_P(LostDevice, that_never_finishes_names_its_kernel) {
  const Tensor stored = stored_on(device_, 13);
  hang(device_);
  const std::string text = device_error([&] { sum(stored * stored).eval(), device_.synchronize(); });
  EXPECT_NE(text.find("[Device] the device did not finish within"), std::string::npos) << text;
  EXPECT_NE(text.find("the kernel submitted last was \"reduce"), std::string::npos) << text;
  EXPECT_NE(text.find("The device is lost and its tensors with it"), std::string::npos) << text;
  EXPECT_EQ(device_error([&] { stored.to_vector<float>(); }), text);
  hanging_context = EGL_NO_CONTEXT;
  EXPECT_EQ(sum(stored_on(Device::open(GetParam()), 2)).item<float>(), 6);
}

}  // namespace
}  // namespace eglantine::test
