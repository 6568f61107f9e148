#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Wrong arguments of sort and its like, and exactly what is said about them.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(BadInput, Order);

TEST_P(Order, axes_out_of_range) {
  EXPECT_ERROR(sort(ones({2, 3}), 2), ShapeError,
               "[sort] axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  EXPECT_ERROR(argsort(ones({2, 3}), -3), ShapeError,
               "[argsort] axis -3 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  EXPECT_ERROR(topk(ones({2, 3}), 1, 5), ShapeError,
               "[topk] axis 5 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
}

TEST_P(Order, scalars) {
  EXPECT_ERROR(sort(ones({})), ShapeError, "[sort] axis -1 of a scalar, which has no axes");
  EXPECT_ERROR(argsort(ones({}), 0), ShapeError, "[argsort] axis 0 of a scalar, which has no axes");
  EXPECT_ERROR(topk(ones({}), 0), ShapeError, "[topk] axis -1 of a scalar, which has no axes");
  EXPECT_ERROR(sort_by_key(ones({}), ones({})), ShapeError, "[sort_by_key] axis -1 of a scalar, which has no axes");
}

TEST_P(Order, topk_of_more_than_there_are) {
  EXPECT_ERROR(topk(ones({2, 3}), 4), ShapeError,
               "[topk] k is 4, and must lie in [0, 3], the length of axis -1 of (2, 3)");
  EXPECT_ERROR(topk(ones({2, 3}), -1, 0), ShapeError,
               "[topk] k is -1, and must lie in [0, 2], the length of axis 0 of (2, 3)");
}

TEST_P(Order, keys_and_values_of_two_shapes) {
  EXPECT_ERROR(sort_by_key(ones({2, 3}), ones({3})), ShapeError,
               "[sort_by_key] keys and values differ in shape: (2, 3) and (3,)");
}

TEST_P(Order, rows_too_long_for_places) {
  const Tensor x = ones({1}).expand({int64_t{1} << 31});
  EXPECT_ERROR(sort(x), ShapeError, "[sort] axis -1 of (2147483648,) is longer than an i32 place can say");
  EXPECT_ERROR(argsort(x, 0), ShapeError, "[argsort] axis 0 of (2147483648,) is longer than an i32 place can say");
  EXPECT_ERROR(topk(x, 1), ShapeError, "[topk] axis -1 of (2147483648,) is longer than an i32 place can say");
  EXPECT_ERROR(sort_by_key(x, x), ShapeError,
               "[sort_by_key] axis -1 of (2147483648,) is longer than an i32 place can say");
}

}  // namespace
}  // namespace eglantine::test
