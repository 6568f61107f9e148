#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/kernel_count.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"

/// Weights of channels beside rows of several channels, or rows of which several are a channel's: read in place.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Rows, RowViews);
EG_ON_EACH_DEVICE(Graph, RowViewKernels);
EG_ON_EACH_DEVICE(Windows, WindowedRowViews);

constexpr Tolerance norms_close{0, 1e-5, 1e-5};
constexpr int64_t group_count = 3;

/// x, weight, bias: of shapes (n, c, h, w), (c,), (c,).
using Norm = std::function<Tensor(const Tensor& x, const Tensor& weight, const Tensor& bias)>;

Tensor of_moments(const Tensor& x, int axis) {
  const Tensor centered = x - mean(x, axis, true);
  return centered * rsqrt(mean(square(centered), axis, true) + 1e-5F);
}

Tensor with_weights(const Tensor& y, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Shape channels{1, x.shape()[1], 1, 1};
  return y.reshape(x.shape()) * weight.reshape(channels) + bias.reshape(channels);
}

/// groups: of the verb that gives the same.
struct Spelling {
  const char* name;
  int64_t groups;
  Norm of;
};

std::vector<Spelling> spellings(const Shape& shape) {
  const int64_t n = shape[0], c = shape[1];
  const auto by_hand = [](const Shape& rows) {
    return [rows](const Tensor& x, const Tensor& w, const Tensor& b) {
      return with_weights(of_moments(x.reshape(rows), rows.rank() - 1), x, w, b);
    };
  };
  return {{"groups of each image", group_count, by_hand({n, group_count, -1})},
          {"groups of all images", group_count, by_hand({n * group_count, -1})},
          {"channels of each image", c, by_hand({n, c, -1})},
          {"channels of all images", c, by_hand({n * c, -1})},
          {"layer_norm of images", 1, [n](const Tensor& x, const Tensor& w, const Tensor& b) {
             return with_weights(layer_norm(x.reshape({n, -1}), 1), x, w, b);
           }}};
}

struct NormOperands {
  explicit NormOperands(const Dims& shape)
      : x(upload(random_reals(shape, -2, 2, 1)).eval()),
        weight(upload(random_reals({shape[1]}, 0.5, 2, 2)).eval()),
        bias(upload(random_reals({shape[1]}, -1, 1, 3)).eval()),
        cotangent(upload(random_reals(shape, -1, 1, 4)).eval()) {}

  Tensors slopes(const Norm& norm) const {
    return grad([&](const Tensors& v) { return sum(norm(v[0], v[1], v[2]) * cotangent); }, {x, weight, bias});
  }
  Norm verb(int64_t groups) const {
    return [groups](const Tensor& v, const Tensor& w, const Tensor& b) { return group_norm(v, groups, w, b); };
  }

  Tensor x, weight, bias, cotangent;
};

void expect_values(const Dims& shape) {
  const NormOperands given(shape);
  Draw draw = draw_programs_one_of(2);
  for (const auto& [name, groups, of] : spellings(given.x.shape())) {
    if (!draw.next()) continue;
    SCOPED_TRACE(std::string(name) + " of " + text(shape));
    EXPECT_TRUE(matches(of(given.x, given.weight, given.bias),
                        download(group_norm(given.x, groups, given.weight, given.bias)), norms_close));
    const Tensors slopes = given.slopes(of), expected = given.slopes(given.verb(groups));
    for (size_t i = 0; i < slopes.size(); ++i)
      EXPECT_TRUE(matches(slopes[i], download(expected[i]), {0, 2e-5, 1e-4})) << i;
  }
}

EG_TEST(RowViews, are_as_the_verbs) {
  expect_values({2, 6, 4, 8});
  expect_values({3, 12, 5, 3});
  expect_values({2, 6, 31, 33});
}

EG_TEST(RowViewKernels, norms_by_hand_are_one) {
  const NormOperands given({4, 12, 7, 5});
  for (const auto& [name, groups, of] : spellings(given.x.shape())) {
    EXPECT_EQ(kernels_of(of(given.x, given.weight, given.bias)), 1) << name;
    EXPECT_EQ(kernels_of(given.slopes(of)[0]), 1) << name;
  }
}

/// Weights of the shape that x has before rows are made of it.
EG_TEST(RowViewKernels, weights_of_each_element_are_read_in_place) {
  const NormOperands given({4, 12, 7, 5});
  const Tensor weight = uniform({12, 7, 5}, 1).eval(), bias = uniform({12, 7, 5}, 2).eval();
  const auto of = [&](const Tensor& x) { return layer_norm(x.reshape({4, -1}), 1).reshape(x.shape()) * weight + bias; };
  EXPECT_EQ(kernels_of(of(given.x)), 1);
  EXPECT_TRUE(matches(of(given.x), download(layer_norm(given.x, {1, 2, 3}, weight, bias)), norms_close));
  EXPECT_EQ(kernels_of(grad([&](const Tensors& v) { return sum(of(v[0]) * given.cotangent); }, {given.x})), 1);
}

/// Of what a chain folds, and where it gives values of rows alone.
EG_TEST(RowViewKernels, what_is_folded_may_have_weights) {
  const NormOperands given({4, 12, 7, 5});
  const auto weighted = [&] { return (given.x * given.weight.reshape({1, 12, 1, 1})).reshape({12, -1}); };
  const Tensor plain = weighted().eval();
  for (const auto& of : std::vector<std::function<Tensor(const Tensor&)>>{
           [](const Tensor& x) { return softmax(x, 1); }, [](const Tensor& x) { return logsumexp(x, {1}); },
           [](const Tensor& x) { return max(abs(x - min(x, 1, true)), 1); }}) {
    const Tensor y = of(weighted());
    const std::string text = explain(y);
    EXPECT_EQ(kernels_of(y), 1) << text;
    EXPECT_TRUE(matches(y, download(of(plain)), norms_close));
  }
}

/// Rows side by side in memory, with a weight for each of some of them.
EG_TEST(RowViews, of_columns) {
  const Array x = random_reals({37, 6, 4}, -2, 2, 1), w = random_reals({6}, 0.5, 2, 2);
  const Tensor y = of_moments(upload(x).reshape({37, 24}), 0).reshape({37, 6, 4}) * upload(w).reshape({1, 6, 1});
  EXPECT_EQ(kernels_of(y), 1);
  const Array centered =
      naive::map(x, naive::mean(x, {0}, true), DType::f32, [](double v, double mean) { return v - mean; });
  const Array standard = naive::map(centered, naive::var(x, {0}, true), DType::f32,
                                    [](double v, double variance) { return v / std::sqrt(variance + 1e-5); });
  EXPECT_TRUE(matches(y,
                      generate(DType::f32, {37, 6, 4}, [&](const Dims& at) { return standard.at(at) * w.at({at[1]}); }),
                      norms_close));
}

/// A copy by tiles and a kernel that reads rows as they lie take a GPU less than one that reads elements apart.
EG_TEST(RowViewKernels, all_elements_in_another_order_are_copied) {
  const Tensor x = uniform({4, 35, 12}, 1).eval();
  const auto rows = [&] { return x.transpose(1, 2).reshape({4, -1}); };
  EXPECT_EQ(kernels_of(softmax(rows(), 1)), 2);
  EXPECT_TRUE(same_bits(softmax(rows(), 1), softmax(rows().eval(), 1)));
}

EG_TEST(WindowedRowViews, are_as_the_verbs) { expect_values({37, 12, 31, 9}); }

}  // namespace
}  // namespace eglantine::test
