#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "verbs/contraction.hpp"

/// Contractions that are pieces of a placement: which of them write in their place.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, PlacedContractions);

constexpr Tolerance of_sums{0, 1e-5, 1e-6};

struct Product {
  Array a = random_reals({3, 5}, -1, 1, 1), b = random_reals({4, 5}, -1, 1, 2), c = random_reals({2, 4}, -1, 1, 3);
  Tensor left = upload(a), right = upload(b), other = upload(c);

  Tensor contracted() const { return verbs::contraction(left, right, 0, 1, 1, {0, 1}); }
  Array reference() const { return naive::matmul(a, naive::transpose(b, 0, 1)); }
};

EG_TEST(PlacedContractions, write_in_their_place) {
  const Product p;
  const Tensor joined = concatenate({p.other, p.contracted()}, 0);
  EXPECT_EQ(kernels_of(joined), 2);
  EXPECT_TRUE(matches(joined, naive::concatenate({p.c, p.reference()}, 0), of_sums));
  const Tensor turned = concatenate({p.contracted(), p.contracted()}, 1);
  EXPECT_EQ(kernels_of(turned), 2);
  EXPECT_TRUE(matches(turned, naive::concatenate({p.reference(), p.reference()}, 1), of_sums));
}

EG_TEST(PlacedContractions, that_are_pieces_twice_are_computed_once) {
  const Product p;
  const Tensor product = p.contracted(), joined = concatenate(std::vector<Tensor>(5, product), 0);
  EXPECT_EQ(kernels_of(joined), binds_few_buffers() ? 4 : 2);
  EXPECT_TRUE(matches(joined, naive::concatenate(std::vector<Array>(5, p.reference()), 0), of_sums));
}

EG_TEST(PlacedContractions, that_something_else_reads_are_computed_once) {
  const Product p;
  const Tensor product = p.contracted(), joined = concatenate({p.other, product}, 0), sums = sum(product, {0});
  EXPECT_EQ(kernels_of({joined, sums}), plans_for_gpus(device()) ? 3 : 4);
  EXPECT_TRUE(matches(joined, naive::concatenate({p.c, p.reference()}, 0), of_sums));
  EXPECT_TRUE(matches(sums, naive::sum(p.reference(), {0}), of_sums));
}

EG_TEST(PlacedContractions, that_are_read_later_are_there) {
  const Product p;
  const Tensor product = p.contracted(), joined = concatenate({p.other, product}, 0);
  EXPECT_EQ(kernels_of(joined), 2);
  EXPECT_TRUE(matches(product, p.reference(), of_sums));
}

EG_TEST(PlacedContractions, behind_a_view_that_moves_elements_are_computed_apart) {
  const Product p;
  const Tensor joined = concatenate({p.other.transpose(0, 1), p.contracted().transpose(0, 1)}, 1);
  EXPECT_TRUE(matches(joined, naive::transpose(naive::concatenate({p.c, p.reference()}, 0), 0, 1), of_sums));
}

EG_TEST(PlacedContractions, in_another_shape_write_in_their_place) {
  const Product p;
  const Tensor joined = concatenate({p.other.reshape({1, 2, 4}), p.contracted().reshape({1, 3, 4})}, 1);
  EXPECT_EQ(kernels_of(joined), 2);
  EXPECT_TRUE(matches(joined.reshape({5, 4}), naive::concatenate({p.c, p.reference()}, 0), of_sums));
}

/// What a piece is made of runs before the placement, though it is made of another one's result.
EG_TEST(PlacedContractions, run_behind_what_they_read) {
  const Product p;
  const Tensor doubled = exp(p.left),
               first = concatenate({p.other, verbs::contraction(doubled, p.right, 0, 1, 1, {0, 1})}, 0);
  const Tensor second = concatenate({first, verbs::contraction(first, first, 0, 1, 1, {0, 1}).slice(1, 0, 4)}, 0);
  const Array products =
      naive::matmul(naive::map(p.a, DType::f32, [](double x) { return std::exp(x); }), naive::transpose(p.b, 0, 1));
  const Array joined = naive::concatenate({p.c, products}, 0);
  const Array squares = naive::matmul(joined, naive::transpose(joined, 0, 1));
  const Array part = generate(DType::f32, {5, 4}, [&](const Dims& at) { return squares.at(at); });
  EXPECT_TRUE(matches(second, naive::concatenate({joined, part}, 0), {0, 1e-4, 1e-5}));
}

}  // namespace
}  // namespace eglantine::test
