#include "verbs/network/convolution_gradients.hpp"

#include <cmath>

#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "verbs/network/drawn_convolution.hpp"

/// The cotangents of a convolution's operands against loops, and against each other.
namespace eglantine::test {
namespace {

using verbs::conv_input_gradient;
using verbs::conv_weight_gradient;

EG_ON_EACH_DEVICE(Network, ConvolutionGradients);
EG_ON_EACH_DEVICE(Graph, ConvolutionGradientKernels);
EG_ON_EACH_DEVICE(Windows, WindowedConvolutionGradients);

/// Of sums of a few hundred products of numbers below 2.
constexpr Tolerance of_sums{0, 1e-4, 1e-5};

/// Cotangents of a convolution's results.
Array cotangents(const Array& x, const Array& w, const naive::ConvRule& rule, uint64_t seed) {
  Dims shape{x.shape[0], w.shape[0]};
  for (size_t k = 0; k < rule.stride.size(); ++k)
    shape.push_back(naive::places_along(rule, k, x.shape[k + 2], w.shape[k + 2]));
  return random_array(x.dtype, shape, seed);
}

Array input_gradient(const Array& g, const Array& w, const naive::ConvRule& rule, const Dims& x) {
  return naive::conv_transpose(g, w, rule, {x.begin() + 2, x.end()});
}

void expect_gradients(const Array& x, const Array& w, const naive::ConvRule& rule, const Tolerance& tolerance) {
  const Array g = cotangents(x, w, rule, 3);
  const ConvOptions options = options_of(rule);
  EXPECT_TRUE(matches(conv_input_gradient(upload(g), upload(w), x.shape, options), input_gradient(g, w, rule, x.shape),
                      tolerance));
  EXPECT_TRUE(matches(conv_weight_gradient(upload(g), upload(x), w.shape, options),
                      naive::conv_weight_gradient(g, x, rule, w.shape), tolerance));
}

EG_TEST(ConvolutionGradients, drawn_strides_pads_dilations_and_groups) {
  Draw draw = draw_programs_one_of(10);
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    if (!draw.next()) continue;
    const auto [x, w, bias, rule] = drawn_convolution(seed);
    SCOPED_TRACE(std::to_string(seed) + ": " + text(x.shape) + " " + text(w.shape));
    expect_gradients(x, w, rule, of_sums);
  }
}

}  // namespace
}  // namespace eglantine::test
