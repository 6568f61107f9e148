#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"
#include "support/shapes.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Creation, Full);
EG_ON_EACH_DEVICE(Creation, Eye);
EG_ON_EACH_DEVICE(Creation, Arange);

Array filled(DType dtype, const Dims& shape, double value) {
  return generate(dtype, shape, [&](const Dims&) { return value; });
}

EG_TEST(Full, zeros_and_ones_of_every_shape_and_dtype) {
  for (DType dtype : every_dtype)
    for (const Dims& shape : {Dims{}, Dims{0}, Dims{13}, Dims{13, 127}, Dims{2, 0, 5}}) {
      EXPECT_TRUE(matches(zeros(Shape(shape), dtype), filled(dtype, shape, 0)));
      EXPECT_TRUE(matches(ones(Shape(shape), dtype), filled(dtype, shape, 1)));
    }
}

EG_TEST(Full, holds_the_extremes_of_each_dtype) {
  EXPECT_EQ(full({2}, INT32_MIN, DType::i32).to_vector<int32_t>(), (std::vector<int32_t>{INT32_MIN, INT32_MIN}));
  EXPECT_EQ(full({1}, 4294967295U, DType::u32).item<uint32_t>(), 4294967295U);
  EXPECT_EQ(full({}, 16777216).item<float>(), 16777216.0F);
  EXPECT_EQ(full({}, 0.1).item<float>(), 0.1F);
  EXPECT_TRUE(std::isinf(full({}, INFINITY).item<float>()));
  EXPECT_TRUE(std::isnan(full({}, NAN).item<float>()));
  EXPECT_TRUE(std::signbit(full({}, -0.0).item<float>()));
  EXPECT_TRUE(full({}, true, DType::boolean).item<bool>());
  EXPECT_EQ(full({}, 3.0, DType::i32).item<int32_t>(), 3);
}

EG_TEST(Full, like_another_tensor) {
  for (DType dtype : every_dtype) {
    const Array x = random_array(dtype, {3, 5});
    const Tensor held = upload(x).transpose(0, 1);
    EXPECT_TRUE(matches(zeros_like(held), filled(dtype, {5, 3}, 0)));
    EXPECT_TRUE(matches(ones_like(held), filled(dtype, {5, 3}, 1)));
    EXPECT_TRUE(matches(full_like(held, 1), filled(dtype, {5, 3}, 1)));
    EXPECT_EQ(zeros_like(held).device(), device());
  }
}

EG_TEST(Full, is_a_scalar_tensor_from_a_float) {
  const Tensor x(2.5F);
  EXPECT_EQ(x.rank(), 0);
  EXPECT_EQ(x.dtype(), DType::f32);
  EXPECT_EQ(x.item<float>(), 2.5F);
}

EG_TEST(Eye, square_wide_tall_and_empty) {
  for (const Dims& shape :
       {Dims{3, 3}, Dims{3, 5}, Dims{5, 3}, Dims{1, 1}, Dims{0, 0}, Dims{3, 0}, Dims{0, 3}, Dims{67, 131}})
    for (DType dtype : every_dtype)
      EXPECT_TRUE(matches(eye(shape[0], shape[1], dtype),
                          generate(dtype, shape, [](const Dims& i) { return i[0] == i[1] ? 1.0 : 0.0; })));
  EXPECT_EQ(eye(4).shape(), (Shape{4, 4}));
}

struct Steps {
  double start, stop, step;
  std::vector<double> expected;
};

EG_TEST(Arange, as_numpy) {
  for (const Steps& s : {Steps{0, 5, 1, {0, 1, 2, 3, 4}},
                         {2, 3, 1, {2}},
                         {3, 2, 1, {}},
                         {0, 0, 1, {}},
                         {0.5, 3, 1, {0.5, 1.5, 2.5}},
                         {5, -5, -3, {5, 2, -1, -4}},
                         {0, 1, 0.25, {0, 0.25, 0.5, 0.75}},
                         {0, 10, 20, {0}},
                         {-2, 2, 1.5, {-2, -0.5, 1}},
                         {0, -5, 1, {}}}) {
    const Array expected{DType::f32, {static_cast<int64_t>(s.expected.size())}, s.expected};
    EXPECT_TRUE(matches(arange(s.start, s.stop, s.step), expected)) << s.start << " " << s.stop << " " << s.step;
  }
}

EG_TEST(Arange, counts_as_numpy_where_the_step_is_inexact) {
  EXPECT_EQ(arange(0, 1, 0.1).size(), 10);
  EXPECT_EQ(arange(1, 1.3, 0.1).size(), 3 + (std::ceil((1.3 - 1) / 0.1) > 3 ? 1 : 0));
  for (const Steps& s : {Steps{0, 1, 0.1, {}}, {-3, 100, 0.7, {}}, {1e6, 1e6 + 100, 0.5, {}}}) {
    int64_t n = 0;
    const auto length = static_cast<int64_t>(std::ceil((s.stop - s.start) / s.step));
    const double largest = std::max(std::abs(s.start), std::abs(s.stop));
    const Array expected =
        generate(DType::f32, {length}, [&](const Dims&) { return s.start + static_cast<double>(n++) * s.step; });
    EXPECT_TRUE(matches(arange(s.start, s.stop, s.step), expected, {1, 0, 0x1p-23 * largest}));
  }
}

EG_TEST(Arange, integers_to_their_limits) {
  EXPECT_EQ(arange(-2147483648.0, -2147483644.0, 1, DType::i32).to_vector<int32_t>(),
            (std::vector<int32_t>{INT32_MIN, INT32_MIN + 1, INT32_MIN + 2, INT32_MIN + 3}));
  EXPECT_EQ(arange(4294967290.0, 4294967295.0, 2, DType::u32).to_vector<uint32_t>(),
            (std::vector<uint32_t>{4294967290U, 4294967292U, 4294967294U}));
  EXPECT_EQ(arange(5, -6, -5, DType::i32).to_vector<int32_t>(), (std::vector<int32_t>{5, 0, -5}));
  EXPECT_EQ(arange(10, 0, -4, DType::i32).to_vector<int32_t>(), (std::vector<int32_t>{10, 6, 2}));
  EXPECT_TRUE(matches(arange(0, 40000, 1, DType::i32), iota(DType::i32, {40000})));
}

}  // namespace
}  // namespace eglantine::test
