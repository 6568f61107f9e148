#include "lower/contraction/joined_chunks.hpp"

#include <array>
#include <set>

#include "lower/contraction/gpu_products.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/expressions.hpp"
#include "support/random/random_data.hpp"

/// Split k in one dispatch, whose groups add up their chunks.
namespace eglantine::test {
namespace {

using Order = MatrixOrder;

// Of 32 results an invocation, of 64, and of one buffer.
const std::array<lower::MatmulTile, 4> joining{{{lower::MatmulForm::tile, 8, 4, 16, 8, 1, 8},
                                                {lower::MatmulForm::tile, 8, 8, 16, 4, 1, 8},
                                                {lower::MatmulForm::tile, 8, 8, 8, 16, 1, 8, 1},
                                                {lower::MatmulForm::tile, 8, 8, 16, 8, 1, 8, 1}}};

class JoinedChunks : public MatmulForms {
 protected:
  int64_t chunks_of(const MatmulCase& c, const lower::MatmulTile& tile) {
    AsHardware hardware(*device_, c.cores * 2048);
    hardware.plan_for().tuning = only(tile, c);
    return lower::splits_of_k(hardware.target(), product_of(c), shader_of(hardware, c));
  }
};

MatmulCase joined(MatmulCase c) {
  c.integers = true;  // exact sums: no chunk may be missing, or be added twice
  c.dispatches = 1;
  return c;
}

/// Powers of two and others, as many as a word has bits, and a shorter last one.
TEST_F(JoinedChunks, of_any_number_are_all_added) {
  Draw draw = draw_one_of(7);
  std::set<int64_t> counts;
  for (const lower::MatmulTile& tile : joining)
    for (const MatmulCase& c : {MatmulCase{1, 30, 20, 4096, 4}, MatmulCase{1, 61, 67, 2051, 5},
                                MatmulCase{3, 33, 129, 1800, 9, Order::columns, Order::rows},
                                MatmulCase{1, 20, 30, 4096, 30, Order::rows, Order::columns},
                                MatmulCase{2, 70, 36, 1311, 16, Order::columns, Order::columns}}) {
      counts.insert(chunks_of(c, tile));
      if (!draw.next()) continue;
      SCOPED_TRACE(text_of(tile));
      meets_the_bound(joined(c), &tile);
    }
  EXPECT_GT(*counts.begin(), 1);
  EXPECT_EQ(*counts.rbegin(), 32);
  EXPECT_GT(counts.size(), 6U);
}

/// The last group of a tile applies it, in registers or where results wait in the output.
TEST_F(JoinedChunks, have_the_epilogue) {
  Draw draw = draw_one_of(2);
  for (const int operations : {1, 3, 9})
    if (draw.next()) meets_the_bound(joined({1, 64, 68, 2000, 8, Order::rows, Order::rows, operations}), &joining[3]);
  MatmulCase narrow = joined({1, 64, 68, 2000, 8});
  narrow.of_a = narrow.of_out = StorageType::f16;
  if (draw.next()) meets_the_bound(narrow, &joining[3]);
}

/// Any lengths, layouts, tiles and numbers of multiprocessors.
TEST_F(JoinedChunks, of_drawn_products) {
  Random random(draw_seed());
  const auto order = [&] { return random.integer(0, 1) == 0 ? Order::rows : Order::columns; };
  for (int i = 0; i < 2; ++i) {
    const MatmulCase c{random.integer(1, 2),
                       random.integer(2, 90),
                       random.integer(2, 90),
                       random.integer(500, 4000),
                       random.integer(2, 40),
                       order(),
                       order()};
    const lower::MatmulTile& tile = joining[static_cast<size_t>(random.integer(0, 3))];
    if (!lower::may_join(tile, lower::tiles_of(product_of(c), tile), chunks_of(c, tile))) continue;
    SCOPED_TRACE(text_of(tile) + " on " + std::to_string(c.cores) + ", " + draw_settings());
    meets_the_bound(joined(c), &tile);
  }
}

/// Rows of whole rounds and the others run beside each other, but for what groups tell each other: both join chunks
/// through one buffer of arrivals.
TEST(JoinedParts, run_beside_each_other_in_their_output_alone) {
  lower::Target gpu = gpu_of(132);
  gpu.max_block_bytes = (int64_t{1} << 31) - 1;
  MatmulKernel kernel;
  kernel.m = 2432, kernel.n = 3584, kernel.k = 2304;
  const auto matrix = [](const Shape& shape, const Dims& strides) {
    return Strided{gl::unstored(4 * shape.elements()), StorageType::f32, {shape, strides, 0}};
  };
  kernel.a = matrix({kernel.m, kernel.k}, {kernel.k, 1});
  kernel.b = matrix({kernel.k, kernel.n}, {1, kernel.k});
  kernel.out = matrix({kernel.m, kernel.n}, {kernel.n, 1});
  kernel.epilogue = lower::accumulator_over({kernel.m, kernel.n}, DType::f32);
  const lower::Lowered lowered = lower::lower(Kernel{kernel}, gpu, &gl::unstored);
  int joined = 0, beside = 0;
  for (const lower::Step& step : lowered.steps) {
    const auto* dispatch = std::get_if<lower::Dispatch>(&step);
    ASSERT_NE(dispatch, nullptr);
    for (size_t i = 0; i < dispatch->ranges.size(); ++i) {
      const Buffer* bound = dispatch->ranges[i].storage.buffer();
      joined += bound == lowered.exchange.get() ? 1 : 0;
      if ((dispatch->beside >> i & 1U) == 0) continue;
      ++beside;
      EXPECT_EQ(bound, kernel.out.buffer.get());
    }
  }
  EXPECT_EQ(joined, 2);
  EXPECT_EQ(beside, 1);
}

/// An epilogue that cannot be fused leaves the order of sums as it is.
TEST_F(JoinedChunks, have_one_order_with_any_epilogue) {
  MatmulCase c = joined({1, 64, 66, 2000, 30});
  c.of_out = StorageType::f16;
  c.dispatches = 2;
  meets_the_bound(c, &joining[3]);
}

/// Tiles of slices, and those of more results than registers have room for beside another group's, leave their chunks
/// to a second dispatch.
TEST(JoinedTiles, have_one_slice_and_few_results) {
  const lower::MatmulTile large{lower::MatmulForm::tile, 16, 8, 16, 8, 1, 8}, sliced = [] {
    lower::MatmulTile tile = joining[1];
    tile.slices = 2;
    return tile;
  }();
  EXPECT_TRUE(lower::may_join(joining[1], 4, 8));
  EXPECT_FALSE(lower::may_join(joining[1], 4, 1));
  EXPECT_FALSE(lower::may_join(large, 4, 8));
  EXPECT_FALSE(lower::may_join(sliced, 4, 8));
  EXPECT_TRUE(lower::may_join(joining[1], lower::exchange_counters, 32));
  EXPECT_FALSE(lower::may_join(joining[1], lower::exchange_counters + 1, 32));
  EXPECT_FALSE(lower::may_join(joining[1], 4, 33)) << "a word has a bit a pair";
}

}  // namespace
}  // namespace eglantine::test
