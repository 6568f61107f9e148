#include <algorithm>
#include <cmath>

#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

/// Products of a matrix with 1 to 16 columns or rows, which have kernels of their own from 32 x 32 on.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Contraction, FewColumns);
EG_ON_EACH_DEVICE(Contraction, FewColumnsFusion);

/// The error bound that the documentation promises for random data, from the sums of absolute products.
Array bounds_of_few(const Array& absolutes, int64_t k) {
  const auto length = static_cast<double>(k);
  const double factor = std::min(std::max(length, 1.0), 4 * (std::sqrt(length) + 4)) * 0x1p-23;
  return naive::map(absolutes, DType::f32, [&](double v) { return v * factor; });
}

testing::AssertionResult is_product(const Tensor& result, const Array& a, const Array& b) {
  const Array expected = naive::matmul(a, b);
  return a.dtype == DType::f32 ? within(result, expected, bounds_of_few(naive::absolute_matmul(a, b), a.shape.back()))
                               : matches(result, expected);
}

void check_few(const Sample& a, const Sample& b) {
  EXPECT_TRUE(is_product(matmul(a.tensor, b.tensor), a.array, b.array));
}

Array drawn(DType dtype, const Dims& shape, uint64_t seed) {
  return dtype == DType::f32 ? random_array(dtype, shape, seed) : random_bits(dtype, shape, seed);
}

Sample held_either_way(const Array& x, bool turned) {
  return turned ? Sample{upload(naive::transpose(x, x.rank() - 2, x.rank() - 1)).transpose(-2, -1), x}
                : Sample{upload(x), x};
}

/// A matrix with contiguous rows or columns times few columns in either order, and few rows times its transpose.
void check_few_columns(int64_t rows, int64_t k, int64_t columns, DType dtype = DType::f32) {
  const Array matrix = drawn(dtype, {rows, k}, 1), vectors = drawn(dtype, {k, columns}, 2);
  const Array turned = naive::transpose(vectors, 0, 1), flat = naive::transpose(matrix, 0, 1);
  for (const bool down : {false, true}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(k) + " x " + std::to_string(columns) +
                 (down ? ", columns contiguous" : ""));
    check_few(held_either_way(matrix, down), held_either_way(vectors, false));
    check_few(held_either_way(turned, false), held_either_way(flat, !down));
  }
}

EG_TEST(FewColumns, of_every_number) {
  Draw draw = draw_programs_one_of(4);
  for (int64_t columns = 1; columns <= 17; ++columns)
    if (draw.next()) check_few_columns(40, 64, columns);
}

EG_TEST(FewColumns, lengths_around_those_of_vectors_lanes_and_blocks) {
  Draw draw = draw_programs_one_of(3);
  for (const int64_t columns : {1, 3, 8})
    for (const int64_t rows : {32, 33, 37, 131, 257})
      for (const int64_t k : {32, 35, 127, 1025})
        if (draw.next()) check_few_columns(rows, k, columns);
}

EG_TEST(FewColumns, short_lengths_and_starts_inside_a_vector) {
  Draw draw = draw_programs_one_of(12);
  const Array whole = random_array(DType::f32, {80, 80}, 1), vectors = random_array(DType::f32, {80, 3}, 2);
  const Tensor matrix = upload(whole), columns = upload(vectors);
  for (int64_t start = 0; start <= 5; ++start)
    for (int64_t length = 0; length <= 37; ++length) {
      if (!draw.next()) continue;
      SCOPED_TRACE(std::to_string(start) + " + " + std::to_string(length));
      const int64_t end = start + length, wide = start + 36;
      const Sample v{columns.crop({{start, end}, {0, 3}}), naive::crop(vectors, {{start, end}, {0, 3}})};
      check_few({matrix.crop({{start, wide}, {start, end}}), naive::crop(whole, {{start, wide}, {start, end}})}, v);
      const Sample rows{columns.crop({{start, wide}, {0, 3}}).transpose(0, 1),
                        naive::transpose(naive::crop(vectors, {{start, wide}, {0, 3}}), 0, 1)};
      check_few(rows, {matrix.crop({{start, wide}, {start, end}}), naive::crop(whole, {{start, wide}, {start, end}})});
    }
}

