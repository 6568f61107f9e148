#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, Gather);

EG_TEST(Gather, every_axis_of_every_view) {
  for (int axis : {0, 1, -1}) {
    const Array index = naive::random_indices({5, 7, 9}, axis == 0 ? 5 : axis == 1 ? 7 : 11);
    check_over_views(
        DType::f32, {{5, 7, 11}}, [&](const Tensor& x) { return gather(x, axis, upload(index)); },
        [&](const Array& x) { return naive::gather(x, axis, index); });
  }
}

EG_TEST(Gather, an_index_held_in_every_view) {
  const Array x = random_array(DType::f32, {6, 13});
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    const Sample index = view.hold(naive::random_indices({6, 8}, 13));
    EXPECT_TRUE(matches(gather(upload(x), 1, index.tensor), naive::gather(x, 1, index.array)));
  }
}

EG_TEST(Gather, an_index_longer_and_shorter_than_the_source) {
  for (const Dims& shape : {Dims{1, 13}, Dims{127, 13}, Dims{1025, 1}, Dims{3, 5}, Dims{0, 13}, Dims{3, 0}}) {
    const Array x = random_array(DType::f32, {13, 13}), index = naive::random_indices(shape, 13);
    EXPECT_TRUE(matches(gather(upload(x), 0, upload(index)), naive::gather(x, 0, index))) << text(shape);
  }
}

EG_TEST(Gather, every_dtype_and_what_reads_it) {
  const Array index = naive::random_indices({3, 5}, 4);
  for (DType dtype : every_dtype) {
    const Array x = random_array(dtype, {4, 5});
    const Tensor y = gather(upload(x), 0, upload(index));
    EXPECT_TRUE(matches(y, naive::gather(x, 0, index))) << name_of(dtype);
    EXPECT_TRUE(matches(ne(gather(upload(x), 0, upload(index)), y),
                        generate(DType::boolean, {3, 5}, [](const Dims&) { return 0; })));
  }
}

EG_TEST(Gather, undoes_a_permutation) {
  const Array order{DType::i32, {5}, {3, 0, 4, 1, 2}}, back{DType::i32, {5}, {1, 3, 4, 0, 2}};
  const Array x = random_array(DType::f32, {5});
  EXPECT_TRUE(matches(gather(gather(upload(x), 0, upload(order)), 0, upload(back)), x));
}

EG_TEST(Gather, arguments_that_do_not_fit) {
  const Tensor x = zeros({4, 5});
  EXPECT_ERROR(gather(x, 0, zeros({4}, DType::i32)), ShapeError,
               "[gather] the index (4,) must have the rank of (4, 5)");
  EXPECT_ERROR(gather(x, 0, zeros({9, 6}, DType::i32)), ShapeError,
               "[gather] the index (9, 6) is longer than (4, 5) along axis 1: only along axis 0 may it be");
  EXPECT_ERROR(gather(x, 0, zeros({4, 5}, DType::u32)), DTypeError,
               "[gather] indices are i32, got u32; convert with astype");
  EXPECT_ERROR(gather(x, -3, zeros({4, 5}, DType::i32)), ShapeError,
               "[gather] axis -3 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
}

}  // namespace
}  // namespace eglantine::test
