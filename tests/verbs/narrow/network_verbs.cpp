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

const NarrowVerb lines[] = {
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

}  // namespace

std::span<const NarrowVerb> narrow_network_verbs() { return lines; }

}  // namespace eglantine::test
