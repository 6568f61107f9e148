#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "eglantine/device.hpp"
#include "eglantine/error.hpp"

namespace eglantine::test {

/// The specs of the devices under test: $EGLANTINE_TEST_DEVICES (separated by spaces), else "gl" and "cpu".
std::vector<std::string> device_specs();

/// Opens a device under test. Throws when it cannot be opened: that is a failure of the test, never a skip.
Device open_device(const std::string& spec);

/// The device's counts after everything submitted so far.
Statistics statistics(const Device& device);

/// A test that runs on a device, as the current device.
class DeviceTest : public ::testing::Test {
 public:
  void run_on(const std::string& spec) { spec_ = spec; }

 protected:
  void SetUp() override { Device::set_current(open_device(spec())); }
  /// synchronize() would otherwise report a failed kernel in a later test.
  void TearDown() override {
    try {
      device().synchronize();
    } catch (const Error&) {
    }
  }
  const std::string& spec() const { return spec_; }
  Device device() const { return Device::current(); }
  bool on_gl() const { return device().info().kind != "cpu"; }
  /// Whether kernels may be cut for it, as on GLES 3.1, which binds four.
  bool binds_few_buffers() const { return on_gl() && device().info().max_bindings < 8; }

 private:
  std::string spec_;
};

/// "gl:llvmpipe" as part of a test's name: "gl_llvmpipe".
std::string name_of_spec(std::string spec);
inline std::string spec_name(const ::testing::TestParamInfo<std::string>& info) { return name_of_spec(info.param); }

/// What the tests of a suite have in common.
struct DeviceSuite {
  std::string name;  ///< "Group/Suite"
  std::vector<std::string> specs;
};
/// Registers a test once for each device of its suite. Always true.
bool add_test(const DeviceSuite& suite, const std::string& name, const char* file, int line, DeviceTest* (*make)());

}  // namespace eglantine::test

/// A suite whose class, derived from DeviceTest, is defined; it runs on each of the devices `specs`.
#define EG_SUITE(group, Suite, specs) \
  inline ::eglantine::test::DeviceSuite suite_of(const Suite*) { return {#group "/" #Suite, specs}; }

/// A suite that runs on each device under test; its tests are named `group/Suite.case/device`.
#define EG_ON_EACH_DEVICE(group, Suite)                  \
  class Suite : public ::eglantine::test::DeviceTest {}; \
  EG_SUITE(group, Suite, ::eglantine::test::device_specs())

/// A test of such a suite. What TEST_P instantiates for each suite takes half of the time that a file of tests
/// compiles.
#define EG_TEST(Suite, name)                                                                               \
  class Suite##_##name : public Suite {                                                                    \
    void TestBody() override;                                                                              \
    static const bool eg_added;                                                                            \
  };                                                                                                       \
  const bool Suite##_##name::eg_added =                                                                    \
      ::eglantine::test::add_test(suite_of(static_cast<const Suite*>(nullptr)), #name, __FILE__, __LINE__, \
                                  []() -> ::eglantine::test::DeviceTest* { return new Suite##_##name; });  \
  void Suite##_##name::TestBody()
