#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/views.hpp"

/// Every kernel family on tensors of a few hundred KiB: ordinary sizes, but several windows each where
/// EGLANTINE_MAX_BLOCK_BYTES is 65536.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Windows, WindowedMap);
EG_ON_EACH_DEVICE(Windows, WindowedReduce);
EG_ON_EACH_DEVICE(Windows, ScanOperandInWindows);
EG_ON_EACH_DEVICE(Windows, WindowedMatmul);

double rounded_sum(double a, double b) { return as_element(DType::f32, a + b); }

const Dims matrix = {311, 257};

EG_TEST(WindowedMap, every_view_copies_and_adds) {
  const Array x = random_array(DType::f32, matrix, 1);
  const Array y = random_array(DType::f32, matrix, 2);
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    const Sample a = view.hold(x);
    EXPECT_TRUE(matches(a.tensor, a.array));
    EXPECT_TRUE(matches(a.tensor + upload(y), naive::map(a.array, y, DType::f32, rounded_sum)));
  }
}

EG_TEST(WindowedMap, rows_broadcast_over_columns) {
  const Array column = random_array(DType::f32, {70001, 1}, 1);
  const Array row = random_array(DType::f32, {3}, 2);
  EXPECT_TRUE(matches(upload(column) + upload(row), naive::map(column, row, DType::f32, rounded_sum)));
  const Array long_row = random_array(DType::f32, {70001}, 3);
  const Array short_column = random_array(DType::f32, {3, 1}, 4);
  EXPECT_TRUE(
      matches(upload(long_row) + upload(short_column), naive::map(long_row, short_column, DType::f32, rounded_sum)));
}

EG_TEST(WindowedMap, far_apart_elements_of_a_large_buffer) {
  const Array x = iota(DType::i32, {100000});
  EXPECT_TRUE(matches(neg(neg(upload(x).slice(0, 7, {}, 9973))), naive::slice(x, 0, 7, {}, 9973)));
  EXPECT_TRUE(matches(neg(neg(upload(x).slice(0, -1, {}, -33333))), naive::slice(x, 0, -1, {}, -33333)));
}

EG_TEST(WindowedMap, pad_concatenate_and_three_axes) {
  const Array x = random_array(DType::f32, {37, 41, 43});
  EXPECT_TRUE(matches(pad(upload(x), {{1, 2}, {3, 0}, {0, 5}}, 7), naive::pad(x, {{1, 2}, {3, 0}, {0, 5}}, 7)));
  EXPECT_TRUE(matches(concatenate({upload(x), upload(x)}, 1), naive::concatenate({x, x}, 1)));
  EXPECT_TRUE(matches(upload(x).permute({1, 2, 0}), naive::permute(x, {1, 2, 0})));
}

EG_TEST(WindowedMap, creation) {
  EXPECT_TRUE(matches(arange(0, 100003, 1, DType::i32), iota(DType::i32, {100003})));
  const Array all = download(uniform({100003}, 9));
  EXPECT_TRUE(matches(uniform({100003}, 9).slice(0, 90001, 90005), naive::slice(all, 0, 90001, 90005, 1)));
}

void check_sum(const Sample& x, const std::vector<int64_t>& axes) {
  const Array absolutes = naive::sum_of_absolutes(x.array, axes);
  EXPECT_TRUE(within(sum(x.tensor, axes), naive::sum(x.array, axes),
                     naive::map(absolutes, DType::f32, [](double v) { return 145 * 0x1p-23 * v; })));
}

EG_TEST(WindowedReduce, every_view_over_rows_columns_and_all) {
  const Array x = random_array(DType::f32, matrix);
  for (const View& view : every_view())
    for (const std::vector<int64_t>& axes : {std::vector<int64_t>{}, {0}, {1}}) {
      SCOPED_TRACE(view.name + " over " + text(axes));
      const Sample sample = view.hold(x);
      check_sum(sample, axes);
      EXPECT_TRUE(matches(max(sample.tensor, axes), naive::max(sample.array, axes)));
    }
}

