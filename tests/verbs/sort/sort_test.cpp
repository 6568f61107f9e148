#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <vector>

#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/reference/order.hpp"
#include "support/reference/special_values.hpp"
#include "support/shapes.hpp"
#include "support/views.hpp"

/// sort and argsort: the order and the permutation, against a plain stable sort.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Order, Sort);

EG_TEST(Sort, every_shape_along_every_axis) {
  for (const Dims& shape : shapes_of_rank(1))
    for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis) {
      SCOPED_TRACE(text(shape) + " axis " + std::to_string(axis));
      const Array x = random_array(DType::i32, shape);
      expect_order(upload(x), x, axis, false);
      expect_order(upload(x), x, axis - static_cast<int64_t>(shape.size()), true);
    }
}

EG_TEST(Sort, every_view_along_some_axis) {
  for (size_t i = 0; i < every_view().size(); ++i) {
    SCOPED_TRACE(every_view()[i].name + " axis " + std::to_string(i % 3));
    const Sample sample = every_view()[i].hold(random_array(DType::f32, {5, 13, 37}));
    expect_order(sample.tensor, sample.array, static_cast<int64_t>(i % 3));
  }
}

/// Rows that repeat are sorted once.
EG_TEST(Sort, rows_that_are_broadcast) {
  const Array column = random_array(DType::f32, {300, 1}), row = random_array(DType::f32, {1, 300});
  const Tensor x = upload(column).expand({300, 14}), y = upload(row).expand({14, 300});
  const auto shown = [](const Tensor& values) { return values.to_vector<float>(); };
  const auto copied = [](const Tensor& values) { return (values + 0.0F).eval(); };
  EXPECT_EQ(shown(sort(x, 0)), shown(sort(copied(x), 0)));
  EXPECT_EQ(shown(sort(y, 1, true)), shown(sort(copied(y), 1, true)));
  EXPECT_EQ(argsort(x, 0).to_vector<int32_t>(), argsort(copied(x), 0).to_vector<int32_t>());
  EXPECT_EQ(shown(topk(y, 3).first), shown(topk(copied(y), 3).first));
  EXPECT_EQ(topk(y, 3).second.to_vector<int32_t>(), topk(copied(y), 3).second.to_vector<int32_t>());
  EXPECT_EQ(shown(quantile(x, 0.25, 0)), shown(quantile(copied(x), 0.25, 0)));
  EXPECT_EQ(shown(sort(x, 1)), shown(x)) << "along what repeats";
  EXPECT_EQ(explain(argsort(x, 1)).find("sort"), std::string::npos);
  EXPECT_EQ(argsort(x, 1, true).to_vector<int32_t>(), argsort(copied(x), 1, true).to_vector<int32_t>());
  EXPECT_EQ(shown(topk(x, 3, 1).first), shown(topk(copied(x), 3, 1).first));
  EXPECT_EQ(topk(x, 3, 1).second.to_vector<int32_t>(), topk(copied(x), 3, 1).second.to_vector<int32_t>());
  EXPECT_EQ(explain(sort(x, 0)).substr(0, explain(sort(upload(column), 0)).find('\n')),
            explain(sort(upload(column), 0)).substr(0, explain(sort(upload(column), 0)).find('\n')));
}

EG_TEST(Sort, every_view_of_long_rows) {
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    const Sample sample = view.hold(random_array(DType::u32, {3, 6007}));
    EXPECT_TRUE(matches(argsort(sample.tensor, 1, true), naive::sort(sample.array, 1, true).places));
  }
}

EG_TEST(Sort, every_dtype_with_few_and_with_many_equal_keys) {
  for (DType dtype : every_dtype)
    for (const Dims& shape : {Dims{40, 77}, Dims{2, 7001}}) {
      expect_order_both_ways(keys_with_ties(dtype, shape));
      expect_order_both_ways(Array{dtype, shape, random_array(DType::boolean, shape).values});
    }
}

EG_TEST(Sort, special_floats) {
  for (int64_t length : {100, 129, 7001}) expect_order_both_ways(special_keys({2, length}));
}

EG_TEST(Sort, moves_the_bits_of_zeros_and_denormals_untouched) {
  std::vector<float> x;
  for (int64_t i = 0; i < 6001; ++i)
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>((i * 7919) % 11) | (i % 2 == 0 ? 0x80000000U : 0U)));
  for (size_t length : {size_t{60}, x.size()}) {
    const std::vector<float> part(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(length));
    std::vector<float> in_order = part;
    std::stable_sort(in_order.begin(), in_order.end());
    const std::vector<float> result = sort(Tensor::from(part, {static_cast<int64_t>(length)})).to_vector<float>();
    for (size_t i = 0; i < length; ++i)
      ASSERT_EQ(std::bit_cast<uint32_t>(result[i]), std::bit_cast<uint32_t>(in_order[i])) << i << " of " << length;
  }
}

