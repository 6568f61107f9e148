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

/// A test that runs on each device under test, as the current device.
class DeviceTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { Device::set_current(open_device(GetParam())); }
  /// synchronize() would otherwise report a failed kernel in a later test.
  void TearDown() override {
    try {
      device().synchronize();
    } catch (const Error&) {
    }
  }
  Device device() const { return Device::current(); }
  bool on_gl() const { return device().info().kind != "cpu"; }
};

/// "gl:llvmpipe" as part of a test's name: "gl_llvmpipe".
std::string spec_name(const ::testing::TestParamInfo<std::string>& info);

}  // namespace eglantine::test

/// Instantiates a suite on each device; its tests are named `group/Suite.case/device`.
#define EG_ON_EACH_DEVICE(group, Suite)                                                          \
  class Suite : public ::eglantine::test::DeviceTest {};                                         \
  INSTANTIATE_TEST_SUITE_P(group, Suite, ::testing::ValuesIn(::eglantine::test::device_specs()), \
                           ::eglantine::test::spec_name)
