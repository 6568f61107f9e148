#include <limits>

#include "support/kernel_count.hpp"
#include "support/plans_for_gpus.hpp"
#include "verbs/row/row_cases.hpp"

/// Long columns, few and many, in equal parts and what rows are left: each is read once for its moments.
namespace eglantine::test {
namespace {

// With small windows long rows take several kernels.
EG_ON_EACH_DEVICE(Graph, LongColumns);

/// On the CPU, whose buffers of longer columns pass the caches, a mean and what subtracts it are apart.
EG_TEST(LongColumns, long_columns_are_one_but_on_the_cpu) {
  const auto centred = [](const Tensor& x) { return x - mean(x, 0, true); };
  EXPECT_EQ(kernels_of(centred(upload(random_reals({1024, 300}, -1, 1)))), 1);
  EXPECT_EQ(kernels_of(centred(upload(random_reals({1025, 300}, -1, 1)))), device().info().kind == "cpu" ? 2 : 1);
}

/// Of few columns GPUs take shorter parts, so that there are groups for the device.
EG_TEST(LongColumns, parts_of_few_columns_are_short) {
  if (!plans_for_gpus(device())) return;
  const std::string text = explain(var(normal({16800, 24}, 1).eval(), 0));
  EXPECT_EQ(text.find("(3360,) for each of (5, 24)"), std::string::npos) << text;
}

/// Columns are taken as equal parts and a few rows more: infinite among those, or in a part.
EG_TEST(LongColumns, infinite_elements_of_long_columns_of_a_prime_length) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> at{inf, -inf, inf, 2e38F};
  std::vector<float> x(71471 * 61, 1);
  for (size_t c = 0; c < 3; ++c) x[(c == 2 ? 71470 : 5) * 61 + c] = at[c];
  for (size_t r = 0; r < 71471; ++r) x[r * 61 + 3] = at[3];
  const std::vector<float> means = mean(Tensor::from(x, {71471, 61}), 0).to_vector<float>();
  EXPECT_EQ(std::vector<float>(means.begin(), means.begin() + 5), (std::vector<float>{inf, -inf, inf, inf, 1}));
  for (size_t r = 0; r < 100; ++r) x[r * 61 + 4] = r % 2 == 0 ? 1e20F : -1e20F;
  EXPECT_EQ(var(Tensor::from(x, {71471, 61}), 0).slice(0, 4, 5).to_vector<float>(), std::vector<float>{inf});
}

/// On a GPU columns of a prime length are read once for their moments: in parts of equal lengths, and a few rows more.
EG_TEST(LongColumns, var_of_long_columns_of_a_prime_length_reads_them_once) {
  if (!plans_for_gpus(device())) return;
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{71471, 61}, {1400023, 3}}) {
    const Array x = random_reals({rows, columns}, -1, 4);
    const Tensor given = upload(x), centred = given - mean(given, 0, true);
    const std::string text = explain(centred / stddev(given, 0, true));
    const std::string of_parts =
        ", " + std::to_string(columns) + "): sum of the row, div (stored), sub, square, sum of the row of 1";
    size_t large = 0;
    for (size_t at = text.find(of_parts); at != std::string::npos; at = text.find(of_parts, at + 1)) ++large;
    EXPECT_EQ(large, 1) << text;
    EXPECT_TRUE(matches(var(given, 0), naive::var(x, {0}), {0, 1e-5, 0}));
    EXPECT_TRUE(matches(mean(given, 0), naive::mean(x, {0}), {0, 1e-6, 1e-6}));
    EXPECT_LE(kernels_of(var(given.flip(0), 0)), 4);
  }
}

/// Of few columns, too, whose rest of a few rows is read by the kernel that joins the parts; a mean beside them adds no
/// reading.
EG_TEST(LongColumns, moments_of_few_columns_are_two_kernels) {
  if (!plans_for_gpus(device())) return;
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{50021, 13}, {99991, 2}, {99991, 3}, {131071, 5}}) {
    const Array x = random_reals({rows, columns}, -1, 4);
    const Tensor given = upload(x);
    const std::string whole = "f32 (" + std::to_string(rows) + ",)";
    EXPECT_EQ(explain(var(given, 0)).find(whole), std::string::npos) << explain(var(given, 0));
    EXPECT_EQ(kernels_of(var(given, 0)), 2);
    const Tensor middle = mean(given, 0), squares = var(given, 0);
    EXPECT_EQ(kernels_of(middle / squares), 2);
    EXPECT_TRUE(matches(var(given, 0), naive::var(x, {0}), {0, 1e-5, 0}));
    EXPECT_TRUE(matches(moments(given, 0).first, naive::mean(x, {0}), {0, 1e-6, 1e-6}));
    EXPECT_TRUE(matches(softmax(given, 0), softmax_reference(x, 0), of_share));
  }
}

/// What is infinite or no number in a rest of a few rows is so in its column alone.
EG_TEST(LongColumns, infinite_elements_of_few_columns_of_a_prime_length) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x(99991 * 4, 1);
  x[99990 * 4] = inf, x[99989 * 4 + 1] = nan, x[7 * 4 + 2] = -inf;
  const Tensor given = Tensor::from(x, {99991, 4});
  EXPECT_TRUE(same_bits(mean(given, 0), Tensor::from<float>({inf, nan, -inf, 1}, {4})));
  EXPECT_TRUE(same_bits(var(given, 0), Tensor::from<float>({nan, nan, nan, 0}, {4})));
}

/// Also where there are more parts than a kernel joins. Nothing runs.
EG_TEST(LongColumns, var_of_very_long_columns_reads_them_once) {
  if (!plans_for_gpus(device())) return;
  for (const int64_t rows : {33814849, 4096 * 8192}) {
    const std::string text = explain(var(arange(0, 6.0 * static_cast<double>(rows), 1).reshape({rows, 6}), 0));
    EXPECT_NE(text.find("sum of the row, div (stored), sub, square, sum of the row"), std::string::npos) << text;
  }
}

/// The same of exponentials: columns of a prime length are read once for what they are relative to and their sum.
EG_TEST(LongColumns, softmax_of_long_columns_of_a_prime_length) {
  Array x = random_reals({71471, 61}, -4, 4);
  for (size_t r = 0; r < 71471; ++r) x.values[r * 61 + 7] = r == 71470 ? 0.5 : -std::numeric_limits<double>::infinity();
  const Tensor given = upload(x);
  for (const auto& of : {softmax, log_softmax}) {
    const std::string text = explain(of(given, 0));
    EXPECT_EQ(text.find("reduce max f32 (71471,)") == std::string::npos, plans_for_gpus(device())) << text;
  }
  EXPECT_TRUE(matches(softmax(given, 0), softmax_reference(x, 0), of_share));
  EXPECT_TRUE(matches(logsumexp(given, 0), naive::logsumexp(x, {0}), millionth));
}

}  // namespace
}  // namespace eglantine::test
