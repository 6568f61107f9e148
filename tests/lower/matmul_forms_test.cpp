#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "gl/fixture.hpp"
#include "layout/layout.hpp"
#include "lower/contraction/schedule.hpp"
#include "lower/contraction/tuning.hpp"
#include "support/as_hardware.hpp"

/// Products in the forms for hardware, on any device.
namespace eglantine::test {
namespace {

enum class Order { rows, columns, one_row };  // one_row: the first row for all rows

/// (batch, m, k) x (batch, k, n) with operands in either order, checked against loops in double.
struct Case {
  int64_t batch, m, n, k, cores;
  Order a = Order::rows, b = Order::rows;
  int epilogue = 0;  ///< operations of an epilogue: bias, or bias and a long chain
  bool large_pages = false;
  int dispatches = 0;  ///< that it takes; 0: not told
};

class MatmulForms : public testing::TestWithParam<Case> {
 protected:
  MatmulForms() : device_(open_runtime()) {}

  BufferPtr buffer(const std::vector<float>& values) {
    std::vector<uint32_t> words;
    for (float value : values) words.push_back(std::bit_cast<uint32_t>(value));
    return buffer_of(*device_, words);
  }

  /// tile: the one that tuning chooses; null: the schedule's.
  void meets_the_bound(const Case& c, const lower::MatmulTile* tile = nullptr);

