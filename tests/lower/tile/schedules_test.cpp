#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "gl/fixture.hpp"
#include "layout/layout.hpp"
#include "lower/schedules.hpp"
#include "lower/tile/reductions.hpp"
#include "support/as_hardware.hpp"
#include "support/compare.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"

/// Tiles by the schedules for hardware, on any device, and as reductions.
namespace eglantine::test {
namespace {

class TileSchedules : public testing::Test {
 protected:
  TileSchedules() : device_(open_runtime()), hardware_(*device_) {}

  TileKernel kernel(const Array& x, const Dims& tile, Reduction reduction) {
    std::vector<uint32_t> words;
    for (double value : x.values) words.push_back(std::bit_cast<uint32_t>(static_cast<float>(value)));
    Shape grid(x.shape);
    for (int i = 0; i < grid.rank(); ++i)
      grid[i] = (grid[i] + tile[static_cast<size_t>(i)] - 1) / tile[static_cast<size_t>(i)];
    TileKernel result;
    result.prologue = {Shape(x.shape),
                       {{buffer_of(*device_, halves_ ? packed(words, StorageType::f16) : words),
                         halves_ ? StorageType::f16 : StorageType::f32, layout::contiguous(Shape(x.shape))}},
                       {},
                       {},
                       {}};
    result.prologue.code = {{Op::load, DType::f32, {0, -1, -1}}};
    result.tile = Shape(tile);
    result.reduction = reduction;
    result.epilogue = {grid, {}, {}, {}, {{Op::accumulator, DType::f32, {-1, -1, -1}}}};
    const auto tiles = static_cast<size_t>(grid.elements());
    result.out = {buffer_of(*device_, std::vector<uint32_t>(tiles)), StorageType::f32, layout::contiguous(grid)};
    return result;
  }

  Array result_of(const TileKernel& kernel) {
    Array result{DType::f32, kernel.epilogue.domain.to_vector(), {}};
    for (uint32_t word :
         download(*device_, kernel.out.buffer->storage(), static_cast<size_t>(kernel.out.layout.size())))
      result.values.push_back(std::bit_cast<float>(word));
    return result;
  }

  /// Whole numbers: sums are exact in any order.
  static Array numbers(const Dims& shape) {
    Array x = random_array(DType::i32, shape);
    x.dtype = DType::f32;
    return x;
  }

  static Array sums(const Array& x, const Dims& tile) {
    return naive::reduce_tiles(x, tile, DType::f32, [](const std::vector<double>& values) {
      double total = 0;
      for (double v : values) total += v;
      return total;
    });
  }
  static Array largest(const Array& x, const Dims& tile) {
    return naive::reduce_tiles(x, tile, DType::f32, [](const std::vector<double>& values) {
      return *std::max_element(values.begin(), values.end());
    });
  }

