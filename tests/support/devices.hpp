#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "eglantine/device.hpp"
#include "eglantine/error.hpp"

namespace eglantine::test {

/// The devices under test, as Device::open takes them: $EGLANTINE_TEST_DEVICES (separated by spaces), else "gl" and
/// "cpu".
std::vector<std::string> device_specs();

/// Opens a device under test. One that cannot be opened is a failure of the test, never a skip: this throws.
Device open_device(const std::string& spec);

/// The counts of a device, after everything submitted to it so far.
Statistics statistics(const Device& device);

/// A test that runs once on each device under test, which is the current device while it runs.
class DeviceTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { Device::set_current(open_device(GetParam())); }
  /// A failed kernel is told to the next synchronize(), which may be another test's.
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

/// A suite of tests that run on each device; they are named `group/Suite.case/device`.
#define EG_ON_EACH_DEVICE(group, Suite)                                                          \
  class Suite : public ::eglantine::test::DeviceTest {};                                         \
  INSTANTIATE_TEST_SUITE_P(group, Suite, ::testing::ValuesIn(::eglantine::test::device_specs()), \
                           ::eglantine::test::spec_name)
