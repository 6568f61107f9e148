#include "eglantine/profile.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "io/temporary_folder.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/json.hpp"
#include "support/random/random_data.hpp"
#include "support/run_again.hpp"

namespace eglantine::test {
namespace {

namespace fs = std::filesystem;

class Profiling : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    device().synchronize();
  }
  fs::path file(const std::string& name) const { return folder_ / name; }
  static Json read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return Json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
  }

  const TemporaryFolder owned_;
  const fs::path folder_ = owned_.path();
};

EG_SUITE(Device, Profiling, device_specs());

/// The row of the only kernel whose line contains `part`; all zeros when there is none, or several.
ProfiledKernel row_of(const ProfileSummary& summary, const std::string& part) {
  std::vector<ProfiledKernel> found;
  for (const ProfiledKernel& row : summary.kernels)
    if (row.kernel.find(part) != std::string::npos) found.push_back(row);
  return found.size() == 1 ? found.front() : ProfiledKernel{};
}

int64_t runs_of(const ProfileSummary& summary) {
  int64_t runs = 0;
  for (const ProfiledKernel& row : summary.kernels) runs += row.runs;
  return runs;
}

std::vector<Json> events_of(const Json& trace, const std::string& category) {
  std::vector<Json> found;
  for (const Json& event : trace["traceEvents"].array())
    if (event.has("cat") && event["cat"].text() == category) found.push_back(event);
  return found;
}

EG_TEST(Profiling, counts_every_kernel_once) {
  const Tensor x = upload(random_array(DType::f32, {1000}));
  const int64_t before = statistics(device()).kernels;
  Profile profile;
  for (int i = 0; i < 3; ++i) (x * 2.0F).eval();
  sum(x).eval();
  const ProfileSummary summary = profile.stop();
  EXPECT_EQ(statistics(device()).kernels - before, 4);
  EXPECT_EQ(runs_of(summary), 4);
  const ProfiledKernel row = row_of(summary, "map f32 (1000,): mul");
  EXPECT_EQ(row.runs, 3);
  EXPECT_EQ(row.device, (on_gl() ? device().info().spec + " " : "") + device().info().name);
  EXPECT_EQ(row.bytes, 3 * 8000);
  EXPECT_EQ(row.operations, 0);
  EXPECT_GT(row.shortest, 0);
  EXPECT_LE(row.shortest, row.longest);
  EXPECT_LE(row.longest, row.seconds);
  EXPECT_EQ(row_of(summary, "reduce sum").runs, 1);
}

EG_TEST(Profiling, counts_what_each_kernel_must_read_and_write) {
  const Tensor x = upload(random_array(DType::f32, {64, 32})), row = upload(random_array(DType::f32, {32}));
  Profile profile;
  (x + row).eval();
  (x * x).eval();
  gt(x, row).eval();
  matmul(x, x.transpose(0, 1)).eval();
  const ProfileSummary summary = profile.stop();
  EXPECT_EQ(row_of(summary, ": add of").bytes, 4 * (64 * 32 + 32 + 64 * 32)) << "a broadcast operand is read once";
  EXPECT_EQ(row_of(summary, ": mul of").bytes, 4 * (2 * 64 * 32)) << "so is one that is used twice";
  EXPECT_EQ(row_of(summary, ": gt of").bytes, 4 * (64 * 32 + 32) + 64 * 32);
  const ProfiledKernel product = row_of(summary, "matmul f32 (64, 32) x (32, 64)");
  EXPECT_EQ(product.bytes, 4 * (2 * 64 * 32 + 64 * 64));
  EXPECT_EQ(product.operations, 2 * 64 * 64 * 32);
}

EG_TEST(Profiling, hears_nothing_before_it_starts_or_after_it_stops) {
  const Tensor x = upload(random_array(DType::f32, {1000}));
  exp(x).eval();
  device().synchronize();
  Profile profile(file("trace.json"));
  neg(x).eval();
  EXPECT_EQ(runs_of(profile.stop()), 1);
  sqrt(x).eval();
  device().synchronize();
  EXPECT_EQ(runs_of(profile.stop()), 1);
  EXPECT_EQ(events_of(read(file("trace.json")), "kernel").size(), 1U);
}

EG_TEST(Profiling, several_at_a_time_hear_what_is_theirs) {
  const Tensor x = upload(random_array(DType::f32, {1000}));
  Profile outer;
  neg(x).eval();
  {
    Profile inner(file("inner.json"));
    neg(x).eval();
    neg(x).eval();
  }
  EXPECT_EQ(events_of(read(file("inner.json")), "kernel").size(), 2U) << "written when it went out of scope";
  neg(x).eval();
  EXPECT_EQ(row_of(outer.stop(), ": neg of").runs, 4);
}

EG_TEST(Profiling, moves_and_is_replaced) {
  const Tensor x = upload(random_array(DType::f32, {1000}));
  Profile first(file("first.json"));
  Profile second = std::move(first);
  neg(x).eval();
  second = Profile(file("second.json"));
  EXPECT_EQ(events_of(read(file("first.json")), "kernel").size(), 1U);
  neg(x).eval();
  neg(x).eval();
  EXPECT_EQ(runs_of(second.stop()), 2);
}

