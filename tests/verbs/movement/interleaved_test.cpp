#include <vector>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"

/// Pieces whose elements alternate along the last axis, or share lines of memory: results of one kernel.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Verbs, Interleaved);

std::vector<Array> pieces_of(DType dtype, const Dims& shape, int64_t count) {
  std::vector<Array> pieces;
  for (int64_t i = 0; i < count; ++i) pieces.push_back(random_array(dtype, shape, static_cast<uint64_t>(i) + 1));
  return pieces;
}

std::vector<Tensor> uploaded(const std::vector<Array>& pieces) {
  std::vector<Tensor> tensors;
  for (const Array& piece : pieces) tensors.push_back(upload(piece));
  return tensors;
}

EG_TEST(Interleaved, pieces_of_every_length_and_dtype_are_stacked_as_by_loops) {
  Draw drawn = draw_programs_one_of(4);
  for (const Dims& shape : {Dims{1}, Dims{2}, Dims{4}, Dims{5}, Dims{1031}, Dims{3, 7}, Dims{8, 64}})
    for (int64_t count = 2; count <= 5; ++count)
      for (DType dtype : {DType::f32, DType::i32, DType::boolean, DType::f16, DType::u8}) {
        if (!drawn.next()) continue;
        SCOPED_TRACE(::testing::Message() << count << " of " << text(shape) << " " << name_of(dtype));
        const std::vector<Array> pieces = pieces_of(dtype, shape, count);
        EXPECT_TRUE(matches(stack(uploaded(pieces), -1), naive::stack(pieces, static_cast<int>(shape.size()))));
      }
}

EG_TEST(Interleaved, up_to_four_are_one_kernel_with_what_they_are_made_of) {
  const Tensor x = upload(random_array(DType::f32, {5, 131})), y = upload(random_array(DType::f32, {5, 131}, 2)),
               c = upload(random_array(DType::f32, {5, 1}, 3)), s = upload(random_array(DType::f32, {5, 1}, 4));
  const Tensor rotated = stack({x * c - y * s, x * s + y * c}, -1);
  const bool few = binds_few_buffers();  // a kernel for each where one does not bind them all
  EXPECT_EQ(kernels_of(rotated), few ? 4 : 1);
  EXPECT_TRUE(same_bits(rotated.slice(2, 0, 1).squeeze(2), (x * c - y * s).eval()));
  EXPECT_TRUE(same_bits(rotated.slice(2, 1, 2).squeeze(2), (x * s + y * c).eval()));
  EXPECT_EQ(kernels_of(stack({x, y, x, y}, -1)), few ? 4 : 1);
  const Tensor whole = upload(random_array(DType::f32, {5, 136})),
               sectors = upload(random_array(DType::f32, {5, 136}, 2));
  EXPECT_EQ(kernels_of(stack({whole, sectors}, 1)), 2);
}

/// Rows of pieces that are shorter than a line of memory, and around that length.
EG_TEST(Interleaved, short_rows_are_concatenated_as_by_loops) {
  Draw drawn = draw_programs_one_of(4);
  for (const int64_t row : {1, 2, 3, 4, 5, 8, 12, 31, 32, 45, 145})
    for (int64_t count = 2; count <= 5; ++count)
      for (DType dtype : {DType::f32, DType::i32, DType::boolean, DType::bf16}) {
        if (!drawn.next()) continue;
        SCOPED_TRACE(::testing::Message() << count << " of " << row << " " << name_of(dtype));
        const std::vector<Array> pieces = pieces_of(dtype, {3, 41, row}, count);
        EXPECT_TRUE(matches(concatenate(uploaded(pieces), 2), naive::concatenate(pieces, 2)));
      }
  const Array x = random_array(DType::f32, {5, 907, 4}), y = random_array(DType::f32, {5, 4, 907}, 2);
  EXPECT_TRUE(matches(concatenate({upload(x), upload(y).transpose(1, 2)}, 2),
                      naive::concatenate({x, naive::transpose(y, 1, 2)}, 2)));
}

/// Each element of a result picks its piece.
EG_TEST(Interleaved, pieces_of_unequal_lengths_are_concatenated_as_by_loops) {
  Draw drawn = draw_programs_one_of(3);
  for (int axis = 0; axis < 3; ++axis)
    for (const Dims& lengths : {Dims{3, 5}, Dims{1, 2, 1}, Dims{4, 8}, Dims{1, 0, 6, 2, 7, 1}, Dims{33, 130}})
      for (DType dtype : {DType::boolean, DType::bf16, DType::f16, DType::i8, DType::f32}) {
        if (!drawn.next()) continue;
        SCOPED_TRACE(::testing::Message() << text(lengths) << " along " << axis << " " << name_of(dtype));
        std::vector<Array> pieces;
        for (const int64_t length : lengths) {
          Dims shape{5, 7, 9};
          shape[static_cast<size_t>(axis)] = length;
          pieces.push_back(random_array(dtype, shape, pieces.size() + 1));
        }
        EXPECT_TRUE(matches(concatenate(uploaded(pieces), axis), naive::concatenate(pieces, axis)));
      }
}

EG_TEST(Interleaved, narrow_pieces_are_computed_moved_and_transposed_as_by_loops) {
  for (DType dtype : {DType::f16, DType::u8, DType::i8}) {
    SCOPED_TRACE(name_of(dtype));
    const Array x = random_array(dtype, {37, 21}), y = random_array(dtype, {21, 37}, 2);
    const Tensor a = upload(x), b = upload(y), moved = roll(a, 5, 1), padded = pad(a, {{0, 0}, {1, 2}});
    const Tensor apart = (b + 1).eval().transpose(0, 1).eval();
    EXPECT_TRUE(same_bits(
        concatenate({a, (b + 1).transpose(0, 1), moved, padded}, 1),
        concatenate(
            {a.astype(DType::f32), apart.astype(DType::f32), moved.astype(DType::f32), padded.astype(DType::f32)}, 1)
            .astype(dtype)));
    EXPECT_TRUE(same_bits(stack({moved, (b + 1).transpose(0, 1)}, 2),
                          stack({moved.astype(DType::f32), apart.astype(DType::f32)}, 2).astype(dtype)));
  }
}

EG_TEST(Interleaved, pieces_are_read_through_views_and_reductions_stay_their_own_kernels) {
  const Array x = random_array(DType::f32, {37, 37}), y = random_array(DType::f32, {37, 37}, 2);
  const Tensor a = upload(x).transpose(0, 1), b = upload(y).flip({1});
  EXPECT_TRUE(matches(stack({a, b, a}, 2),
                      naive::stack({naive::transpose(x, 0, 1), naive::flip(y, {1}), naive::transpose(x, 0, 1)}, 2)));
  const Tensor least = min(upload(x), 1), most = max(upload(x), 1), range = stack({least, most}, -1);
  EXPECT_EQ(kernels_of(range), 3);
  EXPECT_TRUE(same_bits(range.slice(1, 1, 2).squeeze(1), max(upload(x), 1)));
}

}  // namespace
}  // namespace eglantine::test
