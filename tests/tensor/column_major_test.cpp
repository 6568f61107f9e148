#include <array>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Tensor, ColumnMajor);

using eglantine::Shape;

const std::vector<Dims> shapes = {{}, {7}, {0}, {5, 3}, {3, 0}, {4, 1, 6}, {2, 3, 4, 5}};

/// The elements of x in column-major order: its first axis varies fastest.
std::vector<float> column_order(const Array& x) {
  std::vector<float> values(static_cast<size_t>(x.size()));
  for_each_index(x.shape, [&](const Dims& index) {
    int64_t place = 0;
    for (size_t i = index.size(); i-- > 0;) place = place * x.shape[i] + index[i];
    values[static_cast<size_t>(place)] = static_cast<float>(x.at(index));
  });
  return values;
}

std::vector<float> row_order(const Array& x) { return {x.values.begin(), x.values.end()}; }

std::vector<float> read(const Tensor& x, MemoryOrder order) {
  std::vector<float> out(static_cast<size_t>(x.size()), -1.0F);
  x.copy_to(std::span<float>(out), order);
  return out;
}

int64_t kernels() { return statistics(Device::current()).kernels; }

EG_TEST(ColumnMajor, goes_in_and_out_in_either_order) {
  for (const Dims& shape : shapes) {
    SCOPED_TRACE(text(shape));
    const Array x = random_array(DType::f32, shape);
    const Tensor columns = Tensor::from(column_order(x), Shape(shape), device(), MemoryOrder::column_major);
    const Tensor rows = Tensor::from(row_order(x), Shape(shape), device(), MemoryOrder::row_major);
    for (const Tensor& held : {columns, rows}) {
      EXPECT_EQ(held.shape(), Shape(shape));
      EXPECT_TRUE(matches(held, x));
      EXPECT_EQ(read(held, MemoryOrder::column_major), column_order(x));
      EXPECT_EQ(read(held, MemoryOrder::row_major), row_order(x));
    }
  }
}

EG_TEST(ColumnMajor, every_view_is_read_in_column_order) {
  for (const Dims& shape : shapes)
    for (const View& view : every_view()) {
      SCOPED_TRACE(view.name + " " + text(shape));
      const Sample x = view.hold(random_array(DType::f32, shape));
      EXPECT_EQ(read(x.tensor, MemoryOrder::column_major), column_order(x.array));
    }
}

EG_TEST(ColumnMajor, other_dtypes) {
  const Tensor integers = Tensor::from({1, 2, 3, 4, 5, 6}, {2, 3}, device(), MemoryOrder::column_major);
  EXPECT_EQ(integers.to_vector<int32_t>(), (std::vector<int32_t>{1, 3, 5, 2, 4, 6}));
  const Tensor truths = Tensor::from(std::vector<bool>{true, false, false, true, true, false}, {3, 2}, device(),
                                     MemoryOrder::column_major);
  EXPECT_EQ(truths.to_vector<bool>(), (std::vector<bool>{true, true, false, true, false, false}));
  std::array<bool, 6> out{};
  truths.copy_to(std::span<bool>(out), MemoryOrder::column_major);
  EXPECT_EQ(out, (std::array<bool, 6>{true, false, false, true, true, false}));
}

// Host data is uploaded as it is; the strides hold the order.
EG_TEST(ColumnMajor, is_a_layout_and_no_transposition) {
  const int64_t before = kernels();
  const Tensor x = Tensor::from(std::vector<float>(60), {3, 4, 5}, device(), MemoryOrder::column_major);
  EXPECT_EQ(x.layout().strides, (std::vector<int64_t>{1, 3, 12}));
  EXPECT_EQ(x.layout().offset, 0);
  read(x, MemoryOrder::column_major);
  EXPECT_EQ(kernels(), before) << "read in the order in which it lies";
  read(x, MemoryOrder::row_major);
  EXPECT_EQ(kernels(), before + 1) << "the device puts it in order";
}

EG_TEST(ColumnMajor, computes_like_any_view) {
  const Array a = random_array(DType::f32, {13, 7}, 1), b = random_array(DType::f32, {13, 7}, 2);
  const Tensor x = Tensor::from(column_order(a), {13, 7}, device(), MemoryOrder::column_major);
  const Array both = naive::map(a, b, DType::f32, [](double p, double q) { return p + q; });
  EXPECT_EQ(read(x + upload(b), MemoryOrder::column_major), column_order(both));
}

EG_TEST(ColumnMajor, wrong_lengths_throw) {
  EXPECT_ERROR(Tensor::from(std::vector<float>(5), {2, 3}, device(), MemoryOrder::column_major), ShapeError,
               "[Tensor::from] shape (2, 3) has 6 elements, got 5 values");
  std::vector<float> out(7);
  EXPECT_ERROR(zeros({2, 3}).copy_to(std::span<float>(out), MemoryOrder::column_major), ShapeError,
               "[Tensor::copy_to] shape (2, 3) has 6 elements, the destination holds 7");
  std::vector<int32_t> integers(6);
  EXPECT_ERROR(zeros({2, 3}).copy_to(std::span<int32_t>(integers), MemoryOrder::column_major), DTypeError,
               "[Tensor::copy_to] the tensor is f32, whose values int32_t does not hold; convert with astype");
}

}  // namespace
}  // namespace eglantine::test
