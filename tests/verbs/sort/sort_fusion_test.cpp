#include <cmath>

#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/reference/order.hpp"

/// Sorts with fused key expressions and epilogues.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Order, SortFusion);

double reversed(double x) { return 3 - x; }

Array of_keys(const Array& x, double (*f)(double)) { return naive::map(x, x.dtype, f); }

EG_TEST(SortFusion, keys_and_consumers_melt_into_one_kernel) {
  for (const Dims& shape : {Dims{11, 50}, Dims{2, 7001}}) {
    SCOPED_TRACE(text(shape));
    const Array x = random_array(DType::i32, shape), y = random_array(DType::i32, shape, 2);
    const Tensor a = upload(x), b = upload(y);
    const Array keys = naive::sort(of_keys(x, reversed)).keys;
    const Tensor sum = sort(3 - a) * 2 + b;
    EXPECT_EQ(kernels_of(sum), 1);
    EXPECT_TRUE(matches(sum, naive::map(keys, y, DType::i32, [](double p, double q) { return p * 2 + q; })));
  }
}

EG_TEST(SortFusion, floats_that_are_computed_on_the_way) {
  for (const Dims& shape : {Dims{11, 50}, Dims{2, 7001}}) {
    SCOPED_TRACE(text(shape));
    const Array x = random_array(DType::f32, shape);
    const Tensor a = upload(x);
    const Tensor places = argsort(exp(a) * 0.5F, 1, true) + 1;
    EXPECT_EQ(kernels_of(places), 1);
    // The keys as the device computes them, since the last bits of exp vary.
    const Array keys = download(exp(a) * 0.5F);
    const Array expected = naive::map(naive::sort(keys, 1, true).places, DType::i32, [](double p) { return p + 1; });
    EXPECT_TRUE(matches(places, expected));
    EXPECT_TRUE(matches(sort(exp(a) * 0.5F, 0), naive::sort(keys, 0).keys, bitwise));
  }
}

EG_TEST(SortFusion, comparisons_of_sorted_keys) {
  const Array x = random_array(DType::f32, {7, 200});
  EXPECT_TRUE(matches(gt(sort(upload(x), 0), 0.25F), naive::map(naive::sort(x, 0).keys, DType::boolean,
                                                                [](double v) { return v > 0.25 ? 1.0 : 0.0; })));
}

EG_TEST(SortFusion, pairs_and_their_halves_are_one_kernel) {
  const Array x = random_array(DType::f32, {5, 300});
  const auto [keys, values] = sort_by_key(neg(upload(x)), upload(x) + 1.0F);
  EXPECT_EQ(kernels_of(values), 1);
  EXPECT_EQ(kernels_of(keys), 0);
  const auto [top, places] = topk(upload(x), 3);
  EXPECT_EQ(kernels_of(top), 1);
  EXPECT_EQ(kernels_of(places), 0);
}

EG_TEST(SortFusion, sorted_results_are_sorted_again) {
  const Array x = random_array(DType::i32, {9, 70});
  EXPECT_TRUE(matches(sort(sort(upload(x), 1), 0, true), naive::sort(naive::sort(x, 1).keys, 0, true).keys));
  // The inverse of a permutation.
  const Array places = naive::sort(x).places;
  EXPECT_TRUE(matches(argsort(argsort(upload(x))), naive::sort(places).places));
}

EG_TEST(SortFusion, views_of_results) {
  const Array x = random_array(DType::u32, {9, 70});
  const Array sorted = naive::sort(x, 0).keys;
  EXPECT_TRUE(matches(sort(upload(x), 0).transpose(0, 1).flip({0}), naive::flip(naive::transpose(sorted, 0, 1), {0})));
  EXPECT_TRUE(matches(sort(upload(x), 0).slice(0, 2, 5), naive::slice(sorted, 0, 2, 5, 1)));
}

EG_TEST(SortFusion, explain_says_what_is_sorted) {
  const Tensor x = upload(random_array(DType::f32, {5, 300}));
  const std::string text = explain(argsort(neg(x), 1, true) + 1);
  EXPECT_NE(text.find("sort f32 descending (300,) for each of (5,): neg of 1 operand, places, then add"),
            std::string::npos)
      << text.substr(0, 200);
  EXPECT_NE(explain(topk(x, 2).first).find(", the first 2 keys and values"), std::string::npos);
}

}  // namespace
}  // namespace eglantine::test
