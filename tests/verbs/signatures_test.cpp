#include <type_traits>

#include "eglantine/ops.hpp"

/// Names, arguments in their order, and defaults that users' programs rely on. All that is tested is that this
/// compiles.
namespace eglantine::test {
namespace {

extern const Tensor x, y, z;
extern const std::vector<Tensor> list;
using Pair = std::pair<Tensor, Tensor>;
constexpr uint64_t seed = 1;

#define EG_GIVES(type, ...) static_assert(std::is_same_v<decltype(__VA_ARGS__), type>)

// creation
EG_GIVES(Tensor, tri(3, -1, 0));
EG_GIVES(Tensor, logspace(0, 1, 5, 10.0));
EG_GIVES(std::vector<Tensor>, meshgrid(list));
EG_GIVES(Tensor, diag(x, 0));
EG_GIVES(Tensor, diagonal(x, 0, 0, 1));
EG_GIVES(Tensor, add(tril(x, 0), triu(x, 0)));

// random
EG_GIVES(Tensor, randint(0, 5, {2}, seed));
EG_GIVES(Tensor, bernoulli(0.5, {2}, seed));
EG_GIVES(Tensor, exponential({2}, seed));
EG_GIVES(Tensor, gumbel({2}, seed));
EG_GIVES(Tensor, laplace({2}, seed));
EG_GIVES(Tensor, truncated_normal(-1, 1, {2}, seed));
EG_GIVES(Tensor, permutation(5, seed));
EG_GIVES(Tensor, shuffle(x, seed, 0));
EG_GIVES(Tensor, categorical(x, seed, -1, std::optional<int64_t>(3)));
EG_GIVES(uint64_t, split_seed(seed, 2));

// unary, with arguments of their own
EG_GIVES(Tensor, elu(x, 1));
EG_GIVES(Tensor, celu(x, 1));
EG_GIVES(Tensor, leaky_relu(x, 0.01));
EG_GIVES(Tensor, hardtanh(x, -1, 1));
EG_GIVES(Tensor, softshrink(x, 0.5));
EG_GIVES(Tensor, hardshrink(x, 0.5));
EG_GIVES(Tensor, threshold(x, 0.5, 1));
EG_GIVES(Tensor, nan_to_num(x, 0, 1, -1));

// binary
EG_GIVES(Tensor, isclose(x, y, 1e-5, 1e-8, false));
EG_GIVES(Tensor, lerp(x, y, z));
EG_GIVES(Tensor, prelu(x, y));
EG_GIVES(Tensor, xlogy(x, y));

// reductions and statistics
EG_GIVES(Tensor, stddev(x, {0}, true, 1.0));
EG_GIVES(Tensor, var(x, {}, false, 0.0));
EG_GIVES(Tensor, norm(x, {}, false, 2.0));
EG_GIVES(Tensor, count_nonzero(x, {}, false));
EG_GIVES(Tensor, quantile(x, 0.5, {}, false));
EG_GIVES(Tensor, median(x, {}, false));
EG_GIVES(Pair, moments(x, {}, false));
EG_GIVES(Tensor, argmax(x));
EG_GIVES(Tensor, argmin(x));
EG_GIVES(Tensor, trace(x));
EG_GIVES(Tensor, cov(x, 1));
EG_GIVES(Tensor, corrcoef(x));

// scans, order and counting
EG_GIVES(Tensor, diff(x, 1, -1));
EG_GIVES(Tensor, logcumsumexp(x, 0));
EG_GIVES(Tensor, searchsorted(x, y, false));
EG_GIVES(Tensor, bincount(x, {}, 0));
EG_GIVES(Pair, histogram(x, 10, 0.0F, 1.0F));
EG_GIVES(UniqueAll, unique_all(x));
EG_GIVES(Pair, topk(x, 3, -1, true));

// indices
EG_GIVES(Tensor, take_along_axis(x, y, 0));
EG_GIVES(Tensor, index_add(x, 0, y, z));
EG_GIVES(Tensor, scatter_max(x, 0, y, z));
EG_GIVES(Tensor, scatter_min(x, 0, y, z));
EG_GIVES(Tensor, scatter_mul(x, 0, y, z));
EG_GIVES(Tensor, segment_sum(x, y, 3));
EG_GIVES(Tensor, segment_max(x, y, 3));
EG_GIVES(Tensor, gather_nd(x, y, 0));
EG_GIVES(Tensor, scatter_nd(x, y, z));
EG_GIVES(Tensor, scatter_nd_add(x, y, z));

// shape
EG_GIVES(Tensor, flatten(x, 0, -1));
EG_GIVES(Tensor, ravel(x));
EG_GIVES(Tensor, moveaxis(x, 0, 1));
EG_GIVES(Tensor, swapaxes(x, 0, 1));
EG_GIVES(Tensor, roll(x, {1, 2}, {0, 1}));
EG_GIVES(Tensor, repeat(x, 2, 0));
EG_GIVES(Tensor, tile(x, {2, 2}));
EG_GIVES(Tensor, broadcast_to(x, {2, 2}));
EG_GIVES(std::vector<Tensor>, broadcast_tensors(list));
EG_GIVES(Tensor, atleast_3d(atleast_2d(atleast_1d(x))));
EG_GIVES(Tensor, rot90(x, 1, {0, 1}));
EG_GIVES(std::vector<Tensor>, split_with_sizes(x, {1, 2}, 0));
EG_GIVES(std::vector<Tensor>, unstack(x, 0));
EG_GIVES(Tensor, hstack(list));
EG_GIVES(Tensor, vstack(list));
EG_GIVES(Tensor, pad(x, {{1, 1}}, PadMode::reflect, 0.0F));
EG_GIVES(Tensor, windows(x, {2, 3}, {2, 2}, {2, 2}, {1, 1}));

// contraction
EG_GIVES(Tensor, add(outer(x, y), inner(x, y)));
EG_GIVES(Tensor, add(kron(x, y), cross(x, y, -1)));
EG_GIVES(Tensor, tensordot(x, y, {0}, {1}));
EG_GIVES(Tensor, einsum("ij,jk->ik", {x, y}));
EG_GIVES(Tensor, scaled_dot_product_attention(x, y, z, {.mask = x, .causal = true, .scale = 0.5}));

// convolutions and pools
EG_GIVES(Tensor, conv(x, y, {.stride = 2, .padding = {{1, 0}}, .dilation = {1}, .groups = 2, .bias = z}));
EG_GIVES(Tensor,
         conv_transpose(
             x, y,
             {.stride = 2, .padding = Padding::same, .dilation = 1, .groups = 1, .output_padding = 0, .bias = z}));
EG_GIVES(Tensor, max_pool(x, 2, {.stride = 1, .padding = 1, .dilation = 1, .ceil_mode = true, .count_padding = false}));
EG_GIVES(Pair, max_pool_with_indices(x, {2, 2}, {}));
EG_GIVES(Tensor, avg_pool(x, 2));
EG_GIVES(Tensor, lp_pool(x, 2.0, 2, {}));
EG_GIVES(Tensor, add(adaptive_avg_pool(x, {1, 1}), adaptive_max_pool(x, 1)));
EG_GIVES(Tensor,
         interpolate(x, {2, 2},
                     {.mode = Interpolation::cubic, .align_corners = false, .antialias = true, .scale = {0.5, 0.5}}));
EG_GIVES(Tensor, interpolate(x, 2));
EG_GIVES(Tensor, grid_sample(x, y, {.mode = Interpolation::linear, .padding = PadMode::edge, .align_corners = true}));
EG_GIVES(Tensor, grid_sample(x, y));
EG_GIVES(Tensor, add(depth_to_space(x, 2), space_to_depth(x, 2)));
EG_GIVES(Tensor, add(pixel_shuffle(x, 2), pixel_unshuffle(x, 2)));

// normalisation and losses
EG_GIVES(Tensor, layer_norm(x, {-1}, y, z, 1e-5F));
EG_GIVES(Tensor, rms_norm(x, {-1}, y, 1e-5F));
EG_GIVES(Tensor, group_norm(x, 2, y, z, 1e-5F));
EG_GIVES(Tensor, batch_norm(x, y, z, {}, {}, 1e-5F));
EG_GIVES(Tensor, local_response_norm(x, 5, 1e-4, 0.75, 1));
EG_GIVES(Tensor,
         cross_entropy(
             x, y,
             {.axis = 1, .label_smoothing = 0.1, .ignore_index = -1, .weight = z, .reduction = LossReduction::sum}));
EG_GIVES(Tensor, nll_loss(x, y));
EG_GIVES(Tensor, huber_loss(x, y, 1));
EG_GIVES(Tensor, cosine_similarity(x, y, -1, 1e-8));

static_assert(static_cast<int>(Interpolation::nearest) == 0 && InterpolateOptions().mode == Interpolation::nearest);
static_assert(std::is_aggregate_v<InterpolateOptions> && std::is_aggregate_v<GridOptions>);

}  // namespace
}  // namespace eglantine::test
