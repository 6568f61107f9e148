#include <algorithm>
#include <cmath>
#include <memory>

#include "examples/17_resnet50/resnet50.hpp"
#include "perf/works/works.hpp"
#include "verbs/network/convolution/convolution_gradients.hpp"

/// What networks are made of, as docs/performance.md compares them with PyTorch.
namespace eglantine::perf {

namespace {

/// What the worst of millions of sums of `count` products of random numbers in [-1, 1) may differ by. Added in order
/// in f32, the n-th sum, of about sqrt(n) / 3, is rounded by up to eps / 2 of itself: together count * eps / 20 (rms),
/// of the largest sums about ten times as much, which of thousands of products is more than what blocks leave.
double absolute_of_layer(int64_t count) {
  return std::max(40 * (std::sqrt(real(count)) + 4), 0.6 * real(count)) * 0x1p-23;
}

ConvOptions options_of(const Convolution& c) {
  return {.stride = c.stride, .padding = c.kernel / 2, .groups = c.groups};
}

/// n, channels, and as many lengths as there are axes.
Shape shape_of(const Convolution& c, int64_t n, int64_t channels, int64_t length) {
  Shape shape{n, channels};
  for (int axis = 0; axis < c.axes; ++axis) shape.push_back(length);
  return shape;
}

Shape input_of(const Convolution& c) { return shape_of(c, c.n, c.in, c.size); }
Shape weights_of(const Convolution& c) { return shape_of(c, c.out, c.in / c.groups, c.kernel); }
Shape output_of(const Convolution& c) {
  return shape_of(c, c.n, c.out, (c.size + c.kernel / 2 * 2 - c.kernel) / c.stride + 1);
}

/// Of one result.
int64_t products_of_one(const Convolution& c) { return weights_of(c).elements() / c.out; }
double products_of(const Convolution& c) { return count_of(output_of(c)) * real(products_of_one(c)); }

/// "n32_64to64_3x3_56", "n32_3to64_7x7s2_224", "n32_144to144_3x3g144_56", "n2_64to64_3x3x3g16_32".
std::string text_of(const Convolution& c) {
  const auto text = [](int64_t number) { return std::to_string(number); };
  const Shape weights = weights_of(c);
  return "n" + text(c.n) + "_" + text(c.in) + "to" + text(c.out) + "_" +
         size_text(Shape(weights.begin() + 2, weights.end())) + (c.stride > 1 ? "s" + text(c.stride) : "") +
         (c.groups > 1 ? "g" + text(c.groups) : "") + "_" + text(c.size);
}

/// What is read and written once, f32.
Work moving(Work work, double elements, double operations = 0) {
  work.bytes = 4 * elements;
  work.operations = operations;
  return work;
}

Work over_picture(const std::string& name, const Shape& x, Verb verb, double written, double operations) {
  return moving(work_of(name + "/" + size_text(x), {{x, Fill::normal}}, std::move(verb), {{0}, 0, 1e-5, 1e-5}),
                count_of(x) + written, operations);
}

}  // namespace

Work conv_work(const Convolution& c) {
  Work work =
      work_of("conv/" + text_of(c), {{input_of(c), Fill::signed_uniform}, {weights_of(c), Fill::signed_uniform}},
              [options = options_of(c)](const Tensors& x) { return Tensors{conv(x[0], x[1], options)}; },
              {{0, -1}, 0, 0, absolute_of_layer(products_of_one(c))});
  return moving(work, count_of(input_of(c)) + count_of(weights_of(c)) + count_of(output_of(c)), 2 * products_of(c));
}

Work conv_gradients_work(const Convolution& c) {
  const auto gradients = [options = options_of(c), x_shape = input_of(c), w_shape = weights_of(c)](const Tensors& x) {
    return Tensors{verbs::conv_input_gradient(x[0], x[2], x_shape, options),
                   verbs::conv_weight_gradient(x[0], x[1], w_shape, options)};
  };
  const Shape y = output_of(c);
  const int64_t longest = std::max(y.elements() / c.out, products_of_one(c) / (c.in / c.groups) * (c.out / c.groups));
  Work work =
      work_of("conv_gradients/" + text_of(c),
              {{y, Fill::signed_uniform}, {input_of(c), Fill::signed_uniform}, {weights_of(c), Fill::signed_uniform}},
              gradients, {{-1, -1, -1}, -1, 0, absolute_of_layer(longest)});
  return moving(work, count_of(y) + 2 * count_of(input_of(c)) + 2 * count_of(weights_of(c)), 4 * products_of(c));
}

Work max_pool_work(const Shape& x) {
  const auto verb = [](const Tensors& t) { return Tensors{max_pool(t[0], 3, {.stride = 2, .padding = 1})}; };
  return over_picture("max_pool", x, verb, count_of(x) / 4, 9 * count_of(x) / 4);
}

Work global_average_work(const Shape& x) {
  const auto verb = [](const Tensors& t) { return Tensors{mean(t[0], {2, 3})}; };
  return over_picture("global_average", x, verb, real(x[0] * x[1]), count_of(x));
}

Work bilinear_work(const Shape& x) {
  const auto verb = [](const Tensors& t) {
    const Shape& shape = t[0].shape();
    return Tensors{interpolate(t[0], {2 * shape[2], 2 * shape[3]}, {.mode = Interpolation::linear})};
  };
  return over_picture("bilinear_x2", x, verb, 4 * count_of(x), 32 * count_of(x));
}

Work batch_norm_training_work(const Shape& x) {
  const auto verb = [](const Tensors& t) {
    const auto [mean, var] = moments(t[0], {0, 2, 3});
    return Tensors{batch_norm(t[0], mean, var, t[1], t[2]), mean, var};
  };
  Work work = work_of("batch_norm_training/" + size_text(x), {{x, Fill::normal}, {{x[1]}}, {{x[1]}}}, verb,
                      {{-1, -1, -1}, -1, 1e-4, 1e-4});
  return moving(work, 3 * count_of(x), 8 * count_of(x));
}

Work layer_norm_work(const Shape& x) {
  const auto verb = [](const Tensors& t) { return Tensors{layer_norm(t[0], -1, t[1], t[2])}; };
  Work work = work_of("layer_norm/" + size_text(x), {{x, Fill::normal}, {{x[1]}}, {{x[1]}}}, verb,
                      {{0, -1, -1}, 0, 1e-5, 1e-5});
  return moving(work, 2 * count_of(x), 8 * count_of(x));
}

Work rms_norm_work(const Shape& x) {
  const auto verb = [](const Tensors& t) { return Tensors{rms_norm(t[0], -1, t[1])}; };
  Work work = work_of("rms_norm/" + size_text(x), {{x, Fill::normal}, {{x[1]}}}, verb, {{0, -1}, 0, 1e-5, 1e-5});
  return moving(work, 2 * count_of(x), 4 * count_of(x));
}

Work cross_entropy_work(const Shape& x) {
  const auto verb = [](const Tensors& t) { return Tensors{cross_entropy(t[0], t[1])}; };
  Work work = work_of("cross_entropy/" + size_text(x), {{x, Fill::normal}, {{x[0]}, Fill::index, x[1]}}, verb,
                      {{-1, -1}, -1, 1e-5, 0});
  return moving(work, count_of(x), 4 * count_of(x));
}

Work standardize_work(const Shape& x) {
  const auto verb = [](const Tensors& t) {
    return Tensors{(t[0] - mean(t[0], 0, true)) * rsqrt(var(t[0], 0, true) + 1e-5F)};
  };
  Work work = work_of("standardize_axis0/" + size_text(x), {{x, Fill::normal}}, verb, {{1}, 1, 1e-4, 1e-4});
  return moving(work, 3 * count_of(x), 6 * count_of(x));
}

/// A head of a sequence is a row of the first axis, by which results are compared.
Work attention_work(int64_t batch, int64_t heads, int64_t length, int64_t features) {
  const Operand each{{batch * heads, length, features}, Fill::normal};
  const auto verb = [](const Tensors& t) {
    return Tensors{scaled_dot_product_attention(t[0], t[1], t[2], {.causal = true})};
  };
  Work work = work_of("attention_causal/" + size_text(Shape{batch, heads, length, features}), {each, each, each}, verb,
                      {{0, 0, 0}, 0, 1e-4, 1e-5});
  return moving(work, 4 * count_of(each.shape), 2 * count_of(each.shape) * real(length));
}

Work resnet50_work(int64_t batch, int64_t size) {
  const Operand pictures{{batch, 3, size, size}};
  Work work;
  work.name = "resnet50/" + std::to_string(batch) + (size == 224 ? "" : "x" + std::to_string(size));
  work.items = real(batch);
  work.prepare = [=](const Device& device) {
    const auto network = std::make_shared<const resnet50::Network>(1, device);
    Prepared prepared;
    for (size_t set = 0; set < fewest_sets; ++set)
      prepared.calls.push_back([network, x = random_tensor(pictures, set, device)] { return Tensors{(*network)(x)}; });
    // The first two pictures on another device.
    prepared.problem = [=] {
      const Tensor x = random_tensor(pictures, 0, device).slice(0, 0, std::min<int64_t>(batch, 2));
      const Verb verb = [](const Tensors& t) { return Tensors{resnet50::Network(1, t[0].device())(t[0])}; };
      return problem_of(verb, {x}, {{0}, 0, 1e-3, 1e-3});
    };
    device.synchronize();
    return prepared;
  };
  return work;
}

}  // namespace eglantine::perf
