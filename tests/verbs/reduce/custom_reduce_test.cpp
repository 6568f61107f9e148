#include <cmath>
#include <stdexcept>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/custom_ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Custom, CustomReduce);
EG_ON_EACH_DEVICE(Windows, WindowedCustom);

using AxisList = std::vector<int64_t>;

constexpr Tolerance loose{0, 1e-5, 1e-5};

Array over(const Array& x, const AxisList& axes, double (*f)(const std::vector<double>&), bool keepdims = false) {
  return naive::reduce(x, axes, keepdims, DType::f32, f);
}

/// Numbers of many magnitudes: another order changes the last bits.
Array mixed_numbers(const Dims& shape) {
  Random random(7);
  return generate(DType::f32, shape, [&](const Dims&) {
    return as_element(DType::f32, std::exp2(random.real(-12, 12)) * (random.integer(0, 1) == 0 ? 1 : -1));
  });
}

EG_TEST(CustomReduce, every_axis_of_every_view) {
  for (const AxisList& axes : {AxisList{}, {0}, {2}})
    check_over_views(
        DType::f32, {{5, 13, 37}}, [&](const Tensor& x) { return reduce(x, norm(), axes); },
        [&](const Array& x) { return over(x, axes, norm); }, loose);
}

EG_TEST(CustomReduce, keeps_axes_when_asked) {
  const Array x = random_reals({5, 13, 37}, -0.1, 0.1);
  for (const AxisList& axes : {AxisList{}, {0}, {-1}, {0, 2}})
    EXPECT_TRUE(matches(reduce(upload(x), compound(), axes, true), over(x, axes, compound, true), loose)) << text(axes);
}

EG_TEST(CustomReduce, a_sum_of_ones_own_has_the_bits_of_sum) {
  for (const Dims& shape : {Dims{3, 4099}, {4099, 3}, {3, 20011}, {20011, 3}, {100003}, {2000, 300}, {3001, 5}}) {
    const Tensor x = upload(mixed_numbers(shape));
    for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis)
      EXPECT_TRUE(same_bits(reduce(x, plus(), {axis}), sum(x, {axis}))) << text(shape) << " over " << axis;
    EXPECT_TRUE(same_bits(reduce(x, plus()), sum(x))) << text(shape);
  }
}

EG_TEST(CustomReduce, lengths_around_the_edges_of_lanes_and_blocks) {
  for (int64_t n : {2, 3, 5, 13, 127, 129, 256, 257, 1025, 8192, 8193}) {
    const Array rows = random_array(DType::f32, {3, n}), columns = naive::transpose(rows, 0, 1);
    EXPECT_TRUE(matches(reduce(upload(rows), norm(), {1}), over(rows, {1}, norm), loose)) << n;
    EXPECT_TRUE(matches(reduce(upload(columns), norm(), {0}), over(columns, {0}, norm), loose)) << n;
  }
}

EG_TEST(CustomReduce, of_hardly_any_and_of_infinite_numbers) {
  const Array x{
      DType::f32,
      {3, 5},
      {-INFINITY, 1, 2, 3, 4, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, INFINITY, 1, 2, 3, -INFINITY}};
  EXPECT_TRUE(matches(reduce(upload(x), log_add_exp(), {1}),
                      Array{DType::f32, {3}, {log_sum_exp({1, 2, 3, 4}), -INFINITY, INFINITY}}, loose));
  for (int64_t n : {2, 13, 1025}) {
    const Array rows = random_array(DType::f32, {3, n});
    EXPECT_TRUE(matches(reduce(upload(rows), log_add_exp(), {1}), over(rows, {1}, log_sum_exp), loose)) << n;
  }
}

EG_TEST(CustomReduce, over_nothing_is_the_identity) {
  const ReduceOp op{"last", 7.5F, "b", [](float, float b) { return b; }};
  EXPECT_TRUE(matches(reduce(zeros({0}), op), Array{DType::f32, {}, {7.5}}));
  EXPECT_TRUE(matches(reduce(zeros({2, 0}), op, {1}, true), Array{DType::f32, {2, 1}, {7.5, 7.5}}));
  EXPECT_TRUE(matches(reduce(zeros({2, 0}), op, {0}), Array{DType::f32, {0}, {}}));
  for (double v : download(reduce(zeros({3, 0}), plus(), {1})).values) EXPECT_TRUE(v == 0 && std::signbit(v));
}

