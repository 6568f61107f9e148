#include <algorithm>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Drawn stencils: weighted sums of neighbours, of which some lie in a mirrored picture.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Network, SharedViews);

constexpr DType dtypes[] = {DType::f32, DType::i32,  DType::u32, DType::boolean,
                            DType::f16, DType::bf16, DType::i8,  DType::u8};

struct Tap {
  Dims at;
  bool mirrored;
  double weight;
};

struct Stencil {
  Dims picture, results;
  DType dtype, computed;
  std::vector<Tap> taps;
  bool counts;  ///< adds the place in the row
};

/// One to three axes; the last is a few elements or several hundred.
Stencil drawn_stencil(Random& random) {
  Stencil drawn;
  const int64_t rank = random.integer(1, 3);
  Dims reach;
  for (int64_t axis = 0; axis < rank; ++axis) {
    const bool last = axis + 1 == rank;
    reach.push_back(random.integer(0, last ? 8 : 2));
    const int64_t longest = random.integer(0, 3) == 0 ? 40 : 700;
    drawn.results.push_back(last ? random.integer(1, longest) : random.integer(1, 4));
    drawn.picture.push_back(drawn.results.back() + reach.back());
  }
  drawn.dtype = dtypes[random.integer(0, std::ssize(dtypes) - 1)];
  drawn.computed = drawn.dtype == DType::boolean ? DType::i32 : drawn.dtype;
  drawn.counts = (drawn.dtype == DType::f32 || drawn.dtype == DType::i32) && random.integer(0, 2) == 0;
  const bool mirrors = random.integer(0, 2) == 0;
  for (int64_t count = random.integer(2, 9); count > 0; --count) {
    Tap tap{{}, mirrors && random.integer(0, 1) == 0, static_cast<double>(random.integer(1, 3))};
    for (const int64_t most : reach) tap.at.push_back(random.integer(0, most));
    drawn.taps.push_back(tap);
  }
  return drawn;
}

/// Small integers, so that each sum is exact.
Array picture_of(const Stencil& stencil, uint64_t seed) {
  Random random(seed);
  const int64_t largest = stencil.dtype == DType::boolean ? 1 : 3;
  return generate(stencil.dtype, stencil.picture,
                  [&](const Dims&) { return static_cast<double>(random.integer(0, largest)); });
}

Array expected_of(const Stencil& stencil, const Array& x) {
  return generate(stencil.computed, stencil.results, [&](const Dims& at) {
    double sum = stencil.counts ? static_cast<double>(at.back()) : 0;
    for (const Tap& tap : stencil.taps) {
      Dims from = at;
      for (size_t axis = 0; axis < from.size(); ++axis) from[axis] += tap.at[axis];
      if (tap.mirrored) from.back() = stencil.picture.back() - 1 - from.back();
      sum += tap.weight * x.at(from);
    }
    return sum;
  });
}

Tensor sum_of(const Stencil& stencil, const Tensor& x) {
  Tensor sum;
  if (stencil.counts) sum = arange(0, static_cast<double>(stencil.results.back()), 1, stencil.computed);
  for (const Tap& tap : stencil.taps) {
    Tensor part = tap.mirrored ? x.flip({x.rank() - 1}) : x;
    for (int axis = 0; axis < x.rank(); ++axis) {
      const auto number = static_cast<size_t>(axis);
      part = part.slice(axis, tap.at[number], tap.at[number] + stencil.results[number]);
    }
    const Tensor counted = part.astype(stencil.computed) * static_cast<int32_t>(tap.weight);
    sum = sum.defined() ? sum + counted : counted;
  }
  return sum;
}

std::string text_of(const Stencil& stencil) {
  std::string all = std::string(name_of(stencil.dtype)) + " " + text(stencil.picture);
  for (const Tap& tap : stencil.taps) all += (tap.mirrored ? " m" : " ") + text(tap.at);
  return all;
}

EG_TEST(SharedViews, sum_to_what_each_neighbour_adds) {
  Draw draw = draw_programs_one_of(8);
  for (uint64_t seed = 0; seed < 240; ++seed) {
    if (!draw.next()) continue;
    Random random(seed);
    const Stencil stencil = drawn_stencil(random);
    const Array x = picture_of(stencil, seed);
    EXPECT_TRUE(matches(sum_of(stencil, upload(x)), expected_of(stencil, x))) << seed << ": " << text_of(stencil);
  }
}

/// Sums of small integers are exact in any order.
EG_TEST(SharedViews, are_read_by_other_families_as_from_memory) {
  Draw draw = draw_programs_one_of(20);
  for (uint64_t seed = 1000; seed < 1060; ++seed) {
    if (!draw.next()) continue;
    Random random(seed);
    const Stencil stencil = drawn_stencil(random);
    const Array x = picture_of(stencil, seed);
    const Tensor memory = sum_of(stencil, upload(x)).eval();
    for (int axis = 0; axis < memory.rank(); ++axis) {
      SCOPED_TRACE(text({static_cast<int64_t>(seed), axis}) + ": " + text_of(stencil));
      const auto fused = [&] { return sum_of(stencil, upload(x)); };
      EXPECT_TRUE(same_bits(sum(fused(), {axis}), sum(memory, {axis})));
      EXPECT_TRUE(same_bits(max(fused(), {axis}), max(memory, {axis})));
      EXPECT_TRUE(same_bits(cumsum(fused(), axis), cumsum(memory, axis)));
    }
  }
}

}  // namespace
}  // namespace eglantine::test
