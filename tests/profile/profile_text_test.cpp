#include <limits>
#include <sstream>

#include "eglantine/profile.hpp"
#include "gtest/gtest.h"
#include "profile/json_text.hpp"
#include "profile/session.hpp"
#include "profile/trace.hpp"
#include "support/json.hpp"

namespace eglantine::test {
namespace {

using profile::Interval;
using profile::Recorder;
using profile::Subject;

TEST(ProfileText, json_strings_come_back_as_they_were) {
  const std::string text = std::string("a \"quoted\" \\ path\n\t\x01\x7F \xC3\xA9") + '\0';
  EXPECT_EQ(Json::parse(profile::json_text(text)).text(), text);
}

TEST(ProfileText, json_numbers_are_numbers_or_null) {
  EXPECT_EQ(profile::json_number(0.25), "0.25");
  EXPECT_EQ(profile::json_number(1e20), "1e+20");
  EXPECT_EQ(profile::json_number(4294967296.0, 17), "4294967296");
  EXPECT_EQ(profile::json_number(std::numeric_limits<double>::infinity()), "null");
}

TEST(ProfileText, a_kernel_of_several_dispatches_shows_each_and_counts_them_together) {
  Recorder recorder;
  const int64_t now = profile::host_now();
  const auto program = [](const char* name) {
    return std::make_shared<profile::ProgramRecord>(profile::ProgramRecord{name, "key", "void main() {}"});
  };
  Subject subject{.device = "gl:0 x", .name = "reduce", .bytes = 4000};
  subject.programs = {program("first"), program("second")};
  recorder.add(subject, now, {{now + 1000, now + 3000}, {now + 10000, now + 11000}});
  const profile::Recording recording = recorder.take();
  const ProfileSummary summary = profile::summary_of(recording);
  ASSERT_EQ(summary.kernels.size(), 1U);
  EXPECT_DOUBLE_EQ(summary.kernels.front().seconds, 3e-6) << "the pause between them is not the kernel's";
  const Json trace = Json::parse(profile::trace_json(recording));
  const Json::Array& events = trace["traceEvents"].array();
  EXPECT_EQ(events[0]["name"].text(), "reduce");
  EXPECT_NEAR(events[0]["dur"].number(), 10, 1e-9);
  EXPECT_NEAR(events[0]["args"]["microseconds"].number(), 3, 1e-9);
  EXPECT_EQ(events[1]["name"].text(), "first");
  EXPECT_NEAR(events[1]["dur"].number(), 2, 1e-9);
  EXPECT_EQ(events[2]["name"].text(), "second");
}

TEST(ProfileText, what_began_before_the_recording_is_not_in_it) {
  Recorder recorder;
  const int64_t now = profile::host_now(), second = 1'000'000'000;
  recorder.add({.device = "cpu", .name = "early"}, now - second, {{now - second, now}});
  EXPECT_TRUE(recorder.take().totals.empty());
}

TEST(ProfileText, the_table_sorts_kernels_by_their_time_in_all) {
  Recorder recorder;
  const int64_t now = profile::host_now();
  recorder.add({.device = "cpu", .name = "map f32 (8,)", .bytes = 64}, now, {{now, now + 1000}});
  for (int i = 0; i < 2; ++i)
    recorder.add({.device = "cpu", .name = "matmul f32", .bytes = 3000, .operations = 12000}, now, {{now, now + 1500}});
  recorder.add({.device = "cpu", .name = "matmul f32", .bytes = 3000, .operations = 12000}, now, {{now, now + 4000}});
  recorder.add({.device = "gles:0", .name = "map i32", .host_clock = true}, now, {{now, now + 2000}});
  std::ostringstream out;
  out << profile::summary_of(recorder.take());
  EXPECT_EQ(out.str(),
            "kernels on cpu: 0.008 ms\n"
            "    total ms      %    runs    mean us     min us     GB/s   GFLOP/s  kernel\n"
            "       0.007   87.5       3        2.3        1.5      1.3       5.1  matmul f32\n"
            "       0.001   12.5       1        1.0        1.0      0.1            map f32 (8,)\n"
            "kernels on gles:0: 0.002 ms\n"
            "    total ms      %    runs    mean us     min us     GB/s   GFLOP/s  kernel\n"
            "       0.002  100.0       1        2.0        2.0                     map i32\n"
            "this device has no timer queries: the times are what its worker thread took to run each kernel\n");
}

TEST(ProfileText, of_nothing_says_so) {
  std::ostringstream out;
  out << ProfileSummary{};
  EXPECT_EQ(out.str(), "no kernel ran\n");
}

}  // namespace
}  // namespace eglantine::test
