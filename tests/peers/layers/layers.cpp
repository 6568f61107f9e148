#include <filesystem>
#include <iostream>
#include <string>

#include "eglantine/eglantine.hpp"

/// eglantine_layers <device> <folder>: for each layer loads <layer>.weights and <layer>.inputs from the folder, and
/// writes <layer>.results: y, and the derivatives of sum(y * cotangent) by x and each parameter. All three are
/// safetensors files; what sizes a layer has is read off its weights.
namespace {

using namespace eglantine;
using Folder = std::filesystem::path;

template <class Layer, class Call>
void run(const Folder& folder, const std::string& name, const Parameters& weights, Layer layer, Call call) {
  const Parameters inputs = load_safetensors(folder / (name + ".inputs"));
  nn::load(layer, weights);
  const Tensor& x = inputs.at("x");
  const auto weighted = [&](Layer& model, const Tensor& at) {
    return sum(call(model, at, inputs) * inputs.at("cotangent"));
  };
  Parameters results{{"y", call(layer, x, inputs)}};
  const auto by_x = [&](const Tensors& at) {
    Layer copy = layer;
    return weighted(copy, at[0]);
  };
  results.emplace("gradient.x", grad(by_x, {x})[0]);
  for (const auto& [path, slope] : nn::value_and_grad(layer, [&](Layer& model) { return weighted(model, x); }).second)
    results.emplace("gradient." + path, slope);
  save_safetensors(folder / (name + ".results"), results);
}

Parameters weights_of(const Folder& folder, const std::string& name) {
  return load_safetensors(folder / (name + ".weights"));
}

template <class Layer>
void run_recurrent(const Folder& folder, const std::string& name) {
  const Parameters weights = weights_of(folder, name);
  const int64_t in = weights.at("weight_ih_l0").shape()[1], hidden = weights.at("weight_hh_l0").shape()[1];
  run(folder, name, weights, Layer(in, hidden, 1), [](Layer& layer, const Tensor& x, const Parameters& inputs) {
    if constexpr (requires { layer(x, x, x); }) {
      return layer(x, inputs.at("hidden"), inputs.at("cell")).output;
    } else {
      return layer(x, inputs.at("hidden")).output;
    }
  });
}

void run_block(const Folder& folder, const std::string& name, const nn::TransformerOptions& options, bool causal) {
  const Parameters weights = weights_of(folder, name);
  const Shape shape = weights.at("linear1.weight").shape();  // (hidden, features)
  run(folder, name, weights, nn::TransformerBlock(shape[1], 2, shape[0], 1, options),
      [causal](nn::TransformerBlock& block, const Tensor& x, const Parameters&) {
        return block(x, {.causal = causal});
      });
}

void run_convolution(const Folder& folder) {
  const Parameters weights = weights_of(folder, "conv_transpose");
  const Shape shape = weights.at("weight").shape();  // (in, out / 2, rows, columns)
  const ConvTransposeOptions options{.stride = 2, .padding = 1, .groups = 2, .output_padding = 1};
  run(folder, "conv_transpose", weights, nn::ConvTranspose(shape[0], shape[1] * 2, {shape[2], shape[3]}, options, 1),
      [](nn::ConvTranspose& layer, const Tensor& x, const Parameters&) { return layer(x); });
}

void run_sequence(const Folder& folder) {
  const Parameters weights = weights_of(folder, "sequential");
  const Shape first = weights.at("1.weight").shape(), last = weights.at("3.weight").shape();
  run(folder, "sequential", weights,
      nn::Sequential(nn::BatchNorm(first[1]), nn::Linear(first[1], first[0], 1), relu, nn::Linear(last[1], last[0], 1)),
      [](nn::Sequential& net, const Tensor& x, const Parameters&) { return net(x, true); });
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) {
    std::cerr << "usage: eglantine_layers <device> <folder>\n";
    return 2;
  }
  Device::set_current(Device::open(arguments[1]));
  const Folder folder = arguments[2];
  run_recurrent<nn::RNN>(folder, "rnn");
  run_recurrent<nn::GRU>(folder, "gru");
  run_recurrent<nn::LSTM>(folder, "lstm");
  run_block(folder, "norms_behind", {}, false);
  run_block(folder, "norms_first", {.norm_first = true, .activation = gelu}, true);
  run_convolution(folder);
  run_sequence(folder);
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
