#include "grad/cases.hpp"

#include "eglantine/ops.hpp"
#include "eglantine/tile.hpp"
#include "support/random/random_data.hpp"

namespace eglantine::test {
namespace {

Tensor index_of(std::vector<int32_t> values) {
  const auto count = static_cast<int64_t>(values.size());
  return Tensor::from(values, {count});
}

Tensor places(std::vector<float> values) {
  const auto count = static_cast<int64_t>(values.size());
  return Tensor::from(values, {count});
}

}  // namespace

const std::vector<DerivativeCase>& derivative_cases() {
  using T = Tensors;
  static const std::vector<DerivativeCase> all{
      // movements
      {"permute",
       {{2, 3, 4}},
       [](const T& x) {
         return square(x[0].permute({2, 0, 1}));
       }},
      {"reshape",
       {{2, 6}},
       [](const T& x) {
         return square(x[0].reshape({3, 4}));
       }},
      {"slice", {{5, 6}}, [](const T& x) { return square(x[0].slice(0, 1, 4).slice(1, 2, 5)); }},
      {"steps", {{7, 6}}, [](const T& x) { return square(x[0].slice(0, 6, 0, -2)); }},
      {"broadcast",
       {{3, 1}},
       [](const T& x) {
         return exp(broadcast_to(x[0], {2, 3, 4}));
       }},
      {"flip",
       {{4, 3}},
       [](const T& x) {
         return x[0].flip({0, 1}) * arange(0, 12).reshape({4, 3});
       }},
      {"windows",
       {{7, 6}},
       [](const T& x) {
         return square(windows(x[0], {0, 1}, {3, 2}, {1, 2}));
       }},
      {"diagonal", {{4, 5}}, [](const T& x) { return square(diagonal(x[0])); }},
      {"pad",
       {{3, 4}},
       [](const T& x) {
         return square(pad(x[0], {{1, 2}, {0, 1}}, 2));
       }},
      {"roll", {{3, 4}}, [](const T& x) { return square(roll(x[0], Axes{1}, Axes{1}) + x[0]); }},
      {"repeat", {{3, 2}}, [](const T& x) { return square(repeat(x[0], 3, 0)); }},
      {"concatenate",
       {{3, 2}, {1, 2}},
       [](const T& x) {
         return square(concatenate({x[0], x[1], x[0]}, 0));
       }},
      {"stack",
       {{3}, {3}},
       [](const T& x) {
         return exp(stack({x[0], x[1]}, 1));
       }},
      {"index_put", {{4, 3}, {3}}, [](const T& x) { return square(x[0].index_put({1}, x[1])); }},
      // reductions and scans
      {"sum",
       {{3, 4, 2}},
       [](const T& x) {
         return square(sum(x[0], {0, 2}));
       }},
      {"prod", {{3, 4}}, [](const T& x) { return prod(x[0] + 2, 1); }},
      {"max", {{3, 4}}, [](const T& x) { return square(max(x[0], 1)); }},
      {"min", {{3, 4}}, [](const T& x) { return square(min(x[0], 0, true)); }},
      {"mean", {{3, 4}}, [](const T& x) { return square(mean(x[0], 0)); }},
      {"var", {{3, 5}}, [](const T& x) { return var(x[0], 1); }},
      {"logsumexp", {{3, 5}}, [](const T& x) { return logsumexp(x[0], 1); }},
      {"softmax", {{3, 5}}, [](const T& x) { return softmax(x[0], 1); }},
      {"log_softmax", {{3, 5}}, [](const T& x) { return log_softmax(x[0], 0); }},
      {"layer_norm", {{3, 6}, {6}, {6}}, [](const T& x) { return layer_norm(x[0], 1, x[1], x[2]); }},
      {"rms_norm", {{3, 6}, {6}}, [](const T& x) { return rms_norm(x[0], 1, x[1]); }},
      {"cumsum", {{3, 4}}, [](const T& x) { return square(cumsum(x[0], 1)); }},
      {"cumprod", {{3, 4}}, [](const T& x) { return cumprod(x[0] + 2, 1); }},
      {"cumprod of zeros",
       {{6}},
       [](const T& x) {
         return cumprod(x[0] * places({1, 1, 0, 1, 0, 1}), 0);
       }},
      {"prod of zeros",
       {{6}},
       [](const T& x) {
         return prod(x[0] * places({1, 1, 0, 1, 1, 1}));
       }},
      {"cummax", {{3, 4}}, [](const T& x) { return square(cummax(x[0], 1)); }},
      {"cummin", {{5}}, [](const T& x) { return square(cummin(x[0], 0, false, true)); }},
      {"cummax, exclusive",
       {{5}},
       [](const T& x) {
         return cummax(x[0], 0, true).slice(0, 1) * places({1, 2, 3, 4});
       }},
      {"tiles",
       {{5, 6}},
       [](const T& x) {
         return square(PartitionView(x[0], {2, 4}).sum());
       }},
      // order
      {"sort", {{3, 5}}, [](const T& x) { return square(sort(x[0], 1)) * arange(0, 5); }},
      {"topk", {{3, 5}}, [](const T& x) { return square(topk(x[0], 2, 1).first); }},
      {"median", {{3, 5}}, [](const T& x) { return square(median(x[0], 1)); }},
      // products
      {"matmul", {{3, 4}, {4, 2}}, [](const T& x) { return matmul(x[0], x[1]); }},
      {"matrix times vector", {{3, 4}, {4}}, [](const T& x) { return matmul(x[0], x[1]); }},
      {"batches", {{2, 1, 3, 4}, {3, 4, 2}}, [](const T& x) { return matmul(x[0], x[1]); }},
      {"einsum",
       {{3, 4, 2}, {4, 2, 5}},
       [](const T& x) {
         return einsum("ijk,jkl->li", {x[0], x[1]});
       }},
      {"conv", {{1, 2, 5, 6}, {3, 2, 3, 2}}, [](const T& x) { return conv(x[0], x[1], {.stride = 2, .padding = 1}); }},
      {"conv of groups", {{2, 4, 5}, {6, 2, 3}}, [](const T& x) { return conv(x[0], x[1], {.groups = 2}); }},
      {"avg_pool",
       {{1, 2, 6, 6}},
       [](const T& x) {
         return square(avg_pool(x[0], {2, 2}));
       }},
      {"max_pool",
       {{1, 2, 5, 6}},
       [](const T& x) {
         return square(max_pool(x[0], {3, 2}, {.stride = 2, .padding = 1}));
       }},
      {"max_pool by remainders",
       {{1, 2, 6, 4}},
       [](const T& x) {
         return square(max_pool(x[0], {3, 3}, {.stride = 2, .padding = 1}));
       }},
      {"max_pool of every place",
       {{2, 5, 4}},
       [](const T& x) {
         return square(max_pool(x[0], {3, 3}, {.stride = 1, .padding = 1}));
       }},
      {"max_pool apart",
       {{1, 2, 9}},
       [](const T& x) { return square(max_pool(x[0], {2}, {.stride = 3, .dilation = 3})); }},
      {"max_pool of many",  // by scattering
       {{1, 5, 6}},
       [](const T& x) {
         return square(max_pool(x[0], {5, 5}, {.stride = 1}));
       }},
      {"conv_transpose", {{1, 3, 4}, {3, 2, 3}}, [](const T& x) { return conv_transpose(x[0], x[1], {.stride = 2}); }},
      {"batch_norm of one's own",
       {{6, 3}},
       [](const T& x) {
         const auto [middle, variance] = moments(x[0], 0, true);
         return (x[0] - middle) * rsqrt(variance + 1e-3);
       }},
      // indexing
      {"take",
       {{4, 3}},
       [](const T& x) {
         return square(take(x[0], index_of({3, 0, 3, -1}), 0));
       }},
      {"take_along_axis",
       {{3, 4}},
       [](const T& x) {
         return square(take_along_axis(x[0], index_of({1, 1, 0, 2, 3, 1}).reshape({3, 2}), 1));
       }},
      {"scatter_add",
       {{4, 2}, {3, 2}},
       [](const T& x) {
         return square(scatter_add(x[0], 0, index_of({0, 2, 0, 2, 3, 2}).reshape({3, 2}), x[1]));
       }},
      {"scatter",
       {{4, 2}, {3, 2}},
       [](const T& x) {
         return square(scatter(x[0], 0, index_of({0, 2, 0, 2, 3, 2}).reshape({3, 2}), x[1]));
       }},
      {"compress", {{5}}, [](const T& x) { return square(compress(x[0], arange(0, 5) != 2)); }},
      {"cross_entropy",
       {{4, 3}},
       [](const T& x) {
         return cross_entropy(x[0], index_of({0, 2, 1, 1}));
       }},
      {"interpolate",
       {{1, 2, 3, 4}},
       [](const T& x) {
         return square(interpolate(x[0], {5, 6}, {.mode = Interpolation::linear}));
       }},
      {"attention",
       {{2, 4, 9, 3}, {2, 2, 10, 3}, {2, 2, 10, 5}},
       [](const T& x) { return scaled_dot_product_attention(x[0], x[1], x[2], {.causal = true}); }},
      {"segment_sum and gather_nd",
       {{4, 3}},
       [](const T& x) {
         return square(segment_sum(x[0], index_of({1, 0, 1, 2}), 3)) +
                gather_nd(x[0], index_of({2, 0, 2}).unsqueeze(1));
       }},
      {"scatter_nd_add and index_add",
       {{4, 3}, {2, 3}},
       [](const T& x) {
         return square(scatter_nd_add(x[0], index_of({3, 3}).unsqueeze(1), x[1]) *
                       index_add(x[0], 0, index_of({0, 1}), x[1]));
       }},
      {"scatter_nd",
       {{4, 3}, {2, 3}},
       [](const T& x) {
         return square(scatter_nd(x[0], index_of({3, 1}).unsqueeze(1), x[1]));
       }},
      {"scatter_max and scatter_min",
       {{4}, {6}},
       [](const T& x) {
         const Tensor index = index_of({0, 1, 2, 0, 1, 2});
         return square(scatter_max(x[0], 0, index, x[1]) + 2 * scatter_min(x[0], 0, index, x[1]));
       }},
      {"scatter_mul",
       {{4}, {5}},
       [](const T& x) {
         return scatter_mul(x[0] + 2, 0, index_of({0, 1, 1, 3, 0}), x[1] + 2);
       }},
      {"segment_max",
       {{5, 2}},
       [](const T& x) {
         return square(segment_max(x[0], index_of({0, 2, 1, 2, 0}), 3));
       }},
      {"index_put_add",
       {{4, 3}, {3}},
       [](const T& x) {
         return square(x[0].index_put_add({index_of({1, 3, 1})}, x[1]));
       }},
      // made of others
      {"activations",
       {{6}},
       [](const T& x) {
         const Tensor high = x[0] + 2, low = x[0] - 2;
         return square(elu(low) + celu(low) + leaky_relu(low) + hardtanh(x[0] * 0.5F) + softshrink(high) +
                       hardshrink(high) + threshold(high, 0.5F, 0) + nan_to_num(high));
       }},
      {"lerp", {{4}, {4}, {4}}, [](const T& x) { return lerp(x[0], x[1], x[2]); }},
      {"moments",
       {{3, 5}},
       [](const T& x) {
         const auto [middle, variance] = moments(x[0], 1);
         return middle * variance;
       }},
      {"stddev", {{3, 5}}, [](const T& x) { return stddev(x[0], 1); }},
      {"norm", {{3, 5}}, [](const T& x) { return norm(x[0] + 2, 1) + norm(x[0] + 2, 1, false, 3); }},
      {"nanmean and nansum", {{3, 5}}, [](const T& x) { return nanmean(square(x[0]), 1) * nansum(x[0], 1); }},
      {"nanmax and nanmin", {{3, 5}}, [](const T& x) { return square(nanmax(x[0], 1)) + nanmin(x[0], 1); }},
      {"ptp and average", {{3, 5}}, [](const T& x) { return square(ptp(x[0], 1)) * average(x[0], x[0] + 3, 1); }},
      {"trace, cov and corrcoef", {{3, 4}}, [](const T& x) { return trace(x[0]) * cov(x[0]) + corrcoef(x[0]); }},
      {"multiply_sum", {{3, 4}, {4}}, [](const T& x) { return multiply_sum(x[0], x[1], 1); }},
      {"logcumsumexp and diff",
       {{3, 5}},
       [](const T& x) { return logcumsumexp(x[0], 1) + square(diff(x[0], 1, 1).slice(1, 0, 1)); }},
      {"quantile", {{3, 5}}, [](const T& x) { return square(quantile(x[0], 0.3, 1)); }},
      {"sort_by_key", {{6}, {6}}, [](const T& x) { return square(sort_by_key(x[0], x[1]).second) * arange(0, 6); }},
      {"cross and kron", {{2, 3}, {2, 3}}, [](const T& x) { return kron(cross(x[0], x[1]), x[0]); }},
      {"outer, inner and dot",
       {{4}, {4}},
       [](const T& x) { return outer(x[0], x[1]) * dot(x[0], x[1]) + inner(x[0], x[1]); }},
      {"tensordot",
       {{2, 3, 4}, {4, 3}},
       [](const T& x) {
         return tensordot(x[0], x[1], {1, 2}, {1, 0});
       }},
      {"group_norm", {{2, 4, 3}, {4}, {4}}, [](const T& x) { return group_norm(x[0], 2, x[1], x[2], 1e-2F); }},
      {"batch_norm",
       {{2, 3, 2}, {3}, {3}, {3}},
       [](const T& x) { return batch_norm(x[0], x[1], square(x[2]) + 1, x[3]); }},
      {"local_response_norm", {{2, 4, 3}}, [](const T& x) { return local_response_norm(x[0], 3, 0.5F); }},
      {"losses",
       {{3, 4}, {3, 4}},
       [](const T& x) {
         return mse_loss(x[0], x[1]) + huber_loss(3 * x[0], x[1]) + square(l1_loss(x[0] + 3, x[1])) +
                binary_cross_entropy_with_logits(x[0], sigmoid(x[1])) + kl_div(log_softmax(x[0], 1), softmax(x[1], 1)) +
                nll_loss(log_softmax(x[0], 1), index_of({1, 0, 3}));
       }},
      {"cosine_similarity", {{3, 4}, {3, 4}}, [](const T& x) { return cosine_similarity(x[0] + 2, x[1]); }},
      {"lp_pool and adaptive_avg_pool",
       {{1, 2, 6}},
       [](const T& x) { return lp_pool(x[0] + 2, 2, {2}) * adaptive_avg_pool(x[0], {3}); }},
      {"adaptive_max_pool", {{1, 2, 7}}, [](const T& x) { return square(adaptive_max_pool(x[0], {3})); }},
      {"cubic interpolation",
       {{1, 1, 4}},
       [](const T& x) { return square(interpolate(x[0], {7}, {.mode = Interpolation::cubic})); }},
      {"grid_sample", {{1, 2, 3, 4}, {1, 2, 2, 2}}, [](const T& x) { return grid_sample(x[0], x[1] * 0.05F + 0.1F); }},
      {"pixel_shuffle and depth_to_space",
       {{1, 4, 2, 3}},
       [](const T& x) { return square(pixel_shuffle(x[0], 2)) + depth_to_space(x[0], 2); }},
      {"rot90, tile, tril and diag",
       {{3, 3}},
       [](const T& x) {
         return square(rot90(x[0]) + tril(x[0]) + diag(diag(x[0]))) + tile(x[0], {2, 1}).slice(0, 1, 4);
       }},
      {"padding",
       {{3, 4}},
       [](const T& x) {
         return square(pad(x[0], {{1, 2}, {0, 1}}, PadMode::reflect)) + pad(x[0], {{2, 1}, {1, 0}}, PadMode::edge);
       }},
      {"as_strided",
       {{3, 4}},
       [](const T& x) {
         return square((x[0] * 1).as_strided({3, 3}, {2, 1}, 1));
       }},
      // mixed
      {"perceptron",
       {{5, 4}, {4, 6}, {6}, {6, 3}},
       [](const T& x) { return log_softmax(matmul(tanh(matmul(x[0], x[1]) + x[2]), x[3]), 1); }},
      {"powers", {{6}, {6}}, [](const T& x) { return pow(x[0] + 3, x[1]); }},
  };
  return all;
}

Tensors arguments_of(const DerivativeCase& one, const View& held) {
  Tensors x;
  for (size_t i = 0; i < one.shapes.size(); ++i)
    x.push_back(held.hold(random_reals(one.shapes[i], -1, 1, i + 11)).tensor);
  return x;
}

Function function_of(const DerivativeCase& one) {
  return [&one](const Tensors& x) { return Tensors{one.f(x)}; };
}

}  // namespace eglantine::test
