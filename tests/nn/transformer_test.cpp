#include "eglantine/transformer.hpp"

#include <cmath>

#include "eglantine/ops.hpp"
#include "nn/waves.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Blocks of transformers, against loops in double precision and against PyTorch's numbers.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, Transformer);

/// A sample, (length, features), in double.
using Rows = std::vector<std::vector<double>>;

Rows rows_of(const Tensor& x) {
  const Array all = download(x);
  const int64_t features = all.shape.back();
  Rows rows(static_cast<size_t>(all.size() / features));
  for (size_t i = 0; i < all.values.size(); ++i) rows[i / static_cast<size_t>(features)].push_back(all.values[i]);
  return rows;
}

Rows linear(const Rows& x, const Tensor& weight, const Tensor& bias) {
  const Rows w = rows_of(weight);
  const Array b = download(bias);
  Rows y;
  for (const auto& row : x) {
    y.emplace_back(b.values);
    for (size_t o = 0; o < w.size(); ++o)
      for (size_t k = 0; k < row.size(); ++k) y.back()[o] += w[o][k] * row[k];
  }
  return y;
}

Rows norm(Rows x, const nn::LayerNorm& layer) {
  const Array w = download(layer.weight), b = download(layer.bias);
  for (auto& row : x) {
    double mean = 0, variance = 0;
    for (double v : row) mean += v / static_cast<double>(row.size());
    for (double v : row) variance += (v - mean) * (v - mean) / static_cast<double>(row.size());
    for (size_t k = 0; k < row.size(); ++k)
      row[k] = (row[k] - mean) / std::sqrt(variance + layer.eps) * w.values[k] + b.values[k];
  }
  return x;
}

/// One row of one head: softmax of the scores of the rows up to `last`, times their values.
void attend(const Rows& qkv, size_t row, size_t last, size_t from, size_t width, std::vector<double>& y) {
  const size_t features = y.size();
  std::vector<double> shares;
  double total = 0;
  for (size_t j = 0; j <= last; ++j) {
    double score = 0;
    for (size_t k = from; k < from + width; ++k) score += qkv[row][k] * qkv[j][features + k];
    shares.push_back(std::exp(score / std::sqrt(static_cast<double>(width))));
    total += shares.back();
  }
  for (size_t j = 0; j <= last; ++j)
    for (size_t k = from; k < from + width; ++k) y[k] += shares[j] / total * qkv[j][2 * features + k];
}

Rows attention(const Rows& x, const nn::MultiHeadAttention& layer, bool causal) {
  const Rows qkv = linear(x, layer.in_proj_weight, layer.in_proj_bias);
  const size_t features = x[0].size(), width = features / static_cast<size_t>(layer.heads);
  Rows y(x.size(), std::vector<double>(features));
  for (size_t row = 0; row < x.size(); ++row)
    for (size_t from = 0; from < features; from += width)
      attend(qkv, row, causal ? row : x.size() - 1, from, width, y[row]);
  return linear(y, layer.out_proj.weight, layer.out_proj.bias);
}

Rows sum_of(Rows x, const Rows& y) {
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t k = 0; k < x[i].size(); ++k) x[i][k] += y[i][k];
  return x;
}

Rows feed_forward(const nn::TransformerBlock& block, const Rows& x) {
  Rows inner = linear(x, block.linear1.weight, block.linear1.bias);
  for (auto& row : inner)
    for (double& v : row) v = v / 2 * std::erfc(-v / std::sqrt(2.0));
  return linear(inner, block.linear2.weight, block.linear2.bias);
}

Rows block_of(const nn::TransformerBlock& block, const Rows& x, bool causal) {
  if (block.options.norm_first) {
    const Rows y = sum_of(x, attention(norm(x, block.norm1), block.self_attn, causal));
    return sum_of(y, feed_forward(block, norm(y, block.norm2)));
  }
  const Rows y = norm(sum_of(x, attention(x, block.self_attn, causal)), block.norm1);
  return norm(sum_of(y, feed_forward(block, y)), block.norm2);
}

