#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "layout/layout.hpp"
#include "lower/schedules.hpp"
#include "support/reference/tree_simulation.hpp"

/// Columns of matrices that lie further apart than a binding reaches.
namespace eglantine::test {
namespace {

class FarParts : public testing::Test {
 protected:
  static constexpr int64_t matrices = 5, rows = 3001, columns = 7;

  FarParts() : device_(open_runtime()), hardware_(*device_) {
    for (int64_t i = 0; i < matrices * rows * columns; ++i)
      x_.push_back(static_cast<float>((i * 7919) % 10007) / 10007.0F - 0.4F);
    Words words;
    for (const float value : x_) words.push_back(std::bit_cast<uint32_t>(value));
    const Layout layout{{matrices, columns, rows}, {rows * columns, 1, columns}, 0};
    kernel_.prologue = {layout.shape, {{buffer_of(*device_, words), StorageType::f32, layout}}, {}, {}, {}, {}};
    kernel_.prologue.code = {{Op::load, DType::f32, {0, -1, -1}}};
    kernel_.kept_rank = 2;
    kernel_.reduction = Reduction::sum;
    kernel_.tree = layout::ReduceTree::column;
    const Shape results{matrices * columns};
    kernel_.epilogue = {results, {}, {}, {}, {{Op::accumulator, DType::f32, {-1, -1, -1}}}};
    kernel_.out = {buffer_of(*device_, Words(static_cast<size_t>(matrices * columns))), StorageType::f32,
                   layout::contiguous(results)};
  }

  float expected(int64_t matrix, int64_t column) const {
    std::vector<float> run;
    for (int64_t row = 0; row < rows; ++row)
      run.push_back(x_[static_cast<size_t>((matrix * rows + row) * columns + column)]);
    return column_tree_sum(run);
  }

  std::unique_ptr<gl::GlRuntime> device_;
  AsHardware hardware_;
  std::vector<float> x_;
  ReduceKernel kernel_;
};

TEST_F(FarParts, are_reduced_where_they_lie) {
  hardware_.plan_for().max_block_bytes = 2 * rows * columns * int64_t{sizeof(float)};
  hardware_.run(kernel_);
  EXPECT_EQ(hardware_.names.find("map"), std::string::npos) << hardware_.names;
  const Words sums = download(*device_, kernel_.out.buffer->storage(), static_cast<size_t>(matrices * columns));
  for (int64_t matrix = 0; matrix < matrices; ++matrix)
    for (int64_t column = 0; column < columns; ++column)
      EXPECT_EQ(std::bit_cast<float>(sums[static_cast<size_t>(matrix * columns + column)]), expected(matrix, column))
          << matrix << ", " << column;
}

/// A part of one column is cut no further, though what it reads is longer than a binding still.
TEST_F(FarParts, of_single_columns_are_read_in_windows) {
  constexpr int64_t length = 20000;
  std::vector<float> x, y;
  for (int64_t i = 0; i < 2 * length; ++i) {
    x.push_back(static_cast<float>((i * 7919) % 10007) / 10007.0F - 0.4F);
    y.push_back(static_cast<float>((i * 104729) % 9973) / 9973.0F - 0.6F);
  }
  const auto operand = [&](const std::vector<float>& values, const Layout& layout) {
    Words words;
    for (const float value : values) words.push_back(std::bit_cast<uint32_t>(value));
    return Strided{buffer_of(*device_, words), StorageType::f32, layout};
  };
  ReduceKernel kernel = kernel_;
  const Shape domain{2, length};
  kernel.prologue = {domain, {operand(x, {domain, {1, 2}, 0}), operand(y, {domain, {length, 1}, 0})}, {}, {}, {}, {}};
  kernel.prologue.code = {
      {Op::load, DType::f32, {0, -1, -1}}, {Op::load, DType::f32, {1, -1, -1}}, {Op::add, DType::f32, {0, 1, -1}}};
  kernel.kept_rank = 1;
  kernel.epilogue.domain = kernel.out.layout.shape = Shape{2};
  hardware_.plan_for().max_block_bytes = 1 << 16;
  hardware_.run(kernel);
  const Words sums = download(*device_, kernel.out.buffer->storage(), 2);
  for (int64_t column = 0; column < 2; ++column) {
    std::vector<float> run;
    for (int64_t row = 0; row < length; ++row)
      run.push_back(x[static_cast<size_t>(2 * row + column)] + y[static_cast<size_t>(column * length + row)]);
    EXPECT_EQ(std::bit_cast<float>(sums[static_cast<size_t>(column)]), column_tree_sum(run)) << column;
  }
}

}  // namespace
}  // namespace eglantine::test
