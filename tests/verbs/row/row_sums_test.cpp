#include <gtest/gtest.h>

#include <string>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/plans_for_gpus.hpp"

/// Sums of what is made of rows: those that are read keep their order, those that only another reduction reads are
/// steps of its row kernel.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Rows, RowSums);
EG_ON_EACH_DEVICE(Graph, RowSumKernels);

EG_TEST(RowSums, sums_that_are_read_keep_their_bits) {
  const Tensor x = uniform({13, 1000}, 5).eval(), largest = max(x, 1, true).eval();
  const auto elements = [&](const Tensor& of_rows) { return abs(x - of_rows); };
  for (const Axes& axes : {Axes{1}, Axes{0}, Axes{0, 1}}) {
    const Tensor chained = sum(elements(max(x, 1, true)), axes), stored = elements(largest).eval();
    EXPECT_TRUE(same_bits(chained, sum(elements(largest), axes)));
    EXPECT_TRUE(same_bits(chained, sum(stored, axes)));
  }
}

/// A row kernel adds it in an order of its own where only another reduction reads it.
EG_TEST(RowSums, sums_that_are_read_later_keep_their_bits) {
  const Tensor x = uniform({13, 1000}, 5).eval(), largest = max(x, 1, true).eval();
  const auto elements = [&](const Tensor& of_rows) { return abs(x - of_rows) * x; };
  const Tensor chained = sum(elements(max(x, 1, true)), 1);
  EXPECT_TRUE(matches(mean(chained), download(mean(sum(elements(largest), 1).eval())), {0, 1e-5, 0}));
  EXPECT_TRUE(same_bits(chained, sum(elements(largest), 1)));
}

/// Whether a row kernel stores elements, and not values of rows alone.
bool stores_elements(const Tensor& y) { return explain(y).find("row f32 (") != std::string::npos; }

/// Its kernel reads the rows again: writing their elements and reading them would take as long and their memory.
EG_TEST(RowSumKernels, sums_that_are_read_compute_their_elements_from_values_of_rows) {
  const Tensor x = uniform({64, 300}, 5).eval(), t = uniform({64, 300}, 6).eval(), centered = x - mean(x, 1, true);
  EXPECT_TRUE(stores_elements(x - max(x, 1, true)));
  const auto likelihood = [&](const Axes& axes) { return sum(log_softmax(x, 1) * t, axes); };
  for (const Axes& axes : {Axes{1}, Axes{0}, Axes{0, 1}}) {
    EXPECT_FALSE(stores_elements(likelihood(axes))) << explain(likelihood(axes));
    EXPECT_EQ(kernels_of(likelihood(axes)), 2);
  }
  EXPECT_FALSE(stores_elements(sum(square(centered), 1)));
  EXPECT_FALSE(stores_elements(sum(exp(x - max(x, 1, true)), 1)));
}

/// Of an exponential that the values of rows are made of, software devices take longer than of storing it.
EG_TEST(RowSumKernels, sums_of_shares_compute_exponentials_again_on_gpus) {
  const Tensor x = uniform({64, 300}, 5).eval(), t = uniform({64, 300}, 6).eval();
  const Tensor e = exp(x - max(x, 1, true));
  for (const Tensor& y : {sum(softmax(x, 1) * t, 1), sum(e / sum(e, 1, true) * t, 1)})
    EXPECT_NE(stores_elements(y), plans_for_gpus(device())) << explain(y);
}

/// What the values' kernel would read is more than the elements.
EG_TEST(RowSumKernels, sums_of_what_is_made_of_much_store_it) {
  const Tensor a = uniform({64, 300}, 5).eval(), b = uniform({64, 300}, 6).eval(), c = uniform({64, 300}, 7).eval();
  const Tensor y = sum(log_softmax(a * b + c, 1) * a, 1);
  EXPECT_TRUE(stores_elements(y)) << explain(y);
  EXPECT_EQ(kernels_of(y), 2);
}

EG_TEST(RowSumKernels, a_sum_that_another_reduction_reads_is_a_step) {
  const Tensor x = uniform({64, 300}, 5).eval(), t = uniform({64, 300}, 6).eval();
  const auto losses = [&] { return sum(-t * log_softmax(x, 1), 1); };
  EXPECT_EQ(kernels_of(mean(losses())), 2) << explain(mean(losses()));
  EXPECT_EQ(kernels_of(cumsum(losses(), 0)), 2);
  const auto losses_too = [&] { return logsumexp(x, {1}) - sum(x * t, 1); };
  EXPECT_EQ(kernels_of(max(losses_too())), 2) << explain(max(losses_too()));
}

}  // namespace
}  // namespace eglantine::test
