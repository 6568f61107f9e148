#include <algorithm>

#include "eglantine/error.hpp"
#include "gl/fixture.hpp"
#include "profile/recorder.hpp"

namespace eglantine::test {
namespace {

gl::Functions timer_driver;
int queries_made = 0;

constexpr const char* own_device = "the kernel timer's";

/// What `run` reports to a recorder of this device: others may still finish the work of earlier tests.
template <class Run>
profile::Recording recorded(Run run) {
  const auto recorder = profile::add_recorder();
  run();
  profile::remove_recorder(recorder);
  const profile::Recording all = recorder->take();
  profile::Recorder own;
  for (const profile::Recording::Run& each : all.runs) {
    const auto first = all.intervals.begin() + static_cast<std::ptrdiff_t>(each.first_interval);
    const profile::Subject& subject = all.totals[each.total].subject;
    const std::vector<profile::Interval> intervals(first, first + static_cast<std::ptrdiff_t>(each.interval_count));
    if (subject.device == own_device) own.add(subject, profile::host_now(), intervals);
  }
  return own.take();
}

/// The runs of each subject, for messages.
std::string runs_of(const profile::Recording& recording) {
  std::string text;
  for (const auto& total : recording.totals) text += total.subject.name + ": " + std::to_string(total.runs) + " ";
  return text;
}

class KernelTimer : public ::testing::TestWithParam<bool> {  // GLES or not
 protected:
  void open(const gl::Options& options = {}) {
    runtime_ = open_runtime(options, GetParam());
    x_ = runtime_->allocate(count * 4);
    y_ = runtime_->allocate(count * 4);
    upload(*runtime_, *x_, counting(count));
  }
  ~KernelTimer() override {
    x_.reset();
    y_.reset();
  }
  void run(int dispatches) {
    runtime_->kernel_timer().time({.device = own_device, .name = "kernel"}, [&] {
      for (int i = 0; i < dispatches; ++i) runtime_->dispatch(multiply_add(*runtime_, *x_, *y_, count, 3, 7));
    });
  }

  static constexpr uint32_t count = 100000;
  std::unique_ptr<gl::GlRuntime> runtime_;
  std::unique_ptr<Storage> x_, y_;
};

INSTANTIATE_TEST_SUITE_P(Gl, KernelTimer, ::testing::Bool(),
                         [](const auto& each) { return std::string(each.param ? "gles" : "gl"); });

TEST_P(KernelTimer, maps_the_device_s_times_to_the_host_s_clock) {
  open();
  run(1);  // compiles
  runtime_->synchronize();
  runtime_->kernel_timer().settle();
  const int64_t before = profile::host_now();
  const profile::Recording recording = recorded([&] {
    run(3);
    runtime_->kernel_timer().settle();
  });
  const int64_t after = profile::host_now(), slack = 1'000'000;
  ASSERT_EQ(recording.runs.size(), 1U);
  ASSERT_EQ(recording.intervals.size(), 3U);
  int64_t last = before - slack;
  for (const profile::Interval& interval : recording.intervals) {
    EXPECT_GE(interval.start, last);
    EXPECT_GT(interval.end, interval.start);
    last = interval.end;
  }
  EXPECT_LE(last, after + slack);
  EXPECT_EQ(recording.totals.front().subject.host_clock, !runtime_->clock().is_of_device());
}

TEST_P(KernelTimer, reports_what_the_driver_copies) {
  open();
  const BufferPtr from = buffer_of(*runtime_, counting(count)), to = buffer_of(*runtime_, counting(count, 7));
  const std::vector<gl::CopyRange> all{{0, 0, count * 2}, {count * 2, count * 2, count * 2}};
  const profile::Recording recording = recorded([&] {
    runtime_->kernel_timer().time({.device = own_device, .name = "kernel"},
                                  [&] { runtime_->copy(from->storage(), to->storage(), all); });
    runtime_->kernel_timer().settle();
  });
  ASSERT_EQ(recording.runs.size(), 1U);
  ASSERT_EQ(recording.intervals.size(), 1U);
  EXPECT_GE(recording.intervals[0].end, recording.intervals[0].start);
  EXPECT_EQ(recording.totals.front().subject.programs, std::vector<profile::ProgramRecordPtr>{nullptr});
  EXPECT_EQ(download(*runtime_, to->storage(), count), counting(count));
}

TEST_P(KernelTimer, gives_the_host_s_time_where_there_are_no_timer_queries) {
  gl::Options options;
  options.replace_functions = [](gl::Functions& functions) { functions.QueryCounter = nullptr; };
  open(options);
  const profile::Recording recording = recorded([&] {
    run(2);
    runtime_->kernel_timer().settle();
  });
  const auto kernel = std::find_if(recording.totals.begin(), recording.totals.end(),
                                   [](const auto& total) { return total.subject.name == "kernel"; });
  ASSERT_NE(kernel, recording.totals.end());
  EXPECT_TRUE(kernel->subject.host_clock);
  EXPECT_EQ(kernel->subject.programs.size(), 2U) << "one a dispatch";
  EXPECT_GT(kernel->shortest, 0);
}

TEST_P(KernelTimer, uses_its_queries_again) {
  gl::Options options;
  options.replace_functions = [](gl::Functions& functions) {
    timer_driver = functions;
    queries_made = 0;
    functions.GenQueries = [](GLsizei wanted, GLuint* names) {
      queries_made += wanted;
      timer_driver.GenQueries(wanted, names);
    };
  };
  open(options);
  run(1);                   // compiles
  runtime_->synchronize();  // else it may be dispatched while the recording is on
  const profile::Recording recording = recorded([&] {
    for (int i = 0; i < 1000; ++i) {
      run(1);
      if (i % 100 == 99) runtime_->synchronize();
    }
    runtime_->kernel_timer().settle();
  });
  EXPECT_EQ(recording.runs.size(), 1000U) << runs_of(recording);
  EXPECT_LE(queries_made, 512) << "of 2000 that were needed in all";
}

TEST_P(KernelTimer, drops_a_kernel_that_throws) {
  open();
  const profile::Recording recording = recorded([&] {
    EXPECT_THROW(runtime_->kernel_timer().time({.device = own_device, .name = "failing"},
                                               [&] {
                                                 runtime_->dispatch(multiply_add(*runtime_, *x_, *y_, count, 3, 7));
                                                 throw DeviceError("no");
                                               }),
                 DeviceError);
    EXPECT_FALSE(runtime_->kernel_timer().is_timing());
    run(1);
    runtime_->kernel_timer().settle();
  });
  for (const auto& total : recording.totals) EXPECT_NE(total.subject.name, "failing");
}

}  // namespace
}  // namespace eglantine::test
