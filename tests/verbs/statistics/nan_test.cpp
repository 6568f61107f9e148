#include "verbs/statistics/statistics.hpp"

/// Reductions that leave NaN out.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Reduce, NanReductions);

/// f of the elements that are not NaN.
Array of_numbers(const Array& x, const std::vector<int64_t>& axes, bool keepdims,
                 const std::function<double(const Elements&)>& f) {
  return naive::reduce(x, axes, keepdims, x.dtype, [&](const Elements& e) { return f(without_nan(e)); });
}

double sum_of(const Elements& e) {
  double total = 0;
  for (double v : e) total += v;
  return total;
}

/// The numeric contract's.
double bound_of_sum(const Elements& e) {
  double sizes = 0;
  for (double v : e) sizes += std::abs(v);
  return (128 + std::log2(std::max<double>(1, static_cast<double>(e.size())))) * eps * sizes;
}

double largest(const Elements& e) { return e.empty() ? nan : *std::max_element(e.begin(), e.end()); }
double smallest(const Elements& e) { return e.empty() ? nan : *std::min_element(e.begin(), e.end()); }

/// Sums lie within bound_of_sum; a few elements' are exact.
struct Case {
  const char* name;
  Tensor (*verb)(const Tensor&, Axes, bool);
  std::function<double(const Elements&)> of;
  Tolerance tolerance;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{{"nansum", nansum, sum_of, exact},
                                     {"nanmean",
                                      nanmean,
                                      [](const Elements& e) { return sum_of(e) / static_cast<double>(e.size()); },
                                      {0, 1e-5, 1e-6}},
                                     {"nanmax", nanmax, largest, exact},
                                     {"nanmin", nanmin, smallest, exact}};
  return all;
}

void expect_numbers(const Case& one, const Dims& shape, const std::vector<int64_t>& axes) {
  SCOPED_TRACE(std::string(one.name) + " " + text(shape) + " over " + text(axes));
  Array x = random_array(DType::f32, shape);
  for (size_t i = 2; i < x.values.size(); i += 3) x.values[i] = nan;
  const Tensor actual = one.verb(upload(x), axes, true);
  const Array expected = of_numbers(x, axes, true, one.of);
  EXPECT_TRUE(one.verb == nansum ? within(actual, expected, of_numbers(x, axes, true, bound_of_sum))
                                 : matches(actual, expected, one.tolerance));
}

EG_TEST(NanReductions, every_shape_and_axis) {
  Draw draw = draw_programs_one_of(4);
  const auto expect = [&](const Case& one, const Dims& shape, const std::vector<int64_t>& axes) {
    if (draw.next()) expect_numbers(one, shape, axes);
  };
  for (const Case& one : cases()) {
    for (const Dims& shape : {Dims{}, Dims{1}, Dims{127}, Dims{70001}}) expect(one, shape, {});
    for (const auto& axes : AxesLists{{0}, {-1}}) expect(one, {1025, 13}, axes);
  }
}

EG_TEST(NanReductions, over_views) {
  for (const Case& one : {cases()[1], cases()[2]}) {
    SCOPED_TRACE(one.name);
    check_over_some_views(
        with_every(random_array(DType::f32, {5, 13, 37}), 7, nan),
        [&](const Tensor& x) { return one.verb(x, 1, false); },
        [&](const Array& x) { return of_numbers(x, {1}, false, one.of); }, one.tolerance);
  }
}

EG_TEST(NanReductions, of_nan_alone_and_of_infinities) {
  const Array x{DType::f32,
                {5, 3},
                {nan, nan, nan, -infinity, nan, -infinity, infinity, nan, 1, nan, -infinity, 1, nan, nan, -0.0}};
  Draw draw = draw_programs_one_of(2);
  for (const Case& one : cases()) {
    if (!draw.next()) continue;
    const Array expected = of_numbers(x, {1}, false, one.of);
    EXPECT_TRUE(matches(one.verb(upload(x), 1, false), expected, one.tolerance)) << one.name;
    const Tensor columns = one.verb(upload(naive::transpose(x, 0, 1)), 0, false);
    EXPECT_TRUE(matches(columns, expected, one.tolerance)) << one.name;
  }
  for (int64_t length : {1, 1025}) {
    const Tensor none = full({length}, nan) * ones({length});
    EXPECT_TRUE(std::isnan(nanmax(none).item<float>()) && std::isnan(nanmin(none).item<float>()));
    EXPECT_TRUE(std::isnan(nanmean(none).item<float>()));
    EXPECT_EQ(nansum(none).item<float>(), 0.0F);
  }
}

EG_TEST(NanReductions, of_other_dtypes) {
  for (DType dtype : {DType::i32, DType::u32, DType::boolean}) {
    const Tensor x = upload(random_array(dtype, {13, 5}));
    EXPECT_TRUE(matches(nanmax(x, 1), download(max(x, 1))));
    EXPECT_TRUE(matches(nanmin(x, 1), download(min(x, 1))));
    EXPECT_TRUE(matches(nansum(x, 1), download(sum(x, 1))));
    EXPECT_TRUE(matches(nanmean(x, 1), download(mean(x, 1))));
  }
}

EG_TEST(NanReductions, one_kernel_and_what_is_made_of_it) {
  const Array x = with_every(random_array(DType::f32, {13, 127}), 5, nan);
  const Tensor y = nanmax(upload(x) * 2.0F, 1) + 1.0F;
  EXPECT_EQ(kernels_of(y), 1);
  EXPECT_TRUE(matches(y, of_numbers(x, {1}, false, [](const Elements& e) { return 2 * largest(e) + 1; }), {1, 0, 0}));
}

EG_TEST(NanReductions, results_without_elements) {
  EXPECT_EQ(nansum(zeros({0, 3})).item<float>(), 0.0F);
  for (const Case& one : cases())
    EXPECT_TRUE(matches(one.verb(zeros({0, 3}), 1, false), Array{DType::f32, {0}, {}})) << one.name;
}

}  // namespace
}  // namespace eglantine::test