/// Rows that are sorted together, of which every third has keys that do not tell their elements' bits.
EG_TEST(Sort, moves_the_bits_of_zeros_and_nan_of_some_rows) {
  constexpr int64_t rows = 20;
  for (int64_t length : {5, 33, 64, 300, 700}) {
    std::vector<float> x = uniform({rows, length}, static_cast<uint64_t>(length)).to_vector<float>();
    for (size_t i = 0; i < x.size(); ++i) {
      if (i / static_cast<size_t>(length) % 3 != 0) continue;
      x[i] = i % 5 == 0 ? std::bit_cast<float>(0x7fc00000U + static_cast<uint32_t>(i)) : i % 2 == 0 ? 0.0F : -0.0F;
    }
    const std::vector<float> result = sort(Tensor::from(x, {rows, length}), 1).to_vector<float>();
    for (int64_t row = 0; row < rows; ++row)
      std::stable_sort(x.begin() + row * length, x.begin() + (row + 1) * length,
                       [](float a, float b) { return a < b || (!std::isnan(a) && std::isnan(b)); });
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(std::bit_cast<uint32_t>(result[i]), std::bit_cast<uint32_t>(x[i])) << i << " of rows of " << length;
  }
}

/// Rows and columns of at most 33 keys of any dtype. A driver may flush denormals where they are computed first.
Array drawn_few_keys(Random& random) {
  const Dims shape{random.integer(1, 33), random.integer(1, 33)};
  if (random.integer(0, 3) == 0) return without_denormals(special_keys(shape, random.word()));
  return keys_with_ties(every_dtype[static_cast<size_t>(random.word() % std::size(every_dtype))], shape, random.word());
}

EG_TEST(Sort, lengths_around_vectors_tiles_and_segments) {
  for (int64_t length : {2,   3,   7,   8,   9,    16,   17,   63,   64,   65,   127,  128,
                         129, 255, 256, 257, 1023, 1024, 1025, 2048, 5631, 5632, 5633, 11265})
    expect_order_both_ways(keys_with_ties(DType::i32, {length}));
}

EG_TEST(Sort, keys_in_order_in_reverse_and_all_equal) {
  for (int64_t length : {61, 9001}) {
    const Array up = iota(DType::u32, {length});
    expect_order_both_ways(up);
    expect_order_both_ways(naive::flip(up, {0}));
    expect_order_both_ways({DType::f32, {length}, std::vector<double>(static_cast<size_t>(length), -3)});
    expect_order_both_ways({DType::f32, {length}, std::vector<double>(static_cast<size_t>(length), nan)});
  }
}

EG_TEST(Sort, rows_of_a_few_keys_through_drawn_views) {
  Random random(draw_seed());
  for (const View& view : every_view()) {
    const Sample sample = view.hold(drawn_few_keys(random));
    const int64_t axis = random.integer(0, 1);
    SCOPED_TRACE(view.name + " axis " + std::to_string(axis));
    expect_order(sample.tensor, sample.array, axis, random.integer(0, 1) == 1);
  }
}

EG_TEST(Sort, many_short_rows) {
  expect_order_both_ways(keys_with_ties(DType::f32, {1000, 64}));
  const Array x = keys_with_ties(DType::u32, {3000, 130});
  expect_order(upload(x), x);
}

EG_TEST(Sort, a_hundred_thousand_rows_of_64) {
  const Array x = keys_with_ties(DType::u32, {100000, 64});
  expect_order(upload(x), x);
}

EG_TEST(Sort, a_few_long_rows) { expect_order_both_ways(keys_with_ties(DType::f32, {3, 100000})); }

EG_TEST(Sort, columns) { expect_order_both_ways(keys_with_ties(DType::u32, {300, 211}), 0); }

EG_TEST(Sort, a_million_keys) {
  const Array x = keys_with_ties(DType::u32, {1 << 20});
  expect_order(upload(x), x);
}

EG_TEST(Sort, gives_the_same_permutation_every_time) {
  const Tensor x = upload(random_array(DType::u32, {70001}));
  const std::vector<int32_t> first = argsort(x).to_vector<int32_t>();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(argsort(x).to_vector<int32_t>(), first);
}

EG_TEST(Sort, nothing_and_single_elements) {
  for (const Dims& shape : {Dims{0}, Dims{3, 0}, Dims{0, 3}, Dims{1}, Dims{3, 1}, Dims{2, 1, 2}})
    for (DType dtype : every_dtype) {
      const Array x = random_array(dtype, shape);
      expect_order(upload(x), x, 1 < shape.size() ? 1 : 0);
    }
}

EG_TEST(Sort, scalars_and_indices_without_memory) {
  EXPECT_TRUE(matches(argsort(full({300}, 2.0F), 0), iota(DType::i32, {300})));
  EXPECT_TRUE(matches(sort(arange(0, 300, 1, DType::i32), 0, true), naive::flip(iota(DType::i32, {300}), {0})));
}

}  // namespace
}  // namespace eglantine::test
