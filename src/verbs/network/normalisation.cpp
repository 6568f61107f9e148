#include "eglantine/verbs/normalisation.hpp"

#include <algorithm>

#include "layout/layout.hpp"
#include "verbs/operand_lengths.hpp"
#include "verbs/own_rule.hpp"
#include "verbs/reduce/memory_order.hpp"
#include "verbs/reduce/row.hpp"

namespace eglantine {

namespace {

/// A parameter of a layer as f32 in the shape `at`, in which it broadcasts; it must have x's lengths along `axes`.
Tensor parameter(std::string_view function, std::string_view name, const Tensor& given, const Tensor& x,
                 const Axes& axes, const Shape& at) {
  check::require_same_device(function, x, given);
  verbs::require_lengths_of(function, {name, given.shape()}, {"x", x.shape()}, axes);
  return verbs::to_f32(given).reshape(at);
}

/// Of which of x's axes weight and bias have the lengths, and in which shape they broadcast with what is normalised.
struct Affine {
  std::string_view function;
  Tensor x;  ///< as given
  Axes axes;
  Shape at;

  /// Of f32, in the dtype that all meet in.
  Tensor operator()(const Tensor& normalised, const Tensor& weight, const Tensor& bias) const {
    return scaled(normalised, weight, bias).astype(verbs::real_dtype({x, weight, bias}));
  }

  Tensor scaled(const Tensor& normalised, const Tensor& weight, const Tensor& bias) const {
    Tensor y = normalised;
    if (weight.defined()) y = y * parameter(function, "weight", weight, x, axes, at);
    if (bias.defined()) y = y + parameter(function, "bias", bias, x, axes, at);
    return y;
  }
};

Affine affine_over(std::string_view function, const Tensor& x, const Axes& axes) {
  Affine result{function, x, {}, {}};
  for (int i = 0; i < x.rank(); ++i) {
    const bool normalised = axes.contains(i);
    if (normalised) result.axes.push_back(i);
    result.at.push_back(normalised ? x.shape()[i] : 1);
  }
  return result;
}

void require_channels(std::string_view function, const Tensor& x) {
  if (x.rank() < 2) check::fail<ShapeError>(function, "takes (n, channels, ...), got ", to_string(x.shape()));
}

/// The shape in which (channels) broadcasts with x, whose axis `axis` they are.
Shape by_channel(const Tensor& x, int axis = 1) {
  Shape at;
  for (int i = 0; i < x.rank(); ++i) at.push_back(i == axis ? x.shape()[axis] : 1);
  return at;
}

int64_t spatial(std::string_view function, const Tensor& x) {
  return check::elements_of(function, Shape(x.shape().begin() + 2, x.shape().end()));
}

/// The lengths of the axes behind the channels: all as one, but where only a copy of x, a view, lies so.
Shape behind_channels(std::string_view function, const Tensor& x) {
  const Shape apart(x.shape().begin() + 2, x.shape().end()), one{spatial(function, x)};
  const auto* view = x.node()->as<nodes::View>();
  if (view == nullptr || x.rank() == max_rank) return one;
  return layout::reshape(view->layout, {x.shape()[0], x.shape()[1], one[0]}) ? one : apart;
}

/// Sums of x, (n, channels, spatial), over the channels from c - before to c + after that there are.
Tensor sums_of_neighbours(const Tensor& x, int64_t before, int64_t after) {
  const Tensor padded = x.pad({{0, 0}, {before, after}, {0, 0}});
  return sum(windows(padded, 1, {before + 1 + after}), 3);
}

/// y = (x - mean) s weight + bias, s = 1 / sqrt(var + eps), over channels; weight and bias may be undefined.
class BatchNormalisation {
 public:
  BatchNormalisation(const Tensor& x, int axis, float eps, bool weighted)
      : axis_(axis), at_(by_channel(x, axis)), eps_(eps), weighted_(weighted) {}

  /// Of x, mean, var, weight and bias, of f32, the latter four (channels).
  Tensor operator()(const Tensors& x) const {
    const Tensor normalised = (x[0] - x[1].reshape(at_)) * rsqrt(x[2].reshape(at_) + eps_);
    const Tensor scaled = weighted_ ? normalised * x[3].reshape(at_) : normalised;
    return x.size() > (weighted_ ? 4U : 3U) ? scaled + x.back().reshape(at_) : scaled;
  }

  /// The cotangents, of two sums over the picture: of g, and of g (x - mean). What each parameter gets is made of them.
  Tensors back(const Tensors& x, const Tensor& g) const {
    const Tensor s = rsqrt(x[2] + eps_), scale = weighted_ ? s * x[3] : s;
    const Tensor sum_of_g = over_picture(g), with_x = over_picture(g * (x[0] - x[1].reshape(at_)));
    Tensors given{g * scale.reshape(at_), -scale * sum_of_g, with_x * scale * square(s) * -0.5F};
    if (weighted_) given.push_back(with_x * s);
    if (given.size() < x.size()) given.push_back(sum_of_g);
    return given;
  }

