#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_convolution.hpp"

/// Transposed convolutions against loops over what each result adds up, and how many kernels they are.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Network, TransposedConvolutions);
EG_ON_EACH_DEVICE(Graph, TransposedConvolutionKernels);

/// Of sums of a few hundred products of numbers below 2.
constexpr Tolerance of_sums{0, 1e-4, 1e-5};

struct Drawn {
  Array x, w, bias;
  naive::ConvRule rule;
  Dims more, lengths;  ///< output_padding, and the result's lengths
};

ConvTransposeOptions options_of(const Drawn& drawn) {
  const naive::ConvRule& rule = drawn.rule;
  return {.stride = rule.stride,
          .padding = rule.pads,
          .dilation = rule.dilation,
          .groups = rule.groups,
          .output_padding = drawn.more};
}

/// Of 1 to 3 spatial axes, along each of which the result has an element.
Drawn drawn_transposed(uint64_t seed, DType dtype = DType::f32) {
  for (Random random(seed);;) {
    const auto axes = static_cast<size_t>(1 + seed % 3);
    const int64_t groups = random.integer(1, 3), channels = random.integer(1, 3), each = random.integer(1, 4);
    Dims x{random.integer(1, 3), groups * channels}, w{groups * channels, each}, more, lengths;
    naive::ConvRule rule{{}, {}, {}, groups};
    bool any = true;
    for (size_t k = 0; k < axes; ++k) {
      x.push_back(random.integer(1, axes == 3 ? 4 : 9));
      w.push_back(random.integer(1, 5));
      rule.stride.push_back(random.integer(1, 4));
      rule.dilation.push_back(random.integer(1, 3));
      rule.pads.emplace_back(random.integer(0, 3), random.integer(0, 3));
      more.push_back(random.integer(0, std::max(rule.stride[k], rule.dilation[k]) - 1));
      lengths.push_back((x.back() - 1) * rule.stride[k] + (w.back() - 1) * rule.dilation[k] + 1 + more.back() -
                        rule.pads[k].first - rule.pads[k].second);
      any = any && lengths.back() > 0;
    }
    if (any)
      return {random_array(dtype, x, seed), random_array(dtype, w, seed + 1),
              random_array(dtype, {groups * each}, seed + 2), rule, more, lengths};
  }
}

EG_TEST(TransposedConvolutions, drawn_strides_pads_dilations_and_groups) {
  Draw draw = draw_programs_one_of(12);
  for (uint64_t seed = 1; seed <= 240; ++seed) {
    if (!draw.next()) continue;
    const Drawn drawn = drawn_transposed(seed);
    const auto& [x, w, bias, rule, more, lengths] = drawn;
    SCOPED_TRACE(std::to_string(seed) + ": " + text(x.shape) + " " + text(w.shape) + " " + text(rule.stride) + " " +
                 text(rule.dilation));
    ConvTransposeOptions options = options_of(drawn);
    EXPECT_TRUE(
        matches(conv_transpose(upload(x), upload(w), options), naive::conv_transpose(x, w, rule, lengths), of_sums));
    options.bias = upload(bias);
    EXPECT_TRUE(matches(conv_transpose(upload(x), upload(w), options),
                        naive::conv_transpose(x, w, rule, lengths, bias), of_sums));
  }
}

}  // namespace
}  // namespace eglantine::test
