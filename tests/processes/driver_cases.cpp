#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>

#include "cases.hpp"

/// How a process ends whose driver has exit handlers of its own. They end what contexts and compilers need, so that no
/// thread may be in the driver, or have a context current, when they run. The driver is faked: functions of the test
/// replace it in libepoxy's pointers.
namespace eglantine::test {
namespace {

/// Reports a reset once; later queries report none.
GLenum APIENTRY guilty_once() {
  static bool reported = false;
  if (std::exchange(reported, true)) return GL_NO_ERROR;
  return GL_GUILTY_CONTEXT_RESET;
}

void lose(const Device& device) {
  epoxy_glGetGraphicsResetStatus = &guilty_once;
  epoxy_glGetGraphicsResetStatusARB = &guilty_once;
  epoxy_glGetGraphicsResetStatusEXT = &guilty_once;
  epoxy_glGetGraphicsResetStatusKHR = &guilty_once;
  try {
    device.synchronize();
    _exit(1);
  } catch (const DeviceError&) {
    // Expected.
  }
}

// State that the fake driver's handlers check.
std::atomic<int> current_contexts = 0;  ///< on any thread
std::atomic<bool> is_busy = false;      ///< a thread is in the driver
std::atomic<int> handlers = 0;          ///< registered ones
PFNEGLMAKECURRENTPROC make_current = nullptr;
PFNEGLINITIALIZEPROC initialize = nullptr;
PFNGLDISPATCHCOMPUTEPROC dispatch_compute = nullptr;

void require_nobody_here() {
  if (current_contexts != 0 || is_busy) _exit(3);
}

void register_handler() {
  std::atexit(&require_nobody_here);
  ++handlers;
}

EGLBoolean make_current_and_count(EGLDisplay display, EGLSurface draw, EGLSurface read, EGLContext context) {
  static thread_local bool is_current = false;
  const EGLBoolean done = make_current(display, draw, read, context);
  const bool is_now = context != EGL_NO_CONTEXT;
  if (done == EGL_TRUE && std::exchange(is_current, is_now) != is_now) current_contexts += is_now ? 1 : -1;
  return done;
}

/// A part of the driver that initialises on its first use, slowly.
template <class Work>
void use_late_part(Work work) {
  is_busy = true;
  register_handler();
  usleep(200'000);
  work();
  is_busy = false;
}

EGLBoolean load(EGLDisplay display, EGLint* major, EGLint* minor) {
  EGLBoolean done = EGL_FALSE;
  use_late_part([&] { done = initialize(display, major, minor); });
  return done;
}

void APIENTRY compile(GLuint x, GLuint y, GLuint z) {
  use_late_part([&] { dispatch_compute(x, y, z); });
}

/// Registers handlers as before the driver is loaded, when it is loaded, and at each compilation.
void fake_driver() {
  void* egl = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
  make_current = reinterpret_cast<PFNEGLMAKECURRENTPROC>(dlsym(egl, "eglMakeCurrent"));
  initialize = reinterpret_cast<PFNEGLINITIALIZEPROC>(dlsym(egl, "eglInitialize"));
  dispatch_compute = reinterpret_cast<PFNGLDISPATCHCOMPUTEPROC>(eglGetProcAddress("glDispatchCompute"));
  epoxy_eglMakeCurrent = &make_current_and_count;
  epoxy_eglInitialize = &load;
  epoxy_glDispatchCompute = &compile;
  register_handler();
}

void await_driver() {
  while (!is_busy) usleep(1000);
}

void start_compiling(const Device& device) {
  exp(Tensor::from<float>({1, 2, 3}, {3}, device)).eval();
  await_driver();
}

/// 0 if the expected handlers are registered, with `contexts` contexts current.
int status_of_fake(int contexts) { return current_contexts == contexts && handlers >= 3 ? own_status : 1; }

}  // namespace

/// LLVM, in Mesa's software drivers, initialises statics in its first compilation, which exit() destroys.
int compiles_at_the_end() {
  const Device device = Device::open("gl");
  small_sum(device);
  start_work(device);
  return own_status;
}

int loses_a_device_and_opens_it_again() {
  const Device lost = Device::open("gl");
  lose(lost);
  const Device again = Device::open("gl");
  if (again == lost || small_sum(again) != 12) return 1;
  start_work(again);
  return own_status;
}

int ends_before_its_driver() {
  fake_driver();
  small_sum(Device::open("gl"));
  return status_of_fake(1);
}

int ends_before_its_driver_in_a_compilation() {
  fake_driver();
  start_compiling(Device::open("gl"));
  return status_of_fake(1);
}

int ends_before_its_driver_while_it_is_loaded() {
  fake_driver();
  std::thread([] {
    Device::open("gl");
    while (true) pause();
  }).detach();
  await_driver();
  return own_status;
}

int ends_before_its_driver_while_it_is_listed() {
  fake_driver();
  std::thread([] {
    Device::list();
    while (true) pause();
  }).detach();
  await_driver();
  return own_status;
}

int ends_before_its_driver_in_another_thread() {
  fake_driver();
  const Device device = Device::open("gl");
  std::thread([device] {
    start_compiling(device);
    std::exit(status_of_fake(1));
  }).detach();
  while (true) pause();
}

int ends_before_its_driver_with_a_lost_device() {
  fake_driver();
  const Device lost = Device::open("gl");
  small_sum(lost);
  lose(lost);
  start_compiling(Device::open("gl"));
  return status_of_fake(2);
}

}  // namespace eglantine::test
