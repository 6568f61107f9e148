#include "perf/works/models/models.hpp"

namespace eglantine::perf::models {

Block::Block(int64_t features, int64_t heads, uint64_t seed)
    : before_attention(PerAxis{features}),
      before_units(PerAxis{features}),
      attention(features, heads, seed),
      up(features, 4 * features, seed + 1),
      down(4 * features, features, seed + 2) {}

Tensor Block::operator()(const Tensor& x) const {
  const Tensor y = x + attention(before_attention(x), {.causal = true});
  return y + down(gelu(up(before_units(y))));
}

Gpt::Gpt(const GptSizes& sizes)
    : symbols(sizes.symbols, sizes.features, 1),
      places(sizes.tokens, sizes.features, 2),
      last(PerAxis{sizes.features}),
      head(sizes.features, sizes.symbols, 3, false) {
  for (int64_t i = 0; i < sizes.layers; ++i)
    blocks.emplace_back(sizes.features, sizes.heads, 10 + 3 * static_cast<uint64_t>(i));
}

Tensor Gpt::operator()(const Tensor& x) const {
  const int64_t tokens = x.shape()[1];
  Tensor y = symbols(x) + places.weight.slice(0, 0, tokens);
  for (const Block& block : blocks) y = block(y);
  return head(last(y)).reshape({x.shape()[0] * tokens, head.weight.shape()[0]});
}

Normalised::Normalised(int64_t in, int64_t out, int64_t kernel, int64_t stride, uint64_t seed)
    : conv(in, out, {kernel, kernel}, {.stride = stride, .padding = kernel / 2}, seed), norm(out) {
  conv.bias = Tensor();
}

Bottleneck::Bottleneck(int64_t channels, int64_t width, int64_t stride, uint64_t seed)
    : narrow(channels, width, 1, 1, seed),
      middle(width, width, 3, stride, seed + 1),
      wide(width, 4 * width, 1, 1, seed + 2) {
  if (channels != 4 * width) shortcut.emplace_back(channels, 4 * width, 1, stride, seed + 3);
}

Tensor Bottleneck::operator()(const Tensor& x) {
  const Tensor y = wide(relu(middle(relu(narrow(x)))));
  return relu(y + (shortcut.empty() ? x : shortcut[0](x)));
}

ResNet50::ResNet50() {
  struct Stage {
    int64_t width, count;
  };
  int64_t channels = 64;
  uint64_t seed = 10;
  for (const Stage& stage : {Stage{64, 3}, Stage{128, 4}, Stage{256, 6}, Stage{512, 3}})
    for (int64_t i = 0; i < stage.count; ++i, channels = 4 * stage.width, seed += 4)
      blocks.emplace_back(channels, stage.width, i == 0 && stage.width > 64 ? 2 : 1, seed);
}

Tensor ResNet50::operator()(const Tensor& x) {
  Tensor y = max_pool(relu(first(x)), 3, {.stride = 2, .padding = 1});
  for (Bottleneck& block : blocks) y = block(y);
  return last(mean(y, {2, 3}));
}

}  // namespace eglantine::perf::models
