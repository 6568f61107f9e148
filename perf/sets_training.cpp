#include "perf/sets.hpp"

namespace eglantine::perf {

namespace {

Works gradients(const Shape& rows, const Shape& normalised, const Shape& pictures) {
  return {softmax_gradient_work(rows), layer_norm_gradient_work(normalised), batch_norm_gradient_work(pictures),
          max_pool_gradient_work(pictures)};
}

}  // namespace

Works training_smoke() {
  Works works{perceptron_step_work(4), convolutional_step_work(2), gpt_step_work({1, 32, 2, 8, 20}, 2),
              attention_gradient_work(1, 2, 24, 16)};
  append(works, gradients({8, 64}, {8, 48}, {2, 3, 8, 8}));
  return works;
}

Works training_set(bool software) {
  if (software) {
    Works works{perceptron_step_work(128), convolutional_step_work(32), gpt_step_work({2, 128, 4, 64, 65}, 4),
                attention_gradient_work(1, 4, 256, 64)};
    append(works, gradients({512, 1024}, {512, 1024}, {2, 16, 56, 56}));
    return works;
  }
  Works works{perceptron_step_work(128), convolutional_step_work(128), gpt_step_work({6, 384, 6, 256, 65}, 64),
              gpt_step_work({12, 768, 12, 1024, 50304}, 4), resnet50_step_work(32)};
  append(works, gradients({16384, 16384}, {8192, 4096}, {32, 64, 112, 112}));
  append(works, {attention_gradient_work(8, 12, 1024, 64), attention_gradient_work(8, 12, 4096, 64)});
  return works;
}

}  // namespace eglantine::perf
