#include "eglantine/nn.hpp"

#include <cmath>

#include "eglantine/io.hpp"
#include "eglantine/layers.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/optim.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Models as structs of parts.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, Parts);
EG_ON_EACH_DEVICE(Models, Training);

struct Block {
  nn::Linear inner;
  std::optional<nn::LayerNorm> norm;

  template <class Visit>
  void parts(Visit&& visit) {
    visit("inner", inner);
    visit("norm", norm);
  }
};

struct Net {
  std::vector<Block> blocks{{nn::Linear(3, 4, 1), nn::LayerNorm(4)}, {nn::Linear(4, 4, 2, false), std::nullopt}};
  nn::BatchNorm batch{4};
  Tensor scale = full({4}, 2.0F);

  template <class Visit>
  void parts(Visit&& visit) {
    visit("blocks", blocks);
    visit("batch", batch);
    visit("scale", scale);
  }
  Tensor operator()(Tensor x, bool training) {
    for (const Block& block : blocks) {
      x = tanh(block.inner(x));
      if (block.norm) x = (*block.norm)(x);
    }
    return batch(x, training) * scale;
  }
};

std::vector<std::string> names_of(const Parameters& parameters) {
  std::vector<std::string> names;
  for (const auto& [path, x] : parameters) names.push_back(path);
  return names;
}

EG_TEST(Parts, have_paths) {
  const Net net;
  const std::vector<std::string> trained{
      "batch.bias",         "batch.weight",         "blocks.0.inner.bias",   "blocks.0.inner.weight",
      "blocks.0.norm.bias", "blocks.0.norm.weight", "blocks.1.inner.weight", "scale"};
  EXPECT_EQ(names_of(nn::parameters(net)), trained);
  EXPECT_EQ(nn::state(net).size(), trained.size() + 3);
  EXPECT_EQ(nn::count(net), 4 + 4 + 4 + 12 + 4 + 4 + 16 + 4);
}

EG_TEST(Parts, of_a_copy_are_its_own) {
  Net net, copy = net;
  nn::load(copy, {{"scale", zeros({4})}}, false);
  EXPECT_EQ(net.scale.to_vector<float>()[0], 2);
  EXPECT_EQ(copy.scale.to_vector<float>()[0], 0);
}

EG_TEST(Parts, are_loaded_whole_or_not_at_all) {
  Net net;
  Parameters other = nn::state(Net());
  other.at("scale") = ones({4});
  other.at("blocks.0.inner.bias") = ones({5});
  EXPECT_ERROR(nn::load(net, other), ShapeError, "[nn::load] \"blocks.0.inner.bias\" is (5,), the model's is (4,)");
  other.at("blocks.0.inner.bias") = ones({4}, DType::f16);
  EXPECT_ERROR(nn::load(net, other), DTypeError,
               "[nn::load] \"blocks.0.inner.bias\" is f16, the model's is f32; convert with astype");
  other.erase("blocks.0.inner.bias");
  EXPECT_ERROR(nn::load(net, other), Error, "[nn::load] \"blocks.0.inner.bias\" is not given");
  EXPECT_EQ(net.scale.to_vector<float>()[0], 2);
  nn::load(net, other, false);
  EXPECT_EQ(net.scale.to_vector<float>()[0], 1);
  EXPECT_ERROR(nn::load(net, {{"head.weight", ones({1})}}), Error, "[nn::load] the model has no \"head.weight\"");
}

EG_TEST(Training, gives_gradients_by_path_and_the_buffers_back) {
  Net net;
  const Tensor x = uniform({8, 3}, 5);
  const auto [value, slopes] = nn::value_and_grad(net, [&](Net& model) { return mean(square(model(x, true))); });
  EXPECT_EQ(names_of(slopes), names_of(nn::parameters(net)));
  const Tensor moved = net.batch.running_mean;
  EXPECT_GT(max(abs(moved)).item<float>(), 0);
  EXPECT_EQ(net.batch.num_batches_tracked.item<int32_t>(), 1);
  // By one parameter alone, of the same model.
  const Tensors alone = grad(
      [&](const Tensors& at) {
        Net copy;
        nn::load(copy, {{"scale", at[0]}}, false);
        return mean(square(copy(x, true)));
      },
      {net.scale});
  EXPECT_TRUE(matches(slopes.at("scale"), download(alone[0]), {0, 1e-5, 1e-6}));
}

struct Line {
  nn::Linear layer{2, 1, 3};
  template <class Visit>
  void parts(Visit&& visit) {
    visit("layer", layer);
  }
};

/// To weights that are known.
EG_TEST(Training, finds_a_line) {
  Line line;
  const Tensor x = uniform({64, 2}, 1).eval(), y = (matmul(x, Tensor::from({3.0F, -2.0F}, {2, 1})) + 0.5F).eval();
  optim::Adam adam{.rate = 0.1};
  for (int step = 0; step < 300; ++step)
    adam.step(line, nn::value_and_grad(line, [&](Line& model) { return mean(square(model.layer(x) - y)); }).second);
  const std::vector<float> w = line.layer.weight.to_vector<float>();
  EXPECT_NEAR(w[0], 3, 0.05);
  EXPECT_NEAR(w[1], -2, 0.05);
  EXPECT_NEAR(line.layer.bias.to_vector<float>()[0], 0.5, 0.05);
}

}  // namespace
}  // namespace eglantine::test