EG_TEST(Profiling, writes_a_trace_that_viewers_open) {
  Profile profile(file("trace.json"));
  EXPECT_TRUE(read(file("trace.json"))["traceEvents"].array().empty()) << "the file is there from the start";
  const Tensor x = upload(random_array(DType::f32, {1000}));
  for (int i = 0; i < 20; ++i) neg(x).eval();
  const ProfileSummary summary = profile.stop();
  const Json trace = read(file("trace.json"));
  const std::vector<Json> kernels = events_of(trace, "kernel");
  EXPECT_EQ(runs_of(summary), 20);
  EXPECT_EQ(kernels.size(), 20U);
  double last = 0;
  for (const Json& event : kernels) {
    EXPECT_EQ(event["ph"].text(), "X");
    EXPECT_GE(event["ts"].number(), last) << "kernels of a device follow each other";
    EXPECT_GT(event["dur"].number(), 0);
    last = event["ts"].number() + event["dur"].number();
    EXPECT_EQ(event["args"]["bytes"].number(), 8000);
    EXPECT_GT(event["args"]["GB/s"].number(), 0);
  }
  EXPECT_LT(last, 600e6) << "microseconds since recording began";
}

EG_TEST(Profiling, shows_the_programs_of_kernels_on_gl) {
  Profile profile(file("trace.json"));
  const Tensor x = upload(random_array(DType::f32, {77}));
  for (int i = 0; i < 2; ++i) (x * 3.0F + 1.0F).eval();
  profile.stop();
  const Json trace = read(file("trace.json"));
  const std::vector<Json> kernels = events_of(trace, "kernel");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0]["args"].has("GLSL"), on_gl());
  EXPECT_FALSE(kernels[1]["args"].has("GLSL")) << "a long text is not repeated";
  if (!on_gl()) return;
  EXPECT_NE(kernels[0]["args"]["GLSL"].text().find("void main()"), std::string::npos);
  const std::string number = std::to_string(static_cast<int>(kernels[1]["args"]["programs"].array().front().number()));
  EXPECT_EQ(trace["programs"][number]["GLSL"].text() + "\n", kernels[0]["args"]["GLSL"].text());
}

/// Kernels of several copies, and of copies beside dispatches: pads and rolls on software devices.
EG_TEST(Profiling, shows_copies_and_dispatches_of_one_kernel) {
  Profile profile(file("trace.json"));
  const Tensor x = upload(random_array(DType::f32, {300, 77}));
  const Tensor padded = x.pad({{1, 2}, {3, 4}}).eval(), rolled = roll(x, {5, 6}, {0, 1}).eval();
  const ProfileSummary summary = profile.stop();
  EXPECT_EQ(runs_of(summary), 2);
  double whole = 0, parts = 0;
  for (const Json& event : events_of(read(file("trace.json")), "kernel")) {
    const bool is_part = !event["args"].has("microseconds");
    (is_part ? parts : whole) += event["dur"].number();
    EXPECT_TRUE(!is_part || event["args"].has("program") || event["name"].text() == "copy");
  }
  EXPECT_GT(whole, 0);
  EXPECT_LE(parts, whole * 1.001);
}

EG_TEST(Profiling, names_devices_and_times_transfers) {
  Profile profile(file("trace.json"));
  const Tensor x = upload(random_array(DType::f32, {1000}));
  neg(x).to_vector<float>();
  profile.stop();
  const Json trace = read(file("trace.json"));
  std::vector<std::string> names;
  for (const Json& event : events_of(trace, "host")) names.push_back(event["name"].text());
  EXPECT_EQ(std::count(names.begin(), names.end(), "upload"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "download, and the wait for what it reads"), 1);
  std::string process;
  for (const Json& event : trace["traceEvents"].array())
    if (event["name"].text() == "process_name") process = event["args"]["name"].text();
  EXPECT_NE(process.find(device().info().name), std::string::npos);
}

EG_TEST(Profiling, leaves_out_kernels_that_fail) {
  Profile profile;
  const Tensor x = exp(ones({int64_t{1} << 29, int64_t{1} << 29})).eval();  // 2^60 bytes
  EXPECT_THROW(device().synchronize(), OutOfMemoryError);
  EXPECT_EQ(runs_of(profile.stop()), 0);
}

EG_TEST(Profiling, refuses_a_file_that_cannot_be_written) {
  EXPECT_ERROR(Profile("/nonexistent/trace.json"), FileError,
               "[Profile] /nonexistent/trace.json cannot be written: No such file or directory");
  EXPECT_ERROR(Profile{folder_}, FileError, "[Profile] " + folder_.string() + " cannot be written: Is a directory");
  exp(ones({4})).eval();
  device().synchronize();
  EXPECT_EQ(runs_of(Profile().stop()), 0);
}

std::string contents_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

EG_TEST(Profiling, follows_the_environment) {
  const std::string test = "Device/Profiling.counts_every_kernel_once/" + name_of_spec(spec());
  const int status = run_again(test, "EGLANTINE_PROFILE=" + file("trace.json").string(), file("printed"));
  EXPECT_EQ(status, 0) << contents_of(file("printed"));
  EXPECT_EQ(events_of(read(file("trace.json")), "kernel").size(), 4U);
  EXPECT_NE(contents_of(file("printed")).find("reduce sum f32"), std::string::npos) << "the table";
}

EG_TEST(Profiling, says_which_variable_names_a_file_that_cannot_be_written) {
  const std::string test = "Device/Profiling.counts_every_kernel_once/" + name_of_spec(spec());
  EXPECT_NE(run_again(test, "EGLANTINE_PROFILE=/nonexistent/x.json", file("printed")), 0);
  const std::string printed = contents_of(file("printed"));
  const std::string advice = "cannot be written: No such file or directory; EGLANTINE_PROFILE names the file";
  const size_t first = printed.find(advice);
  ASSERT_NE(first, std::string::npos) << printed;
  EXPECT_NE(printed.find(advice, first + 1), std::string::npos) << "the next device that is opened says so too";
}

}  // namespace
}  // namespace eglantine::test
