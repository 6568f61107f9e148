#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"

/// Every kernel family with an epilogue that reads elements far apart: more than one window each where
/// EGLANTINE_MAX_BLOCK_BYTES is 65536, however few results a dispatch has.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Windows, WindowedEpilogues);

Tensor reals(const Dims& shape, unsigned seed) { return upload(random_reals(shape, -2, 2, seed)); }

/// The first elements of rows of 17003.
Tensor far_apart(const Shape& shape) {
  Dims rows = dims(shape);
  rows.push_back(17003);
  return reals(rows, 9).slice(-1, 0, 1).reshape(shape);
}

/// The far elements are read in the family's own kernel or beside it: the bits are those of two kernels.
void check(const Tensor& result, const Tolerance& allowed = exact) {
  const Tensor far = far_apart(result.shape());
  const Array fused = download(result * far + 1);
  EXPECT_TRUE(matches(result.eval() * (far + 0).eval() + 1, fused, allowed));
}

EG_TEST(WindowedEpilogues, reductions) {
  const Tensor x = reals({5, 20011}, 1), columns = reals({20011, 7}, 2);
  for (const Tensor& y : {sum(x, 1), sum(columns, 0), max(x.transpose(0, 1), 0), sum(reals({9, 3}, 3), 1),
                          astype(argmax(x, 1), DType::f32), astype(any(x > 1.5F, 1), DType::f32), sum(x * x, {0, 1})})
    check(y);
}

EG_TEST(WindowedEpilogues, rows_and_scans) {
  const Tensor x = reals({3, 11}, 1), long_rows = reals({2, 9001}, 2);
  for (const Tensor& y : {softmax(x, 1), layer_norm(x, 1), logsumexp(x, 1), logsumexp(long_rows, 1), cumsum(x, 1),
                          cumsum(x, 0), sort(x, 1)})
    check(y);
}

EG_TEST(WindowedEpilogues, products_and_indices) {
  const Tensor x = reals({3, 200}, 1), w = reals({200, 5}, 2), table = reals({50, 4}, 3);
  const Tensor rows = Tensor::from(std::vector<int32_t>{3, 49, 0}, {3});
  for (const Tensor& y : {matmul(x, w), matmul(x, reals({200}, 4)), take(table, rows, 0)}) check(y);
}

EG_TEST(WindowedEpilogues, pictures) {
  const Tensor x = reals({1, 2, 6, 6}, 1), w = reals({3, 2, 3, 3}, 2);
  check(max_pool(x, {2, 2}));
  check(avg_pool(x, {2, 2}));
  check(conv(x, w),
        {.absolute = 1e-4});  // where a window holds too little, a product of matrices: another order of sums
}

}  // namespace
}  // namespace eglantine::test
