#include "support/plans_for_gpus.hpp"
#include "verbs/statistics/statistics.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Statistics, Norm);
EG_ON_EACH_DEVICE(Statistics, CountNonzero);
EG_ON_EACH_DEVICE(Statistics, Ptp);
EG_ON_EACH_DEVICE(Statistics, Average);

EG_TEST(Norm, of_every_order) {
  const Array x = random_reals({5, 13, 37}, -2, 2);
  Draw draw = draw_programs_one_of(3);
  const auto expect = [&](const std::vector<int64_t>& axes, double ord) {
    if (!draw.next()) return;
    EXPECT_TRUE(matches(norm(upload(x), axes, true, ord), norm_of(x, axes, true, ord), {0, 1e-5, 0})) << ord;
  };
  for (double ord : {2.0, 1.0, 0.0, infinity, -infinity, 3.0, 0.5, -1.0, 2.5}) expect({1}, ord);
  for (double ord : {2.0, 3.0}) expect({}, ord);
  expect({0, 2}, 2);
}

EG_TEST(Norm, over_views) {
  check_over_some_views(
      random_array(DType::f32, {5, 13, 37}), [](const Tensor& x) { return norm(x, 1); },
      [](const Array& x) { return norm_of(x, {1}, false, 2); }, {0, 1e-5, 0});
}

EG_TEST(Norm, of_every_dtype) {
  for (DType dtype : wide_dtypes)
    for (double ord : {2.0, 0.0, infinity}) {
      if (ord != 2 && dtype != DType::i32) continue;
      const Array x = random_array(dtype, {13, 5});
      EXPECT_TRUE(matches(norm(upload(x), 0, false, ord), norm_of(x, {0}, false, ord), {0, 1e-6, 0}));
    }
  EXPECT_EQ(norm(Tensor::from({std::numeric_limits<int32_t>::min()}, {1})).item<float>(), 2147483648.0F);
}

EG_TEST(Norm, of_nothing_and_of_scalars) {
  const Tensor none = zeros({2, 0});
  for (double ord : {2.0, 1.0, 0.0, 3.0})
    EXPECT_TRUE(matches(norm(none, 1, false, ord), Array{DType::f32, {2}, {0, 0}})) << ord;
  EXPECT_TRUE(matches(norm(none, 1, false, -1), Array{DType::f32, {2}, {infinity, infinity}}));
  EXPECT_EQ(norm(Tensor(-3.0F)).item<float>(), 3.0F);
}

EG_TEST(Norm, special_values) {
  const Array x{DType::f32, {5, 2}, {nan, 1, infinity, 1, -infinity, 0, 0, -0.0, 3, 4}};
  for (double ord : {2.0, 1.0, 0.0, infinity, -infinity, -1.0})
    EXPECT_TRUE(matches(norm(upload(x), 1, false, ord), norm_of(x, {1}, false, ord), {0, 1e-6, 0})) << ord;
}

EG_TEST(Norm, squares_overflow_as_numpys_do) {
  EXPECT_TRUE(matches(norm(full({3}, 1e20F)), Array{DType::f32, {}, {infinity}}));
  EXPECT_TRUE(matches(norm(full({4}, 1e18F)), Array{DType::f32, {}, {2e18}}, {0, 1e-6, 0}));
}

EG_TEST(CountNonzero, of_every_dtype_and_axis) {
  for (DType dtype : every_dtype)
    for (const auto& axes : AxesLists{{}, {0}, {-1}}) {
      if (dtype != DType::f32 && axes != std::vector<int64_t>{0}) continue;
      const Array x = with_every(random_array(dtype, {13, 127}), 3, 0);
      const Array expected = naive::reduce(x, axes, true, DType::i32, [](const Elements& e) {
        return static_cast<double>(std::count_if(e.begin(), e.end(), [](double v) { return v != 0; }));
      });
      EXPECT_TRUE(matches(count_nonzero(upload(x), axes, true), expected)) << name_of(dtype);
    }
}

EG_TEST(CountNonzero, over_views_and_special_values) {
  const auto reference = [](const Array& x) {
    return naive::reduce(x, {1}, false, DType::i32, [](const Elements& e) {
      return static_cast<double>(std::count_if(e.begin(), e.end(), [](double v) { return !(v == 0); }));
    });
  };
  const auto verb = [](const Tensor& x) { return count_nonzero(x, 1); };
  check_over_some_views(with_every(random_array(DType::f32, {5, 13, 3}), 4, -0.0), verb, reference);
  const Array x{DType::f32, {2, 4}, {0.0, -0.0, nan, infinity, 1, 0, 0, 1e-30}};
  EXPECT_TRUE(matches(count_nonzero(upload(x), 1), Array{DType::i32, {2}, {2, 2}}));
  EXPECT_EQ(count_nonzero(zeros({0, 3})).item<int32_t>(), 0);
  EXPECT_EQ(count_nonzero(Tensor(2.0F)).item<int32_t>(), 1);
}

