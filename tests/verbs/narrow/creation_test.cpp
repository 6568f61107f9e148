#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"

/// Tensors of f16, bf16, i8 and u8 that are made of nothing.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Narrow, NarrowCreation);

constexpr DType halves[] = {DType::f16, DType::bf16};

EG_TEST(NarrowCreation, arange_rounds_each_element_once) {
  for (DType dtype : halves)
    for (const auto& [start, stop, step] : {std::array{0.0, 37.0, 1.0}, {2040.0, 2060.0, 1.0}, {-1.0, 1.0, 0.1}}) {
      const Tensor wide = arange(start, stop, step);
      EXPECT_TRUE(same_bits(arange(start, stop, step, dtype), wide.astype(dtype))) << name_of(dtype) << start;
    }
  EXPECT_EQ(arange(250, -1, -50, DType::u8).to_vector<uint8_t>(), (std::vector<uint8_t>{250, 200, 150, 100, 50, 0}));
  EXPECT_EQ(arange(-128, 128, 51, DType::i8).to_vector<int8_t>(), (std::vector<int8_t>{-128, -77, -26, 25, 76, 127}));
  EXPECT_EQ(arange(-100, 101, 200, DType::i8).to_vector<int8_t>(), (std::vector<int8_t>{-100, 100}));
}

EG_TEST(NarrowCreation, spaces_are_within_a_rounding) {
  for (DType dtype : halves) {
    const auto line = [](const Dims& at) { return -3 + static_cast<double>(at[0]) * 10 / 36; };
    EXPECT_TRUE(matches(linspace(-3, 7, 37, dtype), generate(dtype, {37}, line)));
    EXPECT_TRUE(matches(linspace(0.1, 5, 1, dtype), Array{dtype, {1}, {0.1}}));
    const auto powers = [&](const Dims& at) { return std::pow(10, line(at) / 2); };
    EXPECT_TRUE(matches(logspace(-1.5, 3.5, 37, 10, dtype), generate(dtype, {37}, powers), {1}));
  }
  EXPECT_EQ(logspace(0, 6, 3, 10, DType::f16).astype(DType::f32).to_vector<float>(),
            (std::vector<float>{1, 1000, INFINITY}));
}

/// Many of these lie so near the middle of two neighbours that rounding to f32 first would reach it.
EG_TEST(NarrowCreation, linspace_rounds_once) {
  for (DType dtype : halves)
    for (const auto& [start, stop, count] : {std::tuple{0.0, 1.0, 8193},
                                             {-3.0, 7.0, 30001},
                                             {1.0, 1 + 0x1p-26, 65},
                                             {1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-30, 33},
                                             {-1 - 0x1p-8, 1.0, 4099},
                                             {6e-8, 6e-5, 4096}}) {
      const auto line = [&](const Dims& at) {
        return start + static_cast<double>(at[0]) * (stop - start) / static_cast<double>(count - 1);
      };
      EXPECT_TRUE(matches(linspace(start, stop, count, dtype), generate(dtype, {count}, line)))
          << name_of(dtype) << start;
    }
}

EG_TEST(NarrowCreation, uniform_numbers_stay_below_1) {
  const std::vector<float> wide = uniform({20000}, 5).to_vector<float>();
  for (const auto& [dtype, steps] : {std::pair{DType::f16, 2048.0F}, {DType::bf16, 256.0F}}) {
    std::vector<float> expected;
    for (float x : wide) expected.push_back(std::floor(x * steps) / steps);
    EXPECT_EQ(uniform({20000}, 5, dtype).to_vector<float>(), expected);
    EXPECT_LT(max(uniform({20000}, 5, dtype)).item<float>(), 1);
  }
}

EG_TEST(NarrowCreation, distributions_round_once) {
  const Shape shape{37};
  Draw draw = draw_programs_one_of(2);
  for (DType dtype : halves) {
    if (!draw.next()) continue;
    EXPECT_TRUE(same_bits(normal(shape, 3, dtype), normal(shape, 3).astype(dtype)));
    EXPECT_TRUE(same_bits(exponential(shape, 3, dtype), exponential(shape, 3).astype(dtype)));
    EXPECT_TRUE(same_bits(gumbel(shape, 3, dtype), gumbel(shape, 3).astype(dtype)));
    EXPECT_TRUE(same_bits(laplace(shape, 3, dtype), laplace(shape, 3).astype(dtype)));
    const Tensor inside = truncated_normal(0.1, 0.3, {2000}, 3, dtype);
    EXPECT_EQ(inside.dtype(), dtype);
    const Tensor low = full({}, 0.1, dtype), high = full({}, 0.3, dtype);
    EXPECT_TRUE(all((inside >= low) & (inside <= high)).item<bool>());
  }
}

EG_TEST(NarrowCreation, whole_numbers_reach_both_ends) {
  const Tensor bytes = randint(0, 256, {20000}, 7, DType::u8), wide = randint(0, 256, {20000}, 7);
  EXPECT_TRUE(same_bits(bytes, wide.astype(DType::u8)));
  EXPECT_EQ(min(bytes).item<uint8_t>(), 0);
  EXPECT_EQ(max(bytes).item<uint8_t>(), 255);
  EXPECT_TRUE(same_bits(randint(-128, 128, {999}, 7, DType::i8), randint(-128, 128, {999}, 7).astype(DType::i8)));
}

EG_TEST(NarrowCreation, extremes_replace_infinities) {
  const Tensor x = Tensor::from({NAN, INFINITY, -INFINITY, 2.5F}, {4});
  EXPECT_EQ(nan_to_num(x.astype(DType::f16), 3).to_vector<float>(), (std::vector<float>{3, 65504, -65504, 2.5F}));
  EXPECT_EQ(nan_to_num(x.astype(DType::bf16)).to_vector<float>(),
            (std::vector<float>{0, 0x1.fep127F, -0x1.fep127F, 2.5F}));
  EXPECT_ERROR(nan_to_num(x.astype(DType::f16), 0, 7e4), DTypeError, "[nan_to_num] the number 70000 does not fit f16");
  EXPECT_ERROR(threshold(x.astype(DType::f16), 0, 7e4), DTypeError, "[threshold] the number 70000 does not fit f16");
}

}  // namespace
}  // namespace eglantine::test
