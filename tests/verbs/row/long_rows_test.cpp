#include <cmath>

#include "support/kernel_count.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/reference/special_values.hpp"
#include "verbs/row/row_cases.hpp"

/// Rows that are too long for a kernel: in how many parts they are read, and how often.
namespace eglantine::test {
namespace {

// With small windows long rows take several kernels.
EG_ON_EACH_DEVICE(Graph, LongRows);

EG_TEST(LongRows, many_long_rows_take_one_and_a_few_several) {
  EXPECT_EQ(kernels_of(softmax(upload(random_reals({64, 33000}, -10, 10)), 1)), 1);
  EXPECT_EQ(kernels_of(softmax(upload(random_reals({3, 32768}, -10, 10)), 1)), 1);
  EXPECT_GT(kernels_of(softmax(upload(random_reals({3, 33000}, -10, 10)), 1)), 1);
}

/// Long rows are read once, in parts, for what is of a row.
EG_TEST(LongRows, logsumexp_of_long_rows_stores_nothing_of_their_size) {
  const Tensor x = upload(random_reals({3, 60000}, -10, 10)), shift = upload(random_reals({3, 1}, -1, 1));
  EXPECT_EQ(kernels_of(logsumexp(x - shift, {1})), 2);
  // A kernel that binds few buffers leaves the label's logit to one of its own.
  EXPECT_EQ(kernels_of(cross_entropy(x, upload(Array{DType::i32, {3}, {1, 59999, 7}}))), binds_few_buffers() ? 7 : 4);
  EXPECT_EQ(kernels_of(log_softmax(x, 1)), 3);
  EXPECT_EQ(kernels_of(softmax(x, 1)), device().info().kind == "cpu" ? 4 : 3);
}

/// A kernel takes parts of equal lengths; on a GPU one what is left, and joins them.
EG_TEST(LongRows, var_of_a_long_row_reads_it_once) {
  const bool gpu = plans_for_gpus(device());
  const int64_t undivided = gpu ? (int64_t{1} << 24) + 43 : 200003;
  for (const int64_t length : {int64_t{160000}, undivided}) {
    const Array x = random_reals({length}, 3, 5);
    const Array mean =
        naive::map(naive::sum(x, {0}), DType::f32, [&](double v) { return v / static_cast<double>(length); });
    const Tensor given = upload(x);
    EXPECT_TRUE(matches(var(given, {0}), naive::var(x, {0}), {0, 1e-5, 0})) << length;
    EXPECT_TRUE(matches(moments(given, {0}).first, mean, {0, 1e-6, 0})) << length;
    if (gpu || length == 160000) {
      EXPECT_EQ(kernels_of(stddev(given)), length == undivided ? 3 : 2) << length;
    }
  }
  if (gpu) {
    const Array rows_without_parts = random_reals({2396759, 7}, 3, 5);
    const Tensor given = upload(rows_without_parts);
    EXPECT_EQ(kernels_of(stddev(given)), 3);
    EXPECT_TRUE(matches(var(given), naive::var(rows_without_parts, {0, 1}), {0, 1e-5, 0}));
  }
  const Array rows = random_reals({2, 3, 70001}, -1, 7);
  EXPECT_TRUE(matches(var(upload(rows), {2}), naive::var(rows, {2}), {0, 1e-5, 0}));
  EXPECT_TRUE(matches(var(upload(rows), {0, 2}), naive::var(rows, {0, 2}), {0, 1e-5, 0}));
}

/// GPUs read so many elements once, in the order of memory, from a whole vector on.
EG_TEST(LongRows, logsumexp_of_many_elements_in_every_order) {
  const int64_t size = 2 * 1000 * 8389;
  const Tensor line = (normal({size + 1}, 7) * 3.0F).eval(), x = line.slice(0, 0, size).reshape({2, 1000, 8389});
  const std::vector<float> values = line.to_vector<float>();
  double total = 0;
  for (int64_t i = 1; i < size; ++i) total += std::exp(static_cast<double>(values[static_cast<size_t>(i)]));
  const auto with = [&](int64_t i) {
    return std::log(total + std::exp(static_cast<double>(values[static_cast<size_t>(i)])));
  };
  for (const Tensor& each : {x, x.permute({0, 2, 1}), x.permute({2, 1, 0}), x.flip({0, 2})}) {
    EXPECT_NEAR(logsumexp(each).item<float>(), with(0), 4e-5);
    EXPECT_EQ(logsumexp(each, {}, true).shape(), Shape({1, 1, 1}));
  }
  EXPECT_NEAR(logsumexp(line.slice(0, 1)).item<float>(), with(size), 4e-5);
  const Tensor none = full({size + 1}, -infinity).eval();
  const Tensor most = where(arange(0, static_cast<double>(size + 1), 1, DType::i32) == 3, infinity, line).eval();
  EXPECT_EQ(logsumexp((none + 0.0F).eval().slice(0, 1)).item<float>(), -infinity);
  EXPECT_EQ(logsumexp(most.slice(0, 1)).item<float>(), infinity);
  if (!plans_for_gpus(device())) return;
  for (const Tensor& each : {x.permute({0, 2, 1}), line.slice(0, 1).reshape({1000, 8389, 2})})
    EXPECT_NE(explain(logsumexp(each)).find("(16384,) for each of (1024,)"), std::string::npos);
}

/// Many elements of a row of a prime length are read twice, in parts of a multiple of 8192 and what is left.
EG_TEST(LongRows, softmax_of_a_very_long_row_of_a_prime_length) {
  if (!plans_for_gpus(device())) return;
  constexpr int64_t size = 16777259;
  const Tensor x = normal({2, size}, 4).eval();
  for (const Tensor& y : {softmax(x, 1), log_softmax(x, 1)})
    EXPECT_EQ(explain(y).find("reduce max f32 (16777259,)"), std::string::npos);
  const Tensor whole = exp(x - max(x, 1, true).eval()).eval(), shares = softmax(x, 1);
  EXPECT_LT(max(abs(shares / (whole / sum(whole, 1, true)) - 1.0F)).item<float>(), 4e-6F);
}

/// A GPU takes such a row in one kernel less than other devices.
EG_TEST(LongRows, softmax_of_a_long_row_of_a_prime_length) {
  const Array x = random_reals({140009}, -10, 10);
  const Tensor given = upload(x);
  EXPECT_EQ(kernels_of(softmax(given, 0)), plans_for_gpus(device()) ? 3 : 4);
  EXPECT_TRUE(matches(softmax(given, 0), softmax_reference(x, 0), of_share));
}

EG_TEST(LongRows, log_softmax_of_a_long_row_stores_only_what_is_of_a_row) {
  const Tensor x = upload(random_reals({140003}, -10, 10));
  EXPECT_EQ(kernels_of(log_softmax(x, 0)), 3);
}

}  // namespace
}  // namespace eglantine::test