EG_TEST(Ptp, of_every_numeric_dtype) {
  for (DType dtype : wide_numbers) {
    const Array x = random_array(dtype, {13, 127});
    const Array expected = naive::reduce(x, {1}, true, dtype, [](const Elements& e) {
      return *std::max_element(e.begin(), e.end()) - *std::min_element(e.begin(), e.end());
    });
    EXPECT_TRUE(matches(ptp(upload(x), 1, true), expected, {1, 0, 0}));
  }
  EXPECT_TRUE(matches(ptp(Tensor::from({1.0F, static_cast<float>(nan)}, {2})), Array{DType::f32, {}, {nan}}));
}

/// Of so many elements that GPUs read them once for both: in parts, as they lie in memory, and a rest.
EG_TEST(Ptp, of_many_elements_in_every_order) {
  const Tensor x = normal({2, 1000, 8389}, 7).eval(), turned = x.permute({0, 2, 1});
  const float most = max(x).item<float>(), least = min(x).item<float>();
  for (const Tensor& each : {x, turned, x.reshape({2, 8389, 1000}), x.flip({1}), x.slice(2, 0, 8388)})
    EXPECT_EQ(ptp(each).item<float>(), max(each).item<float>() - min(each).item<float>());
  EXPECT_EQ(ptp(turned).item<float>(), most - least);
  const int64_t last = x.size() - 1;
  for (const int64_t at : {int64_t{5}, last}) {
    const Tensor far = where(arange(0, static_cast<double>(x.size()), 1, DType::i32) == static_cast<int32_t>(at),
                             100.0F, x.reshape({x.size()}))
                           .eval();
    EXPECT_EQ(ptp(far).item<float>(), 100.0F - min(far).item<float>());
    EXPECT_TRUE(std::isnan(ptp(where(far == 100.0F, static_cast<float>(nan), far).eval()).item<float>()));
  }
}

/// On a GPU rows of a kernel, and parts of longer ones, are read once for both.
EG_TEST(Ptp, of_rows_and_of_parts_of_rows) {
  const Tensor x = normal({44, 40, 256}, 8).eval();
  const bool of_gpu = plans_for_gpus(device());
  for (const Axes& axes : {Axes{2}, Axes{1, 2}, Axes{0, 1, 2}, Axes{0}}) {
    EXPECT_EQ(ptp(x, axes).to_vector<float>(), (max(x, axes) - min(x, axes)).to_vector<float>()) << to_string(axes);
    if (!of_gpu || !axes.contains(2)) continue;
    EXPECT_EQ(kernels_of(ptp(x, axes)), axes.rank() == 3 ? 2 : 1) << to_string(axes);
  }
  const Tensor spoiled = where(x > 4.0F, static_cast<float>(nan), x).eval();
  EXPECT_TRUE(std::isnan(ptp(spoiled).item<float>()));
  EXPECT_EQ(ptp(full({3, 300}, INFINITY), 1).size(), 3);
}

EG_TEST(Ptp, of_a_largest_that_is_asked_for_twice) {
  const Tensor x = normal({int64_t{1} << 24}, 12).eval();
  const float most = max(x).item<float>(), least = min(x).item<float>();
  const Tensor one = max(x), smallest = min(x), other = max(x), range = other - smallest;
  eval({one, range});
  EXPECT_EQ(one.item<float>(), most);
  EXPECT_EQ(range.item<float>(), most - least);
  EXPECT_EQ(smallest.item<float>(), least);
  EXPECT_EQ(other.item<float>(), most);
}

