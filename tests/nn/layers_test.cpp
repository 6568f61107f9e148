#include "eglantine/layers.hpp"

#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Layers, against the verbs that they are made of; their weights at first.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, Layers);

constexpr Tolerance close{0, 1e-5, 1e-5};

void expect_close(const Tensor& a, const Tensor& b) { EXPECT_TRUE(matches(a, download(b), close)); }

double largest_of(const Tensor& x) { return max(abs(x)).item<float>(); }

EG_TEST(Layers, compute_what_their_verbs_do) {
  const Tensor x = normal({5, 6}, 1).eval(), image = normal({2, 4, 7, 6}, 2).eval();
  const nn::Linear linear(6, 3, 1);
  expect_close(linear(x), matmul(x, swapaxes(linear.weight, 0, 1)) + linear.bias);
  const nn::Conv convolution(4, 6, {3, 2}, {.stride = 2, .padding = 1, .groups = 2}, 3);
  expect_close(convolution(image),
               conv(image, convolution.weight, {.stride = 2, .padding = 1, .groups = 2, .bias = convolution.bias}));
  expect_close(nn::LayerNorm(6)(x), layer_norm(x, 1));
  expect_close(nn::LayerNorm({7, 6})(image), layer_norm(image, {2, 3}));
  expect_close(nn::RMSNorm(6)(x), rms_norm(x, 1));
  expect_close(nn::GroupNorm(2, 4)(image), group_norm(image, 2));
  const nn::Embedding table(10, 3, 1);
  const Tensor words = Tensor::from({1, 9, 1}, {3});
  expect_close(table(words), take(table.weight, words, 0));
}

EG_TEST(Layers, begin_as_pytorch_s) {
  const nn::Linear linear(100, 50, 1);
  EXPECT_LE(largest_of(linear.weight), 0.1);
  EXPECT_GT(largest_of(linear.weight), 0.09);
  EXPECT_LE(largest_of(linear.bias), 0.1);
  const nn::Conv convolution(8, 4, {3, 3}, {}, 1);
  EXPECT_LE(largest_of(convolution.weight), 1 / std::sqrt(72.0));
  EXPECT_EQ(convolution.weight.shape(), (Shape{4, 8, 3, 3}));
  EXPECT_NEAR(stddev(nn::Embedding(100, 50, 1).weight).item<float>(), 1, 0.05);
  EXPECT_NEAR(largest_of(nn::xavier_uniform({30, 20}, 1)), std::sqrt(6.0 / 50), 0.01);
  EXPECT_NEAR(stddev(nn::xavier_normal({60, 40}, 1)).item<float>(), std::sqrt(2.0 / 100), 0.01);
  EXPECT_NEAR(largest_of(nn::kaiming_uniform({30, 20, 3}, 1)), std::sqrt(6.0 / 60), 0.01);
  EXPECT_NEAR(stddev(nn::kaiming_normal({60, 40}, 1)).item<float>(), std::sqrt(2.0 / 40), 0.02);
  EXPECT_TRUE(same_bits(nn::Linear(3, 3, 7).weight, nn::Linear(3, 3, 7).weight));
}

EG_TEST(Layers, batch_norm_moves_what_it_runs_by) {
  nn::BatchNorm norm(3);
  const Tensor x = (normal({20, 3, 2}, 1) * 2 + 5).eval();
  const Tensor trained = norm(x, true);
  EXPECT_LE(largest_of(mean(trained, {0, 2})), 1e-5);
  expect_close(var(trained, {0, 2}), ones({3}));
  expect_close(norm.running_mean, mean(x, {0, 2}) * 0.1F);
  expect_close(norm.running_var, var(x, {0, 2}, false, 1) * 0.1F + 0.9F);
  expect_close(norm(x, false), batch_norm(x, norm.running_mean, norm.running_var, norm.weight, norm.bias));
}

EG_TEST(Layers, dropout_keeps_the_mean) {
  const nn::Dropout dropout(0.25);
  const Tensor x = ones({10000}), y = dropout(x, true, 3);
  EXPECT_NEAR(mean(y).item<float>(), 1, 0.02);
  EXPECT_NEAR(mean(y == 0).item<float>(), 0.25, 0.02);
  EXPECT_TRUE(same_bits(y, dropout(x, true, 3)));
  EXPECT_TRUE(same_bits(dropout(x, false, 3), x));
  EXPECT_EQ(largest_of(nn::Dropout(1)(x, true, 1)), 0);
}

EG_TEST(Layers, attention_of_heads) {
  const nn::MultiHeadAttention attention(6, 2, 1);
  const Tensor x = normal({2, 5, 6}, 1).eval();
  const std::vector<Tensor> w = split(attention.in_proj_weight, 3, 0);
  const auto part = [&](size_t i) { return matmul(x, swapaxes(w[i], 0, 1)); };
  std::vector<Tensor> heads;
  for (int64_t head = 0; head < 2; ++head) {
    const auto of_head = [&](size_t i) { return part(i).slice(2, head * 3, head * 3 + 3); };
    const Tensor scores = matmul(of_head(0), swapaxes(of_head(1), 1, 2)) / std::sqrt(3.0F);
    heads.push_back(matmul(softmax(scores, -1), of_head(2)));
  }
  expect_close(attention(x), attention.out_proj(concatenate(heads, 2)));
}

}  // namespace
}  // namespace eglantine::test
