#include <gtest/gtest.h>

#include "eglantine/ops.hpp"
#include "lower/reduce/planned_reduce.hpp"
#include "support/random/draw.hpp"
#include "verbs/network/convolution/convolution_gradients.hpp"
#include "verbs/network/drawn_convolution.hpp"

/// Rows that read much in common, as hardware takes them at once: the bits are those of row by row, and the CPU's.
namespace eglantine::test {
namespace {

/// The gradient of a depthwise convolution of x (n, channels, spatial...) by its kernel, of so many `places`.
struct DepthwiseCase {
  Dims x, places;
  naive::ConvRule rule;
  StorageType storage = StorageType::f32;
  bool leaky = false;  ///< the cotangents go through a ReLU that leaks, in the same kernel

  Dims kernel() const {
    Dims shape{x[1], 1};
    shape.insert(shape.end(), places.begin(), places.end());
    return shape;
  }
  Dims results() const {
    Dims shape{x[0], x[1]};
    for (size_t k = 0; k < places.size(); ++k) shape.push_back(naive::places_along(rule, k, x[k + 2], places[k]));
    return shape;
  }
};

class TogetherSchedules : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }
  void SetUp() override { Device::set_current(Device::open("cpu")); }

  /// The kernel of a case on this device, and its bits on the CPU.
  struct Planned {
    ReduceKernel kernel;
    Words expected;
  };
  static Planned planned(DepthwiseCase c) {
    c.rule.groups = c.x[1];
    const Array x = random_elements(c.storage, c.x, 1), g = random_elements(c.storage, c.results(), 2);
    const DType dtype = dtype_of(c.storage);
    const Tensor on_cpu_x = upload(x).astype(dtype).eval(), on_cpu_g = upload(g).astype(dtype).eval();
    const auto gradient = [&] {
      const Tensor wide = on_cpu_g.astype(DType::f32), of_y = c.leaky ? where(gt(wide, 0), wide, wide * 0.3F) : wide;
      return verbs::conv_weight_gradient(of_y, on_cpu_x.astype(DType::f32), Shape(c.kernel()), options_of(c.rule));
    };
    const Words expected = bits_of(gradient());
    const MovedBuffers moved{{on_cpu_x.node()->stored().buffer, buffer_of(*device_, words_of(x, c.storage))},
                             {on_cpu_g.node()->stored().buffer, buffer_of(*device_, words_of(g, c.storage))}};
    return {planned_reduce(gradient(), moved), expected};
  }

  /// Expects the CPU's bits of rows taken one by one, and of how hardware that two of them fill takes them: `names`.
  static void check(const DepthwiseCase& c, const std::string& names) {
    SCOPED_TRACE(text(c.x) + " " + text(c.places));
    const Planned made = planned(c);
    expect_run(made.kernel, int64_t{1} << 30, one_by_one, made.expected);
    expect_run(made.kernel, few_invocations, names, made.expected);
  }

  /// How many rows hardware of so many resident invocations takes at once.
  static int64_t rows_at_once(const DepthwiseCase& c, int64_t resident = few_invocations) {
    const std::string glsl = glsl_of(AsHardware(*device_, resident).target(), planned(c).kernel),
                      define = "#define EG_TOGETHER ";
    const size_t at = glsl.find(define);
    return at == std::string::npos ? 1 : std::stoll(glsl.substr(at + define.size(), 2));
  }

  static constexpr int64_t few_invocations = 2 * layout::row_lanes;
  /// By a group a row, and by lanes that take several rows at once, whose blocks are combined row by row.
  static constexpr const char* one_by_one = "reduce_row sum f32\n";
  static constexpr const char* at_once = "reduce_row_together sum f32\n";
  static constexpr const char* blocks_at_once = "reduce_row_together sum f32\nreduce_row sum f32\n";

 private:
  static void expect_run(const ReduceKernel& kernel, int64_t resident, const std::string& names,
                         const Words& expected) {
    AsHardware hardware(*device_, resident);
    expect_reduce(*device_, hardware, kernel, names, expected);
  }

  static std::unique_ptr<gl::GlRuntime> device_;
};

std::unique_ptr<gl::GlRuntime> TogetherSchedules::device_;

