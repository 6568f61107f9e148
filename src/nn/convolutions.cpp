#include "check/check.hpp"
#include "eglantine/layers.hpp"
#include "eglantine/ops.hpp"
#include "nn/weights.hpp"

namespace eglantine::nn {

namespace {

using check::fail;
using weights::require_positive;

/// Checks what Conv and ConvTranspose are made with. Groups divide the channels of x, and of a transposed one's result.
void require_parts(std::string_view layer, int64_t in, int64_t out, const PerAxis& kernel, int64_t groups,
                   const Tensor& bias) {
  require_positive(layer, "in", in);
  require_positive(layer, "out", out);
  require_positive(layer, "groups", groups);
  if (kernel.is_for_all() || kernel.empty())
    fail<ShapeError>(layer, "kernel has a number for each spatial axis, in braces: {3, 3}");
  if (bias.defined()) fail<Error>(layer, "the layer has a bias of its own; leave that of the options");
  for (int64_t channels : {in, out})
    if (channels % groups != 0)
      fail<ShapeError>(layer, std::to_string(groups), " groups do not divide ", std::to_string(channels), " channels");
  for (int64_t length : kernel.numbers()) require_positive(layer, "a kernel's length", length);
}

/// (first, second, kernel...).
Shape weight_shape(int64_t first, int64_t second, const PerAxis& kernel) {
  Shape shape{first, second};
  for (int64_t length : kernel.numbers()) shape.push_back(length);
  return shape;
}

/// x is (n, channels, spatial...), or without n.
void require_input(std::string_view layer, const Tensor& x, const Tensor& weight, int64_t channels) {
  const int axis = x.rank() - weight.rank() + 1;
  if (axis < 0 || axis > 1 || x.shape()[axis] != channels)
    fail<ShapeError>(layer, "x is (n, ", std::to_string(channels), ", spatial...), or without n, of ",
                     std::to_string(weight.rank() - 2), " spatial axes, got ", to_string(x.shape()));
}

}  // namespace

Conv::Conv(int64_t in, int64_t out, const PerAxis& kernel, const ConvOptions& how, uint64_t seed) : options(how) {
  require_parts("nn::Conv", in, out, kernel, how.groups, how.bias);
  const Shape shape = weight_shape(out, in / how.groups, kernel);
  const int64_t fan_in = shape.elements() / out;
  weight = weights::within(shape, split_seed(seed, 0), fan_in);
  bias = weights::within({out}, split_seed(seed, 1), fan_in);
}

Tensor Conv::operator()(const Tensor& x) const {
  require_input("nn::Conv", x, weight, weight.shape()[1] * options.groups);
  ConvOptions with_bias = options;
  with_bias.bias = bias;
  return conv(x, weight, with_bias);
}

ConvTranspose::ConvTranspose(int64_t in, int64_t out, const PerAxis& kernel, const ConvTransposeOptions& how,
                             uint64_t seed)
    : options(how) {
  require_parts("nn::ConvTranspose", in, out, kernel, how.groups, how.bias);
  const Shape shape = weight_shape(in, out / how.groups, kernel);
  // PyTorch takes the second axis for the inputs here, too.
  const int64_t fan_in = shape.elements() / in;
  weight = weights::within(shape, split_seed(seed, 0), fan_in);
  bias = weights::within({out}, split_seed(seed, 1), fan_in);
}

Tensor ConvTranspose::operator()(const Tensor& x) const {
  require_input("nn::ConvTranspose", x, weight, weight.shape()[0]);
  ConvTransposeOptions with_bias = options;
  with_bias.bias = bias;
  return conv_transpose(x, weight, with_bias);
}

}  // namespace eglantine::nn
