#include "eglantine/ops.hpp"
#include "eglantine/own.hpp"
#include "support/compare.hpp"
#include "support/custom_ops.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Users' operations of f16 and bf16 compute in f32 and round once.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Narrow, NarrowCustom);

constexpr DType narrow_floats[] = {DType::f16, DType::bf16};

/// Whether f of the narrow numbers is f of the same in f32, rounded; of (3, n) from element `start`.
template <class F>
testing::AssertionResult rounds_once(DType dtype, int64_t n, int64_t start, const F& f) {
  const Tensor x =
      upload(random_array(dtype, {3 * n + start}, static_cast<uint64_t>(n))).slice(0, start).reshape({3, n});
  const Tensor wide = x.astype(DType::f32).eval();
  return same_bits(f(x), f(wide).astype(dtype)) << name_of(dtype) << " " << n << " from " << start;
}

template <class F>
void check_all(const F& f) {
  Draw draw = draw_programs_one_of(24);
  for (const DType dtype : narrow_floats)
    for (int64_t n = 1; n <= 37; ++n)
      for (int64_t start = 0; start <= 5; ++start)
        if (draw.next()) {
          EXPECT_TRUE(rounds_once(dtype, n, start, f));
        }
}

EG_TEST(NarrowCustom, operations_of_elements) {
  check_all([](const Tensor& x) { return elementwise(swish(), {x}); });
  check_all([](const Tensor& x) { return elementwise(multiply_add(), {x, x.flip({0}), x.flip({1})}); });
}

EG_TEST(NarrowCustom, reductions) {
  check_all([](const Tensor& x) { return reduce(x, norm(), {1}); });
  check_all([](const Tensor& x) { return reduce(x, plus(), {0}); });
}

EG_TEST(NarrowCustom, scans) {
  check_all([](const Tensor& x) { return scan(x, plus(), 1); });
}

}  // namespace
}  // namespace eglantine::test