  std::unique_ptr<gl::GlRuntime> device_;
};

std::vector<float> random_values(int64_t count, uint64_t seed) {
  std::vector<float> values;
  uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    values.push_back(static_cast<float>(state >> 40) / 16777216.0F - 0.5F);
  }
  return values;
}

Strided matrix(const BufferPtr& buffer, int64_t batch, int64_t rows, int64_t columns, Order order) {
  const int64_t down = order == Order::rows ? columns : order == Order::columns ? 1 : 0;
  return {buffer,
          StorageType::f32,
          {{batch, rows, columns}, {rows * columns, down, order == Order::columns ? rows : 1}, 0}};
}

/// Tuning with that tile for products of those lengths, however they are read.
std::shared_ptr<const lower::Tuning> only(const lower::MatmulTile& tile, const Case& c) {
  using lower::MatmulRead;
  auto tuning = std::make_shared<lower::Tuning>();
  for (const MatmulRead a : {MatmulRead::k_major, MatmulRead::mn_major, MatmulRead::single})
    for (const MatmulRead b : {MatmulRead::k_major, MatmulRead::mn_major, MatmulRead::single})
      tuning->tiles.emplace(lower::class_of(c.m, c.n, c.k, c.batch, a, b), tile);
  return tuning;
}

void MatmulForms::meets_the_bound(const Case& c, const lower::MatmulTile* tile) {
  const std::vector<float> a = random_values(c.batch * c.m * c.k, 1), b = random_values(c.batch * c.k * c.n, 2),
                           bias = random_values(c.n, 3);
  MatmulKernel kernel;
  kernel.batch = {c.batch};
  kernel.m = c.m;
  kernel.n = c.n;
  kernel.k = c.k;
  kernel.a = matrix(buffer(a), c.batch, c.m, c.k, c.a);
  kernel.b = matrix(buffer(b), c.batch, c.k, c.n, c.b);
  const Shape results{c.batch * c.m, c.n};
  kernel.epilogue = {results, {}, {}, {}, {{Op::accumulator, DType::f32, {-1, -1, -1}}}, {}};
  if (c.epilogue > 0) {
    kernel.epilogue.operands = {{buffer(bias), StorageType::f32, {results, {0, 1}, 0}}};
    kernel.epilogue.code.push_back({Op::load, DType::f32, {0, -1, -1}});
    kernel.epilogue.code.push_back({Op::add, DType::f32, {0, 1, -1}});
    for (int32_t i = 1; i < c.epilogue; ++i) kernel.epilogue.code.push_back({Op::neg, DType::f32, {i + 1, -1, -1}});
  }
  const auto count = static_cast<size_t>(results.elements());
  kernel.out = {buffer(std::vector<float>(count, -7.0F)), StorageType::f32, layout::contiguous(results)};
  AsHardware hardware(*device_, c.cores * 2048);
  hardware.plan_for().large_pages = c.large_pages;
  hardware.plan_for().tuning = tile == nullptr ? nullptr : only(*tile, c);
  hardware.run(kernel);
  if (c.epilogue > 0) {
    EXPECT_EQ(hardware.dispatches, c.large_pages ? 2 : 1);
  }
  if (c.dispatches > 0) {
    EXPECT_EQ(hardware.dispatches, c.dispatches) << hardware.names;
  }
  const std::vector<uint32_t> found = download(*device_, kernel.out.buffer->storage(), count);
  const int64_t step = c.m > 4000 ? 13 : 1;  // as many rows as a test has time for
  for (int64_t g = 0; g < c.batch; ++g)
    for (int64_t i = 0; i < c.m; i += step)
      for (int64_t j = 0; j < c.n; ++j) {
        double sum = c.epilogue > 0 ? static_cast<double>(bias[static_cast<size_t>(j)]) : 0.0, size = std::abs(sum);
        for (int64_t k = 0; k < c.k; ++k) {
          const double x = a[static_cast<size_t>(g * c.m * c.k + (c.a == Order::rows ? i * c.k + k : k * c.m + i))];
          const int64_t in_b = c.b == Order::rows ? k * c.n + j : c.b == Order::columns ? j * c.k + k : j;
          const double y = b[static_cast<size_t>(g * c.k * c.n + in_b)];
          sum += x * y;
          size += std::abs(x * y);
        }
        const double value = std::bit_cast<float>(found[static_cast<size_t>((g * c.m + i) * c.n + j)]);
        ASSERT_NEAR(value, sum, size * static_cast<double>(c.k + 1) * 0x1p-24) << g << " " << i << " " << j;
      }
}

TEST_P(MatmulForms, meet_the_bound) { meets_the_bound(GetParam()); }

// Sizes and core counts that take each tile, whole and with edges, read by vec4 along either axis and one by one, with
// k whole and split, in slices of one step, plain, with a short epilogue and with a long one.
INSTANTIATE_TEST_SUITE_P(
    Codegen, MatmulForms,
    testing::Values(
        Case{1, 128, 256, 20, 1, Order::columns, Order::rows}, Case{1, 132, 260, 28, 1, Order::columns, Order::columns},
        Case{1, 129, 131, 19, 1}, Case{1, 128, 256, 48, 2, Order::rows, Order::columns, 9}, Case{1, 130, 256, 44, 1},
        Case{1, 130, 256, 44, 1, Order::rows, Order::one_row}, Case{1, 100, 140, 1040, 4, Order::columns, Order::rows},
        Case{3, 64, 64, 64, 3}, Case{5, 33, 65, 17, 5, Order::columns, Order::columns, 1},
        Case{1, 30, 62, 1001, 16, Order::columns, Order::rows},
        Case{1, 64, 68, 1024, 16, Order::columns, Order::columns},
        Case{1, 61, 67, 577, 16, Order::rows, Order::columns}, Case{1, 61, 128, 516, 16},
        Case{3, 33, 40, 50, 8, Order::rows, Order::rows, 9}, Case{2, 100, 140, 1024, 8, Order::rows, Order::rows, 9}));

// k so long that it is cut in chunks: of one length, and with a shorter one left; a k-major b of so many rows that it
// is turned first.
INSTANTIATE_TEST_SUITE_P(CodegenChunks, MatmulForms,
                         testing::Values(Case{1, 64, 68, 8192, 16, Order::columns, Order::rows, 0, false, 2},
                                         Case{1, 61, 67, 8203, 16, Order::rows, Order::rows, 0, false, 3},
                                         Case{2, 60, 36, 16384, 32, Order::rows, Order::rows, 0, false, 2},
                                         Case{1, 64, 64, 9999, 12, Order::rows, Order::columns, 0, false, 3},
                                         Case{1, 4100, 524, 532, 132, Order::rows, Order::columns, 0, false, 2}));

// The epilogue takes a pass of its own for so many results.
INSTANTIATE_TEST_SUITE_P(CodegenApart, MatmulForms,
                         testing::Values(Case{1, 2049, 1024, 3, 1, Order::rows, Order::rows, 1, true}));

class MatmulTiles : public MatmulForms {};

TEST_P(MatmulTiles, that_tuning_can_choose_meet_the_bound) {
  for (const lower::MatmulTile& tile : lower::known_tiles(false)) {
    if (!tile.fits(device_->target())) continue;
    SCOPED_TRACE(text_of(tile));
    meets_the_bound(GetParam(), &tile);
  }
}

// Read by vec4s and one by one, with edges and a short step of k.
INSTANTIATE_TEST_SUITE_P(Codegen, MatmulTiles,
                         testing::Values(Case{1, 72, 140, 44, 1},
                                         Case{1, 71, 141, 41, 1, Order::columns, Order::rows}));

}  // namespace
}  // namespace eglantine::test