EG_TEST(FewColumns, operands_in_every_view) {
  Draw draw = draw_programs_one_of(3);
  const Array matrix = random_array(DType::f32, {45, 52}, 1), columns = random_array(DType::f32, {52, 5}, 2),
              rows = random_array(DType::f32, {5, 45}, 3);
  for (const View& view : every_view()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(view.name);
    check_few(view.hold(matrix), {upload(columns), columns});
    check_few({upload(matrix), matrix}, view.hold(columns));
    check_few({upload(rows), rows}, view.hold(matrix));
    check_few(view.hold(rows), {upload(matrix), matrix});
  }
}

EG_TEST(FewColumns, integers_wrap) {
  for (const DType dtype : {DType::i32, DType::u32}) {
    check_few_columns(67, 131, 1, dtype);
    check_few_columns(64, 128, 7, dtype);
  }
}

EG_TEST(FewColumns, in_batches) {
  const auto check_batches = [](const Dims& a, const Dims& b) {
    SCOPED_TRACE(text(a) + " @ " + text(b));
    const Array x = random_array(DType::f32, a, 1), y = random_array(DType::f32, b, 2);
    check_few({upload(x), x}, {upload(y), y});
    check_few(held_either_way(x, true), held_either_way(y, true));
  };
  check_batches({3, 36, 40}, {3, 40, 2});
  check_batches({3, 37, 41}, {3, 41, 2});
  check_batches({3, 2, 40}, {3, 40, 36});
  check_batches({2, 5, 1, 33}, {2, 5, 33, 35});
  check_batches({2, 1, 40, 36}, {1, 3, 36, 3});
}

EG_TEST(FewColumns, batches_that_share_the_matrix_are_columns) {
  const auto check_batches = [](const Dims& a, const Dims& b) {
    SCOPED_TRACE(text(a) + " @ " + text(b));
    const Array x = random_array(DType::f32, a, 1), y = random_array(DType::f32, b, 2);
    const Tensor left = upload(x), right = upload(y);
    EXPECT_TRUE(is_product(matmul(left, right), x, y));
  };
  check_batches({5, 1, 40}, {40, 64});
  check_batches({5, 3, 40}, {40, 64});
  check_batches({7, 3, 40}, {40, 64});
  check_batches({64, 40}, {5, 40, 1});
  check_batches({64, 40}, {5, 40, 2});
  check_batches({2, 3, 4, 1, 40}, {2, 3, 1, 40, 36});
  check_batches({100, 1, 40}, {40, 64});
}

EG_TEST(FewColumns, longer_than_the_loop_limit_of_a_software_driver) {
  const int64_t k = 65535 * 8 + 4321;
  const Array matrix = random_array(DType::u32, {32, k}, 1), vector = random_array(DType::u32, {k}, 2);
  EXPECT_TRUE(matches(matmul(upload(matrix), upload(vector)), naive::matmul(matrix, vector)));
  EXPECT_TRUE(matches(matmul(upload(vector), upload(naive::transpose(matrix, 0, 1))), naive::matmul(matrix, vector)));
}

EG_TEST(FewColumns, infinities_and_nan_stay_in_their_row_and_column) {
  for (const double odd : {static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    Array matrix = random_array(DType::f32, {35, 39}, 1), columns = random_array(DType::f32, {39, 3}, 2);
    matrix.values[39 * 4 + 38] = odd;
    check_few({upload(matrix), matrix}, {upload(columns), columns});
    check_few(held_either_way(matrix, true), {upload(columns), columns});
    matrix.values[39 * 4 + 38] = 1;
    columns.values[3 * 38 + 1] = odd;
    check_few({upload(matrix), matrix}, {upload(columns), columns});
    check_few(held_either_way(matrix, true), {upload(columns), columns});
  }
}

EG_TEST(FewColumns, repeats_its_bits) {
  const Tensor matrix = upload(random_array(DType::f32, {515, 1027}, 1)),
               columns = upload(random_array(DType::f32, {1027, 3}, 2));
  const auto turned = [&] { return matmul(columns.transpose(0, 1), matrix.transpose(0, 1)).transpose(0, 1); };
  const Tensor once = matmul(matrix, columns).eval(), once_turned = turned().eval();
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(same_bits(matmul(matrix, columns), once));
    EXPECT_TRUE(same_bits(turned(), once_turned));
  }
  // A BLAS adds up the transposed product in another order on some processors.
  if (device().info().kind != "cpu") {
    EXPECT_TRUE(same_bits(once_turned, once));
  }
}

