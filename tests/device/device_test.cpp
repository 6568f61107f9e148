#include "eglantine/device.hpp"

#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "backend/backend.hpp"
#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Device, Open);
EG_ON_EACH_DEVICE(Device, Info);
EG_ON_EACH_DEVICE(Device, TwoDevices);

/// The error of open().
std::string problem_of(const std::string& spec) {
  try {
    Device::open(spec);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "opened";
}

TEST(DeviceList, ends_with_the_cpu_and_says_why_what_is_unavailable_is) {
  const std::vector<DeviceInfo> devices = Device::list();
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices.back().kind, "cpu");
  for (const DeviceInfo& info : devices) {
    EXPECT_EQ(info.available, info.problem.empty()) << info.spec << ": " << info.problem;
    EXPECT_TRUE(info.kind == "gl" || info.kind == "gles" || info.kind == "cpu") << info.kind;
  }
}

TEST(DeviceList, hardware_comes_before_software) {
  bool software_seen = false;
  for (const DeviceInfo& info : Device::list()) {
    if (info.kind != "gl" || !info.available) continue;
    EXPECT_FALSE(software_seen && !info.software) << info.name;
    software_seen = software_seen || info.software;
  }
}

TEST(DeviceList, every_available_device_opens_by_its_spec) {
  std::set<std::string> specs;
  for (const DeviceInfo& info : Device::list()) {
    EXPECT_TRUE(specs.insert(info.spec).second) << info.spec << " is listed twice";
    if (!info.available) continue;
    const Device device = Device::open(info.spec);
    EXPECT_EQ(device.info().spec, info.spec);
    EXPECT_EQ(device.info().kind, info.kind);
    EXPECT_EQ((full({3}, 2, DType::f32, device) + 1).to_vector<float>(), (std::vector<float>{3, 3, 3})) << info.spec;
  }
}

EG_TEST(Open, twice_gives_the_same_device) {
  EXPECT_EQ(Device::open(spec()), Device::open(spec()));
  EXPECT_EQ(Device::open(device().info().spec), device());
}

EG_TEST(Open, by_part_of_the_name) {
  if (on_gl()) {
    EXPECT_EQ(Device::open(device().info().kind + ":" + device().info().name.substr(0, 5)), device());
  } else {
    EXPECT_EQ(device(), Device::open("cpu"));
  }
}

EG_TEST(Open, the_environment_names_the_default) {
  setenv("EGLANTINE_DEVICE", spec().c_str(), 1);
  EXPECT_EQ(Device::open(), device());
  unsetenv("EGLANTINE_DEVICE");
}

TEST(DeviceOpen, what_does_not_exist_is_an_error_that_says_what_there_is) {
  for (const char* spec : {"gl:99", "gl:no such card", "gles:99", "cuda", "cpu:1", "gl:-1", "GL", " "}) {
    const std::string problem = problem_of(spec);
    EXPECT_EQ(problem.rfind("[Device::open] ", 0), 0U) << spec << ": " << problem;
    EXPECT_NE(problem.find(spec), std::string::npos) << spec << ": " << problem;
  }
}

TEST(DeviceOpen, a_wrong_environment_variable_is_named) {
  setenv("EGLANTINE_DEVICE", "abacus", 1);
  const std::string problem = problem_of("");
  unsetenv("EGLANTINE_DEVICE");
  EXPECT_NE(problem.find("EGLANTINE_DEVICE"), std::string::npos) << problem;
  EXPECT_NE(problem.find("abacus"), std::string::npos) << problem;
}

TEST(DeviceOpen, row_chains_are_on_or_off) {
  const char* given = std::getenv("EGLANTINE_ROW_CHAINS");
  const std::string before = given == nullptr ? "" : given;
  for (const auto& [text, on] : {std::pair("", true), std::pair("on", true), std::pair("off", false)}) {
    setenv("EGLANTINE_ROW_CHAINS", text, 1);
    EXPECT_EQ(row_chains_setting(), on) << text;
  }
  setenv("EGLANTINE_ROW_CHAINS", "0", 1);
  EXPECT_ERROR(row_chains_setting(), DeviceError,
               "[Device::open] EGLANTINE_ROW_CHAINS is \"0\"; it must be on or off, or not set");
  setenv("EGLANTINE_ROW_CHAINS", before.c_str(), 1);
}

EG_TEST(Info, says_what_a_kernel_may_use) {
  const DeviceInfo& info = device().info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_TRUE(info.available);
  EXPECT_EQ(info.problem, "");
  if (!on_gl()) return;
  EXPECT_FALSE(info.driver.empty());
  EXPECT_GE(info.max_block_bytes, 65536);
  EXPECT_GE(info.max_bindings, 4);
  EXPECT_GE(info.max_invocations, 128);
  EXPECT_GE(info.max_shared_bytes, 16384);
  EXPECT_GE(info.max_groups, 65535);
}

EG_TEST(TwoDevices, in_one_verb_are_an_error_that_names_both) {
  const Tensor here = ones({3});
  for (const std::string& spec : device_specs()) {
    const Device other = open_device(spec);
    if (other == device()) continue;
    const Tensor there = ones({3}, DType::f32, other);
    const auto where_it_is = [](const Device& d) { return d.info().spec + " \"" + d.info().name + "\""; };
    const std::string rest = "tensors on two devices: " + where_it_is(device()) + " and " + where_it_is(other) +
                             "; move one with to(device)";
    EXPECT_ERROR(here + there, DeviceError, "[add] " + rest);
    EXPECT_ERROR(matmul(here, there), DeviceError, "[matmul] " + rest);
    EXPECT_ERROR(dot(here, there), DeviceError, "[dot] " + rest);
    EXPECT_ERROR(multiply_sum(here, there, {}), DeviceError, "[multiply_sum] " + rest);
    EXPECT_ERROR(concatenate({here, there}, 0), DeviceError, "[concatenate] " + rest);
    EXPECT_ERROR(stack({here, there}, 0), DeviceError, "[stack] " + rest);
    EXPECT_ERROR(where(isnan(here), there, 0), DeviceError, "[where] " + rest);
    EXPECT_ERROR(clip(here, there, 1), DeviceError, "[clip] " + rest);
    EXPECT_EQ((here + there.to(device())).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  }
}

EG_TEST(TwoDevices, evaluated_together) {
  std::vector<Tensor> results;
  for (const std::string& spec : device_specs()) results.push_back(full({5}, 3, DType::f32, open_device(spec)) + 1);
  eval(results);
  for (const Tensor& x : results) EXPECT_EQ(x.to_vector<float>(), std::vector<float>(5, 4));
}

}  // namespace
}  // namespace eglantine::test
