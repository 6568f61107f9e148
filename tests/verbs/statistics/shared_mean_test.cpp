#include "support/kernel_count.hpp"
#include "support/plans_for_gpus.hpp"
#include "verbs/statistics/statistics.hpp"

/// A mean and a variance of all elements of one tensor: on GPUs one kernel reads it for both.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Statistics, SharedMean);

constexpr Tolerance of_ratio{0, 1e-5, 1e-6};

Tensor ratio(const Tensor& x, bool deviation_first) {
  const Tensor first = deviation_first ? stddev(x) : mean(x), second = deviation_first ? mean(x) : stddev(x);
  return deviation_first ? second / first : first / second;
}

double expected_ratio(const Array& x) {
  const double mean = naive::mean(x, {}).values[0];
  return mean / std::sqrt(naive::var(x, {}).values[0]);
}

bool shares(const Tensor& x) { return plans_for_gpus(x.device()); }

/// Parts of equal lengths, with few elements behind them, with more, and with some before them. The same plan serves
/// other elements.
EG_TEST(SharedMean, is_of_the_reading_of_a_variance) {
  for (const int64_t count : {int64_t{1} << 22, (int64_t{1} << 22) + 4, int64_t{5000011}})
    for (const bool deviation_first : {false, true})
      for (const uint64_t seed : {1, 2}) {
        const Array x = random_reals({count}, -1, 3, seed);
        const Tensor given = upload(x), y = ratio(given, deviation_first);
        EXPECT_EQ(explain(y).find("reduce sum f32 (" + std::to_string(count)) == std::string::npos, shares(given));
        EXPECT_TRUE(matches(y, Array{DType::f32, {}, {expected_ratio(x)}}, of_ratio)) << count;
      }
}

EG_TEST(SharedMean, of_what_begins_inside_a_vector_or_has_gaps) {
  const Array x = random_reals({2100, 2051}, -1, 3);
  const Tensor given = upload(x);
  EXPECT_TRUE(matches(ratio(given.slice(0, 1, 2100), false),
                      Array{DType::f32, {}, {expected_ratio(naive::slice(x, 0, 1, 2100, 1))}}, of_ratio));
  EXPECT_TRUE(matches(ratio(given.slice(1, 3, 2048), true),
                      Array{DType::f32, {}, {expected_ratio(naive::slice(x, 1, 3, 2048, 1))}}, of_ratio));
}

/// Both are in the order of memory, which is not that of the axes.
EG_TEST(SharedMean, of_what_lies_in_another_order) {
  const Array x = random_reals({2048, 2051}, -1, 3);
  const Tensor given = upload(x);
  const Array expected{DType::f32, {}, {expected_ratio(x)}};
  for (const Tensor& view : {given.transpose(0, 1), given.flip(1), given.flip(0).transpose(0, 1)}) {
    EXPECT_TRUE(!shares(given) || explain(ratio(view, false)).find("reduce sum f32 (2") == std::string::npos);
    EXPECT_TRUE(matches(ratio(view, false), expected, of_ratio));
    EXPECT_TRUE(matches(ratio(view, true), expected, of_ratio));
    EXPECT_TRUE(matches(mean(view), naive::mean(x, {}), {0, 1e-6, 1e-6}));
  }
}

/// What a sum's reader makes of it does not change the sum's bits, nor a mean's that no variance is beside.
EG_TEST(SharedMean, leaves_sums_and_means_alone_as_they_are) {
  const Tensor x = upload(random_reals({(int64_t{1} << 22) + 3}, -1, 3));
  const Tensor total = sum(x).eval(), beside = sum(x), middle = mean(x), variance = var(x);
  eval({middle, beside, variance});
  EXPECT_TRUE(same_bits(beside, total));
  EXPECT_TRUE(same_bits(mean(x), total / static_cast<float>(x.size())));
}

EG_TEST(SharedMean, of_infinite_elements) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t at : {int64_t{7}, (int64_t{1} << 22) + 2}) {
    std::vector<float> x((size_t{1} << 22) + 3, 1);
    x[static_cast<size_t>(at)] = -inf;
    const Tensor given = Tensor::from(x, {(int64_t{1} << 22) + 3}), middle = mean(given), deviation = stddev(given);
    eval({middle, deviation});
    EXPECT_TRUE(same_bits(middle, Tensor(-inf)));
    EXPECT_TRUE(same_bits(deviation, Tensor(nan)));
  }
}

std::string explain_ratios(const std::vector<Tensor>& of, const Axes& axes) {
  Tensor all;
  for (const Tensor& x : of) {
    const Tensor middle = mean(x, axes), ratio = middle / stddev(x, axes) + mean(x, axes, true).reshape(middle.shape());
    all = all.defined() ? all + ratio : ratio;
  }
  return explain(all);
}

/// Several of each in one plan; columns also of a view that lies in another order than its axes.
EG_TEST(SharedMean, of_many_tensors_and_of_several_means) {
  std::vector<Tensor> columns, all;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    columns.push_back(uniform({50021, 13}, seed).eval());
    all.push_back(uniform({(int64_t{1} << 22) + 3}, seed).eval());
  }
  const std::vector<Tensor> turned{uniform({50021, 3, 13}, 7).eval().transpose(1, 2)};
  const auto reads_again = [](const std::string& text, const std::string& length) {
    return text.find("reduce sum f32 (" + length + ",)") != std::string::npos;
  };
  EXPECT_EQ(reads_again(explain_ratios(columns, {0}), "50021"), !shares(columns[0]));
  EXPECT_EQ(reads_again(explain_ratios(turned, {0}), "50021"), !shares(columns[0]));
  EXPECT_EQ(reads_again(explain_ratios(all, {0}), "4194307"), !shares(all[0]));
}

/// What is -0 stays so.
EG_TEST(SharedMean, of_negative_zeros) {
  for (const Shape& shape : {Shape{50021, 13}, Shape{(int64_t{1} << 22) + 3, 1}}) {
    const Tensor given = full(shape, -0.0F).eval(), middle = mean(given, 0), deviation = stddev(given, 0);
    eval({middle, deviation});
    EXPECT_TRUE(same_bits(middle, full({shape[1]}, -0.0F)));
  }
}

/// Of one plan, and apart.
EG_TEST(SharedMean, is_computed_where_the_variance_is_already) {
  const Array x = random_reals({(int64_t{1} << 22) + 4}, -1, 3);
  const Tensor given = upload(x), deviation = stddev(given).eval();
  EXPECT_TRUE(matches(mean(given) / deviation, Array{DType::f32, {}, {expected_ratio(x)}}, of_ratio));
}

}  // namespace
}  // namespace eglantine::test
