#include <random>
#include <vector>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/random/random_data.hpp"

/// Results that are not made of each other, but of the same elements: one kernel.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, Siblings);

Tensor random_reals_of(const Dims& shape, uint64_t seed = 1, DType dtype = DType::f32) {
  return upload(random_array(dtype, shape, seed));
}

EG_TEST(Siblings, a_rotation_is_one_kernel) {
  if (binds_few_buffers()) return;  // which bind no more than its operands
  const Tensor x = random_reals_of({37, 129}), y = random_reals_of({37, 129}, 2), c = random_reals_of({37, 1}, 3),
               s = random_reals_of({37, 1}, 4);
  EXPECT_EQ(kernels_of(std::vector{x * c - y * s, x * s + y * c}), 1);
}

EG_TEST(Siblings, results_that_share_nothing_or_differ_in_shape_are_kernels_of_their_own) {
  const Tensor x = random_reals_of({37, 129}), y = random_reals_of({37, 129}, 2);
  EXPECT_EQ(kernels_of(std::vector{x * 2.0F, y + 1.0F}), 2);
  EXPECT_EQ(kernels_of(std::vector{x * 2.0F, x.transpose(0, 1) + 1.0F}), 2);
}

EG_TEST(Siblings, one_that_reads_the_other_in_another_order_waits_for_it) {
  const Tensor x = random_reals_of({1290}), y = random_reals_of({1290}, 2);
  const Tensor a = x + y, b = a.flip({0}) + x;
  EXPECT_EQ(kernels_of(std::vector{a, b}), 2);
  EXPECT_TRUE(same_bits(b, (x + y).eval().flip({0}) + x));
}

/// What functions of a transposed tensor give would lie as that does, and be read across by what is made of it and of
/// others: of results that are wanted together one kernel gives both.
EG_TEST(Siblings, of_transposed_operands_lie_as_what_is_made_of_them_does) {
  const Tensor x = random_reals_of({521, 517}), y = random_reals_of({517, 521}, 2), z = random_reals_of({521, 517}, 3);
  const auto results_of = [&] {
    const Tensor turned = tanh(x.transpose(0, 1)), second = abs(z.transpose(0, 1));
    return std::vector{turned, second, turned * y - second};
  };
  const std::vector<Tensor> results = results_of(), expected = results_of();
  const int64_t kernels = kernels_of(results);
  if (plans_for_gpus(x.device()) && !binds_few_buffers()) {
    EXPECT_EQ(kernels, 1);
  }
  for (size_t i = 0; i < results.size(); ++i) EXPECT_TRUE(same_bits(results[i], expected[i].eval()));
  EXPECT_TRUE(same_bits(results[0] + y, expected[0] + y));
  EXPECT_TRUE(same_bits(results[1].transpose(0, 1), abs(z)));
}

/// What a kernel of rows gives is in memory, in the order of its own.
EG_TEST(Siblings, of_transposed_rows_are_read_where_they_lie) {
  const Tensor x = random_reals_of({521, 517}), y = random_reals_of({517, 521}, 2);
  const auto results_of = [&] {
    const Tensor rows = softmax(x.transpose(0, 1), 0), turned = sqrt(rows);
    return std::vector{turned, turned - y};
  };
  const std::vector<Tensor> results = results_of(), expected = results_of();
  EXPECT_EQ(kernels_of(results), kernels_of(expected[0]) + kernels_of(expected[1]));
  for (size_t i = 0; i < results.size(); ++i) EXPECT_TRUE(same_bits(results[i], expected[i]));
}

EG_TEST(Siblings, of_an_epilogue_and_of_rows_the_kernels_stay_what_they_are) {
  const Tensor x = random_reals_of({37, 129}), w = random_reals_of({129, 11}, 2), bias = random_reals_of({37, 11}, 3);
  EXPECT_EQ(kernels_of(std::vector{relu(matmul(x, w) + bias), bias * 2.0F}), 2);
  const Tensor rows = random_reals_of({300, 65}, 4);
  EXPECT_EQ(kernels_of(std::vector{softmax(rows, 1), rows * 2.0F}), 2);
}

/// The sum is wanted too, so it lies in memory for the two that read x: until its own reduction makes them rows. Whole
/// numbers, which have one sum in any order.
EG_TEST(Siblings, of_a_kernel_that_becomes_one_of_rows_are_stored_there) {
  const Tensor x = floor(random_reals_of({300, 65}) * 9.0F).eval();
  const auto results_of = [](const Tensor& t) {
    const Tensor total = sum(neg(t), {1}, true) * 2.0F, without = t - total, doubled = t * 2.0F;
    return std::vector{total, without, cumsum(doubled, 0), cumsum(without, 0), doubled};
  };
  const std::vector<Tensor> results = results_of(x), expected = results_of(x);
  eval(results);
  for (size_t i = 0; i < results.size(); ++i) EXPECT_TRUE(same_bits(results[i], expected[i].eval()));
}

/// A drawn element-wise program over x, y and a row, of results that read one another or not.
std::vector<Tensor> drawn(uint64_t seed, const Tensor& x, const Tensor& y, const Tensor& row) {
  std::mt19937_64 draw(seed);
  std::vector<Tensor> values{x, y, row}, results;
  for (int i = 0; i < 12; ++i) {
    const Tensor a = values[draw() % values.size()], b = values[draw() % values.size()];
    const std::vector<Tensor> verbs{a + b, a - b, maximum(a, b), a * 0.5F, neg(b)};
    Tensor made = verbs[draw() % verbs.size()];
    if (draw() % 8 == 0) made = made.flip({made.rank() - 1});
    if (draw() % 16 == 0) made = made - max(made, {made.rank() - 1}, true);
    values.push_back(made);
    if (draw() % 2 == 0) results.push_back(made);
  }
  return results;
}

EG_TEST(Siblings, drawn_programs_have_the_bits_of_the_cpu) {
  const Device cpu = Device::open("cpu");
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Tensor x = random_reals_of({5, 131}, seed), y = random_reals_of({5, 131}, seed + 100),
                 row = random_reals_of({131}, seed + 200);
    const std::vector<Tensor> here = drawn(seed, x, y, row), there = drawn(seed, x.to(cpu), y.to(cpu), row.to(cpu));
    if (!here.empty()) eval(here);
    for (const Tensor& each : there) each.eval();
    for (size_t i = 0; i < here.size(); ++i) EXPECT_TRUE(same_bits(here[i], there[i]));
  }
}

EG_TEST(Siblings, a_function_of_a_column_is_computed_once_for_each_of_long_rows) {
  const Tensor x = random_reals_of({4, 300000}), angle = random_reals_of({4, 1}, 2);
  EXPECT_EQ(kernels_of(x * cos(angle)), 2);
  EXPECT_EQ(kernels_of(random_reals_of({4, 300}) * cos(angle)), 1);
}

}  // namespace
}  // namespace eglantine::test