  std::unique_ptr<gl::GlRuntime> device_;
  AsHardware hardware_;
  bool halves_ = false;  ///< elements lie in memory as f16
};

TEST_F(TileSchedules, one_dispatch_whatever_the_tile) {
  struct TileCase {
    Dims shape, tile;
  };
  Draw draw = draw_one_of(4);
  for (const auto& [shape, tile] : {TileCase{{100, 100}, {16, 16}},
                                    {{17, 33}, {4, 8}},
                                    {{512, 512}, {4, 4}},
                                    {{512, 512}, {16, 16}},
                                    {{300, 260}, {250, 256}},
                                    {{1000, 36}, {7, 36}},
                                    {{30011}, {3}},
                                    {{30011}, {16}},
                                    {{30011}, {10000}},
                                    {{13, 20, 24}, {5, 6, 8}},
                                    {{70000, 2}, {1, 2}}}) {
    if (!draw.next()) continue;
    SCOPED_TRACE(text(shape) + " in " + text(tile));
    const Array x = numbers(shape);
    const TileKernel sum = kernel(x, tile, Reduction::sum), max = kernel(x, tile, Reduction::max);
    hardware_.dispatches = 0;
    hardware_.run(sum);
    EXPECT_EQ(hardware_.dispatches, 1);
    EXPECT_TRUE(matches(result_of(sum), sums(x, tile)));
    hardware_.run(max);
    EXPECT_TRUE(matches(result_of(max), largest(x, tile)));
  }
}

TEST_F(TileSchedules, of_halves) {
  halves_ = true;
  for (const auto& [shape, tile] : {std::pair<Dims, Dims>{{17, 33}, {4, 8}},
                                    {{512, 512}, {16, 16}},
                                    {{300, 260}, {250, 256}},
                                    {{1000, 36}, {7, 36}},
                                    {{30011}, {3}},
                                    {{13, 20, 24}, {5, 6, 8}}}) {
    SCOPED_TRACE(text(shape) + " in " + text(tile));
    const Array x = numbers(shape);
    const TileKernel sum = kernel(x, tile, Reduction::sum), max = kernel(x, tile, Reduction::max);
    hardware_.run(sum);
    hardware_.run(max);
    EXPECT_TRUE(matches(result_of(sum), sums(x, tile)));
    EXPECT_TRUE(matches(result_of(max), largest(x, tile)));
  }
}

class SoftwareTiles : public TileSchedules {
 protected:
  SoftwareTiles() : software_(*device_, device_->target()) {
    software_.plan_for().software = true;
    software_.plan_for().max_loop_trips = 65535;
  }

  void expect_sums(const Dims& shape, const Dims& tile, int dispatches) {
    SCOPED_TRACE(text(shape) + " in " + text(tile));
    const Array x = numbers(shape);
    const TileKernel sum = kernel(x, tile, Reduction::sum);
    software_.dispatches = 0;
    software_.run(sum);
    EXPECT_EQ(software_.dispatches, dispatches);
    EXPECT_TRUE(matches(result_of(sum), sums(x, tile)));
  }

  AsTarget software_;
};

TEST_F(SoftwareTiles, one_dispatch_for_few_large_tiles) {
  expect_sums({700, 701}, {600, 701}, 1);
  expect_sums({512, 800}, {512, 400}, 1);
  expect_sums({300001}, {290000}, 1);
}

// A lane's share is a third of the driver's bound on loops; at most 256 lanes share a tile.
TEST_F(SoftwareTiles, tiles_beyond_what_loops_cover_are_ordinary_reductions) {
  software_.plan_for().max_loop_trips = 300;
  expect_sums({200, 201}, {128, 200}, 1);
  expect_sums({200, 201}, {129, 200}, 7);
}

TEST_F(TileSchedules, few_huge_tiles_are_ordinary_reductions) {
  const Array x = numbers({5, 70001});
  const TileKernel sum = kernel(x, {2, 70001}, Reduction::sum);
  hardware_.run(sum);
  EXPECT_GT(hardware_.dispatches, 1);
  EXPECT_TRUE(matches(result_of(sum), sums(x, {2, 70001})));
}

TEST_F(TileSchedules, reductions_of_more_axes_than_a_tensor_has) {
  Draw draw = draw_one_of(2);
  for (const auto& [shape, tile] : {std::pair{Dims{3, 3, 4, 3, 3}, Dims{2, 2, 2, 2, 2}},
                                    {Dims(8, 3), Dims(8, 2)},
                                    {Dims{9, 7}, Dims{3, 7}},
                                    {Dims{10, 9}, Dims{5, 1}}}) {
    if (!draw.next()) continue;
    SCOPED_TRACE(text(shape) + " in " + text(tile));
    const Array x = numbers(shape);
    const TileKernel sum = kernel(x, tile, Reduction::sum);
    for (const ReduceKernel& reduction : lower::tile_reductions(sum)) device_->run(reduction);
    EXPECT_TRUE(matches(result_of(sum), sums(x, tile)));
  }
}

}  // namespace
}  // namespace eglantine::test
