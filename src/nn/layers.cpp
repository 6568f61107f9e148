#include "eglantine/layers.hpp"

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "nn/weights.hpp"

namespace eglantine::nn {

namespace {

using check::fail;
using weights::require_positive;

Shape shape_of(std::string_view layer, const PerAxis& sizes) {
  Shape shape;
  for (int64_t size : sizes.numbers()) {
    require_positive(layer, "a size", size);
    shape.push_back(size);
  }
  if (shape.rank() == 0) fail<ShapeError>(layer, "there are no sizes");
  return shape;
}

/// The last axes of x, whose lengths are the weight's.
Axes last_axes(std::string_view layer, const Tensor& x, const Tensor& weight) {
  const int first = x.rank() - weight.rank();
  for (int i = 0; i < weight.rank(); ++i)
    if (first < 0 || x.shape()[first + i] != weight.shape()[i])
      fail<ShapeError>(layer, "x is ", to_string(x.shape()), ", its last axes are ", to_string(weight.shape()));
  Axes axes;
  for (int i = 0; i < weight.rank(); ++i) axes.push_back(x.rank() - weight.rank() + i);
  return axes;
}

/// x is (n, channels, ...).
void require_channels(std::string_view layer, const Tensor& x, int64_t channels) {
  if (x.rank() < 2 || x.shape()[1] != channels)
    fail<ShapeError>(layer, "x is (n, ", std::to_string(channels), ", ...), got ", to_string(x.shape()));
}

}  // namespace

Linear::Linear(int64_t in, int64_t out, uint64_t seed, bool has_bias) {
  require_positive("nn::Linear", "in", in);
  require_positive("nn::Linear", "out", out);
  weight = weights::within({out, in}, split_seed(seed, 0), in);
  if (has_bias) bias = weights::within({out}, split_seed(seed, 1), in);
}

Tensor Linear::operator()(const Tensor& x) const {
  if (x.rank() < 1 || x.shape()[x.rank() - 1] != weight.shape()[1])
    fail<ShapeError>("nn::Linear", "x is ", to_string(x.shape()), ", its last axis has ",
                     std::to_string(weight.shape()[1]), " features");
  const Tensor y = matmul(x, weight.transpose(0, 1));
  return bias.defined() ? y + bias : y;
}

Embedding::Embedding(int64_t rows, int64_t features, uint64_t seed) {
  require_positive("nn::Embedding", "rows", rows);
  require_positive("nn::Embedding", "features", features);
  weight = normal_({rows, features}, seed).eval();
}

Tensor Embedding::operator()(const Tensor& indices) const {
  if (indices.dtype() != DType::i32)
    fail<DTypeError>("nn::Embedding", "indices are i32, got ", name_of(indices.dtype()), "; convert with astype");
  return take(weight, indices, 0);
}

LayerNorm::LayerNorm(const PerAxis& sizes)
    : weight(ones(shape_of("nn::LayerNorm", sizes))), bias(zeros(weight.shape())) {}

Tensor LayerNorm::operator()(const Tensor& x) const {
  return layer_norm(x, last_axes("nn::LayerNorm", x, weight), weight, bias, static_cast<float>(eps));
}

RMSNorm::RMSNorm(const PerAxis& sizes) : weight(ones(shape_of("nn::RMSNorm", sizes))) {}

Tensor RMSNorm::operator()(const Tensor& x) const {
  return rms_norm(x, last_axes("nn::RMSNorm", x, weight), weight, static_cast<float>(eps));
}

GroupNorm::GroupNorm(int64_t groups_of_channels, int64_t channels, double epsilon)
    : groups(groups_of_channels), eps(epsilon) {
  require_positive("nn::GroupNorm", "groups", groups);
  require_positive("nn::GroupNorm", "channels", channels);
  if (channels % groups != 0)
    fail<ShapeError>("nn::GroupNorm", std::to_string(groups), " groups do not divide ", std::to_string(channels),
                     " channels");
  weight = ones({channels});
  bias = zeros({channels});
}

Tensor GroupNorm::operator()(const Tensor& x) const {
  require_channels("nn::GroupNorm", x, weight.size());
  return group_norm(x, groups, weight, bias, static_cast<float>(eps));
}

BatchNorm::BatchNorm(int64_t features, double epsilon, double share) : eps(epsilon), momentum(share) {
  require_positive("nn::BatchNorm", "features", features);
  weight = running_var = ones({features});
  bias = running_mean = zeros({features});
  num_batches_tracked = zeros({}, DType::i32);
}

Tensor BatchNorm::operator()(const Tensor& x, bool training) {
  const auto epsilon = static_cast<float>(eps);
  require_channels("nn::BatchNorm", x, weight.size());
  if (!training) return batch_norm(x, running_mean, running_var, weight, bias, epsilon);
  Axes axes;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (axis != 1) axes.push_back(axis);
  const auto [mean, variance] = moments(x, axes);
  const double count = static_cast<double>(x.size()) / static_cast<double>(weight.size());
  if (count <= 1)
    fail<ShapeError>("nn::BatchNorm", "training wants more than one value of each feature, x is ",
                     to_string(x.shape()));
  const auto moved = [&](const Tensor& running, const Tensor& now) {
    return running * (1 - momentum) + stop_gradient(now) * momentum;
  };
  running_mean = moved(running_mean, mean);
  running_var = moved(running_var, variance * (count / (count - 1)));
  num_batches_tracked = num_batches_tracked + 1;
  return batch_norm(x, mean, variance, weight, bias, epsilon);
}

Dropout::Dropout(double probability) : p(probability) {
  if (!(p >= 0 && p <= 1)) fail<Error>("nn::Dropout", "p lies in [0, 1], got ", Scalar(p).text());
}

Tensor Dropout::operator()(const Tensor& x, bool training, uint64_t seed) const {
  if (!is_float(x.dtype())) fail<DTypeError>("nn::Dropout", "x is of floats, got ", name_of(x.dtype()));
  if (!training || p == 0) return x;
  if (p == 1) return zeros(x.shape(), x.dtype(), x.device());
  return where(bernoulli(1 - p, x.shape(), seed, x.device()), x * (1 / (1 - p)), 0);
}

MultiHeadAttention::MultiHeadAttention(int64_t features, int64_t count_of_heads, uint64_t seed)
    : out_proj(features, features, split_seed(seed, 1)), heads(count_of_heads) {
  require_positive("nn::MultiHeadAttention", "heads", heads);
  if (features % heads != 0)
    fail<ShapeError>("nn::MultiHeadAttention", std::to_string(heads), " heads do not divide ", std::to_string(features),
                     " features");
  in_proj_weight = xavier_uniform({3 * features, features}, split_seed(seed, 0)).eval();
  in_proj_bias = zeros({3 * features});
  out_proj.bias = zeros({features});
}

Tensor MultiHeadAttention::operator()(const Tensor& x, const AttentionOptions& options) const {
  const int64_t features = in_proj_bias.shape()[0] / 3;
  if (x.rank() != 3 || x.shape()[2] != features)
    fail<ShapeError>("nn::MultiHeadAttention", "x is (batch, length, ", std::to_string(features), "), got ",
                     to_string(x.shape()));
  const int64_t batch = x.shape()[0], length = x.shape()[1];
  const Tensor all =
      (matmul(x, in_proj_weight.transpose(0, 1)) + in_proj_bias).reshape({batch, length, 3, heads, features / heads});
  const auto part = [&](int64_t which) { return all.slice(2, which, which + 1).squeeze(2).transpose(1, 2); };
  const Tensor y = scaled_dot_product_attention(part(0), part(1), part(2), options);
  return out_proj(y.transpose(1, 2).reshape({batch, length, features}));
}

}  // namespace eglantine::nn
