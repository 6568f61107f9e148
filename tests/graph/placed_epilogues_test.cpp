#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/random/random_data.hpp"
#include "verbs/contraction.hpp"

/// What is made of contractions in a placement, element by element: their epilogues, which write in their place.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, PlacedEpilogues);

Tensor reals(const Dims& shape, uint32_t seed) { return upload(random_reals(shape, -1, 1, seed)); }

/// Stride 2: four contractions, each of the positions of one remainder along both axes.
struct Transposed {
  Tensor x = reals({2, 20, 5, 7}, 1), w = reals({20, 18, 3, 3}, 2), bias = reals({18}, 3);

  Tensor sums() const { return conv_transpose(x, w, {.stride = 2, .padding = 1}); }
  Tensor with_bias() const { return conv_transpose(x, w, {.stride = 2, .padding = 1, .bias = bias}); }
  Tensor channels() const { return bias.reshape({18, 1, 1}); }
};

EG_TEST(PlacedEpilogues, bias_and_activation_take_no_kernel) {
  const Transposed t;
  const Tensor y = relu(t.with_bias());
  EXPECT_EQ(kernels_of(y), 4);
  EXPECT_TRUE(same_bits(y, relu(t.sums().eval() + t.channels())));
}

EG_TEST(PlacedEpilogues, of_groups_and_of_three_axes_take_no_kernel) {
  const Tensor x = reals({2, 40, 5, 7}, 1), w = reals({40, 18, 3, 3}, 2), bias = reals({36}, 3);
  const Tensor grouped = conv_transpose(x, w, {.stride = 2, .padding = 1, .groups = 2, .bias = bias});
  EXPECT_EQ(kernels_of(grouped), 4);
  const Tensor sums = conv_transpose(x, w, {.stride = 2, .padding = 1, .groups = 2}).eval();
  EXPECT_TRUE(same_bits(grouped, sums + bias.reshape({36, 1, 1})));

  const Tensor volumes = reals({1, 40, 3, 4, 3}, 4), kernels = reals({40, 18, 3, 2, 3}, 5);
  const Tensor deep = tanh(conv_transpose(volumes, kernels, {.stride = {2, 1, 2}, .groups = 2, .bias = bias}));
  EXPECT_EQ(kernels_of(deep), 4);
  const Tensor plain = conv_transpose(volumes, kernels, {.stride = {2, 1, 2}, .groups = 2}).eval();
  EXPECT_TRUE(same_bits(deep, tanh(plain + bias.reshape({36, 1, 1, 1}))));
}

/// Three spatial axes and groups: a contraction an image, put together.
EG_TEST(PlacedEpilogues, of_each_images_convolution_take_no_kernel) {
  const Tensor x = reals({2, 32, 3, 4, 5}, 1), w = reals({40, 16, 3, 3, 3}, 2), bias = reals({40}, 3);
  const Tensor y = relu(conv(x, w, {.padding = 1, .groups = 2, .bias = bias}));
  EXPECT_EQ(kernels_of(y), 2);
  const Tensor sums = conv(x, w, {.padding = 1, .groups = 2}).eval();
  EXPECT_TRUE(same_bits(y, relu(sums + bias.reshape({40, 1, 1, 1}))));
}

EG_TEST(PlacedEpilogues, without_a_batch_take_no_kernel) {
  const Transposed t;
  const Tensor one = t.x.slice(0, 0, 1).squeeze({0}).eval();
  const Tensor y = relu(conv_transpose(one, t.w, {.stride = 2, .padding = 1, .bias = t.bias}));
  EXPECT_EQ(kernels_of(y), 4);
  EXPECT_TRUE(same_bits(y, relu(conv_transpose(one, t.w, {.stride = 2, .padding = 1}).eval() + t.channels())));
}

/// Convolutions side by side, one of them in groups, each with an activation of its own or with one of all.
EG_TEST(PlacedEpilogues, of_branches_take_no_kernel) {
  const Tensor x = reals({2, 24, 5, 6}, 1), w = reals({20, 24, 3, 3}, 2), v = reals({26, 12, 3, 3}, 3);
  const auto branches = [&] { return Tensors{conv(x, w, {.padding = 1}), conv(x, v, {.padding = 1, .groups = 2})}; };
  const Tensors stored{branches()[0].eval(), branches()[1].eval()};
  const Tensor each = concatenate({relu(branches()[0]), exp(branches()[1])}, 1);
  EXPECT_EQ(kernels_of(each), 2);
  EXPECT_TRUE(same_bits(each, concatenate({relu(stored[0]), exp(stored[1])}, 1)));
  const Tensor all = relu(concatenate(branches(), 1));
  EXPECT_EQ(kernels_of(all), 2);
  EXPECT_TRUE(same_bits(all, relu(concatenate(stored, 1))));
  const Tensor skipped = relu(concatenate({x, branches()[0]}, 1));
  EXPECT_EQ(kernels_of(skipped), 2);
  EXPECT_TRUE(same_bits(skipped, relu(concatenate({x, stored[0]}, 1))));
}

