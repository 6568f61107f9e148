#include "eglantine/transformer.hpp"

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "nn/weights.hpp"

namespace eglantine::nn {

namespace {

using check::fail;

constexpr std::string_view layer = "nn::TransformerBlock";

/// The number of features, once all numbers are checked: before parts are made, which would report themselves.
int64_t checked(int64_t features, int64_t heads, int64_t hidden, const TransformerOptions& options) {
  weights::require_positive(layer, "features", features);
  weights::require_positive(layer, "heads", heads);
  weights::require_positive(layer, "hidden", hidden);
  if (features % heads != 0)
    fail<ShapeError>(layer, std::to_string(heads), " heads do not divide ", std::to_string(features), " features");
  if (!options.activation) fail<Error>(layer, "activation is empty; the default is relu");
  check::require_finite(layer, "eps", options.eps, true);
  return features;
}

}  // namespace

TransformerBlock::TransformerBlock(int64_t features, int64_t heads, int64_t hidden, uint64_t seed,
                                   TransformerOptions how)
    : self_attn(checked(features, heads, hidden, how), heads, split_seed(seed, 0)),
      linear1(features, hidden, split_seed(seed, 1)),
      linear2(hidden, features, split_seed(seed, 2)),
      norm1(features, how.eps),
      norm2(features, how.eps),
      options(std::move(how)) {}

Tensor TransformerBlock::operator()(const Tensor& x, const AttentionOptions& attention) const {
  const int64_t features = norm1.weight.size();
  if (x.rank() != 3 || x.shape()[2] != features)
    fail<ShapeError>(layer, "x is (batch, length, ", std::to_string(features), "), got ", to_string(x.shape()));
  const auto feed_forward = [&](const Tensor& y) { return linear2(options.activation(linear1(y))); };
  if (options.norm_first) {
    const Tensor y = x + self_attn(norm1(x), attention);
    return y + feed_forward(norm2(y));
  }
  const Tensor y = norm1(x + self_attn(x, attention));
  return norm2(y + feed_forward(y));
}

}  // namespace eglantine::nn
