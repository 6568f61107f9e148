#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Shape, Concatenate);
EG_ON_EACH_DEVICE(Shape, Stack);
EG_ON_EACH_DEVICE(Shape, Split);

std::vector<Tensor> upload_all(const std::vector<Array>& parts) {
  std::vector<Tensor> tensors;
  for (const Array& part : parts) tensors.push_back(upload(part));
  return tensors;
}

EG_TEST(Concatenate, every_axis_of_every_view) {
  for (int axis : {0, 1, 2, -1})
    check_over_views(
        DType::f32, {{5, 13, 3}},
        [&](const Tensor& x) {
          return concatenate({x, x * 2.0F, x}, axis);
        },
        [&](const Array& x) {
          return naive::concatenate({x, naive::map(x, x.dtype, [](double v) { return v * 2; }), x}, axis);
        });
}

EG_TEST(Concatenate, different_lengths_and_every_dtype) {
  for (DType dtype : every_dtype) {
    const std::vector<Array> parts = {random_array(dtype, {3, 5}, 1), random_array(dtype, {3, 1}, 2),
                                      random_array(dtype, {3, 0}, 3), random_array(dtype, {3, 127}, 4)};
    EXPECT_TRUE(matches(concatenate(upload_all(parts), 1), naive::concatenate(parts, 1)));
  }
}

EG_TEST(Concatenate, one_tensor_and_empty_tensors) {
  const Array x = random_array(DType::i32, {4, 3});
  EXPECT_TRUE(matches(concatenate({upload(x)}, 0), x));
  const Array nothing = random_array(DType::i32, {0, 3});
  EXPECT_TRUE(matches(concatenate({upload(nothing), upload(nothing)}, 0), nothing));
  EXPECT_TRUE(matches(concatenate({upload(nothing), upload(x), upload(nothing)}, 0), x));
}

EG_TEST(Concatenate, more_tensors_than_a_kernel_can_bind) {
  std::vector<Array> parts;
  for (uint64_t i = 0; i < 70; ++i) parts.push_back(random_array(DType::f32, {static_cast<int64_t>(i % 3 + 1), 2}, i));
  EXPECT_TRUE(matches(concatenate(upload_all(parts), 0), naive::concatenate(parts, 0)));
}

EG_TEST(Concatenate, drawn_numbers_of_tensors) {
  Draw draw = draw_programs_one_of(4);
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    if (!draw.next()) continue;
    SCOPED_TRACE(seed);
    Random random(seed);
    const DType dtype = every_dtype[static_cast<size_t>(random.integer(0, std::size(every_dtype) - 1))];
    const auto rank = static_cast<size_t>(random.integer(1, 4)),
               along = static_cast<size_t>(random.integer(0, rank - 1));
    Dims shape;
    for (size_t axis = 0; axis < rank; ++axis) shape.push_back(random.integer(1, 5));
    std::vector<Array> parts;
    std::vector<Tensor> tensors;
    const int64_t count = random.integer(3, 30);
    for (int64_t i = 0; i < count; ++i) {
      shape[along] = random.integer(0, 6);
      parts.push_back(random_array(dtype, shape, seed * 100 + static_cast<uint64_t>(i)));
      const Tensor whole = upload(parts.back());
      const bool pending = random.integer(0, 1) == 1;
      tensors.push_back(pending ? where(whole == whole, whole, whole) : whole);
    }
    const Tensor joined = concatenate(tensors, static_cast<int>(along));
    EXPECT_TRUE(matches(joined, naive::concatenate(parts, static_cast<int>(along))));
  }
}

EG_TEST(Concatenate, the_same_tensor_twice_then_a_reduction) {
  const Array x = random_array(DType::i32, {13, 3});
  const Tensor held = upload(x);
  EXPECT_TRUE(matches(sum(concatenate({held, held}, 0), {0}), naive::sum(naive::concatenate({x, x}, 0), {0})));
}

EG_TEST(Stack, every_axis_of_every_view) {
  for (int axis : {0, 1, 2, -1})
    check_over_views(
        DType::f32, {{5, 13}},
        [&](const Tensor& x) {
          return stack({x, x + 1.0F}, axis);
        },
        [&](const Array& x) {
          return naive::stack({x, naive::map(x, x.dtype, [](double v) { return as_element(DType::f32, v + 1); })},
                              axis);
        });
}

EG_TEST(Stack, scalars_and_nothing) {
  const std::vector<Array> scalars = {random_array(DType::f32, {}, 1), random_array(DType::f32, {}, 2)};
  EXPECT_TRUE(matches(stack(upload_all(scalars), 0), naive::stack(scalars, 0)));
  const Array nothing = random_array(DType::f32, {0, 2});
  EXPECT_TRUE(matches(stack({upload(nothing), upload(nothing)}, -1), naive::stack({nothing, nothing}, 2)));
}

EG_TEST(Split, undoes_concatenate) {
  for (int axis : {0, 1, -1}) {
    const Array x = random_array(DType::f32, {6, 12, 18});
    const std::vector<Tensor> parts = split(upload(x), 3, axis);
    ASSERT_EQ(parts.size(), 3U);
    const int64_t length = x.shape[static_cast<size_t>(axis < 0 ? axis + 3 : axis)] / 3;
    for (int64_t i = 0; i < 3; ++i)
      EXPECT_TRUE(matches(parts[static_cast<size_t>(i)], naive::slice(x, axis, i * length, (i + 1) * length, 1)));
    EXPECT_TRUE(matches(concatenate(parts, axis), x));
  }
}

EG_TEST(Split, of_pending_expressions_and_of_nothing) {
  const Array x = random_array(DType::i32, {4, 3});
  const std::vector<Tensor> parts = split(neg(upload(x)), 4, 0);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_TRUE(matches(neg(parts[2]), naive::slice(x, 0, 2, 3, 1)));
  for (const Tensor& part : split(upload(random_array(DType::f32, {0, 2})), 3, 0)) EXPECT_EQ(part.size(), 0);
}

}  // namespace
}  // namespace eglantine::test
