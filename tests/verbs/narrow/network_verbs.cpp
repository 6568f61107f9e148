#include "eglantine/ops.hpp"
#include "element_types.hpp"
#include "verbs/narrow/narrow_verbs.hpp"

namespace eglantine::test {
namespace {

using T = const Tensor&;

constexpr OfBytes real = OfBytes::counts;

Tensor labels() { return Tensor::from({1, 2, 0}, {3}); }

CrossEntropyOptions weighted(T x) {
  CrossEntropyOptions options;
  options.weight = abs(x(0)).eval();
  options.label_smoothing = 0.1;
  options.reduction = LossReduction::none;
  return options;
}

constexpr OfBytes bytes = OfBytes::bytes;

/// A picture for each row, of one row.
Tensor pictures(T x) { return x.unsqueeze(1).unsqueeze(0); }

Tensor places(T x) {
  return max_pool_with_indices(pictures(x).squeeze(0), {1, 3}, {.padding = {{0, 0}, {1, 1}}}).second;
}

const NarrowVerb lines_of_network_verbs[] = {
    {"elu", real, [](T x) { return elu(x, 0.5); }},
    {"celu", real, [](T x) { return celu(x, 2); }},
    {"leaky_relu", real, [](T x) { return leaky_relu(x); }},
    {"hardtanh", real, [](T x) { return hardtanh(x, -0.3, 0.3); }},
    {"softshrink", real, [](T x) { return softshrink(x, 0.3); }},
    {"hardshrink", real, [](T x) { return hardshrink(x, 0.3); }},
    {"threshold", real, [](T x) { return threshold(x, 0.1F, 0.5F); }},
    {"layer_norm", real, [](T x) { return layer_norm(x, {1}); }},
    {"layer_norm_affine", real, [](T x) { return layer_norm(x, {1}, x(0), x(1)); }},
    {"rms_norm", real, [](T x) { return rms_norm(x, {1}, x(2)); }},
    {"group_norm", real,
     [](T x) { return group_norm(x.unsqueeze(0), 3, x.shape()[1] > 0 ? x.slice(1, 0, 1).squeeze(1) : Tensor()); }},
    {"batch_norm", real, [](T x) { return batch_norm(x, x(0), abs(x(1)).eval(), x(2), x(0)); }},
    {"local_response_norm", real, [](T x) { return local_response_norm(x, 3); }},
    {"mse_loss", real, [](T x) { return mse_loss(x, x.flip({0}), LossReduction::sum); }},
    {"l1_loss", real, [](T x) { return l1_loss(x, x.flip({0}), LossReduction::none); }},
    {"huber_loss", real, [](T x) { return huber_loss(x, x.flip({0}), 0.7, LossReduction::sum); }},
    {"binary_cross_entropy_with_logits", real,
     [](T x) { return binary_cross_entropy_with_logits(x, abs(x).eval(), LossReduction::none); }},
    {"kl_div", real, [](T x) { return kl_div(x, abs(x).eval(), LossReduction::sum); }},
    {"cosine_similarity", real, [](T x) { return cosine_similarity(x, x(0), 1); }},
    {"cross_entropy", real, [](T x) { return x.shape()[1] > 2 ? cross_entropy(x, labels()) : mean(x, 0); }},
    {"cross_entropy_weighted", real,
     [](T x) { return x.shape()[1] > 2 ? cross_entropy(x, labels(), weighted(x)) : mean(x, 0); }},
    {"attention", OfBytes::counts,
     [](T x) {
       const Tensor y = is_float(x.dtype()) ? x : x.astype(DType::f32);
       return scaled_dot_product_attention(y, y.flip({0}), y, {.mask = has_rows(y) ? y.transpose(0, 1)(0) : Tensor()});
     }},
    {"nll_loss", real, [](T x) { return x.shape()[1] > 2 ? nll_loss(x, labels()) : mean(x, 0); }},
};

/// Places in and around pictures of n columns.
Tensor places_of(T x) {
  const Tensor line = uniform({1, 4, 5, 2}, 3, DType::f32, x.device()) * 2.4F - 1.2F;
  return line;
}

const NarrowVerb pools[] = {
    {"interpolate_nearest", bytes,
     [](T x) {
       return has_rows(x) ? interpolate(pictures(x), {5, 7}) : x;
     }},
    {"interpolate_linear", real,
     [](T x) {
       return has_rows(x) ? interpolate(pictures(x), {5, 7}, {.mode = Interpolation::linear}) : mean(x, 0);
     }},
    {"interpolate_cubic", real,
     [](T x) {
       return has_rows(x) ? interpolate(pictures(x), {2, 7}, {.mode = Interpolation::cubic, .antialias = true})
                          : mean(x, 0);
     }},
    {"grid_sample_nearest", bytes,
     [](T x) { return has_rows(x) ? grid_sample(pictures(x), places_of(x), {.mode = Interpolation::nearest}) : x; }},
    {"grid_sample", real, [](T x) { return has_rows(x) ? grid_sample(pictures(x), places_of(x)) : mean(x, 0); }},
    {"conv", real,
     [](T x) {
       return has_rows(x) ? conv(pictures(x), x.slice(1, 0, 1).reshape({1, 3, 1, 1}), {.padding = 1}) : sum(x, 0);
     }},
    {"conv_transpose", real,
     [](T x) {
       return has_rows(x) ? conv_transpose(pictures(x), x.slice(1, 0, 1).reshape({3, 1, 1, 1}), {.stride = {1, 2}})
                          : sum(x, 0);
     }},
    {"max_pool", bytes, [](T x) { return has_rows(x) ? max_pool(x, {2}, {.padding = Padding::same}) : x; }},
    {"max_pool_with_indices", real, [](T x) { return has_rows(x) ? places(x) : argmax(x, 0); }},
    {"avg_pool", real, [](T x) { return avg_pool(x, {3}, {.stride = 1, .padding = 2, .count_padding = true}); }},
    {"avg_pool_uncounted", real,
     [](T x) {
       return has_rows(x) ? avg_pool(x, {2}, {.padding = Padding::same, .count_padding = false}) : mean(x, 0);
     }},
    {"lp_pool", real, [](T x) { return lp_pool(x, 2, {3}, {.padding = 2}); }},
    {"adaptive_avg_pool", real, [](T x) { return has_rows(x) ? adaptive_avg_pool(x, {2}) : mean(x, 0); }},
    {"adaptive_max_pool", bytes, [](T x) { return has_rows(x) ? adaptive_max_pool(x, {2}) : x; }},
};

}  // namespace

std::span<const NarrowVerb> narrow_network_verbs() { return lines_of_network_verbs; }
std::span<const NarrowVerb> narrow_pools() { return pools; }

}  // namespace eglantine::test
