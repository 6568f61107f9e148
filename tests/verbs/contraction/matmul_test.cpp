#include <algorithm>
#include <cmath>

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Contraction, Matmul);
EG_ON_EACH_DEVICE(Contraction, Dot);

constexpr double eps = 0x1p-23;

/// The error bound that the documentation promises for random data, from the sums of absolute products.
Array bounds(const Array& absolutes, int64_t k) {
  const auto length = static_cast<double>(k);
  const double factor = std::min(std::max(length, 1.0), 4 * (std::sqrt(length) + 4)) * eps;
  return naive::map(absolutes, DType::f32, [&](double v) { return v * factor; });
}

void check(const Sample& a, const Sample& b) {
  const Tensor result = matmul(a.tensor, b.tensor);
  const Array expected = naive::matmul(a.array, b.array);
  if (a.array.dtype == DType::f32)
    EXPECT_TRUE(within(result, expected, bounds(naive::absolute_matmul(a.array, b.array), a.array.shape.back())));
  else
    EXPECT_TRUE(matches(result, expected));
}

void check_shapes(const Dims& a, const Dims& b, DType dtype = DType::f32) {
  SCOPED_TRACE(std::string(name_of(dtype)) + " " + text(a) + " @ " + text(b));
  const Array x = dtype == DType::f32 ? random_array(dtype, a, 1) : random_bits(dtype, a, 1);
  const Array y = dtype == DType::f32 ? random_array(dtype, b, 2) : random_bits(dtype, b, 2);
  check({upload(x), x}, {upload(y), y});
}

EG_TEST(Matmul, lengths_of_one_odd_and_prime) {
  for (int64_t m : {1, 9, 67})
    for (int64_t n : {1, 15, 131})
      for (int64_t k : {1, 33, 127}) check_shapes({m, k}, {k, n});
}

EG_TEST(Matmul, multiples_of_a_tile_and_their_neighbours) {
  for (int64_t length : {8, 16, 31, 32, 63, 64, 65, 128}) check_shapes({length, length}, {length, length});
  check_shapes({128, 8}, {8, 256});
  for (int64_t length : {65, 80, 86, 96}) check_shapes({length, 2000}, {2000, length});
  check_shapes({600, 80, 40}, {600, 40, 90});
  check_shapes({4, 1025}, {1025, 4});
}

EG_TEST(Matmul, rank_one_operands_drop_their_axis) {
  check_shapes({127}, {127});
  check_shapes({13, 127}, {127});
  check_shapes({127}, {127, 13});
  check_shapes({2, 3, 13, 7}, {7});
  check_shapes({7}, {2, 3, 7, 13});
}

EG_TEST(Matmul, batches_broadcast) {
  check_shapes({3, 5, 7}, {3, 7, 11});
  check_shapes({5, 7}, {3, 7, 11});
  check_shapes({3, 5, 7}, {7, 11});
  check_shapes({2, 1, 5, 7}, {3, 7, 11});
  check_shapes({2, 1, 5, 7}, {1, 3, 7, 11});
  check_shapes({1, 3, 5, 7}, {2, 1, 7, 11});
  check_shapes({70, 1, 2, 3}, {1, 30, 3, 2});
}

/// More than the invocations of a group, and no multiple of them; sizes are drawn.
/// Rows, columns and batches that are all one are computed once.
EG_TEST(Matmul, of_what_repeats) {
  for (const DType dtype : {DType::f32, DType::f16, DType::i32}) {
    const Array a = random_array(dtype, {40, 33}, 1), b = random_array(dtype, {33, 20}, 2);
    const Tensor left = upload(a), right = upload(b), product = matmul(left, right);
    const Tensor rows = matmul(left.slice(0, 3, 4).expand({110000, 33}), right);
    const Tensor columns = matmul(left, right.slice(1, 2, 3).expand({33, 60000}));
    const Tensor batches = matmul(left.unsqueeze(0).expand({5, 40, 33}), right.unsqueeze(0).expand({600, 5, 33, 20}));
    EXPECT_EQ(rows.shape(), Shape({110000, 20}));
    EXPECT_EQ(columns.shape(), Shape({40, 60000}));
    EXPECT_EQ(batches.shape(), Shape({600, 5, 40, 20}));
    const Tolerance sums{0, 1e-4, dtype == DType::f16 ? 1e-3 : 1e-5};
    const auto is_like = [&](const Tensor& x, const Tensor& y) { return matches(x, download(y), sums); };
    EXPECT_TRUE(is_like(rows.slice(0, 109999, 110000), product.slice(0, 3, 4)));
    EXPECT_TRUE(is_like(columns.slice(1, 59999, 60000), product.slice(1, 2, 3)));
    EXPECT_TRUE(is_like(batches[1][4], product));
    EXPECT_EQ(explain(columns).find("(33, 60000)"), std::string::npos) << explain(columns).substr(0, 80);
  }
}