 private:
  Tensor over_picture(const Tensor& x) const {
    Axes axes;
    for (int i = 0; i < x.rank(); ++i)
      if (i != axis_) axes.push_back(i);
    return sum(x, axes);
  }
  int axis_;
  Shape at_;
  float eps_;
  bool weighted_;
};

}  // namespace

Tensor layer_norm(const Tensor& x, Axes over, const Tensor& weight, const Tensor& bias, float eps) {
  const Axes axes = check::axes_of("layer_norm", over, x.shape());
  check::require_finite("layer_norm", "eps", eps);
  return affine_over("layer_norm", x, axes)(verbs::standardized(verbs::to_f32(x), axes, eps), weight, bias);
}

Tensor rms_norm(const Tensor& x, Axes over, const Tensor& weight, float eps) {
  const Axes axes = check::axes_of("rms_norm", over, x.shape());
  check::require_finite("rms_norm", "eps", eps);
  return affine_over("rms_norm", x, axes)(verbs::over_rms(verbs::to_f32(x), axes, eps), weight, {});
}

Tensor group_norm(const Tensor& x, int64_t groups, const Tensor& weight, const Tensor& bias, float eps) {
  require_channels("group_norm", x);
  check::require_finite("group_norm", "eps", eps);
  const int64_t channels = x.shape()[1];
  if (groups < 1) check::fail<ShapeError>("group_norm", "groups are at least 1, got ", std::to_string(groups));
  if (channels % groups != 0)
    check::fail<ShapeError>("group_norm", "axis 1 of ", to_string(x.shape()), " has ", std::to_string(channels),
                            " channels, which do not fall into ", std::to_string(groups), " groups");
  // Of this shape up to the result, so that scale and offset fuse into the rows' kernel.
  Shape grouped{x.shape()[0], groups, channels / groups}, at{1, groups, channels / groups};
  Axes axes{2};
  for (const int64_t length : behind_channels("group_norm", x)) {
    axes.push_back(grouped.rank());
    grouped.push_back(length);
    at.push_back(1);
  }
  const Affine affine{"group_norm", x, {1}, at};
  const Tensor rows = verbs::to_f32(x).reshape(grouped);
  return affine(verbs::standardized(rows, axes, eps), weight, bias).reshape(x.shape());
}

Tensor batch_norm(const Tensor& x, const Tensor& mean, const Tensor& var, const Tensor& weight, const Tensor& bias,
                  float eps) {
  require_channels("batch_norm", x);
  check::require_finite("batch_norm", "eps", eps);
  const Shape channels{x.shape()[1]};
  Tensors given{verbs::to_f32(x)};
  const auto add = [&](std::string_view name, const Tensor& of) {
    given.push_back(parameter("batch_norm", name, of, x, {1}, channels));
  };
  add("mean", mean);
  add("var", var);
  if (weight.defined()) add("weight", weight);
  if (bias.defined()) add("bias", bias);
  const auto normalised = [&](const Tensor& wide, int axis) {
    const BatchNormalisation normalise(wide, axis, eps, weight.defined());
    const auto back = [normalise](const Tensors& at, const Tensor&, const Tensor& g) { return normalise.back(at, g); };
    Tensors all = given;
    all[0] = wide;
    return verbs::with_own_rule(all, normalise, back, OwnReads::inputs);
  };
  return verbs::in_memory_order(given[0], 1, normalised).astype(verbs::real_dtype({x, mean, var, weight, bias}));
}

Tensor local_response_norm(const Tensor& given, int64_t size, float alpha, float beta, float k) {
  require_channels("local_response_norm", given);
  if (size < 1)
    check::fail<ShapeError>("local_response_norm", "a window of ", std::to_string(size),
                            " channels; it has at least 1");
  const Tensor x = verbs::to_f32(given);
  if (x.size() == 0) return verbs::to_real(given);
  const int64_t channels = x.shape()[1];
  const Tensor flat = x.reshape({x.shape()[0], channels, spatial("local_response_norm", x)});
  // Further ones than there are channels would add zeros.
  const Tensor sums =
      sums_of_neighbours(square(flat), std::min(size / 2, channels), std::min((size - 1) / 2, channels));
  const Tensor y = flat / pow(sums * (alpha / static_cast<float>(size)) + k, beta);
  return y.reshape(x.shape()).astype(verbs::real_dtype(given));
}

}  // namespace eglantine
