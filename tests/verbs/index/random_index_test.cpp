#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"
#include "support/views.hpp"

/// take, gather, scatter and scatter_add of random shapes, axes, ranks of indices and views, where
/// EGLANTINE_MAX_BLOCK_BYTES is 65536: long and short axes, few or many elements, dense or far apart.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Windows, RandomIndex);

constexpr uint64_t draws_each = 25;

/// Few elements, far apart in memory.
Sample far_apart(const Array& x, int64_t distance) {
  const Array spread = generate(x.dtype, {x.size(), distance}, [&](const Dims& i) {
    return i[1] == distance / 3 ? x.values[static_cast<size_t>(i[0])] : 7;
  });
  return {upload(spread).slice(1, distance / 3, distance / 3 + 1).reshape(Shape(x.shape)), x};
}

/// x in a random view, or as a small part of a large buffer.
Sample held_view(Random& random, const Array& x) {
  constexpr int64_t few = 40;
  if (x.size() > 0 && x.size() <= few && random.integer(0, 1) == 0) return far_apart(x, random.integer(2, 20000));
  const auto& views = every_view();
  return views[static_cast<size_t>(random.integer(0, static_cast<int64_t>(views.size()) - 1))].hold(x);
}

/// Mostly one long axis; at most about 50,000 elements.
Dims random_shape(Random& random, int64_t least_rank) {
  Dims shape(static_cast<size_t>(random.integer(least_rank, 3)));
  for (int64_t& length : shape) length = random.integer(1, 5);
  if (!shape.empty() && random.integer(0, 3) > 0)
    shape[static_cast<size_t>(random.integer(0, static_cast<int64_t>(shape.size()) - 1))] = random.integer(1, 20000);
  while (count(shape) > 50000)
    for (int64_t& length : shape) length = length > 1000 ? length / 2 : length;
  return shape;
}

DType random_index_dtype(Random& random) {
  constexpr DType dtypes[] = {DType::f32, DType::i32, DType::u32, DType::boolean};
  return dtypes[random.integer(0, 3)];
}

/// No longer than x along the other axes.
Dims index_shape(Random& random, const Dims& x, size_t axis) {
  Dims shape = x;
  for (size_t i = 0; i < x.size(); ++i)
    if (i == axis || random.integer(0, 3) == 0) shape[i] = random.integer(1, i == axis ? 40 : x[i]);
  return shape;
}

struct DrawnIndex {
  Sample x;
  size_t axis;
};

DrawnIndex draw(Random& random, DType dtype) {
  const Array x = random_array(dtype, random_shape(random, 1), random.word());
  return {held_view(random, x), static_cast<size_t>(random.integer(0, x.rank() - 1))};
}

std::string said(uint64_t seed, const DrawnIndex& drawn, const Array& index) {
  return "draw " + std::to_string(seed) + ": " + text(drawn.x.array.shape) + ", axis " + std::to_string(drawn.axis) +
         ", indices " + text(index.shape);
}

Sample indices(Random& random, const DrawnIndex& drawn, const Dims& shape) {
  return held_view(random, naive::random_indices(shape, drawn.x.array.shape[drawn.axis], random.word()));
}

EG_TEST(RandomIndex, take_of_any_rank) {
  Draw drawn_seeds = draw_one_of(4);
  for (uint64_t seed = 0; seed < draws_each; ++seed) {
    if (!drawn_seeds.next()) continue;
    Random random(seed);
    const DrawnIndex drawn = draw(random, random_index_dtype(random));
    Dims shape(static_cast<size_t>(random.integer(0, 2)));
    for (int64_t& length : shape) length = random.integer(1, 6);
    const Sample index = indices(random, drawn, shape);
    SCOPED_TRACE(said(seed, drawn, index.array));
    const auto axis = static_cast<int>(drawn.axis);
    const Array expected = naive::take(drawn.x.array, index.array, axis);
    EXPECT_TRUE(matches(take(drawn.x.tensor, index.tensor, axis), expected));
  }
}

EG_TEST(RandomIndex, gather_and_what_becomes_of_it) {
  Draw drawn_seeds = draw_one_of(4);
  for (uint64_t seed = 100; seed < 100 + draws_each; ++seed) {
    if (!drawn_seeds.next()) continue;
    Random random(seed);
    const DrawnIndex drawn = draw(random, random.integer(0, 1) == 0 ? DType::i32 : DType::u32);
    const Sample index = indices(random, drawn, index_shape(random, drawn.x.array.shape, drawn.axis));
    SCOPED_TRACE(said(seed, drawn, index.array));
    const auto axis = static_cast<int>(drawn.axis);
    const Array expected = naive::gather(drawn.x.array, axis, index.array);
    const Sample other = held_view(random, random_array(expected.dtype, expected.shape, random.word()));
    EXPECT_TRUE(matches(gather(drawn.x.tensor, axis, index.tensor), expected));
    EXPECT_TRUE(matches(gather(drawn.x.tensor, axis, index.tensor) + other.tensor,
                        naive::map(expected, other.array, expected.dtype, [](double a, double b) { return a + b; })));
  }
}

EG_TEST(RandomIndex, scatter_and_scatter_add) {
  Draw drawn_seeds = draw_one_of(4);
  for (uint64_t seed = 200; seed < 200 + draws_each; ++seed) {
    if (!drawn_seeds.next()) continue;
    Random random(seed);
    const bool adds = random.integer(0, 1) == 0;
    const DType dtype = random.integer(0, 1) == 0 ? DType::f32 : DType::i32;
    const DrawnIndex drawn = draw(random, dtype);
    const Sample index = indices(random, drawn, index_shape(random, drawn.x.array.shape, drawn.axis));
    SCOPED_TRACE(said(seed, drawn, index.array));
    // Integers, whose sums are independent of the order.
    Array updates = random_array(DType::i32, index.array.shape, random.word());
    updates.dtype = dtype;
    const Sample held_updates = held_view(random, updates);
    const auto axis = static_cast<int>(drawn.axis);
    const Tensor& x = drawn.x.tensor;
    EXPECT_TRUE(adds
                    ? matches(scatter_add(x, axis, index.tensor, held_updates.tensor),
                              naive::scatter_add(drawn.x.array, axis, index.array, held_updates.array), {0, 1e-5, 1e-4})
                    : matches(scatter(x, axis, index.tensor, held_updates.tensor),
                              naive::scatter(drawn.x.array, axis, index.array, held_updates.array)));
  }
}

EG_TEST(RandomIndex, a_column_of_few_long_rows) {
  const Array x = random_array(DType::f32, {4, 20000});
  const Sample held_view = view("contiguous").hold(x);
  for (const Dims& shape : {Dims{}, Dims{1}, Dims{2}, Dims{4}, Dims{5}}) {
    const Array index = naive::random_indices(shape, 20000);
    EXPECT_TRUE(matches(take(held_view.tensor, upload(index), 1), naive::take(x, index, 1))) << text(shape);
  }
}

}  // namespace
}  // namespace eglantine::test