EG_TEST(FewColumns, over_several_windows) {
  for (const bool down : {false, true}) {
    SCOPED_TRACE(down);
    const Array matrix = random_array(DType::f32, {301, 519}, 1), columns = random_array(DType::f32, {519, 3}, 2);
    check_few(held_either_way(matrix, down), {upload(columns), columns});
    const Array bias = random_array(DType::f32, {301, 3}, 3);
    const Tensor sum = matmul(held_either_way(matrix, down).tensor, upload(columns)) + upload(bias);
    const Array expected = naive::map(naive::matmul(matrix, columns), bias, DType::f32, std::plus<>());
    EXPECT_TRUE(matches(sum, expected, {0, 0, 1e-3}));
    const Array rows = naive::transpose(columns, 0, 1);
    check_few({upload(rows), rows}, held_either_way(naive::transpose(matrix, 0, 1), down));
  }
}

EG_TEST(FewColumns, longer_columns_than_a_window) {
  const Array matrix = random_array(DType::f32, {33, 20001}, 1), columns = random_array(DType::f32, {20001, 4}, 2);
  check_few({upload(matrix), matrix}, {upload(columns), columns});
  check_few(held_either_way(matrix, true), held_either_way(columns, true));
}

EG_TEST(FewColumnsFusion, of_a_pending_matrix_is_one_kernel) {
  const Array a = random_array(DType::f32, {67, 40}, 1), b = random_array(DType::f32, {67, 40}, 2),
              v = random_array(DType::f32, {40, 3}, 3);
  const Array both = naive::map(a, b, DType::f32, [](double x, double y) { return as_element(DType::f32, x * y); });
  const Tensor x = upload(a), y = upload(b), columns = upload(v);
  const Tensor product = matmul(x * y, columns), mirrored = matmul(columns.transpose(0, 1), (x * y).transpose(0, 1));
  EXPECT_EQ(kernels_of(product), 1);
  EXPECT_EQ(kernels_of(mirrored), 1);
  EXPECT_TRUE(is_product(product, both, v));
  EXPECT_TRUE(matches(mirrored.transpose(0, 1), download(product)));
}

EG_TEST(FewColumnsFusion, with_an_epilogue_and_an_extra_output) {
  const Array a = random_array(DType::f32, {65, 36}, 1), v = random_array(DType::f32, {36, 5}, 2),
              bias = random_array(DType::f32, {5}, 3);
  const Array expected =
      naive::map(naive::matmul(a, v), bias, DType::f32, [](double x, double y) { return std::max(x + y, 0.0); });
  const Tensor product = matmul(upload(a), upload(v)), y = relu(product + upload(bias));
  EXPECT_EQ(kernels_of({y, product}), 1);
  EXPECT_TRUE(matches(y, expected, {0, 0, 1e-4}));
  EXPECT_TRUE(is_product(product, a, v));
}

/// q * scale, for each block of 32 along k or for each row.
struct Quantized {
  Array q, scale, matrix;

  Quantized(int64_t rows, int64_t k, int64_t block)
      : q(random_array(DType::i32, {rows, k}, 1)), scale(random_reals({rows, k / block}, 0.01, 0.02, 2)) {
    matrix = generate(DType::f32, {rows, k}, [&](const Dims& at) {
      return as_element(DType::f32, q.at(at) * scale.at({at[0], at[1] / block}));
    });
  }
  /// Written as verbs: blocks as an axis of their own.
  Tensor dequantized() const {
    const int64_t rows = q.shape[0], k = q.shape[1], blocks = scale.shape[1];
    const Tensor parts = upload(q).reshape({rows, blocks, k / blocks}).astype(DType::f32);
    return (parts * upload(scale).unsqueeze(2)).reshape({rows, k});
  }
};

