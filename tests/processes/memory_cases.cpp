#include <cstdio>

#include "cases.hpp"

/// A device's peak of memory, which only a new process begins anew.
namespace eglantine::test {
namespace {

struct Blocks {
  std::vector<nn::TransformerBlock> blocks;
  template <class Visit>
  void parts(Visit&& visit) {
    visit("blocks", blocks);
  }
};

/// The device's peak, beyond what lived before, with the gradient of a transformer.
int64_t peak_of_gradient(Blocks& model, const Tensor& x, bool checkpointed) {
  const int64_t before = x.device().memory().live;
  const auto loss = [&](const Blocks& at) {
    Tensor y = x;
    for (const nn::TransformerBlock& block : at.blocks) y = checkpointed ? nn::checkpoint(block, y) : block(y);
    return mean(square(y));
  };
  for (const auto& [path, slope] : nn::value_and_grad(model, loss).second) slope.eval();
  x.device().synchronize();
  return x.device().memory().peak - before;
}

}  // namespace

int keeps_little_of_checkpointed_blocks() {
  Device::set_current(Device::open("gl"));
  Blocks model;
  for (uint64_t i = 0; i < 12; ++i) model.blocks.push_back(nn::TransformerBlock{32, 2, 128, i + 1});
  const Tensor x = uniform({4, 128, 32}, 1).eval();
  const int64_t checkpointed = peak_of_gradient(model, x, true), kept = peak_of_gradient(model, x, false);
  if (kept >= 3 * checkpointed) return own_status;
  std::fprintf(stderr, "%lld bytes with checkpoints, %lld without\n", static_cast<long long>(checkpointed),
               static_cast<long long>(kept));
  return 1;
}

}  // namespace eglantine::test
