#include <algorithm>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_remap.hpp"

/// Maps over transposed operands of drawn shapes, long enough to be tiled: whole tiles, what is left of them, axes
/// shorter than a tile.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Movement, TransposedMaps);

constexpr DType stored_types[] = {DType::f32, DType::i32, DType::f16,    DType::bf16,
                                  DType::i8,  DType::u8,  DType::boolean};
constexpr int64_t elements = int64_t{1} << 17;  // about as many

DType drawn_type(Random& random) { return stored_types[random.integer(0, std::ssize(stored_types) - 1)]; }

/// Of two to four axes, short or long, whose product is less than twice `elements`, and more than a half.
Dims drawn_shape(Random& random) {
  Dims shape;
  int64_t rest = elements;
  for (int64_t i = random.integer(1, 3); i > 0; --i) {
    const int64_t most = random.integer(0, 1) == 0 ? 20 : 700;
    shape.push_back(random.integer(1, std::clamp<int64_t>(rest / 2, 1, most)));
    rest /= shape.back();
  }
  shape.insert(shape.begin() + random.integer(0, std::ssize(shape)), rest + random.integer(0, rest / 2));
  return shape;
}

std::vector<int64_t> drawn_order(Random& random, int64_t rank) {
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < rank; ++i) axes.insert(axes.begin() + random.integer(0, i), i);
  return axes;
}

/// An array as its transposed copy lies in memory, and seen in the given order of axes; in one of four flipped as well.
struct TransposedCase {
  TransposedCase(Random& random, const Dims& stored_shape, DType dtype, const std::vector<int64_t>& order)
      : array(random_array(dtype, stored_shape, random.word())), tensor(upload(array)) {
    tensor = tensor.permute(order);
    array = naive::permute(array, std::vector<naive::Axis>(order.begin(), order.end()));
    if (random.integer(0, 3) > 0) return;
    const auto axis = static_cast<int>(random.integer(0, tensor.rank() - 1));
    tensor = tensor.flip(axis);
    array = naive::flip(array, {axis});
  }
  Array array;
  Tensor tensor;
};

template <class Check>
void for_drawn_shapes(int cases, const Check& check) {
  for (int i = 0; i < cases; ++i) {
    const uint64_t seed = draw_seed() + static_cast<uint64_t>(i);
    Random random(seed);
    const Dims shape = drawn_shape(random);
    SCOPED_TRACE(text(shape) + " of seed " + std::to_string(seed));
    check(random, shape, drawn_order(random, std::ssize(shape)));
  }
}

EG_TEST(TransposedMaps, conversions) {
  for_drawn_shapes(on_gl() ? 6 : 24, [](Random& random, const Dims& shape, const std::vector<int64_t>& order) {
    const DType to = drawn_type(random);
    const TransposedCase x(random, shape, drawn_type(random), order);
    EXPECT_TRUE(matches(x.tensor.astype(to), naive::cast(x.array, to))) << name_of(x.array.dtype) << name_of(to);
  });
}

EG_TEST(TransposedMaps, copies_and_maps_of_two) {
  for_drawn_shapes(on_gl() ? 6 : 24, [](Random& random, const Dims& shape, const std::vector<int64_t>& order) {
    const DType dtype = random.integer(0, 1) == 0 ? DType::i32 : DType::u8;
    const TransposedCase x(random, shape, dtype, order);
    const Array y = random_array(dtype, x.array.shape, random.word());
    const auto larger = [](double a, double b) { return std::max(a, b); };
    EXPECT_TRUE(matches(maximum(x.tensor, upload(y)), naive::map(x.array, y, dtype, larger)));
    EXPECT_TRUE(matches(x.tensor.reshape({x.array.size()}), naive::reshape(x.array, {x.array.size()})));
  });
}

EG_TEST(TransposedMaps, concatenations) {
  for_drawn_shapes(on_gl() ? 6 : 24, [](Random& random, const Dims& shape, const std::vector<int64_t>& order) {
    const DType dtype = drawn_type(random);
    const TransposedCase x(random, shape, dtype, order), y(random, shape, dtype, order);
    const auto axis = static_cast<int>(random.integer(0, std::ssize(shape) - 1));
    EXPECT_TRUE(matches(concatenate({x.tensor, y.tensor}, axis), naive::concatenate({x.array, y.array}, axis)))
        << name_of(dtype) << " along " << axis;
  });
}

