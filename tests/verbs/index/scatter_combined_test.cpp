#include <cmath>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/verbs/segments.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/naive_segments.hpp"
#include "support/reference/order.hpp"
#include "support/reference/special_values.hpp"

/// scatter_max, scatter_min and scatter_mul. Maxima, minima and all of integers are exact.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, ScatterCombined);

using ScatterVerb = Tensor (*)(const Tensor&, int, const Tensor&, const Tensor&);
struct Verb {
  const char* name;
  ScatterVerb scatter;
  naive::Combine combine;
};
const Verb verbs[] = {{"scatter_max", scatter_max, naive::larger},
                      {"scatter_min", scatter_min, naive::smaller},
                      {"scatter_mul", scatter_mul, naive::multiplied}};

/// Of `depth` factors near 1.
void check(const Verb& verb, const Array& x, int axis, const Array& index, const Array& updates, double depth = 0) {
  SCOPED_TRACE(std::string(verb.name) + " " + std::string(name_of(x.dtype)) + text(x.shape) + " by " +
               text(index.shape));
  EXPECT_TRUE(matches(verb.scatter(upload(x), axis, upload(index), upload(updates)),
                      naive::scatter_with(x, axis, index, updates, verb.combine), {0, depth * 0x1p-23, 0}));
}

EG_TEST(ScatterCombined, every_axis_of_every_view) {
  for (const Verb& verb : verbs)
    for (int axis : {0, -1}) {
      const Dims shape{4, 6, 9};
      const Array index = naive::random_indices(shape, axis == 0 ? 5 : 11),
                  updates = random_array(DType::i32, shape, 7);
      check_over_views(
          DType::i32, {{5, 7, 11}},
          [&](const Tensor& x) { return verb.scatter(x, axis, upload(index), upload(updates)); },
          [&](const Array& x) { return naive::scatter_with(x, axis, index, updates, verb.combine); });
      check(verb, random_array(DType::f32, {5, 7, 11}), axis, index, random_array(DType::f32, shape, 8), 10);
    }
}

EG_TEST(ScatterCombined, updates_and_indices_held_in_views) {
  const Array x = random_array(DType::f32, {6, 13});
  for (const char* name : {"permuted", "stepped", "broadcast", "pending"}) {
    SCOPED_TRACE(name);
    const Sample index = view(name).hold(naive::random_indices({6, 8}, 13));
    const Sample updates = view(name).hold(random_array(DType::f32, {6, 8}, 3));
    for (const Verb& verb : verbs)
      EXPECT_TRUE(matches(verb.scatter(upload(x), 1, index.tensor, updates.tensor),
                          naive::scatter_with(x, 1, index.array, updates.array, verb.combine), {0, 20 * 0x1p-23, 0}));
  }
}

EG_TEST(ScatterCombined, integers_of_all_bits) {
  const Array index = naive::random_indices({1025}, 5);
  for (DType dtype : {DType::i32, DType::u32})
    for (const Verb& verb : {verbs[0], verbs[1]})
      check(verb, random_bits(dtype, {5}), 0, index, random_bits(dtype, {1025}, 2));
}

EG_TEST(ScatterCombined, products_of_integers_wrap) {
  // Odd factors: no product of many becomes 0.
  const Array index = naive::random_indices({1025}, 5);
  for (DType dtype : {DType::i32, DType::u32}) {
    Array x = random_bits(dtype, {5}), updates = random_bits(dtype, {1025}, 2), expected = x;
    std::vector<uint32_t> words;
    const auto word = [](double value) { return static_cast<uint32_t>(static_cast<int64_t>(value)); };
    for (double value : x.values) words.push_back(word(value));
    for (size_t i = 0; i < updates.values.size(); ++i) {
      updates.values[i] = as_element(dtype, std::fabs(std::trunc(updates.values[i] / 2)) * 2 + 1);
      const auto at = static_cast<int64_t>(index.values[i]);
      words[static_cast<size_t>(at < 0 ? at + 5 : at)] *= word(updates.values[i]);
    }
    for (size_t i = 0; i < words.size(); ++i)
      expected.values[i] = dtype == DType::i32 ? static_cast<double>(static_cast<int32_t>(words[i])) : words[i];
    EXPECT_TRUE(matches(scatter_mul(upload(x), 0, upload(index), upload(updates)), expected)) << name_of(dtype);
  }
}

EG_TEST(ScatterCombined, special_floats_and_the_sign_of_zero) {
  for (int64_t length : {1, 7, 40}) {
    const Array x = special_keys({length}), index = naive::random_indices({61}, length),
                updates = special_keys({61}, 5);
    check(verbs[0], x, 0, index, updates);
    check(verbs[1], x, 0, index, updates);
  }
  const Tensor x = Tensor::from({-0.0F, 0.0F, -0.0F, std::nanf("")}, {4});
  const Tensor index = Tensor::from({0, 1}, {2}), zeros = Tensor::from({0.0F, -0.0F}, {2});
  EXPECT_TRUE(matches(scatter_max(x, 0, index, zeros), Array{DType::f32, {4}, {0.0, 0.0, -0.0, nan}}, bitwise));
  EXPECT_TRUE(matches(scatter_min(x, 0, index, zeros), Array{DType::f32, {4}, {-0.0, -0.0, -0.0, nan}}, bitwise));
}

EG_TEST(ScatterCombined, any_number_of_updates_to_one_element) {
  for (int64_t count : {1, 2, 32, 33, 65, 1025, 20001}) {
    const Array index{DType::i32, {count}, std::vector<double>(static_cast<size_t>(count), -2)};
    const double width = 1.0 / static_cast<double>(count);
    check(verbs[0], random_array(DType::f32, {3}), 0, index, random_reals({count}, -5, 5));
    check(verbs[2], random_array(DType::f32, {3}), 0, index, random_reals({count}, 1 - width, 1 + width),
          static_cast<double>(count) + 1);
  }
}

EG_TEST(ScatterCombined, the_same_bits_every_time) {
  const Tensor x = upload(random_reals({50}, 0.5, 1.5)), index = upload(naive::random_indices({3001}, 50));
  const Tensor updates = upload(random_reals({3001}, 0.9, 1.1));
  const Tensor once = scatter_mul(x, 0, index, updates).eval();
  for (int round = 0; round < 3; ++round) EXPECT_TRUE(same_bits(scatter_mul(x, 0, index, updates), once));
}

EG_TEST(ScatterCombined, no_updates_and_converted_ones) {
  const Array x = random_array(DType::f32, {7, 3});
  const Array index = naive::random_indices({4, 3}, 7), updates = random_array(DType::i32, {4, 3});
  for (const Verb& verb : verbs) {
    EXPECT_TRUE(matches(verb.scatter(upload(x), 0, zeros({0, 3}, DType::i32), zeros({0, 3})), x));
    check(verb, x, 0, index, updates, 4);
  }
}

EG_TEST(ScatterCombined, an_index_out_of_range) {
  const Tensor index = Tensor::from({0, 3}, {2});
  for (const Verb& verb : verbs)
    for (DType dtype : numeric_dtypes)
      EXPECT_ERROR(verb.scatter(ones({3}, dtype), 0, index, ones({2}, dtype)).astype(DType::f32).to_vector<float>(),
                   IndexError, "[" + std::string(verb.name) + "] index 3 at (1,) lies outside [-3, 3): axis 0 of (3,)");
}

}  // namespace
}  // namespace eglantine::test
