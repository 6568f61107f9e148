#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive_remap.hpp"

/// Padded and rolled tensors are read in place: how many kernels run.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Movement, RemapFusion);

Tensor held(const Dims& shape, uint64_t seed = 1) { return upload(random_array(DType::f32, shape, seed)); }

/// Kernels that explain() lists: paragraphs that start with a family's name.
int64_t explained(const Tensor& x) {
  const std::string text = "\n\n" + explain(x);
  int64_t count = 0;
  for (const char* family : {"map ", "reduce ", "matmul ", "scan ", "sort ", "row ", "gather ", "scatter ", "tiles "})
    for (size_t at = text.find(std::string("\n\n") + family); at != std::string::npos;
         at = text.find(std::string("\n\n") + family, at + 1))
      ++count;
  return count;
}

void expect_one_kernel(const Tensor& x) {
  EXPECT_EQ(explained(x), 1) << explain(x);
  EXPECT_EQ(kernels_of({x}), 1);
}

EG_TEST(RemapFusion, padded_and_rolled_tensors_fuse_into_what_reads_them) {
  const Tensor x = held({13, 37}), y = held({15, 40}, 2);
  expect_one_kernel(sum(pad(x, {{1, 1}, {0, 3}}) * y));
  expect_one_kernel(exp(roll(x, 3, 1)));
  for (PadMode mode : {PadMode::reflect, PadMode::edge, PadMode::wrap})
    expect_one_kernel(pad(x, {{1, 1}, {0, 3}}, mode) + y);
  expect_one_kernel(softmax(pad(x, {{0, 0}, {2, 2}}, 1), 1));
  expect_one_kernel(cumsum(roll(x, {1, 2}, {0, 1}), 0));
  expect_one_kernel(sort(pad(x, {{0, 0}, {2, 2}}), 1));
  expect_one_kernel(sum(roll(x, 5), {0}));
}

EG_TEST(RemapFusion, alone_they_are_one_kernel) {
  const Tensor x = held({13, 37});
  expect_one_kernel(pad(x, {{1, 1}, {0, 3}}, 7));
  expect_one_kernel(roll(x, {3, 4}, {0, 1}));
}

EG_TEST(RemapFusion, what_is_pending_is_computed_on_the_way) {
  const Tensor x = held({13, 37});
  expect_one_kernel(pad(exp(x) + 1, {{1, 1}, {0, 3}}, 7) * 2);
  expect_one_kernel(exp(roll(neg(x), {1, 1}, {0, 1})));
}

EG_TEST(RemapFusion, chains_of_them_fuse) {
  const Tensor x = held({13, 37});
  expect_one_kernel(roll(roll(x, 1, 0), -1, 1) + 1);
  expect_one_kernel(pad(roll(x, 1, 0), {{1, 2}, {0, 0}}) + 1);
  expect_one_kernel(pad(pad(x, {{1, 2}, {0, 0}}, PadMode::edge), {{2, 0}, {1, 1}}) + 1);
  expect_one_kernel(pad(pad(x, {{1, 2}, {0, 0}}, 3) * 2, {{2, 0}, {1, 1}}) + 1);
  expect_one_kernel(pad(x, {{1, 2}, {0, 0}}).transpose(0, 1).flip(0).slice(0, 1, 30, 2) + 1);
  expect_one_kernel(sum(windows(pad(x, {{1, 1}, {1, 1}}), {0, 1}, {3, 3}), {2, 3}));
}

/// Where an outer one jumps, an inner one that moves other axes jumps as well.
EG_TEST(RemapFusion, rolls_of_other_axes_within_one_another_fuse) {
  const Tensor x = held({5, 13, 37});
  const auto in_two = [](const Tensor& inner, const auto& outer) {
    expect_one_kernel(outer(inner));
    const Tensor there = (inner + 0.0F).eval();
    EXPECT_TRUE(same_bits(outer(inner), outer(there)));
  };
  in_two(neg(roll(x, 3, 1)), [](const Tensor& y) { return roll(y, -1, 2) + 1.0F; });
  in_two(neg(roll(x, {3, 1}, {1, 0})), [](const Tensor& y) { return roll(y, 30, 2) + 1.0F; });
  in_two(neg(roll(x, 3, 1)), [](const Tensor& y) { return roll(y.permute({2, 0, 1}), {5, 2}, {0, 1}) + 1.0F; });
  in_two(neg(pad(x, {{0, 0}, {2, 1}, {0, 0}}, 4)), [](const Tensor& y) { return roll(y, 7, 2) + 1.0F; });
  in_two(neg(roll(x, 3, 1)), [](const Tensor& y) { return pad(y, {{1, 1}, {0, 0}, {2, 3}}) + 1.0F; });
  in_two(neg(roll(roll(x, 2, 0) * 2.0F, 3, 1)), [](const Tensor& y) { return roll(y, 7, 2).flip(1) + 1.0F; });
}

EG_TEST(RemapFusion, a_stencil_is_one_kernel_a_step) {
  const Tensor u = held({32, 40});
  const auto step = [](const Tensor& x) {
    return x + 0.1F * (roll(x, 1, 0) + roll(x, -1, 0) + roll(x, 1, 1) + roll(x, -1, 1) - 4.0F * x);
  };
  expect_one_kernel(step(u));
  EXPECT_EQ(kernels_of({step(step(step(u)))}), 3);
}

/// Large enough for kernels of their own at the edges of a transposed one.
EG_TEST(RemapFusion, a_stencil_of_a_transposed_operand_is_that_of_a_copy) {
  const auto step = [](const Tensor& x) {
    return x + 0.1F * (roll(x, 1, 0) + roll(x, -1, 0) + roll(x, 1, 1) + roll(x, -1, 1) - 4.0F * x);
  };
  const Tensor u = held({1003, 1301}), turned = u.transpose(0, 1);
  EXPECT_TRUE(same_bits(step(turned), step((turned * 1.0F).eval())));
}

EG_TEST(RemapFusion, several_readers_each_read_in_place) {
  const Tensor x = held({13, 37}), padded = pad(x, {{1, 1}, {0, 3}});
  EXPECT_EQ(kernels_of({exp(padded), sum(padded), sort(padded, 1)}), 3);
}

EG_TEST(RemapFusion, products_read_them_from_memory) {
  const Tensor x = held({13, 37}), w = held({40, 5}, 2);
  EXPECT_EQ(kernels_of({matmul(pad(x, {{1, 1}, {0, 3}}), w)}), 2);
}

}  // namespace
}  // namespace eglantine::test