EG_TEST(Transformer, follows_its_formulas) {
  for (const bool norm_first : {false, true})
    for (const bool causal : {false, true})
      for (const int64_t length : {1, 13}) {
        const nn::TransformerBlock block(6, 3, 10, 1, {.norm_first = norm_first, .activation = gelu});
        const Tensor x = normal({2, length, 6}, 2).eval(), y = block(x, {.causal = causal});
        for (int64_t sample = 0; sample < 2; ++sample) {
          std::vector<double> expected;
          for (const auto& row : block_of(block, rows_of(x.slice(0, sample, sample + 1)), causal))
            expected.insert(expected.end(), row.begin(), row.end());
          expect_elements(y.slice(0, sample, sample + 1), expected);
        }
      }
}

/// Numbers of PyTorch 1.13's TransformerEncoderLayer(4, 2, 3), weights as with_waves(), of wave({1, 3, 4}, 0.5).
EG_TEST(Transformer, gives_pytorch_s_numbers) {
  const Tensor x = wave({1, 3, 4}, 0.5);
  const auto block = [](const nn::TransformerOptions& how) {
    return with_waves(nn::TransformerBlock(4, 2, 3, 1, how));
  };
  expect_elements(block({})(x), {1.1949378, 0.5975917, -0.3594698, 0.7164100, 1.0369102, 1.5245475, -0.5765664,
                                 0.5677283, 1.1774707, 0.4785873, -0.3006066, 0.7431032});
  expect_elements(block({.activation = gelu})(x, {.causal = true}),
                  {1.1626759, 0.7328327, -0.4193917, 0.7104669, 0.9935411, 1.6855169, -0.5665333, 0.5316673, 1.1791377,
                   0.4682907, -0.2950487, 0.7435797});
  expect_elements(block({.norm_first = true})(x), {4.9757900, 1.3826741, 2.0756958, 0.7988672, 3.9996346, -0.2973703,
                                                   0.4490745, -0.8466200, 4.5227235, 0.8617957, 1.9532260, 1.3986025});
  expect_elements(block({.norm_first = true, .activation = gelu})(x, {.causal = true}),
                  {4.3381189, 1.8232349, 1.9268261, 0.5878958, 3.5732736, -0.0858532, 0.5111348, -1.1100835, 4.3982955,
                   0.8666953, 2.0727069, 1.2730639});
}

EG_TEST(Transformer, has_the_parts_of_pytorch_s) {
  const nn::TransformerBlock block(8, 2, 12, 1);
  const std::vector<std::string> paths{"linear1.bias",
                                       "linear1.weight",
                                       "linear2.bias",
                                       "linear2.weight",
                                       "norm1.bias",
                                       "norm1.weight",
                                       "norm2.bias",
                                       "norm2.weight",
                                       "self_attn.in_proj_bias",
                                       "self_attn.in_proj_weight",
                                       "self_attn.out_proj.bias",
                                       "self_attn.out_proj.weight"};
  EXPECT_EQ(paths_of(nn::state(block)), paths);
  EXPECT_EQ(block.linear1.weight.shape(), (Shape{12, 8}));
  EXPECT_EQ(block.linear2.weight.shape(), (Shape{8, 12}));
  EXPECT_EQ(block.self_attn.in_proj_weight.shape(), (Shape{24, 8}));
  EXPECT_EQ(nn::TransformerBlock(8, 2, 12, 1, {.eps = 1e-3}).norm2.eps, 1e-3);
  EXPECT_FALSE(array_equal(ravel(block.linear1.weight), ravel(block.linear2.weight)));
}

EG_TEST(Transformer, has_the_gradients_of_differences) {
  for (const bool norm_first : {false, true}) {
    const nn::TransformerBlock block(4, 2, 5, 3, {.norm_first = norm_first, .activation = gelu});
    std::vector<std::string> paths{"x"};
    Tensors at{normal({1, 3, 4}, 2).eval()};
    for (const auto& [path, w] : nn::parameters(block)) {
      paths.push_back(path);
      at.push_back(w);
    }
    const auto f = [&](const Tensors& of) {
      Parameters given;
      for (size_t i = 1; i < of.size(); ++i) given.emplace(paths[i], of[i]);
      nn::TransformerBlock with = block;
      nn::load(with, given);
      return Tensors{with(of[0], {.causal = true})};
    };
    EXPECT_NO_THROW(check_gradients(f, at));
  }
}

}  // namespace
}  // namespace eglantine::test