EG_TEST(FewColumnsFusion, of_integers_times_scales_of_blocks_is_one_kernel) {
  for (const int64_t block : {32, 20, 6, 96}) {
    SCOPED_TRACE(block);
    const int64_t k = block * 480 / std::max<int64_t>(block, 60);
    const Quantized weights(70, k / block * block, block);
    const Array v = random_array(DType::f32, {weights.matrix.shape[1], 2}, 3), x = naive::transpose(v, 0, 1);
    const Tensor columns = matmul(weights.dequantized(), upload(v)),
                 rows = matmul(upload(x), weights.dequantized().transpose(0, 1));
    EXPECT_EQ(kernels_of(columns), 1);
    EXPECT_EQ(kernels_of(rows), 1);
    EXPECT_TRUE(is_product(columns, weights.matrix, v));
    EXPECT_TRUE(is_product(rows, x, naive::transpose(weights.matrix, 0, 1)));
  }
}

EG_TEST(FewColumnsFusion, of_integers_times_scales_of_rows_is_one_kernel) {
  const Quantized weights(70, 64, 64);
  const Array v = random_array(DType::f32, {64}, 3);
  const Tensor y = matmul(upload(weights.q).astype(DType::f32) * upload(weights.scale), upload(v)) * 2.0F;
  EXPECT_EQ(kernels_of(y), 1);
  const Array twice = naive::map(weights.matrix, DType::f32, [](double w) { return 2 * w; });
  EXPECT_TRUE(is_product(y, twice, v));
}

/// Scales of blocks of 32 x 32: axes of rows and of k are split.
EG_TEST(FewColumnsFusion, of_integers_times_scales_of_tiles_is_one_kernel) {
  const Array q = random_array(DType::i32, {96, 64}, 1), scale = random_reals({3, 1, 2, 1}, 0.01, 0.02, 2);
  const Array matrix = generate(DType::f32, {96, 64}, [&](const Dims& at) {
    return as_element(DType::f32, q.at(at) * scale.at({at[0] / 32, 0, at[1] / 32, 0}));
  });
  const Array v = random_array(DType::f32, {64, 3}, 3);
  const Tensor tiles = upload(q).reshape({3, 32, 2, 32}).astype(DType::f32) * upload(scale);
  const Tensor y = matmul(tiles.reshape({96, 64}), upload(v));
  EXPECT_EQ(kernels_of(y), 1);
  EXPECT_TRUE(is_product(y, matrix, v));
}

EG_TEST(FewColumnsFusion, a_matrix_that_others_read_is_materialized_once) {
  const Array a = random_array(DType::f32, {40, 48}, 1), v = random_array(DType::f32, {48, 2}, 2);
  const Tensor pending = exp(upload(a)), product = matmul(pending, upload(v)), sums = sum(pending, {1});
  EXPECT_EQ(kernels_of({product, sums}), 3);
  const Array matrix = download(exp(upload(a)).eval());
  EXPECT_TRUE(is_product(product, matrix, v));
}

EG_TEST(FewColumnsFusion, of_a_padded_and_rolled_matrix) {
  const Array a = random_array(DType::f32, {37, 45}, 1), v = random_array(DType::f32, {48, 2}, 2);
  const Tensor padded = pad(upload(a), {{1, 2}, {0, 3}}, 0.5);
  EXPECT_TRUE(is_product(matmul(padded * 2.0F, upload(v)),
                         naive::map(naive::pad(a, {{1, 2}, {0, 3}}, 0.5), DType::f32, [](double x) { return 2 * x; }),
                         v));
}

EG_TEST(FewColumnsFusion, of_pending_columns_computes_them_first) {
  const Array a = random_array(DType::f32, {40, 48}, 1), v = random_array(DType::f32, {48, 2}, 2);
  const Array twice = naive::map(v, DType::f32, [](double x) { return 2 * x; });
  const Tensor y = matmul(upload(a), upload(v) * 2.0F);
  EXPECT_EQ(kernels_of(y), 2);
  EXPECT_TRUE(is_product(y, a, twice));
}

EG_TEST(FewColumnsFusion, explains_itself) {
  const Tensor q = upload(random_array(DType::i32, {64, 96}, 1)), v = upload(random_array(DType::f32, {96, 2}, 2));
  const std::string text = explain(relu(matmul(q.astype(DType::f32) * 0.5F, v)));
  EXPECT_NE(text.find("few_columns f32 (64, 96) x (96, 2): cast, mul of 1 operand, then relu"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace eglantine::test
