#include <algorithm>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_remap.hpp"
#include "support/views.hpp"

/// Chains of random movements, with arithmetic and evaluations between them.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Movement, RandomMovement);

int any_axis(Random& random, const Sample& x) { return static_cast<int>(random.integer(0, x.array.rank() - 1)); }

Sample padded(Random& random, const Sample& x) {
  const PadMode mode = static_cast<PadMode>(random.integer(0, 3));
  naive::Pairs pairs(x.array.shape.size(), {0, 0});
  for (auto& [before, after] : pairs)
    if (random.integer(0, 2) > 0) std::tie(before, after) = std::pair(random.integer(0, 3), random.integer(0, 3));
  const int fill = static_cast<int>(random.integer(0, 1));
  return {pad(x.tensor, pairs, mode, static_cast<float>(fill)), naive::pad(x.array, pairs, mode, fill)};
}

Sample rolled(Random& random, const Sample& x) {
  Dims shifts(x.array.shape.size(), 0), axes;
  for (size_t i = 0; i < shifts.size(); ++i) {
    shifts[i] = random.integer(-9, 9) * random.integer(0, 1);
    axes.push_back(static_cast<int64_t>(i));
  }
  return {roll(x.tensor, shifts, axes), naive::roll(x.array, shifts)};
}

Sample cut(Random& random, const Sample& x) {
  const int axis = any_axis(random, x);
  const int64_t length = x.array.shape[static_cast<size_t>(axis)], step = random.integer(1, 2);
  const int64_t start = random.integer(0, length / 2);
  return {x.tensor.slice(axis, start, length, step), naive::slice(x.array, axis, start, length, step)};
}

Sample turned(Random& random, const Sample& x) {
  const int a = any_axis(random, x), b = any_axis(random, x);
  return {x.tensor.transpose(a, b).flip(b), naive::flip(naive::transpose(x.array, a, b), {b})};
}

Sample windowed(Random& random, const Sample& x) {
  const int axis = any_axis(random, x);
  const int64_t size = std::min<int64_t>(x.array.shape[static_cast<size_t>(axis)], random.integer(1, 3));
  if (x.array.rank() > 4) return x;
  return {windows(x.tensor, axis, {size}), naive::windows(x.array, {axis}, {size}, {1}, {1})};
}

/// Axes 0 and 1 as one.
Sample merged(const Sample& x) {
  if (x.array.rank() < 3) return x;
  Dims shape(x.array.shape.begin() + 1, x.array.shape.end());
  shape[0] *= x.array.shape[0];
  return {x.tensor.reshape(shape), naive::reshape(x.array, shape)};
}

Sample moved(Random& random, const Sample& x) {
  switch (random.integer(0, 8)) {
    case 0:
    case 1:
      return padded(random, x);
    case 2:
    case 3:
      return rolled(random, x);
    case 4:
      return cut(random, x);
    case 5:
      return turned(random, x);
    case 6:
      return windowed(random, x);
    case 7:
      return merged(x);
    default:
      return {x.tensor + x.tensor, naive::map(x.array, DType::i32, [](double v) { return 2 * v; })};
  }
}

EG_TEST(RandomMovement, chains_of_movements) {
  constexpr int64_t largest = 1000;
  const int chains = on_gl() ? 32 : 200;
  Draw draw = draw_programs_one_of(8);
  for (int chain = 0; chain < chains; ++chain) {
    if (!draw.next()) continue;
    SCOPED_TRACE("chain " + std::to_string(chain));
    Random random(static_cast<uint64_t>(chain) + 40);
    Sample x = view(chain % 2 == 0 ? "contiguous" : "permuted").hold(random_array(DType::i32, {4, 3, 5}));
    for (int i = 0; i < 7 && x.array.size() > 0 && x.array.size() < largest; ++i) {
      x = moved(random, x);
      if (random.integer(0, 9) == 0) x.tensor.eval();
    }
    EXPECT_TRUE(matches(x.tensor, x.array));
    // A program of its own, which reads by the same text.
    if (chain % 2 == 0) {
      EXPECT_TRUE(matches(sum(x.tensor, 0), naive::sum(x.array, {0})));
    }
  }
}

}  // namespace
}  // namespace eglantine::test