EG_TEST(WindowedReduce, rows_and_columns_longer_than_a_window) {
  for (const Dims& shape : {Dims{100003}, Dims{2, 50021}, Dims{50021, 2}, Dims{3, 20011, 2}})
    for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis) {
      SCOPED_TRACE(text(shape) + " over axis " + std::to_string(axis));
      const Array x = random_array(DType::f32, shape);
      check_sum({upload(x), x}, {axis});
      EXPECT_TRUE(matches(argmax(upload(x), static_cast<int>(axis)), naive::argmax(x, axis)));
    }
}

EG_TEST(WindowedReduce, the_middle_of_three_axes_and_two_apart) {
  const Array x = random_array(DType::f32, {37, 41, 43});
  check_sum({upload(x), x}, {1});
  check_sum({upload(x), x}, {0, 2});
  check_sum({upload(x).permute({2, 0, 1}), naive::permute(x, {2, 0, 1})}, {0, 2});
}

EG_TEST(WindowedReduce, integers_and_ties) {
  const Array x = random_bits(DType::u32, {257, 311});
  EXPECT_TRUE(matches(sum(upload(x), {0}), naive::sum(x, {0})));
  EXPECT_TRUE(matches(sum(upload(x)), naive::sum(x, {})));
  EXPECT_EQ(argmax(ones({70001}, DType::i32), 0).item<int32_t>(), 0);
}

/// The sums once followed where a fused operand was cut.
EG_TEST(ScanOperandInWindows, has_the_same_bits_of_a_fused_and_of_a_stored_operand) {
  const Tensor x = upload(random_array(DType::f32, {150, 150}, 1)), row = upload(random_array(DType::f32, {1, 150}, 2));
  for (const int axis : {0, 1}) {
    SCOPED_TRACE(axis);
    EXPECT_TRUE(matches(cumsum(x.transpose(0, 1) - row, axis), download(cumsum((x.transpose(0, 1) - row).eval(), axis)),
                        bitwise));
  }
}

void check_product(const Sample& a, const Sample& b) {
  const Array absolutes = naive::absolute_matmul(a.array, b.array);
  const double factor = 4 * (std::sqrt(static_cast<double>(a.array.shape.back())) + 4) * 0x1p-23;
  EXPECT_TRUE(within(matmul(a.tensor, b.tensor), naive::matmul(a.array, b.array),
                     naive::map(absolutes, DType::f32, [&](double v) { return v * factor; })));
}

EG_TEST(WindowedMatmul, operands_and_results_of_several_windows) {
  const Array a = random_array(DType::f32, {201, 151}, 1);
  const Array b = random_array(DType::f32, {151, 203}, 2);
  for (const char* left : {"contiguous", "permuted", "flipped"})
    for (const char* right : {"contiguous", "permuted", "stepped"}) {
      SCOPED_TRACE(std::string(left) + " @ " + right);
      check_product(view(left).hold(a), view(right).hold(b));
    }
}

EG_TEST(WindowedMatmul, long_and_thin) {
  for (const auto& [left, right] :
       {std::pair{Dims{2, 40009}, Dims{40009, 3}}, {Dims{30011, 2}, Dims{2, 3}}, {Dims{3, 2}, Dims{2, 30011}}}) {
    const Array a = random_array(DType::f32, left, 1);
    const Array b = random_array(DType::f32, right, 2);
    check_product({upload(a), a}, {upload(b), b});
  }
}

EG_TEST(WindowedMatmul, batches_of_which_one_broadcasts) {
  const Array a = random_array(DType::f32, {19, 47, 33}, 1);
  const Array b = random_array(DType::f32, {33, 53}, 2);
  check_product({upload(a), a}, {upload(b), b});
}

}  // namespace
}  // namespace eglantine::test