TEST_F(TogetherSchedules, the_places_of_a_kernel) {
  check({{3, 4, 13, 12}, {3, 3}, rule_of(2, 1, 1)}, at_once);
  check({{3, 4, 13, 13}, {3, 3}, rule_of(2, 1, 1)}, at_once);
  check({{4, 3, 17, 16}, {3, 3}, rule_of(2, 2, 1)}, at_once);
  check({{2, 3, 20, 22}, {3, 3}, rule_of(2, 1, 0)}, at_once);
  check({{2, 3, 20, 20}, {1, 3}, rule_of(2, 1, 1)}, at_once);
  check({{2, 3, 20, 20}, {3, 3}, rule_of(2, 1, 2, 2)}, at_once);
}

TEST_F(TogetherSchedules, one_line_of_the_places_of_a_large_kernel) {
  check({{2, 3, 16, 16}, {5, 5}, rule_of(2, 1, 2)}, at_once);
  check({{2, 2, 16, 17}, {7, 7}, rule_of(2, 1, 3)}, at_once);
}

TEST_F(TogetherSchedules, of_one_and_of_three_spatial_axes) {
  check({{3, 3, 100}, {4}, rule_of(1, 1, 2)}, at_once);
  check({{2, 3, 301}, {5}, rule_of(1, 1, 2)}, at_once);
  check({{2, 3, 6, 7, 8}, {3, 3, 3}, rule_of(3, 1, 1)}, at_once);
}

TEST_F(TogetherSchedules, of_several_blocks) {
  check({{5, 2, 60, 60}, {3, 3}, rule_of(2, 1, 1)}, blocks_at_once);
  check({{9, 2, 61, 59}, {3, 3}, rule_of(2, 2, 1)}, blocks_at_once);
}

TEST_F(TogetherSchedules, of_narrow_floats) {
  check({{3, 4, 12, 12}, {3, 3}, rule_of(2, 1, 1), StorageType::f16}, at_once);
  check({{3, 4, 12, 13}, {3, 3}, rule_of(2, 1, 1), StorageType::bf16}, at_once);
}

TEST_F(TogetherSchedules, what_all_rows_compute_of_the_cotangents) {
  const DepthwiseCase c{{3, 4, 13, 12}, {3, 3}, rule_of(2, 1, 1), StorageType::f32, true};
  check(c, at_once);
}

TEST_F(TogetherSchedules, as_many_rows_as_fill_the_device_and_fit_an_invocation) {
  const DepthwiseCase nine{{2, 6, 16, 16}, {3, 3}, rule_of(2, 1, 1)};
  EXPECT_EQ(rows_at_once(nine), 9);
  EXPECT_EQ(rows_at_once(nine, 6 * 8 * layout::row_lanes), 9);
  EXPECT_EQ(rows_at_once(nine, 6 * 8 * layout::row_lanes + 1), 3) << "three times as many groups";
  EXPECT_EQ(rows_at_once(nine, 18 * 8 * layout::row_lanes + 1), 1);
  EXPECT_EQ(rows_at_once({{2, 6, 16, 16}, {4, 4}, rule_of(2, 1, 1)}), 16);
  EXPECT_EQ(rows_at_once({{2, 6, 16, 16}, {5, 5}, rule_of(2, 1, 2)}), 5);
  EXPECT_EQ(rows_at_once({{2, 4, 400}, {3}, rule_of(1, 1, 1)}), 3) << "channels have nothing in common";
}

TEST_F(TogetherSchedules, not_of_few_places_or_of_rows_of_one_trip) {
  check({{3, 4, 12, 13}, {1, 2}, rule_of(2, 1, 1)}, one_by_one);
  check({{1, 4, 12, 13}, {3, 3}, rule_of(2, 1, 1)}, one_by_one);
}

TEST_F(TogetherSchedules, drawn_strides_pads_and_dilations) {
  Draw draw = draw_one_of(6);
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    if (!draw.next()) continue;
    Random random(seed);
    const auto axes = static_cast<size_t>(random.integer(1, 2));
    DepthwiseCase c{{random.integer(2, 3), random.integer(2, 5)}, {}, rule_of(axes, 1, 0)};
    for (size_t k = 0; k < axes; ++k) {
      c.x.push_back(axes == 1 ? random.integer(400, 900) : random.integer(30, 45));
      c.places.push_back(random.integer(3, axes == 1 ? 9 : 4));
      c.rule.stride[k] = random.integer(1, 2);
      c.rule.dilation[k] = random.integer(1, 2);
      c.rule.pads[k] = {random.integer(0, 3), random.integer(0, 3)};
    }
    SCOPED_TRACE(seed);
    check(c, at_once);
  }
}

}  // namespace
}  // namespace eglantine::test
