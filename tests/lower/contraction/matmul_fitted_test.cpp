#include <random>

#include "lower/contraction/gpu_products.hpp"
#include "lower/contraction/schedule/fitted.hpp"
#include "support/random/draw.hpp"

/// Products of many matrices whose groups have as many invocations as the results take, on any device.
namespace eglantine::test {
namespace {

using Order = MatrixOrder;
using enum StorageType;

class MatmulFitted : public MatmulForms {
 protected:
  static MatmulCase drawn(std::mt19937_64& dice) {
    const auto between = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(dice() % static_cast<uint64_t>(high - low + 1));
    };
    constexpr StorageType storages[] = {f32, f16, bf16};
    constexpr int odd[] = {1, 3, 5};  // an even number of negations
    MatmulCase c{between(2, 12), between(4, 90), between(4, 90), between(8, 40), 1};
    c.a = static_cast<Order>(between(0, 1));
    c.b = static_cast<Order>(between(0, 2));
    c.of_a = c.of_b = c.of_out = storages[between(0, 2)];
    c.start = between(0, 5);
    c.epilogue = is_narrow(c.of_a) ? 0 : odd[between(0, 2)];
    if (c.b == Order::rows) c.behind = between(0, 3);
    return c;
  }
  bool is_fitted(const MatmulCase& c) {
    AsHardware target = hardware();
    return shader_of(target, c).form == lower::MatmulForm::fitted;
  }
};

/// Lengths, orders, storages, offsets and epilogues by a dice, of products that take the form.
TEST_F(MatmulFitted, drawn_products_meet_the_bound) {
  constexpr int most_draws = 200;
  const int products = draws_cases() ? 3 : 8;
  std::mt19937_64 dice(draw_seed());
  for (int draws = 0, fitted = 0; fitted < products; ++draws) {
    ASSERT_LT(draws, most_draws) << draw_settings();
    const MatmulCase c = drawn(dice);
    if (!is_fitted(c)) continue;
    AsHardware target = hardware();
    meets_the_bound(target, c);
    ASSERT_FALSE(HasFailure()) << draw_settings();
    ++fitted;
  }
}

/// Whole vectors of narrow results in their order are stored by the product; others as words first, then narrowed.
TEST_F(MatmulFitted, narrow_results_in_order) {
  for (const auto& [c, dispatches] : {std::pair{MatmulCase{30, 56, 18, 82, 1}, 1},
                                      {MatmulCase{6, 61, 71, 64, 1}, 2},
                                      {MatmulCase{12, 58, 29, 60, 1}, 1}}) {
    MatmulCase narrow = c;
    narrow.of_a = narrow.of_b = narrow.of_out = f16;
    ASSERT_TRUE(is_fitted(narrow)) << text_of(narrow);
    AsHardware target = hardware();
    meets_the_bound(target, narrow);
    EXPECT_EQ(target.dispatches, dispatches) << text_of(narrow) << target.names;
  }
}

TEST_F(MatmulFitted, of_integers_is_exact) {
  MatmulCase c{40, 45, 45, 45, 1};
  c.integers = true;
  ASSERT_TRUE(is_fitted(c));
  AsHardware target = hardware();
  meets_the_bound(target, c);
}

TEST_F(MatmulFitted, in_several_dispatches) {
  const MatmulCase c{100, 33, 45, 27, 1};
  AsHardware few = hardware();
  few.plan_for().max_groups = 3;
  meets_the_bound(few, c);
  EXPECT_GT(few.dispatches, 2);
  AsHardware blocks = hardware();
  blocks.plan_for().max_block_bytes = 65536;
  meets_the_bound(blocks, c);
  EXPECT_GT(blocks.dispatches, 3);
}

/// Where even boxes of four exceed a binding, operands are read one by one.
TEST_F(MatmulFitted, wide_strides_in_small_blocks) {
  MatmulCase c{20, 67, 16, 64, 1};
  c.behind = 384;
  ASSERT_TRUE(is_fitted(c)) << "in blocks that hold it";
  AsHardware target = hardware();
  target.plan_for().max_block_bytes = 4096;
  meets_the_bound(target, c);
}

lower::MatmulShader chosen_of(int64_t batch, int64_t m, int64_t n, int64_t k) {
  const auto operand = [&](int64_t rows, int64_t columns) {
    return Strided{nullptr, f32, layout::contiguous({batch, rows, columns})};
  };
  const MatmulKernel kernel{{batch}, m, n, k, operand(m, k), operand(k, n), {}, operand(m, n)};
  return lower::shader_for(gpu_of(132), lower::products_of(kernel, kernel.out)[0], true);
}

/// One row or column more than tiles have takes an invocation more, not another tile; where matrices fill tiles, or are
/// few, they keep these.
TEST(MatmulSchedule, groups_fit_matrices) {
  const lower::MatmulShader fitted = chosen_of(3400, 56, 129, 128), small = chosen_of(1300, 67, 16, 256);
  ASSERT_EQ(fitted.form, lower::MatmulForm::fitted);
  EXPECT_EQ(fitted.tile_columns(), 132);
  EXPECT_EQ(fitted.matrices, 1);
  ASSERT_EQ(small.form, lower::MatmulForm::fitted);
  EXPECT_LE(small.tile_rows(), 72);
  EXPECT_EQ(small.tile_columns(), 16);
  EXPECT_EQ(chosen_of(1000, 128, 128, 128).form, lower::MatmulForm::tile);
  EXPECT_EQ(chosen_of(100, 56, 129, 128).form, lower::MatmulForm::tile);
}

}  // namespace
}  // namespace eglantine::test
