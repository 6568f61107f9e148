#include <functional>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/reference/reference_math.hpp"

/// Random numbers of a vector are computed together where its elements are neighbours from a multiple of four on, else
/// each by itself: the same bits.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Creation, RandomVectors);

using Sampling = std::function<Tensor(const Shape& shape)>;

std::vector<Sampling> samplings() {
  return {[](const Shape& shape) { return normal(shape, 7); }, [](const Shape& shape) { return uniform(shape, 7); },
          [](const Shape& shape) { return laplace(shape, 7); },
          [](const Shape& shape) { return randint(-50, 900, shape, 7); },
          [](const Shape& shape) { return bernoulli(0.3, shape, 7).astype(DType::i32); }};
}

/// Views that begin anywhere, and go on by other steps than 1.
std::vector<std::function<Tensor(const Tensor& x)>> readings() {
  return {[](const Tensor& x) { return x; },
          [](const Tensor& x) { return x.slice(1, 1); },
          [](const Tensor& x) { return x.slice(1, 2); },
          [](const Tensor& x) { return x.slice(1, 3, 8); },
          [](const Tensor& x) { return x.slice(1, 0, x.shape()[1], 2); },
          [](const Tensor& x) { return x.transpose(0, 1) + 1; },
          [](const Tensor& x) { return x.flip({}) + 1; },
          [](const Tensor& x) {
            return concatenate({x, x.slice(1, 1)}, 1);
          },
          [](const Tensor& x) { return max(x, {1}); },
          [](const Tensor& x) { return max(x); },
          [](const Tensor& x) { return sort(x, 1); }};
}

EG_TEST(RandomVectors, have_the_bits_of_single_elements) {
  Draw draw = draw_programs_one_of(3);
  for (const Shape& shape : {Shape{5, 8}, Shape{3, 13}, Shape{2, 1026}, Shape{1, 4099}})
    for (const Sampling& sampled : samplings()) {
      const Tensor x = sampled(shape).eval();
      for (const auto& read : readings()) {
        if (!draw.next()) continue;
        EXPECT_TRUE(same_bits(read(sampled(shape)), read(x))) << to_string(shape);
      }
    }
}

// A product is not contracted with the sum that it goes into.
EG_TEST(RandomVectors, keep_their_bits_in_sums) {
  for (const Shape& shape : {Shape{5, 8}, Shape{5, 13}}) {
    const Tensor x = normal(shape, 3).eval(), row = normal({shape[1]}, 4).eval();
    EXPECT_TRUE(same_bits(normal(shape, 3) + row, x + row));
    EXPECT_TRUE(same_bits(normal(shape, 3).slice(1, 1) + row.slice(0, 1), x.slice(1, 1) + row.slice(0, 1)));
  }
}

// Of all quarters, and of all sizes of radius that so many draws reach.
EG_TEST(RandomVectors, normal_numbers_are_those_of_the_formula) {
  constexpr int64_t count = 60002;
  uint32_t number = 0;
  const Array expected =
      generate(DType::f32, {count}, [&](const Dims&) { return reference::philox_normal(number++, 9, 1); });
  EXPECT_TRUE(matches(normal({count}, uint64_t{1} << 32U | 9U), expected, {0, 1e-6, 1e-6}));
}

// The last numbers of what has more than 2^31, in vectors and singly.
EG_TEST(RandomVectors, normal_numbers_go_on_past_half_of_all_words) {
  constexpr int64_t columns = int64_t{1} << 30;
  for (const int64_t count : {int64_t{8}, int64_t{6}}) {
    auto number = static_cast<uint32_t>(4 * columns - count);
    const Array expected =
        generate(DType::f32, {1, count}, [&](const Dims&) { return reference::philox_normal(number++, 5, 0); });
    const Tensor last = normal({4, columns}, 5).slice(0, 3).slice(1, columns - count);
    EXPECT_TRUE(matches(last * 1, expected, {0, 1e-6, 1e-6})) << count;
  }
}

}  // namespace
}  // namespace eglantine::test