/// As in (x - min(x)) / (max(x) - min(x)): GPUs read so many elements once for both.
EG_TEST(Ptp, of_a_largest_and_a_smallest_apart) {
  const Tensor line = normal({3 * 5592407}, 11).eval(), x = line.reshape({3, 5592407});
  const auto check = [&](const Tensor& each, const Axes& axes) {
    const std::vector<float> most = max(each, axes).to_vector<float>(), least = min(each, axes).to_vector<float>();
    const Tensor largest = max(each, axes), smallest = min(each, axes), range = largest - smallest;
    const DeviceInfo& device = each.device().info();
    const std::string plan = explain(range);
    const bool once = plan.find("max of the row, minimum (stored), minimum, min of the row") != std::string::npos;
    EXPECT_EQ(once, device.kind != "cpu" && !device.software) << plan;
    range.eval();
    // Both are there for others then.
    const auto is_there = [](const Tensor& y) { return explain(y).starts_with("nothing to run"); };
    EXPECT_TRUE(!once || (is_there(largest) && is_there(smallest)));
    EXPECT_EQ(largest.to_vector<float>(), most);
    EXPECT_EQ(smallest.to_vector<float>(), least);
    for (size_t i = 0; i < most.size(); ++i) EXPECT_EQ(range.to_vector<float>()[i], most[i] - least[i]);
  };
  check(x, {1});
  check(x.permute({1, 0}), {0});
  check(x.flip(1), {1});
  check(x.permute({1, 0}), {0, 1});
  check(line.slice(0, 1), {0});
  check(line.slice(0, 5, 5 + (int64_t{1} << 24)), {0});
  const Tensor columns = line.reshape({5592407, 3}), more = normal({16777224}, 12).eval().reshape({2, 699051, 3, 4});
  check(columns, {0});
  check(columns.flip({0, 1}), {0});
  check(columns.transpose(0, 1).flip(0), {1});
  check(more, {1});
  check(more.permute({3, 1, 0, 2}).flip(0), {1});
  check(more.flip(1).permute({1, 3, 2, 0}), {0, 3});
  const Tensor numbered = arange(0, 3 * 5592407, 1, DType::i32);
  const Tensor hole = where(numbered == 5592406, static_cast<float>(nan), line).eval().reshape({3, 5592407});
  const std::vector<float> most = max(hole, 1).to_vector<float>();
  const std::vector<float> range = (max(hole, 1) - min(hole, 1)).to_vector<float>();
  EXPECT_TRUE(std::isnan(range[0]) && std::isnan(most[0]));
  EXPECT_EQ(range[1], most[1] - min(hole, 1).to_vector<float>()[1]);
  const Tensor holes = where(numbered == 5592406, static_cast<float>(nan), line).eval().reshape({5592407, 3});
  const std::vector<float> ranges = (max(holes, 0) - min(holes, 0)).to_vector<float>();
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(std::isnan(ranges[i]), i == 5592406 % 3);
}

EG_TEST(Average, weighs_each_element) {
  const Array x = random_reals({13, 127}, -2, 2), weights = random_reals({127}, 0, 1, 2);
  const auto product = [](double a, double b) { return a * b; };
  for (const auto& axes : AxesLists{{}, {1}}) {
    const Array sums = naive::sum(naive::map(x, weights, DType::f32, product), axes);
    const Array all = naive::sum(naive::expand(weights, x.shape), axes);
    const Array expected = naive::map(sums, all, DType::f32, [](double s, double w) { return s / w; });
    EXPECT_TRUE(matches(average(upload(x), upload(weights), axes), expected, {0, 1e-5, 1e-6}));
  }
  EXPECT_TRUE(same_bits(average(upload(x), upload(random_reals({13}, 0, 1, 3)), 0),
                        average(upload(x), upload(random_reals({13, 1}, 0, 1, 3)), 0)));
  const Array cube = random_reals({5, 3, 13}, -1, 3), row = random_reals({3, 1}, 0.5, 2);
  for (const auto& axes : AxesLists{{}, {0, 1}, {2}})
    for (bool keepdims : {false, true}) {
      const Array wide = naive::expand(row, cube.shape);
      const Array of_x =
          naive::sum(naive::map(cube, wide, DType::f32, [](double v, double w) { return v * w; }), axes, keepdims);
      const Array expected =
          naive::map(of_x, naive::sum(wide, axes, keepdims), DType::f32, [](double s, double w) { return s / w; });
      EXPECT_TRUE(matches(average(upload(cube), upload(row), axes, keepdims), expected, {0, 1e-5, 1e-6}));
    }
  EXPECT_EQ(average(Tensor::from({1, 2, 3}, {3}), Tensor::from({true, false, true}, {3})).item<float>(), 2.0F);
  EXPECT_TRUE(matches(average(ones({2}), zeros({2})), Array{DType::f32, {}, {nan}}));
}

}  // namespace
}  // namespace eglantine::test