/// Whose axes are others': what is stacked, or shown in another shape before and behind it is computed with.
EG_TEST(PlacedEpilogues, of_views_take_no_kernel) {
  const Tensor x = reals({2, 24, 5, 6}, 1), w = reals({20, 24, 3, 3}, 2), bias = reals({20}, 3);
  const Tensor plain = conv(x, w, {.padding = 1}).eval();
  const auto of = [&](const Tensor& sums, float factor) {
    return ((sums + bias.reshape({20, 1, 1})) * factor).reshape({2, 4, 5, 30});
  };
  const auto both = [&](const Tensor& a, const Tensor& b) {
    return stack({exp(of(a, 1)).reshape({40, 30}), of(b, -2).reshape({40, 30})}, 0);
  };
  const Tensor y = both(conv(x, w, {.padding = 1}), conv(x, w, {.padding = 1}));
  EXPECT_EQ(kernels_of(y), 2);
  EXPECT_TRUE(same_bits(y, both(plain, plain)));
}

EG_TEST(PlacedEpilogues, read_their_other_operands_in_place) {
  const Transposed t;
  const Tensor sums = t.sums().eval(), other = reals({2, 18, 9, 13}, 4), turned = reals({13, 9, 18, 2}, 5);
  const auto of = [&](const Tensor& y) { return where(other > 0, y * turned.permute({3, 2, 1, 0}), other); };
  const Tensor y = of(t.sums());
  EXPECT_EQ(kernels_of(y), 4);
  EXPECT_TRUE(same_bits(y, of(sums)));
}

/// Graphs of one structure share a plan, and each has numbers of its own.
EG_TEST(PlacedEpilogues, have_the_numbers_of_their_own_graph) {
  const Transposed t;
  const Tensor sums = t.sums().eval();
  for (const float factor : {2.0F, -3.0F}) EXPECT_TRUE(same_bits((t.sums() * factor).eval(), sums * factor));
}

EG_TEST(PlacedEpilogues, leave_what_something_else_reads) {
  const Transposed t;
  const Tensor y = t.sums(), gated = relu(y), sums = sum(y, {0});
  EXPECT_EQ(kernels_of({gated, sums}), 6);
  EXPECT_TRUE(same_bits(gated, relu(y)));
}

/// What one kernel took in is stored when it is read again, and from then on is there.
EG_TEST(PlacedEpilogues, are_computed_once_more_at_most) {
  const Transposed t;
  const Tensor y = t.sums();
  EXPECT_EQ(kernels_of(relu(y)), 4);
  EXPECT_EQ(kernels_of(exp(y)), 5);
  EXPECT_EQ(kernels_of(exp(y)), 1);
}

/// Between the windows of a kernel shorter than the stride lies nothing, which the activation is applied to as well.
EG_TEST(PlacedEpilogues, are_apart_where_nothing_is_added_up) {
  const Transposed t;
  const auto of = [&](const Tensor& bias) {
    return conv_transpose(t.x, t.w.slice(2, 0, 2).slice(3, 0, 2), {.stride = 3, .bias = bias});
  };
  EXPECT_TRUE(same_bits(cos(of(t.bias)), cos(of({}).eval() + t.channels())));
}

/// Narrow neighbours share words: all are written together.
EG_TEST(PlacedEpilogues, of_narrow_results_are_apart) {
  const Transposed t;
  const Tensor x = t.x.astype(DType::f16).eval(), w = t.w.astype(DType::f16).eval();
  const Tensor y = relu(conv_transpose(x, w, {.stride = 2, .padding = 1}));
  EXPECT_EQ(kernels_of(y), 5);
  EXPECT_TRUE(same_bits(y, relu(conv_transpose(x, w, {.stride = 2, .padding = 1}).eval())));
}

/// An operand that is there no earlier has a kernel that takes the sum in.
EG_TEST(PlacedEpilogues, wait_for_no_other_contraction) {
  const Transposed t;
  const Tensor sums = t.sums().eval(), v = reals({18, 18, 3, 3}, 6), other = reals({2, 18, 9, 13}, 7);
  const auto of = [&](const Tensor& y) { return relu(y + conv(other, v, {.padding = 1})); };
  const Tensor y = of(t.sums());
  EXPECT_EQ(kernels_of(y), 5);
  EXPECT_TRUE(same_bits(y, of(sums)));
}

EG_TEST(PlacedEpilogues, of_a_gradient_are_gated_in_place) {
  const Tensor x = reals({2, 20, 9, 12}, 1), w = reals({24, 20, 3, 3}, 2), g = reals({2, 24, 5, 6}, 3);
  const auto convolved = [&](const Tensors& at) { return Tensors{conv(at[0], w, {.stride = 2, .padding = 1})}; };
  const auto gated = [&](const Tensors& at) { return convolved({relu(at[0])}); };
  const Tensor y = vjp(gated, {x}, {g}).second[0];
  EXPECT_EQ(kernels_of(y), 4);
  EXPECT_TRUE(same_bits(y, where(x > 0, vjp(convolved, {relu(x).eval()}, {g}).second[0].eval(), 0.0F)));
}

}  // namespace
}  // namespace eglantine::test
