#include <cmath>

#include "eglantine/ops.hpp"
#include "eglantine/profile.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/random/draw.hpp"
#include "support/reference/naive.hpp"

/// Products with few columns of f16, bf16, i8 and u8: floats add up in f32 and round once, integers give i32.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Contraction, FewColumnsNarrow);

constexpr DType narrow_floats[] = {DType::f16, DType::bf16}, narrow_integers[] = {DType::i8, DType::u8};

/// The same numbers, in 32 bits.
Array wide(const Array& x) { return {is_float(x.dtype) ? DType::f32 : DType::i32, x.shape, x.values}; }

/// Half a unit in the last place of one, which rounding a result to the dtype may add.
double rounding_of(DType dtype) { return dtype == DType::f16 ? 0x1p-11 : dtype == DType::bf16 ? 0x1p-8 : 0; }

testing::AssertionResult is_narrow_product(const Tensor& result, const Array& a, const Array& b) {
  const Array expected = naive::matmul(wide(a), wide(b));
  if (!is_float(a.dtype)) return matches(result, expected);
  const auto length = static_cast<double>(a.shape.back());
  const double factor = 4 * (std::sqrt(length) + 4) * 0x1p-23, rounding = rounding_of(result.dtype()) * 1.01;
  const Array bounds =
      naive::map(naive::absolute_matmul(wide(a), wide(b)), expected, DType::f32,
                 [&](double sum, double value) { return sum * factor + std::abs(value) * rounding + 0x1p-24; });
  return within(result.astype(DType::f32), expected, bounds);
}

void check_narrow(const Sample& a, const Sample& b) {
  const Tensor result = matmul(a.tensor, b.tensor);
  EXPECT_EQ(result.dtype(), is_float(a.array.dtype) ? a.array.dtype : DType::i32);
  EXPECT_TRUE(is_narrow_product(result, a.array, b.array)) << name_of(a.array.dtype);
}

Array turned(const Array& x) { return naive::transpose(x, x.rank() - 2, x.rank() - 1); }
Sample held_narrow(const Array& x) { return {upload(x), x}; }
Sample held_turned(const Array& x) { return {upload(turned(x)).transpose(-2, -1), x}; }

EG_TEST(FewColumnsNarrow, of_either_memory_order) {
  Draw draw = draw_programs_one_of(4);
  for (const DType dtype : {DType::f16, DType::bf16, DType::i8, DType::u8})
    for (const int64_t columns : {1, 3, 8}) {
      if (!draw.next()) continue;
      SCOPED_TRACE(columns);
      const Array matrix = random_array(dtype, {67, 129}, 1), vectors = random_array(dtype, {129, columns}, 2);
      check_narrow(held_narrow(matrix), held_narrow(vectors));
      check_narrow(held_turned(matrix), held_turned(vectors));
      check_narrow(held_narrow(turned(vectors)), held_turned(turned(matrix)));
      check_narrow(held_narrow(turned(vectors)), held_narrow(turned(matrix)));
    }
}

EG_TEST(FewColumnsNarrow, of_every_number) {
  Draw draw = draw_programs_one_of(8);
  for (const DType dtype : {DType::f16, DType::bf16, DType::i8, DType::u8})
    for (int64_t columns = 1; columns <= 17; ++columns)
      if (draw.next()) {
        SCOPED_TRACE(columns);
        check_narrow(held_narrow(random_array(dtype, {40, 36}, 1)), held_narrow(random_array(dtype, {36, columns}, 2)));
      }
}

EG_TEST(FewColumnsNarrow, of_every_length_and_start) {
  Draw draw = draw_programs_one_of(48);
  for (const DType dtype : {DType::f16, DType::u8})
    for (int64_t length = 0; length <= 37; ++length)
      for (int64_t start = 0; start <= 5; ++start) {
        if (!draw.next()) continue;
        SCOPED_TRACE(::testing::Message() << length << " from " << start);
        const Array matrix = random_array(dtype, {20, start + length}, 1), v = random_array(dtype, {length, 2}, 2);
        check_narrow({upload(matrix).slice(1, start), naive::crop(matrix, {{0, 20}, {start, start + length}})},
                     held_narrow(v));
      }
}

EG_TEST(FewColumnsNarrow, whole_vectors_of_either_memory_order) {
  for (const DType dtype : {DType::f16, DType::i8}) {
    const Array matrix = random_array(dtype, {64, 128}, 1), vectors = random_array(dtype, {128, 4}, 2);
    check_narrow(held_narrow(matrix), held_narrow(vectors));
    check_narrow(held_turned(matrix), held_turned(vectors));
    check_narrow(held_narrow(turned(vectors)), held_turned(turned(matrix)));
  }
}

EG_TEST(FewColumnsNarrow, starts_inside_a_word) {
  Draw draw = draw_programs_one_of(3);
  for (const DType dtype : {DType::f16, DType::u8}) {
    const Array whole = random_array(dtype, {48, 64}, 1), vectors = random_array(dtype, {64, 3}, 2);
    const Tensor matrix = upload(whole), columns = upload(vectors);
    for (int64_t start = 0; start <= 5; ++start) {
      if (!draw.next()) continue;
      SCOPED_TRACE(start);
      const Sample part{matrix.crop({{start, 41}, {start, start + 35}}),
                        naive::crop(whole, {{start, 41}, {start, start + 35}})};
      const Sample v{columns.crop({{start, start + 35}, {0, 3}}), naive::crop(vectors, {{start, start + 35}, {0, 3}})};
      check_narrow(part, v);
      check_narrow({v.tensor.transpose(0, 1), turned(v.array)}, {part.tensor.transpose(0, 1), turned(part.array)});
    }
  }
}

