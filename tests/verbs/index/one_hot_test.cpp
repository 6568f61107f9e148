#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive_index.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, OneHot);

EG_TEST(OneHot, shapes_and_depths) {
  for (const Dims& shape : {Dims{}, Dims{1}, Dims{13}, Dims{1025}, Dims{3, 5}, Dims{0}, Dims{2, 0}})
    for (int64_t depth : {1, 10, 127}) {
      const Array indices = naive::random_indices(shape, depth);
      EXPECT_TRUE(matches(one_hot(upload(indices), depth), naive::one_hot(indices, depth))) << text(shape) << depth;
    }
}

EG_TEST(OneHot, indices_held_in_views) {
  for (const char* name : {"permuted", "stepped", "broadcast", "pending"}) {
    const Sample indices = view(name).hold(naive::random_indices({4, 6}, 5));
    EXPECT_TRUE(matches(one_hot(indices.tensor, 5), naive::one_hot(indices.array, 5))) << name;
  }
}

EG_TEST(OneHot, no_depth_and_no_indices) {
  EXPECT_TRUE(matches(one_hot(zeros({0}, DType::i32), 0), Array{DType::f32, {0, 0}, {}}));
}

EG_TEST(OneHot, arguments_that_do_not_fit) {
  EXPECT_ERROR(one_hot(zeros({2}, DType::i32), -1), ShapeError, "[one_hot] a negative depth: -1");
  EXPECT_ERROR(one_hot(zeros({2}), 3), DTypeError, "[one_hot] indices are i32, got f32; convert with astype");
  EXPECT_ERROR(one_hot(zeros({1, 1, 1, 1, 1, 1, 1, 1}, DType::i32), 3), ShapeError,
               "[one_hot] (1, 1, 1, 1, 1, 1, 1, 1) has the largest rank already, 8");
  EXPECT_ERROR(one_hot(zeros({2}, DType::i32), 3000000000), ShapeError,
               "[one_hot] a depth of 3000000000: i32 indices reach 2^31 - 1");
}

}  // namespace
}  // namespace eglantine::test
