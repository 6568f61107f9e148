#include <cmath>
#include <memory>

#include "perf/works/models/models.hpp"
#include "perf/works/works.hpp"

/// Steps of training and gradients, as docs/performance.md compares them with PyTorch.
namespace eglantine::perf {

namespace {

/// The current device, for as long as this lives.
class CurrentDevice {
 public:
  explicit CurrentDevice(const Device& device) : before_(Device::current()) { Device::set_current(device); }
  ~CurrentDevice() { Device::set_current(before_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  Device before_;
};

/// A batch: what the model reads, and the classes of its rows.
struct Examples {
  Operand inputs;
  int64_t rows, classes;
};

Tensor labels_of(const Examples& examples, uint64_t seed, const Device& device) {
  return random_tensor({{examples.rows}, Fill::index, examples.classes}, seed + 1000, device);
}

/// A model that AdamW trains on random batches, which take turns.
template <class Model>
class Trained {
 public:
  Trained(Model model, const Examples& examples, const Device& device) : model_(std::move(model)) {
    for (uint64_t set = 0; set < fewest_sets; ++set)
      batches_.push_back({random_tensor(examples.inputs, set, device), labels_of(examples, set, device)});
  }

  Tensor step(size_t set) {
    const auto [loss, gradients] = slopes(set);
    optimiser_.step(model_, gradients);
    return loss;
  }

  /// The loss, and the norm of its gradient.
  std::array<float, 2> loss_and_norm() {
    const auto [loss, gradients] = slopes(0);
    return {loss.template item<float>(), optim::clip_norm(gradients, 1).second.template item<float>()};
  }

 private:
  std::pair<Tensor, Parameters> slopes(size_t set) {
    const auto& [x, labels] = batches_[set];
    return nn::value_and_grad(model_, [&](Model& model) { return cross_entropy(model(x), labels); });
  }

  struct Batch {
    Tensor x, labels;
  };
  Model model_;
  std::vector<Batch> batches_;
  optim::AdamW optimiser_{.rate = 1e-3};
};

/// Loss and gradient of few examples against another device's. Not those after a step: AdamW goes as far along
/// gradients that are nearly 0, whose signs rounding decides.
template <class Make>
std::string problem_of_steps(const Make& make, const Examples& few, const Device& device) {
  constexpr float share = 1e-3F;  // of either, that rounding may take
  const auto found = [&](const Device& on) {
    const CurrentDevice scope(on);
    return Trained(make(), few, on).loss_and_norm();
  };
  const auto actual = found(device), expected = found(reference_for(device));
  constexpr std::array names{"loss", "norm of the gradient"};
  for (size_t i = 0; i < names.size(); ++i)
    if (!(std::abs(actual[i] - expected[i]) <= share * expected[i]))
      return std::string("the ") + names[i] + " is " + std::to_string(actual[i]) + ", not " +
             std::to_string(expected[i]);
  return "";
}

/// few: examples that a processor can check.
template <class Make>
Work step_work(const std::string& name, const Examples& examples, const Examples& few, Make make) {
  Work work;
  work.name = "step_" + name;
  work.items = static_cast<double>(examples.inputs.shape[0]);
  work.prepare = [=](const Device& device) {
    const CurrentDevice scope(device);
    const auto trained = std::make_shared<Trained<decltype(make())>>(make(), examples, device);
    Prepared prepared;
    for (size_t set = 0; set < fewest_sets; ++set)
      prepared.calls.push_back([trained, set] { return Tensors{trained->step(set).eval()}; });
    prepared.problem = [=] { return problem_of_steps(make, few, device); };
    device.synchronize();
    return prepared;
  };
  return work;
}

/// The derivative of f(x...) by all of its operands, given the result's cotangent, which is the last operand.
Work gradient_work(const std::string& name, std::vector<Operand> operands, const Verb& f, const Check& check) {
  const auto verb = [f](const Tensors& all) {
    const Tensors x(all.begin(), all.end() - 1);
    return vjp(f, x, {all.back()}).second;
  };
  return work_of(name, std::move(operands), verb, check);
}

Work moving_elements(Work work, double elements) {
  work.bytes = 4 * elements;
  return work;
}

Operand pictures(int64_t n, int64_t channels, int64_t size) { return {{n, channels, size, size}, Fill::normal}; }

}  // namespace

Work perceptron_step_work(int64_t batch) {
  const auto examples = [](int64_t n) { return Examples{{{n, 784}}, n, 10}; };
  return step_work("perceptron/" + std::to_string(batch), examples(batch), examples(16),
                   [] { return models::Perceptron(); });
}

Work convolutional_step_work(int64_t batch) {
  const auto examples = [](int64_t n) { return Examples{pictures(n, 1, 28), n, 10}; };
  return step_work("cnn/" + std::to_string(batch), examples(batch), examples(4),
                   [] { return models::SmallConvolutional(); });
}

Work gpt_step_work(const models::GptSizes& sizes, int64_t batch) {
  const auto examples = [=](int64_t n, int64_t tokens) {
    return Examples{{{n, tokens}, Fill::index, sizes.symbols}, n * tokens, sizes.symbols};
  };
  const std::string name = "gpt/" + size_text(Shape{sizes.layers, sizes.features, sizes.tokens, batch});
  return step_work(name, examples(batch, sizes.tokens), examples(1, std::min<int64_t>(sizes.tokens, 24)),
                   [=] { return models::Gpt(sizes); });
}

/// Checked on 64 pictures, of which the last batch_norms see 256 places. Of few places the gates behind them follow
/// from rounding: with 64 the norm of the gradient was 614.92 by an H200 and 615.66 by its host.
Work resnet50_step_work(int64_t batch, int64_t size) {
  const auto examples = [](int64_t n, int64_t side) { return Examples{pictures(n, 3, side), n, 1000}; };
  return step_work("resnet50/" + std::to_string(batch) + (size == 224 ? "" : "x" + std::to_string(size)),
                   examples(batch, size), examples(64, 64), [] { return models::ResNet50(); });
}

Work softmax_gradient_work(const Shape& x) {
  const Operand each{x, Fill::normal};
  const auto f = [](const Tensors& t) { return Tensors{softmax(t[0], 1)}; };
  return moving_elements(gradient_work("softmax_gradient/" + size_text(x), {each, each}, f, {{0, 0}, 0, 1e-4, 1e-6}),
                         3 * static_cast<double>(x.elements()));
}

Work layer_norm_gradient_work(const Shape& x) {
  const Operand each{x, Fill::normal};
  const auto f = [](const Tensors& t) { return Tensors{layer_norm(t[0], -1, t[1], t[2])}; };
  return moving_elements(gradient_work("layer_norm_gradient/" + size_text(x), {each, {{x[1]}}, {{x[1]}}, each}, f,
                                       {{-1, -1, -1, -1}, -1, 1e-3, 1e-2}),
                         3 * static_cast<double>(x.elements()));
}

Work batch_norm_gradient_work(const Shape& x) {
  const Operand each{x, Fill::normal};
  const auto f = [](const Tensors& t) {
    const auto [mean, var] = moments(t[0], {0, 2, 3});
    return Tensors{batch_norm(t[0], mean, var, t[1], t[2])};
  };
  return moving_elements(gradient_work("batch_norm_gradient/" + size_text(x), {each, {{x[1]}}, {{x[1]}}, each}, f,
                                       {{-1, -1, -1, -1}, -1, 1e-3, 1e-2}),
                         5 * static_cast<double>(x.elements()));
}

Work max_pool_gradient_work(const Shape& x) {
  const Operand each{x, Fill::normal}, result{{x[0], x[1], x[2] / 2, x[3] / 2}, Fill::normal};
  const auto f = [](const Tensors& t) { return Tensors{max_pool(t[0], 3, {.stride = 2, .padding = 1})}; };
  return moving_elements(gradient_work("max_pool_gradient/" + size_text(x), {each, result}, f, {{0, 0}, 0, 1e-5, 1e-5}),
                         2.5 * static_cast<double>(x.elements()));
}

Work attention_gradient_work(int64_t batch, int64_t heads, int64_t length, int64_t features) {
  const Operand each{{batch * heads, length, features}, Fill::normal};
  const auto f = [](const Tensors& t) {
    return Tensors{scaled_dot_product_attention(t[0], t[1], t[2], {.causal = true})};
  };
  Work work = gradient_work("attention_gradient/" + size_text(Shape{batch, heads, length, features}),
                            {each, each, each, each}, f, {{0, 0, 0, 0}, 0, 1e-3, 1e-3});
  work = moving_elements(std::move(work), 8 * static_cast<double>(each.shape.elements()));
  // The products that are causal, forward and back: two and five, of half of the scores.
  work.operations = 7 * static_cast<double>(each.shape.elements()) * static_cast<double>(length);
  return work;
}

}  // namespace eglantine::perf
