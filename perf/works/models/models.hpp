#pragma once

#include <eglantine/eglantine.hpp>
#include <vector>

/// What the set `training` trains, layer by layer as perf/peers/torch_training.py does.
namespace eglantine::perf::models {

/// 784-512-256-10, with relu between.
struct Perceptron {
  nn::Linear first{784, 512, 1}, second{512, 256, 2}, third{256, 10, 3};
  template <class Visit>
  void parts(Visit&& visit) {
    visit("first", first);
    visit("second", second);
    visit("third", third);
  }
  Tensor operator()(const Tensor& x) const { return third(relu(second(relu(first(x))))); }
};

/// Pictures of 28 x 28: two convolutions of 32 and 64 channels, each with relu and max_pool, and 128 units.
struct SmallConvolutional {
  nn::Conv first{1, 32, {3, 3}, {.padding = 1}, 1}, second{32, 64, {3, 3}, {.padding = 1}, 2};
  nn::Linear third{3136, 128, 3}, fourth{128, 10, 4};
  template <class Visit>
  void parts(Visit&& visit) {
    visit("first", first);
    visit("second", second);
    visit("third", third);
    visit("fourth", fourth);
  }
  Tensor operator()(const Tensor& x) const {
    const Tensor h = max_pool(relu(second(max_pool(relu(first(x)), 2, {.stride = 2}))), 2, {.stride = 2});
    return fourth(relu(third(h.reshape({h.shape()[0], 3136}))));
  }
};

/// A block of a GPT: x + attention(norm(x)), then x + units(norm(x)).
struct Block {
  nn::LayerNorm before_attention, before_units;
  nn::MultiHeadAttention attention;
  nn::Linear up, down;
  Block(int64_t features, int64_t heads, uint64_t seed);
  template <class Visit>
  void parts(Visit&& visit) {
    visit("before_attention", before_attention);
    visit("attention", attention);
    visit("before_units", before_units);
    visit("up", up);
    visit("down", down);
  }
  Tensor operator()(const Tensor& x) const;
};

struct GptSizes {
  int64_t layers, features, heads, tokens, symbols;
};

/// Logits (batch * tokens, symbols) of symbols (batch, tokens).
struct Gpt {
  nn::Embedding symbols, places;
  std::vector<Block> blocks;
  nn::LayerNorm last;
  nn::Linear head;
  explicit Gpt(const GptSizes& sizes);
  template <class Visit>
  void parts(Visit&& visit) {
    visit("symbols", symbols);
    visit("places", places);
    visit("blocks", blocks);
    visit("last", last);
    visit("head", head);
  }
  Tensor operator()(const Tensor& x) const;
};

/// A convolution without bias, and its normalisation over the batch.
struct Normalised {
  nn::Conv conv;
  nn::BatchNorm norm;
  Normalised(int64_t in, int64_t out, int64_t kernel, int64_t stride, uint64_t seed);
  template <class Visit>
  void parts(Visit&& visit) {
    visit("conv", conv);
    visit("norm", norm);
  }
  Tensor operator()(const Tensor& x) { return norm(conv(x), true); }
};

/// 1 x 1, 3 x 3, 1 x 1, beside what leads around them.
struct Bottleneck {
  Normalised narrow, middle, wide;
  std::vector<Normalised> shortcut;  ///< one, or none where x has as many channels
  Bottleneck(int64_t channels, int64_t width, int64_t stride, uint64_t seed);
  template <class Visit>
  void parts(Visit&& visit) {
    visit("narrow", narrow);
    visit("middle", middle);
    visit("wide", wide);
    visit("shortcut", shortcut);
  }
  Tensor operator()(const Tensor& x);
};

/// In training. He, Zhang, Ren and Sun, "Deep residual learning for image recognition" (2016), with the stride on the
/// 3 x 3 convolutions.
struct ResNet50 {
  Normalised first{3, 64, 7, 2, 1};
  std::vector<Bottleneck> blocks;
  nn::Linear last{2048, 1000, 2};
  ResNet50();
  template <class Visit>
  void parts(Visit&& visit) {
    visit("first", first);
    visit("blocks", blocks);
    visit("last", last);
  }
  Tensor operator()(const Tensor& x);
};

}  // namespace eglantine::perf::models
