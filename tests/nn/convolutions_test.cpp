#include <cmath>

#include "eglantine/layers.hpp"
#include "eglantine/ops.hpp"
#include "nn/waves.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/reference/naive_convolution.hpp"

/// Layers of transposed convolutions.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, ConvTransposes);

EG_TEST(ConvTransposes, compute_what_loops_do) {
  const nn::ConvTranspose layer(4, 6, {3, 2}, {.stride = {2, 1}, .padding = 1, .groups = 2, .output_padding = {1, 0}},
                                3);
  const Tensor x = normal({2, 4, 5, 3}, 2).eval();
  const naive::ConvRule rule{{2, 1}, {1, 1}, {{1, 1}, {1, 1}}, 2};
  EXPECT_TRUE(matches(layer(x),
                      naive::conv_transpose(download(x), download(layer.weight), rule, {10, 2}, download(layer.bias)),
                      of_layers));
}

/// Numbers of PyTorch 1.13: the layers' weights as with_waves(), x a wave of phase 0.5.
EG_TEST(ConvTransposes, give_pytorch_s_numbers) {
  expect_elements(with_waves(nn::ConvTranspose(2, 3, {3}, {.stride = 2}, 1))(wave({1, 2, 3}, 0.5)),
                  {0.1079440, 0.7197034, 1.0676385,  0.5536122, 0.7784560, 0.1271485, 0.1882295,
                   1.4434527, 0.8738200, 0.8237940,  0.8320475, 0.4647288, 0.7019357, 0.5717249,
                   0.0705244, 0.0339187, -0.2635057, 0.2421873, 0.3882222, 0.8000238, 0.8704157});
  const nn::ConvTranspose plane(2, 2, {2, 3}, {.stride = 2, .padding = 1, .groups = 2, .output_padding = 1}, 1);
  expect_elements(with_waves(plane)(wave({1, 2, 2, 2}, 0.5)),
                  {0.1147022, 0.5413946,  0.2229897, -0.4124463, 0.6788341,  0.9953939,  0.3697980, 0.5142100,
                   0.2264017, -0.0019761, 0.1233334, -0.2281199, 0.5292260,  0.3984970,  0.0925321, -0.1114824,
                   1.6030684, 1.9028415,  1.3852403, 1.0697679,  -0.0846954, -0.4443141, 0.0808963, -0.1274211});
  expect_elements(
      with_waves(nn::ConvTranspose(1, 1, {2, 2, 2}, {}, 1))(wave({1, 1, 2, 1, 2}, 0.5)),
      {0.0478627, 0.4369675, 0.6686039, 0.4782246, 1.3173181, 0.7535502, 0.2091746, 0.7411325, -0.0426483, 0.5046962,
       -0.0343450, -0.4769739, 0.2264017, -0.2954238, -0.2281199, -0.8669679, -1.3797149, -0.4943268});
}

EG_TEST(ConvTransposes, begin_as_pytorch_s) {
  const nn::ConvTranspose layer(8, 4, {3, 3}, {.groups = 2}, 1);
  EXPECT_EQ(layer.weight.shape(), (Shape{8, 2, 3, 3}));
  EXPECT_EQ(layer.bias.shape(), (Shape{4}));
  EXPECT_EQ(paths_of(nn::state(layer)), (std::vector<std::string>{"bias", "weight"}));
  const double bound = 1 / std::sqrt(18.0);
  EXPECT_LE(max(abs(layer.weight)).item<float>(), bound);
  EXPECT_GT(max(abs(layer.weight)).item<float>(), 0.9 * bound);
  EXPECT_LE(max(abs(layer.bias)).item<float>(), bound);
  EXPECT_EQ(layer(ones({8, 2, 2})).shape(), (Shape{4, 4, 4}));  // without n
}

EG_TEST(ConvTransposes, have_the_gradients_of_differences) {
  const nn::ConvTranspose layer(2, 2, {3}, {.stride = 2, .padding = 1}, 1);
  const auto f = [&](const Tensors& of) {
    nn::ConvTranspose with = layer;
    nn::load(with, {{"weight", of[1]}, {"bias", of[2]}});
    return Tensors{with(of[0])};
  };
  EXPECT_NO_THROW(check_gradients(f, {normal({1, 2, 4}, 2).eval(), layer.weight, layer.bias}));
}

}  // namespace
}  // namespace eglantine::test