EG_TEST(CustomReduce, of_one_element_is_that) {
  EXPECT_EQ(reduce(full({}, 3), log_add_exp()).item<float>(), 3);
  EXPECT_EQ(reduce(full({2, 1}, 3), log_add_exp(), {1}).to_vector<float>(), (std::vector<float>{3, 3}));
}

EG_TEST(CustomReduce, takes_in_what_it_reads_and_what_reads_it) {
  const Array x = random_reals({13, 127}, -0.3, 0.3);
  const Tensor held = upload(x);
  const int64_t before = statistics(device()).kernels;
  const Tensor y = sqrt(reduce(square(held), compound(), {1}) + 1.0F);
  y.eval();
  EXPECT_EQ(statistics(device()).kernels - before, 1);
  const Array squares = naive::map(x, DType::f32, [](double v) { return v * v; });
  EXPECT_TRUE(matches(
      y, naive::map(over(squares, {1}, compound), DType::f32, [](double v) { return std::sqrt(v + 1); }), loose));
}

EG_TEST(CustomReduce, own_before_own_after_and_own_between) {
  const Array x = random_reals({13, 127}, 0, 1);
  const Tensor held = upload(x);
  const int64_t before = statistics(device()).kernels;
  const Tensor y = elementwise(swish(), {reduce(elementwise(swish(), {held}), log_add_exp(), {0})});
  y.eval();
  EXPECT_EQ(statistics(device()).kernels - before, 1);
  const Array inner = naive::map(x, DType::f32, [](double v) { return swish(v); });
  const Array expected = naive::map(over(inner, {0}, log_sum_exp), DType::f32, [](double v) { return swish(v); });
  EXPECT_TRUE(matches(y, expected, loose));
}

EG_TEST(CustomReduce, a_name_may_be_used_twice) {
  const Tensor x = upload(random_array(DType::f32, {13, 127}));
  const ReduceOp low{"extreme", INFINITY, "min(a, b)", [](float a, float b) { return std::fmin(a, b); }};
  const ReduceOp high{"extreme", -INFINITY, "max(a, b)", [](float a, float b) { return std::fmax(a, b); }};
  for (int64_t axis : {0, 1}) {
    EXPECT_TRUE(same_bits(reduce(x, low, {axis}), min(x, {axis})));
    EXPECT_TRUE(same_bits(reduce(x, high, {axis}), max(x, {axis})));
  }
  const ReduceOp padded{"extreme", 1, "max(a, b)", [](float a, float b) { return std::fmax(a, b); }};
  EXPECT_EQ(reduce(zeros({2, 0}), padded, {1}).to_vector<float>(), (std::vector<float>{1, 1}));
}

EG_TEST(CustomReduce, repeats_its_bits) {
  const Tensor x = upload(mixed_numbers({300, 1025}));
  for (const AxisList& axes : {AxisList{}, AxisList{0}, AxisList{1}})
    EXPECT_TRUE(same_bits(reduce(x, norm(), axes), reduce(x, norm(), axes)));
}

EG_TEST(CustomReduce, what_its_function_throws_reaches_the_reader) {
  const ReduceOp op{"angry", 0, "a + b", [](float, float) -> float { throw std::out_of_range("not today"); }};
  for (const Dims& shape : {Dims{4099}, {1000003}, {3, 127}, {127, 3}, {20011, 3}}) {
    const Tensor y = reduce(upload(random_array(DType::f32, shape)), op, {0});
    if (on_gl()) {  // never calls it
      EXPECT_NO_THROW(y.to_vector<float>());
    } else {
      EXPECT_ERROR(y.to_vector<float>(), std::out_of_range, "not today");
      EXPECT_NO_THROW(device().synchronize());
    }
  }
}

EG_TEST(WindowedCustom, maps_and_reductions_of_several_windows) {
  const Array x = random_reals({311, 257}, -0.01, 0.01);
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    const Sample sample = view.hold(x);
    const Array expected = naive::map(sample.array, DType::f32, [](double v) { return swish(v); });
    EXPECT_TRUE(matches(elementwise(swish(), {sample.tensor}), expected, {64, 1e-5, 1e-6}));
    for (const AxisList& axes : {AxisList{}, {0}, {1}})
      EXPECT_TRUE(same_bits(reduce(sample.tensor, plus(), axes), sum(sample.tensor, axes))) << text(axes);
  }
  const Array shortened = random_reals({70001}, -1e-4, 1e-4);
  EXPECT_TRUE(matches(reduce(upload(shortened), compound()), over(shortened, {}, compound), {0, 1e-3, 1e-4}));
}

}  // namespace
}  // namespace eglantine::test