EG_TEST(Matmul, many_small_matrices) {
  Random random(17);
  const char* views[] = {"contiguous", "permuted", "flipped", "stepped"};
  const int64_t cases = 6;
  for (int64_t i = 0; i < cases; ++i) {
    const auto length = [&] { return random.integer(1, 33); };
    const int64_t batch = random.integer(1, 300), m = length(), n = length(), k = length();
    const bool one = i % 3 == 2;  // matrix for all batches
    const Dims of_a = one ? Dims{m, k} : Dims{batch, m, k}, of_b{batch, k, n};
    const DType dtype = i % 3 == 1 ? DType::i32 : DType::f32;
    const char *left = views[random.integer(0, 3)], *right = views[random.integer(0, 3)];
    SCOPED_TRACE(std::string(name_of(dtype)) + " " + text(of_a) + " " + left + " @ " + text(of_b) + " " + right);
    check(view(left).hold(random_array(dtype, of_a, 1)), view(right).hold(random_array(dtype, of_b, 2)));
  }
}

EG_TEST(Matmul, integers_wrap) {
  for (DType dtype : {DType::i32, DType::u32}) {
    check_shapes({13, 67}, {67, 31}, dtype);
    check_shapes({2, 5, 7}, {7, 3}, dtype);
    check_shapes({127}, {127}, dtype);
  }
}

EG_TEST(Matmul, operands_in_every_view) {
  const Array a = random_array(DType::f32, {19, 23}, 1);
  const Array b = random_array(DType::f32, {23, 29}, 2);
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    check(view.hold(a), {upload(b), b});
    check({upload(a), a}, view.hold(b));
  }
}

EG_TEST(Matmul, large_transposed_operands_and_batches) {
  const Array a = random_array(DType::f32, {2, 65, 130}, 1);
  const Array b = random_array(DType::f32, {2, 130, 67}, 2);
  for (const char* left : {"contiguous", "permuted", "flipped", "broadcast"})
    for (const char* right : {"contiguous", "permuted", "cropped"}) {
      SCOPED_TRACE(std::string(left) + " @ " + right);
      check(view(left).hold(a), view(right).hold(b));
    }
}

EG_TEST(Matmul, of_a_matrix_with_its_transpose) {
  const Array x = random_array(DType::f32, {37, 41});
  const Tensor held = upload(x);
  check({held, x}, {held.transpose(0, 1), naive::transpose(x, 0, 1)});
  check({held.transpose(0, 1), naive::transpose(x, 0, 1)}, {held, x});
}

EG_TEST(Matmul, longer_than_the_loop_limit_of_a_software_driver) {
  const int64_t k = 65535 * 8 + 4321;
  check_shapes({2, k}, {k, 3});
  check_shapes({k}, {k}, DType::u32);
}

/// k is cut in chunks, of one length or with a shorter one left.
EG_TEST(Matmul, few_results_of_a_long_k) {
  check_shapes({16, 4096}, {4096, 20});
  check_shapes({7, 9001}, {9001, 5});
  check_shapes({2, 12, 3001}, {3001, 18});
  check_shapes({5, 5003}, {5003, 6}, DType::i32);
}

EG_TEST(Matmul, over_nothing_is_zero) {
  EXPECT_TRUE(matches(matmul(zeros({3, 0}), zeros({0, 5})),
                      naive::map(iota(DType::f32, {3, 5}), DType::f32, [](double) { return 0; })));
  EXPECT_EQ(matmul(zeros({0}), zeros({0})).item<float>(), 0.0F);
  EXPECT_TRUE(matches(matmul(zeros({2, 0}, DType::i32), zeros({0}, DType::i32)), Array{DType::i32, {2}, {0, 0}}));
}

