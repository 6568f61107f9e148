#include "eglantine/verbs/products.hpp"

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Contraction, Outer);
EG_ON_EACH_DEVICE(Contraction, Inner);

Array outer_reference(const Array& a, const Array& b) {
  const DType dtype = a.dtype;
  const auto times = [&](double x, double y) { return naive::product(dtype, x, y); };
  return naive::map(naive::reshape(a, {a.size(), 1}), naive::reshape(b, {1, b.size()}), dtype, times);
}

/// Through the naive matrix product: rows of the one times rows of the other.
Array inner_reference(const Array& a, const Array& b, Array (*product)(const Array&, const Array&) = naive::matmul) {
  const int64_t k = a.shape.back();
  Dims shape(a.shape.begin(), a.shape.end() - 1);
  const int64_t m = count(shape), n = count(Dims(b.shape.begin(), b.shape.end() - 1));
  shape.insert(shape.end(), b.shape.begin(), b.shape.end() - 1);
  return naive::reshape(product(naive::reshape(a, {m, k}), naive::transpose(naive::reshape(b, {n, k}), 0, 1)), shape);
}

EG_TEST(Outer, of_every_dtype_and_shape) {
  for (DType dtype : every_dtype)
    for (const Dims& shape : {Dims{}, {0}, {1}, {13}, {3, 5}, {2, 0}}) {
      const Array a = dtype == DType::f32 || dtype == DType::boolean ? random_array(dtype, shape, 1)
                                                                     : random_bits(dtype, shape, 1),
                  b = random_array(dtype, {37}, 2);
      EXPECT_TRUE(matches(outer(upload(a), upload(b)), outer_reference(a, b))) << name_of(dtype) << text(shape);
      EXPECT_TRUE(matches(outer(upload(b), upload(a)), outer_reference(b, a))) << name_of(dtype) << text(shape);
    }
}

EG_TEST(Outer, every_view) {
  check_over_views(
      DType::f32, {{5, 13}}, [](const Tensor& x) { return outer(x, x); },
      [](const Array& x) { return outer_reference(x, x); });
}

EG_TEST(Outer, fuses_and_takes_mixed_types) {
  const Tensor x = arange(0, 5), i = arange(0, 3, 1, DType::i32);
  const int64_t before = statistics(device()).kernels;
  const Tensor y = (outer(x, i) + 1).eval();
  EXPECT_LE(statistics(device()).kernels - before, 1);
  EXPECT_EQ(y.dtype(), DType::f32);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, 1, 1, 1, 2, 3, 1, 3, 5, 1, 4, 7, 1, 5, 9}));
}

EG_TEST(Inner, of_every_rank) {
  const std::vector<std::pair<Dims, Dims>> shapes{{{13}, {13}},           {{3, 13}, {13}},  {{13}, {5, 13}},
                                                  {{2, 3, 7}, {5, 4, 7}}, {{3, 0}, {5, 0}}, {{0, 3}, {2, 3}},
                                                  {{1025}, {3, 1025}},    {{0}, {0}}};
  for (const auto& [a_shape, b_shape] : shapes)
    for (DType dtype : wide_numbers) {
      SCOPED_TRACE(std::string(name_of(dtype)) + " " + text(a_shape) + " and " + text(b_shape));
      const auto drawn = dtype == DType::f32 ? random_array : random_bits;
      const Array a = drawn(dtype, a_shape, 1), b = drawn(dtype, b_shape, 2);
      const Tensor y = inner(upload(a), upload(b));
      if (dtype != DType::f32) {
        EXPECT_TRUE(matches(y, inner_reference(a, b)));
        continue;
      }
      const double factor = static_cast<double>(a_shape.back()) * 0x1p-23;
      const Array bounds =
          naive::map(inner_reference(a, b, naive::absolute_matmul), DType::f32, [&](double v) { return v * factor; });
      EXPECT_TRUE(within(y, inner_reference(a, b), bounds));
    }
}

EG_TEST(Inner, every_view) {
  const Array b = random_array(DType::i32, {3, 7}, 2);
  check_over_views(
      DType::i32, {{2, 5, 7}}, [&](const Tensor& x) { return inner(x, upload(b)); },
      [&](const Array& x) { return inner_reference(x, b); });
}

EG_TEST(Inner, of_scalars_and_mixed_types) {
  const Tensor x = arange(0, 6).reshape({2, 3}), i = Tensor::from({2, 3, 4}, {3});
  EXPECT_EQ(inner(x, i).to_vector<float>(), (std::vector<float>{11, 38}));
  EXPECT_EQ(inner(x, full({}, 2, DType::i32)).shape(), (Shape{2, 3}));
  EXPECT_EQ(inner(full({}, 2, DType::i32), i).to_vector<int32_t>(), (std::vector<int32_t>{4, 6, 8}));
  EXPECT_EQ(inner(Tensor(2.0F), Tensor(3.0F)).item<float>(), 6);
}

}  // namespace
}  // namespace eglantine::test
