#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/verbs/counting.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_counting.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, Bincount);

Array numbers(DType dtype, int64_t length, int64_t most) {
  Random random(static_cast<uint64_t>(length));
  return generate(dtype, {length}, [&](const Dims&) { return static_cast<double>(random.integer(0, most)); });
}

EG_TEST(Bincount, lengths_and_dtypes) {
  Draw draw = draw_programs_one_of(3);
  for (DType dtype : {DType::i32, DType::u32, DType::boolean})
    for (int64_t length : {0, 1, 13, 127, 1025}) {
      if (!draw.next()) continue;
      const Array x = numbers(dtype, length, dtype == DType::boolean ? 1 : 40);
      EXPECT_TRUE(matches(bincount(upload(x)), naive::bincount(x))) << name_of(dtype) << length;
    }
  const Array many = numbers(DType::i32, 100003, 255);
  EXPECT_TRUE(matches(bincount(upload(many)), naive::bincount(many)));
}

EG_TEST(Bincount, a_least_length) {
  const Array x = numbers(DType::i32, 20, 9), none{DType::i32, {0}, {}};
  for (int64_t least : {0, 5, 10, 50}) EXPECT_TRUE(matches(bincount(upload(x), {}, least), naive::bincount(x, least)));
  EXPECT_TRUE(matches(bincount(upload(none), {}, 7), naive::bincount(none, 7)));
  EXPECT_TRUE(matches(bincount(upload(none), upload(Array{DType::f32, {0}, {}})), Array{DType::f32, {0}, {}}));
}

EG_TEST(Bincount, weights) {
  const Array x = numbers(DType::i32, 1025, 40);
  for (DType dtype : every_dtype) {
    const Array weights = random_array(dtype, {1025});
    EXPECT_TRUE(matches(bincount(upload(x), upload(weights)), naive::bincount(x, weights), {0, 1e-5, 1e-4}))
        << name_of(dtype);
  }
}

EG_TEST(Bincount, held_in_every_view) {
  const Array x = numbers(DType::i32, 137, 40);
  Draw draw = draw_one_of(3);
  for (const View& view : every_view()) {
    if (!draw.next()) continue;
    const Sample held = view.hold(x);
    EXPECT_TRUE(matches(bincount(held.tensor), naive::bincount(held.array))) << view.name;
  }
}

EG_TEST(Bincount, a_negative_number) {
  EXPECT_ERROR(bincount(Tensor::from({3, 0, -2, -7}, {4})), IndexError, "[bincount] the number -2 at (2,) is negative");
}

}  // namespace
}  // namespace eglantine::test