/// Most of them long enough to be stored as they lie.
EG_TEST(TransposedMaps, pads_and_rolls) {
  for_drawn_shapes(on_gl() ? 6 : 24, [](Random& random, Dims shape, const std::vector<int64_t>& order) {
    *std::max_element(shape.begin(), shape.end()) *= 3;
    const TransposedCase x(random, shape, drawn_type(random), order);
    std::vector<std::pair<int64_t, int64_t>> pairs;
    Dims shifts;
    for (size_t i = 0; i < shape.size(); ++i) {
      pairs.emplace_back(random.integer(0, 2), random.integer(0, 2));
      shifts.push_back(random.integer(0, 5));
    }
    const auto mode = static_cast<PadMode>(random.integer(0, 3));
    EXPECT_TRUE(matches(pad(x.tensor, pairs, mode), naive::pad(x.array, pairs, mode))) << static_cast<int>(mode);
    Axes axes;
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) axes.push_back(axis);
    EXPECT_TRUE(matches(roll(x.tensor, Axes(shifts), axes), naive::roll(x.array, shifts)));
  });
}

/// Of many elements: in the order of memory, like functions of them, with which they are one kernel.
EG_TEST(TransposedMaps, pads_lie_as_what_they_pad) {
  const Array x = random_reals({701, 401}, -2, 2);
  const Tensor seen = upload(x).transpose(0, 1), made = upload(naive::transpose(x, 0, 1));
  for (const PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::edge, PadMode::wrap}) {
    const auto padded = [&](const Tensor& t) { return pad(t, {{3, 1}, {0, 2}}, mode); };
    const std::string plan = explain(padded(seen));
    EXPECT_TRUE(plan.starts_with("map f32 (703, 405): copy of 1 operand")) << plan.substr(0, 80);
    EXPECT_EQ(kernels_of(exp(padded(seen)) * 2.0F), 1);
    EXPECT_TRUE(same_bits(exp(padded(seen)) * 2.0F, exp(padded(made)) * 2.0F));
    EXPECT_TRUE(same_bits(sum(padded(seen), 1), sum(padded(seen).eval(), 1)));
    EXPECT_TRUE(same_bits(softmax(padded(seen), 1), softmax(padded(seen).eval(), 1)));
  }
}

/// Reshapes that no strides express are read in place by the kernel that computes with them.
EG_TEST(TransposedMaps, of_joined_axes_are_one_kernel) {
  const Array x = random_array(DType::i32, {5, 6, 13, 27});
  const Tensor line = upload(x).transpose(-2, -1).reshape({-1}), repeated = repeat(upload(x).transpose(0, 3), 3, 1);
  EXPECT_EQ(kernels_of(line + 1), 1);
  EXPECT_EQ(kernels_of(repeated * 2), 1);
  EXPECT_TRUE(same_bits((line + 1).reshape({5, 6, 27, 13}), (upload(x).transpose(-2, -1) + 1).eval()));
  EXPECT_TRUE(same_bits(repeated * 2, repeated.eval() * 2));
}

/// Where what a row reads lies multiples of a kilobyte apart, which leaves it few places in a cache.
EG_TEST(TransposedMaps, of_rows_a_power_of_two_apart) {
  const std::vector<int64_t> orders[] = {{2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
  for (const DType dtype : {DType::f32, DType::f16, DType::u8}) {
    Random random(draw_seed());
    const int64_t pitch = 1024 / size_of(dtype), columns = random.integer(1030, 1100), planes = random.integer(1, 3);
    const std::vector<int64_t>& order = orders[random.integer(0, 2)];
    Dims shape{columns, planes, pitch};
    if (order == orders[2]) std::swap(shape[0], shape[1]);
    const TransposedCase x(random, shape, dtype, order);
    const DType to = drawn_type(random);
    SCOPED_TRACE(text(shape) + " of " + std::string(name_of(dtype)) + " to " + std::string(name_of(to)));
    EXPECT_TRUE(matches(x.tensor.astype(to), naive::cast(x.array, to)));
    EXPECT_TRUE(matches(concatenate({x.tensor, x.tensor}, 1), naive::concatenate({x.array, x.array}, 1)));
  }
}

/// Booleans whose words begin anywhere in their rows, beside an operand whose vectors of memory begin there, or not.
EG_TEST(TransposedMaps, comparisons_of_rows_of_odd_length) {
  const auto less = [](double a, double b) { return a < b ? 1.0 : 0.0; };
  Draw draw = draw_programs_one_of(4);
  for (const int64_t columns : {9, 33, 65, 67, 101, 126, 130, 185})
    for (const int64_t start : {0, 1}) {
      if (!draw.next()) continue;
      const Array stored = random_array(DType::f32, {columns, 3, 70}, 1);
      const Array line = random_array(DType::f32, {stored.size() + start}, 2);
      const Tensor x = upload(stored).transpose(0, 2), y = upload(line).slice(0, start).reshape(x.shape());
      Array beside{DType::f32, {70, 3, columns}, {}};
      beside.values.assign(line.values.begin() + start, line.values.end());
      const Array expected = naive::map(naive::permute(stored, {2, 1, 0}), beside, DType::boolean, less);
      EXPECT_TRUE(matches(lt(x, y), expected)) << columns << " from " << start;
    }
}

}  // namespace
}  // namespace eglantine::test
