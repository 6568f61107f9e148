#include "backend/gl/execution/timing/watchdog.hpp"

#include <cmath>

#include "backend/device_state.hpp"
#include "backend/gl/context/options.hpp"
#include "backend/gl/execution/programs/program_text.hpp"
#include "backend/gl/gl_backend.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/own.hpp"
#include "gl/fixture.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/reference/naive.hpp"

/// Dispatches that would take too long are cut.
namespace eglantine::test {
namespace {

constexpr int64_t millisecond = 1'000'000, limit = 500 * millisecond;
constexpr double much = 1e9;
constexpr int64_t groups = 1000;

/// A watchdog for a kernel with much work, on a device whose dispatches are waited for or not.
gl::Watchdog watching(bool waits, int64_t fewest_groups = 1) {
  gl::Watchdog watchdog(limit, waits, fewest_groups);
  watchdog.expect(much);
  return watchdog;
}

gl::Rate that_takes(int64_t nanoseconds) {
  gl::Rate rate;
  gl::Watchdog::measured(rate, much, groups, groups, nanoseconds);
  return rate;
}

TEST(WatchdogPlan, lets_short_work_pass_unmeasured) {
  gl::Watchdog watchdog = watching(true);
  EXPECT_EQ(watchdog.groups_of_next(that_takes(millisecond), groups, groups), groups);
  EXPECT_FALSE(watchdog.wants_time(that_takes(millisecond), groups, groups));
  watchdog.expect(1000);
  EXPECT_EQ(watchdog.groups_of_next({}, groups, groups), groups);
  EXPECT_FALSE(watchdog.wants_time({}, groups, groups));
}

TEST(WatchdogPlan, cuts_long_work_to_half_the_limit) {
  const gl::Watchdog watchdog = watching(true);
  EXPECT_EQ(watchdog.groups_of_next(that_takes(20 * limit), groups, groups), groups / 40);
  EXPECT_EQ(watchdog.groups_of_next(that_takes(20 * limit), groups, 7), 7);
  EXPECT_EQ(watchdog.groups_of_next(that_takes(1'000'000 * limit), groups, groups), 1) << "no fewer than one";
}

TEST(WatchdogPlan, predicts_from_work_and_from_windows) {
  gl::Watchdog watchdog = watching(true);
  gl::Rate rate;
  gl::Watchdog::measured(rate, much, groups, groups / 10, limit);
  EXPECT_EQ(watchdog.groups_of_next(rate, groups, groups), groups / 20);
  watchdog.expect(2 * much);
  EXPECT_EQ(watchdog.groups_of_next(rate, groups, groups), groups / 40);
}

TEST(WatchdogPlan, tries_a_new_program_on_a_few_groups_where_it_can_wait) {
  EXPECT_LT(watching(true).groups_of_next({}, groups, groups), groups / 16);
  EXPECT_TRUE(watching(true).wants_time({}, groups, 10));
  EXPECT_EQ(watching(false).groups_of_next({}, groups, groups), groups);
  EXPECT_TRUE(watching(false).wants_time({}, groups, groups));
}

TEST(WatchdogPlan, keeps_a_gpu_busy) {
  EXPECT_EQ(watching(false, 300).groups_of_next(that_takes(1000 * limit), groups, groups), 300);
  EXPECT_EQ(watching(false, 5000).groups_of_next(that_takes(1000 * limit), groups, groups), groups);
}

TEST(WatchdogText, numbers_the_groups_of_the_whole_grid) {
  EXPECT_EQ(gl::with_grid_window("layout(local_size_x = 8) in;\nuint my_gl_WorkGroupID = gl_WorkGroupID.x;"),
            "layout(location = 1000) uniform uint eg_grid_window[6]; layout(local_size_x = 8) in;\n"
            "uint my_gl_WorkGroupID = (gl_WorkGroupID + uvec3(eg_grid_window[0], eg_grid_window[1], "
            "eg_grid_window[2])).x;");
}

/// A device that treats every kernel as slow: dispatches are cut as finely as possible.
class Windows : public DeviceTest {
 protected:
  void SetUp() override {
    if (spec() == "cpu") return DeviceTest::SetUp();
    gl::Options options;
    options.longest_dispatch_nanoseconds = 1;
    const auto open = [options, spec = spec()] { return gl::open_backend(spec, options); };
    Device::set_current(Device(std::make_shared<DeviceState>(Queue::start(open))));
  }
  void TearDown() override { Device::set_current(open_device(spec())); }

  /// Computes x; returns the number of dispatches.
  int64_t dispatches_of(const Tensor& x) const {
    const int64_t before = statistics(device()).dispatches;
    x.eval();
    return statistics(device()).dispatches - before;
  }
  /// On a GPU windows keep the device busy, so these are not cut.
  bool cuts() const { return on_gl() && device().info().software; }
};

EG_SUITE(Watchdog, Windows, device_specs());

Array small_numbers(const Dims& shape) {
  return generate(DType::f32, shape, [i = 0](const Dims&) mutable { return i++ % 7 - 3; });
}

EG_TEST(Windows, of_a_slow_kernel_give_the_same_result) {
  std::string roots = "x0";
  for (int i = 0; i < 64; ++i) roots = "sqrt(0.5 + 0.5 * " + roots + ")";
  const auto rooted = [](std::span<const float> x) {
    float value = x[0];
    for (int i = 0; i < 64; ++i) value = std::sqrt(0.5F + 0.5F * value);
    return value;
  };
  const Tensor y = elementwise({"slow", 1, roots, rooted}, {Tensor::from(std::vector<float>(1 << 17, 1), {1 << 17})});
  const int64_t dispatches = dispatches_of(y);
  EXPECT_EQ(y.to_vector<float>(), std::vector<float>(1 << 17, 1));
  EXPECT_GT(dispatches, cuts() ? 8 : -1);
}

EG_TEST(Windows, of_each_family_give_the_same_result) {
  constexpr int64_t n = 512;
  const Array x = small_numbers({n, n});
  const Tensor held = upload(x);
  const auto expect = [&](const Tensor& tensor, const Array& reference, const char* family) {
    const int64_t dispatches = dispatches_of(tensor);
    EXPECT_TRUE(matches(tensor, reference)) << family;
    EXPECT_GT(dispatches, cuts() ? 1 : -1) << family;
  };
  expect(held * 2, naive::map(x, DType::f32, [](double v) { return 2 * v; }), "map");
  expect(sum(held, {1}), naive::sum(x, {1}), "reduce rows");
  expect(sum(held, {0}), naive::sum(x, {0}), "reduce columns");
  expect(cumsum(held, 1), naive::cumsum(x, 1), "scan rows");
  expect(cumsum(held, 0), naive::cumsum(x, 0), "scan columns");
  expect(sort(held, 1), naive::sort(x, 1).keys, "sort rows");
  expect(sort(held.reshape({n * n})), naive::sort(Array{DType::f32, {n * n}, x.values}, 0).keys, "sort");
  expect(take(held, arange(n - 1, -1, -1, DType::i32), 0), naive::flip(x, {0}), "gather");
  expect(matmul(held, held), naive::matmul(x, x), "matmul");
}

}  // namespace
}  // namespace eglantine::test
