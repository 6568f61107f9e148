#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "element_types.hpp"
#include "support/random/verbs/verbs.hpp"

namespace eglantine::test {
namespace {

Tensor row(const Tensor& x, const Tensors& o) { return full(x, o.n)(-1); }

/// A label for each row or column, from b's elements; it may be the one that does not count.
Tensor labels(const Tensors& o) {
  const Tensor whole = (row(o.b, o) * 5).astype(DType::i32);
  return where(lt(row(o.b, o), -0.5F), -100, remainder(whole, static_cast<int32_t>(o.n)));
}

Tensor any_norm(const Tensors& o) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double orders[] = {2, 1, infinity, -infinity, 0, 3};
  return norm(o.a, {o.p}, true, orders[variant(o, std::size(orders))]);
}

/// NaN as missing, where a is less than b.
Tensor without_nan(const Tensors& o) {
  const Tensor x = where(lt(o.a, o.b), std::nanf(""), o.a);
  switch (variant(o, 4)) {
    case 0:
      return nansum(x, {o.p}, true);
    case 1:
      return nanmean(x, {o.p}, true);
    case 2:
      return nanmax(x, {o.p}, true);
    default:
      return nanmin(x, {o.p}, true);
  }
}

Tensor any_loss(const Tensors& o) {
  switch (variant(o, 5)) {
    case 0:
      return mse_loss(o.a, o.b, LossReduction::mean).reshape({1, 1});
    case 1:
      return l1_loss(o.a, o.b, LossReduction::sum).reshape({1, 1});
    case 2:
      return huber_loss(o.a, o.b, 0.5, LossReduction::none);
    case 3:
      return binary_cross_entropy_with_logits(o.a, sigmoid(o.b), LossReduction::none);
    default:
      return kl_div(o.a, exp(o.b), LossReduction::none);
  }
}

/// Of graphs of several dtypes, integers.
Tensor floating(const Tensor& x) { return is_float(x.dtype()) ? x : x.astype(DType::f32); }

/// All of f32 alone.
const GraphVerb lines_of_statistics[] = {
    {"softmax", 3, [](const Tensors& o) { return softmax(o.a, axis(o)); }, nullptr},
    {"log_softmax", 2, [](const Tensors& o) { return log_softmax(o.a, axis(o)); }, nullptr},
    {"logsumexp", 2, [](const Tensors& o) { return logsumexp(o.a, {o.p}, true); }, nullptr},
    {"logcumsumexp", 2, [](const Tensors& o) { return logcumsumexp(o.a, axis(o), false, o.q % 2 == 1); }, nullptr},
    {"mean", 2, [](const Tensors& o) { return mean(o.a, {o.p}, true); }, nullptr},
    {"var", 2, [](const Tensors& o) { return var(o.a, {o.p}, true); }, nullptr},
    {"stddev", 2, [](const Tensors& o) { return stddev(o.a, {o.p}, true, 1); }, nullptr},
    {"moments", 4,
     [](const Tensors& o) {
       const auto [mean, var] = moments(o.a, {o.p}, true);
       return (o.a - mean) * var;
     },
     nullptr},
    {"moments_all", 2,
     [](const Tensors& o) {
       const auto [mean, var] = moments(o.a, {}, true);
       return concatenate({full(mean, o.n), full(var, o.n)}, axis(o)).slice(axis(o), 1, o.n + 1);
     },
     nullptr},
    {"norm", 3, any_norm, nullptr},
    {"without_nan", 2, without_nan, nullptr},
    {"median", 2, [](const Tensors& o) { return median(o.a, {o.p}, true); }, nullptr},
    {"quantile", 2, [](const Tensors& o) { return quantile(o.a, 0.3, {o.p}, true); }, nullptr},
    {"average", 2, [](const Tensors& o) { return average(full(o.a, o.n), abs(o.b) + 1, {o.p}, true); }, nullptr},
    {"layer_norm", 4, [](const Tensors& o) { return layer_norm(full(o.a, o.n), {o.p}, row(o.b, o), row(o.a, o)); },
     nullptr},
    {"layer_norm_all", 1, [](const Tensors& o) { return layer_norm(o.a, {}); }, nullptr},
    {"rms_norm", 3, [](const Tensors& o) { return rms_norm(full(o.a, o.n), {o.p}, row(o.b, o)); }, nullptr},
    {"batch_norm", 1, [](const Tensors& o) { return batch_norm(full(o.a, o.n), row(o.b, o), abs(row(o.a, o))); },
     nullptr},
    {"group_norm", 1, [](const Tensors& o) { return group_norm(full(o.a, o.n), o.p == 0 ? 1 : o.n, row(o.b, o)); },
     nullptr},
    {"local_response_norm", 1, [](const Tensors& o) { return local_response_norm(full(o.a, o.n), 2 + o.p); }, nullptr},
    {"cross_entropy", 3,
     [](const Tensors& o) {
       CrossEntropyOptions options;
       options.axis = axis(o);
       options.reduction = LossReduction::none;
       options.label_smoothing = o.q % 2 == 0 ? 0 : 0.1;
       return cross_entropy(full(o.a, o.n), labels(o), options).unsqueeze(axis(o));
     },
     nullptr},
    {"cross_entropy_mean", 1,
     [](const Tensors& o) {
       return cross_entropy(full(o.a, o.n), labels(o)).reshape({1, 1});
     },
     nullptr},
    {"nll_loss", 1,
     [](const Tensors& o) {
       CrossEntropyOptions options;
       options.axis = axis(o);
       options.reduction = LossReduction::none;
       return nll_loss(full(o.a, o.n), labels(o), options).unsqueeze(axis(o));
     },
     nullptr},
    {"loss", 2, any_loss, nullptr},
    {"cosine_similarity", 1, [](const Tensors& o) { return cosine_similarity(o.a, o.b, axis(o)).unsqueeze(axis(o)); },
     nullptr},
    {"cov", 2, [](const Tensors& o) { return cov(full(o.a, o.n)); }, nullptr},
    {"corrcoef", 1, [](const Tensors& o) { return corrcoef(full(o.a, o.n)); }, nullptr},
    {"attention", 2,
     [](const Tensors& o) {
       const Tensor a = floating(full(o.a, o.n)), b = floating(full(o.b, o.n));
       const Tensor mask = o.p == 0 ? Tensor() : b < 0.5F;
       return scaled_dot_product_attention(a, b, b, {.mask = mask, .causal = o.q % 2 == 1});
     },
     nullptr},
    {"outer", 1, [](const Tensors& o) { return outer(row(o.a, o), row(o.b, o)); }, nullptr},
};

}  // namespace

std::span<const GraphVerb> statistics_graph_verbs() { return lines_of_statistics; }

}  // namespace eglantine::test