EG_TEST(FewColumnsNarrow, in_every_view) {
  Draw draw = draw_programs_one_of(3);
  const Array matrix = random_array(DType::f16, {45, 52}, 1), columns = random_array(DType::f16, {52, 3}, 2);
  for (const View& view : every_view())
    if (draw.next()) {
      SCOPED_TRACE(view.name);
      check_narrow(view.hold(matrix), held_narrow(columns));
      check_narrow(held_narrow(matrix), view.hold(columns));
    }
}

/// Results of several groups share words.
EG_TEST(FewColumnsNarrow, batches_of_odd_sizes) {
  for (const DType dtype : narrow_floats) {
    check_narrow(held_narrow(random_array(dtype, {5, 35, 41}, 1)), held_narrow(random_array(dtype, {5, 41, 3}, 2)));
    check_narrow(held_narrow(random_array(dtype, {5, 3, 41}, 1)), held_narrow(random_array(dtype, {5, 41, 35}, 2)));
    check_narrow(held_turned(random_array(dtype, {3, 37, 33}, 1)), held_narrow(random_array(dtype, {3, 33, 1}, 2)));
  }
}

EG_TEST(FewColumnsNarrow, of_mixed_types_and_epilogues) {
  const Array w = random_array(DType::f16, {50, 40}, 1), v = random_array(DType::f32, {40, 2}, 2);
  const Tensor mixed = matmul(upload(w), upload(v));
  EXPECT_EQ(mixed.dtype(), DType::f32);
  EXPECT_EQ(kernels_of(mixed), 1);
  EXPECT_TRUE(is_narrow_product(mixed, wide(w), v));
  const Array half = random_array(DType::f16, {40, 2}, 3);
  const Tensor y = relu(matmul(upload(w), upload(half)));
  EXPECT_EQ(kernels_of(y), 1);
  const Array product = naive::matmul(wide(w), wide(half));
  EXPECT_TRUE(matches(y.astype(DType::f32), naive::map(product, DType::f32, [](double x) { return std::max(x, 0.0); }),
                      {0, 0x1p-10, 1e-3}));
}

/// Weights in bytes with a scale for each block of 32, or for each row.
EG_TEST(FewColumnsNarrow, bytes_times_scales_are_one_kernel_however_often) {
  for (const DType bytes : narrow_integers)
    for (const int64_t block : {32, 96}) {
      SCOPED_TRACE(std::string(name_of(bytes)) + " " + std::to_string(block));
      const int64_t rows = 70, k = 96;
      const Array q = random_array(bytes, {rows, k}, 1),
                  scale = naive::cast(random_reals({rows, k / block}, 0.01, 0.02, 2), DType::f16),
                  x = random_array(DType::f32, {2, k}, 3);
      const Array matrix = generate(DType::f32, {rows, k}, [&](const Dims& at) {
        return as_element(DType::f32, q.at(at) * scale.at({at[0], at[1] / block}));
      });
      const Tensor parts = upload(q).reshape({rows, k / block, block}).astype(DType::f32);
      const Tensor weights = (parts * upload(scale).unsqueeze(2).astype(DType::f32)).reshape({rows, k});
      const Tensor inputs = upload(x);
      for (int i = 0; i < 3; ++i) {
        const Tensor y = matmul(inputs, weights.transpose(0, 1));
        EXPECT_EQ(kernels_of(y), 1) << i;
        EXPECT_TRUE(is_narrow_product(y, x, turned(matrix)));
      }
    }
}

/// A vector of rank 1, as a language model's; of memory the kernel reads the bytes and their scales.
EG_TEST(FewColumnsNarrow, dequantized_weights_times_a_vector_read_bytes) {
  const int64_t rows = 96, k = 256, block = 32;
  const Array q = random_array(DType::i8, {rows, k}, 1),
              scale = naive::cast(random_reals({rows, k / block}, 0.01, 0.02, 2), DType::f16),
              v = random_array(DType::f32, {k}, 3);
  const Array matrix = generate(DType::f32, {rows, k}, [&](const Dims& at) {
    return as_element(DType::f32, q.at(at) * scale.at({at[0], at[1] / block}));
  });
  const Tensor parts = upload(q).reshape({rows, k / block, block}).astype(DType::f32);
  const Tensor weights = (parts * upload(scale).unsqueeze(2).astype(DType::f32)).reshape({rows, k}), x = upload(v);
  x.device().synchronize();
  Profile profile;
  const Tensor y = matmul(weights, x).eval();
  const ProfileSummary summary = profile.stop();
  ASSERT_EQ(summary.kernels.size(), 1U);
  EXPECT_EQ(summary.kernels[0].runs, 1);
  EXPECT_EQ(summary.kernels[0].bytes, rows * k + 2 * rows * (k / block) + 4 * k + 4 * rows);
  EXPECT_TRUE(is_narrow_product(y.unsqueeze(1), matrix, {DType::f32, {k, 1}, v.values}));
}

}  // namespace
}  // namespace eglantine::test
