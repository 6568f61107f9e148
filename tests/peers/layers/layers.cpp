#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "eglantine/eglantine.hpp"

/// eglantine_layers <device> <folder>: of each layer that has files there loads <layer>.weights and <layer>.inputs, and
/// writes <layer>.results: y, the derivatives of sum(y * cotangent) by x and each parameter, and the buffers behind the
/// call. All three are safetensors files; what sizes a layer has is read off its weights, its options are the texts of
/// its inputs.
namespace {

using namespace eglantine;
using Folder = std::filesystem::path;

/// One layer's files.
struct Files {
  Folder folder;
  std::string name;

  Folder path(const std::string& kind) const { return folder / (name + "." + kind); }
  Parameters weights() const { return load_safetensors(path("weights")); }
  Shape shape(const std::string& weight) const { return weights().at(weight).shape(); }
  std::vector<int64_t> option(const std::string& of) const {
    std::istringstream text(safetensors_metadata(path("inputs")).at(of));
    return {std::istream_iterator<int64_t>(text), {}};
  }
};

/// `call` gives y of a layer, x and the other inputs.
template <class Layer, class Call>
void run(const Files& files, Layer layer, Call call) {
  const Parameters inputs = load_safetensors(files.path("inputs"));
  nn::load(layer, files.weights());
  const Tensor& x = inputs.at("x");
  const auto weighted = [&](Layer& model, const Tensor& at) {
    return sum(call(model, at, inputs) * inputs.at("cotangent"));
  };
  Layer once = layer;
  Parameters results{{"y", call(once, x, inputs)}};
  const auto by_x = [&](const Tensors& at) {
    Layer copy = layer;
    return weighted(copy, at[0]);
  };
  results.emplace("gradient.x", grad(by_x, {x})[0]);
  for (const auto& [path, slope] : nn::value_and_grad(layer, [&](Layer& model) { return weighted(model, x); }).second)
    results.emplace("gradient." + path, slope);
  nn::detail::walk(layer, [&](const std::string& path, const Tensor& buffer, bool is_buffer) {
    if (is_buffer) results.emplace("buffer." + path, buffer);
  });
  save_safetensors(files.path("results"), results);
}

template <class Layer>
void run(const Files& files, Layer layer) {
  run(files, std::move(layer), [](Layer& model, const Tensor& x, const Parameters&) { return model(x); });
}

/// What has a call of (x, bool training).
template <class Layer>
void run_trained(const Files& files, Layer layer, bool training) {
  run(files, std::move(layer), [=](Layer& model, const Tensor& x, const Parameters&) { return model(x, training); });
}

/// The output and the last states, one behind the other.
template <class Layer>
void run_recurrent(const Files& files) {
  const int64_t in = files.shape("weight_ih_l0")[1], hidden = files.shape("weight_hh_l0")[1];
  const bool has_bias = files.weights().contains("bias_ih_l0");
  run(files, Layer(in, hidden, 1, has_bias), [](Layer& layer, const Tensor& x, const Parameters& inputs) {
    if constexpr (requires { layer(x, x, x); }) {
      const auto [output, last, cell] = layer(x, inputs.at("hidden"), inputs.at("cell"));
      return concatenate({output, last, cell}, 0);
    } else {
      const auto [output, last] = layer(x, inputs.at("hidden"));
      return concatenate({output, last}, 0);
    }
  });
}

template <bool causal>
void run_attention(const Files& files) {
  run(files, nn::MultiHeadAttention(files.shape("in_proj_weight")[1], files.option("heads")[0], 1),
      [](nn::MultiHeadAttention& layer, const Tensor& x, const Parameters&) { return layer(x, {.causal = causal}); });
}

void run_block(const Files& files, const nn::TransformerOptions& options, bool causal) {
  const Shape shape = files.shape("linear1.weight");  // (hidden, features)
  run(files, nn::TransformerBlock(shape[1], 2, shape[0], 1, options),
      [causal](nn::TransformerBlock& block, const Tensor& x, const Parameters&) {
        return block(x, {.causal = causal});
      });
}

PerAxis kernel_of(const Shape& weight) { return std::vector<int64_t>(weight.begin() + 2, weight.end()); }

Pads pads_of(const std::vector<int64_t>& numbers) {
  Pads::Pairs pairs;
  for (const int64_t pad : numbers) pairs.emplace_back(pad, pad);
  return pairs;
}

void run_convolution(const Files& files) {
  const Shape weight = files.shape("weight");
  const int64_t groups = files.option("groups")[0];
  run(files, nn::Conv(weight[1] * groups, weight[0], kernel_of(weight),
                      {.stride = files.option("stride"),
                       .padding = pads_of(files.option("padding")),
                       .dilation = files.option("dilation"),
                       .groups = groups},
                      1));
}

void run_transposed(const Files& files) {
  const Shape weight = files.shape("weight");
  const int64_t groups = files.option("groups")[0];
  run(files, nn::ConvTranspose(weight[0], weight[1] * groups, kernel_of(weight),
                               {.stride = files.option("stride"),
                                .padding = pads_of(files.option("padding")),
                                .dilation = files.option("dilation"),
                                .groups = groups,
                                .output_padding = files.option("output_padding")},
                               1));
}

PerAxis sizes_of(const Files& files) {
  const Shape weight = files.shape("weight");
  return std::vector<int64_t>(weight.begin(), weight.end());
}

void run_linear(const Files& files) {
  const Shape weight = files.shape("weight");
  run(files, nn::Linear(weight[1], weight[0], 1, files.weights().contains("bias")));
}

void run_embedding(const Files& files) {
  const Shape weight = files.shape("weight");
  run(files, nn::Embedding(weight[0], weight[1], 1));
}

void run_sequence(const Files& files, bool training) {
  const Shape first = files.shape("1.weight"), last = files.shape("4.weight");
  run_trained(files,
              nn::Sequential(nn::BatchNorm(first[1]), nn::Linear(first[1], first[0], 1), relu, nn::Dropout(0),
                             nn::Linear(last[1], last[0], 1)),
              training);
}

using Run = std::function<void(const Files&)>;

const std::map<std::string, Run>& every_layer() {
  static const std::map<std::string, Run> all{
      {"rnn", run_recurrent<nn::RNN>},
      {"gru", run_recurrent<nn::GRU>},
      {"lstm", run_recurrent<nn::LSTM>},
      {"attention", run_attention<false>},
      {"attention_causal", run_attention<true>},
      {"norms_behind", [](const Files& files) { run_block(files, {}, false); }},
      {"norms_first", [](const Files& files) { run_block(files, {.norm_first = true, .activation = gelu}, true); }},
      {"conv1", run_convolution},
      {"conv2", run_convolution},
      {"conv3", run_convolution},
      {"conv_transpose1", run_transposed},
      {"conv_transpose2", run_transposed},
      {"conv_transpose3", run_transposed},
      {"layer_norm", [](const Files& files) { run(files, nn::LayerNorm(sizes_of(files))); }},
      {"rms_norm", [](const Files& files) { run(files, nn::RMSNorm(sizes_of(files))); }},
      {"group_norm",
       [](const Files& files) { run(files, nn::GroupNorm(files.option("groups")[0], files.shape("weight")[0])); }},
      {"batch_norm", [](const Files& files) { run_trained(files, nn::BatchNorm(files.shape("weight")[0]), true); }},
      {"batch_norm_after",
       [](const Files& files) { run_trained(files, nn::BatchNorm(files.shape("weight")[0]), false); }},
      {"linear", run_linear},
      {"linear_only", run_linear},
      {"embedding", run_embedding},
      {"sequential", [](const Files& files) { run_sequence(files, true); }},
      {"sequential_after", [](const Files& files) { run_sequence(files, false); }},
  };
  return all;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) {
    std::cerr << "usage: eglantine_layers <device> <folder>\n";
    return 2;
  }
  Device::set_current(Device::open(arguments[1]));
  for (const auto& [name, run_layer] : every_layer())
    if (const Files files{arguments[2], name}; std::filesystem::exists(files.path("weights"))) run_layer(files);
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