EG_TEST(Matmul, results_without_elements) {
  EXPECT_EQ(matmul(zeros({0, 3}), zeros({3, 5})).to_vector<float>().size(), 0U);
  EXPECT_EQ(matmul(zeros({4, 3}), zeros({3, 0})).shape(), (eglantine::Shape{4, 0}));
  EXPECT_EQ(matmul(zeros({0, 4, 3}), zeros({3, 5})).shape(), (eglantine::Shape{0, 4, 5}));
}

EG_TEST(Matmul, with_a_fused_consumer) {
  const Array a = random_array(DType::f32, {33, 65}, 1);
  const Array b = random_array(DType::f32, {65, 17}, 2);
  const Array bias = random_array(DType::f32, {17}, 3);
  const Array expected =
      naive::map(naive::matmul(a, b), bias, DType::f32, [](double x, double y) { return std::max(x + y, 0.0); });
  EXPECT_TRUE(matches(relu(matmul(upload(a), upload(b)) + upload(bias)), expected, {0, 0, 1e-4}));
  EXPECT_TRUE(matches(relu(matmul(upload(a), upload(b)) + upload(bias)).transpose(0, 1),
                      naive::transpose(expected, 0, 1), {0, 0, 1e-4}));
}

EG_TEST(Matmul, of_one_tensor_and_of_two_that_the_consumer_reads_as_well) {
  for (const int64_t side : {13, 20, 64}) {
    SCOPED_TRACE(side);
    const Array a = random_array(DType::i32, {side, side}, 1), b = random_array(DType::i32, {side, side}, 2);
    const Tensor x = upload(a), y = upload(b);
    const auto check_sum = [](const Tensor& sum, const Array& product, const Array& added) {
      EXPECT_TRUE(matches(sum, naive::map(product, added, DType::i32, [](double p, double q) { return p + q; })));
    };
    check_sum(matmul(x, x) + y, naive::matmul(a, a), b);
    check_sum(matmul(x, y) + y, naive::matmul(a, b), b);
    check_sum(matmul(x, y) + x, naive::matmul(a, b), a);
    check_sum(matmul(y, x) + y, naive::matmul(b, a), b);
  }
}

EG_TEST(Matmul, of_pending_operands_then_a_reduction) {
  const Array a = random_array(DType::i32, {9, 13}, 1);
  const Array b = random_array(DType::i32, {13, 11}, 2);
  const Array doubled = naive::map(a, DType::i32, [](double v) { return 2 * v; });
  EXPECT_TRUE(matches(sum(matmul(upload(a) + upload(a), upload(b)), {0}), naive::sum(naive::matmul(doubled, b), {0})));
}

EG_TEST(Matmul, chain_of_three) {
  const Array a = random_array(DType::i32, {5, 7}, 1);
  const Array b = random_array(DType::i32, {7, 11}, 2);
  const Array c = random_array(DType::i32, {11, 3}, 3);
  EXPECT_TRUE(matches(matmul(matmul(upload(a), upload(b)), upload(c)), naive::matmul(naive::matmul(a, b), c)));
}

EG_TEST(Matmul, repeats_its_bits) {
  const Tensor a = upload(random_array(DType::f32, {67, 515}, 1));
  const Tensor b = upload(random_array(DType::f32, {515, 67}, 2));
  EXPECT_TRUE(same_bits(matmul(a, b), matmul(a, b)));
}

EG_TEST(Matmul, infinities_and_nan_stay_in_their_row_and_column) {
  Array a = random_array(DType::f32, {9, 17}, 1);
  a.values[17 * 4 + 16] = NAN;
  const Array b = random_array(DType::f32, {17, 9}, 2);
  check({upload(a), a}, {upload(b), b});
}

EG_TEST(Dot, adds_products_in_every_dtype) {
  for (DType dtype : wide_numbers)
    for (int64_t length : {0, 1, 13, 1025, 20000}) {
      const Array a = random_array(dtype, {length}, 1);
      const Array b = random_array(dtype, {length}, 2);
      EXPECT_TRUE(matches(dot(upload(a), upload(b)), naive::matmul(a, b), {0, 0, 1e-3})) << length;
    }
}

EG_TEST(Dot, has_the_bits_of_multiply_sum) {
  const Tensor a = upload(random_array(DType::f32, {20000}, 1));
  const Tensor b = upload(random_array(DType::f32, {20000}, 2));
  EXPECT_TRUE(same_bits(dot(a, b), multiply_sum(a, b, {0})));
}

}  // namespace
}  // namespace eglantine::test
