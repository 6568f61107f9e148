#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/over_views.hpp"
#include "support/random/statistics.hpp"
#include "support/reference/reference_math.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Creation, Permutation);
EG_ON_EACH_DEVICE(Creation, Shuffle);

/// Sorted by words n + i, then by words i.
std::vector<int32_t> permutation_reference(int64_t n, uint64_t seed) {
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < 2 * n; ++i)
    words.push_back(reference::philox_permutation(i, static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32U)));
  const auto word = [&](int64_t i) { return words[static_cast<size_t>(i)]; };
  std::vector<int32_t> first(static_cast<size_t>(n)), places(first.size()), result;
  std::iota(first.begin(), first.end(), 0);
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(first.begin(), first.end(), [&](int32_t a, int32_t b) { return word(a) < word(b); });
  std::stable_sort(places.begin(), places.end(), [&](int32_t a, int32_t b) { return word(n + a) < word(n + b); });
  for (int32_t place : places) result.push_back(first[static_cast<size_t>(place)]);
  return result;
}

EG_TEST(Permutation, has_the_same_bits_everywhere) {
  for (int64_t n : {0, 1, 2, 13, 127, 1025, 40000})
    for (uint64_t seed : {uint64_t{0}, uint64_t{7}, uint64_t{0x299f31d0a4093822}})
      EXPECT_EQ(permutation(n, seed).to_vector<int32_t>(), permutation_reference(n, seed)) << n << " " << seed;
}

EG_TEST(Permutation, holds_every_number_once) {
  std::vector<int32_t> numbers = permutation(20000, 3).to_vector<int32_t>();
  EXPECT_FALSE(std::is_sorted(numbers.begin(), numbers.end()));
  std::sort(numbers.begin(), numbers.end());
  for (int32_t i = 0; i < 20000; ++i) ASSERT_EQ(numbers[static_cast<size_t>(i)], i);
}

/// Of the reference, whose bits are the devices'.
TEST(PermutationReference, every_order_comes_alike_often) {
  std::map<std::vector<int32_t>, int64_t> seen;
  for (uint64_t seed = 0; seed < 600; ++seed) ++seen[permutation_reference(3, seed)];
  std::vector<int64_t> counts;
  for (const auto& [order, times] : seen) counts.push_back(times);
  ASSERT_EQ(counts.size(), 6U);
  EXPECT_LT(std::abs(chi_square(counts, std::vector<double>(6, 1.0 / 6))), unlikely);
}

TEST(PermutationReference, places_are_independent_of_numbers_and_neighbours) {
  for (uint64_t seed : {1, 2}) {
    const std::vector<int32_t> numbers = permutation_reference(65536, seed);
    std::vector<double> x(numbers.begin(), numbers.end());
    std::vector<double> place(x.size());
    std::iota(place.begin(), place.end(), 0.0);
    EXPECT_LT(std::abs(correlation(x, place)), unlikely);
    for (double& value : x) value /= 65536;
    for (size_t lag : {1, 4, 1024}) EXPECT_LT(std::abs(chi_square_of_pairs(x, lag, 16)), unlikely) << lag;
  }
}

Array reordered(const Array& x, const std::vector<int32_t>& order, size_t axis) {
  return generate(x.dtype, x.shape, [&](Dims i) {
    i[axis] = order[static_cast<size_t>(i[axis])];
    return x.at(i);
  });
}

EG_TEST(Shuffle, moves_rows_together_in_the_order_of_permutation) {
  for (size_t axis : {0, 1})
    check_over_views(
        DType::f32, {{13, 7}, {1, 5}}, [&](const Tensor& x) { return shuffle(x, 21, static_cast<int>(axis)); },
        [&](const Array& x) { return reordered(x, permutation_reference(x.shape[axis], 21), axis); });
  for (DType dtype : every_dtype) {
    const Array x = random_array(dtype, {6, 3, 4});
    EXPECT_TRUE(matches(shuffle(upload(x), 21, -2), reordered(x, permutation_reference(3, 21), 1)));
  }
}

EG_TEST(Shuffle, of_vectors_and_of_nothing) {
  const Array x = random_array(DType::f32, {1025});
  EXPECT_TRUE(matches(shuffle(upload(x), 5), reordered(x, permutation_reference(1025, 5), 0)));
  EXPECT_TRUE(matches(shuffle(upload(x), 5, -1), reordered(x, permutation_reference(1025, 5), 0)));
  EXPECT_EQ(shuffle(zeros({0, 3}), 1).shape(), (Shape{0, 3}));
  EXPECT_EQ(shuffle(zeros({3, 0}), 1).shape(), (Shape{3, 0}));
}

}  // namespace
}  // namespace eglantine::test
