// A recurrent network that listens to a noisy signal of two tones and goes on by itself. Each number is predicted from
// those before it; where the signal ends, predictions are fed back, beside the layer's states. After the default 150
// steps it has the shape of what comes; after 1000 its line lies on the signal's.
//
//   21_forecast_a_signal [--steps 1000]

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>

#include "options.hpp"

using namespace eglantine;

namespace {

constexpr int64_t length = 48, batch = 32;
constexpr float noise = 0.1F;

/// Two tones from each of the given times on, (length, times, 1).
Tensor signal(const Tensor& from, int64_t steps) {
  const Tensor time = from + arange(0, steps).unsqueeze(1);
  return (sin(time * 0.35F) * 0.6F + sin(time * 0.13F) * 0.4F).unsqueeze(2);
}

struct Forecaster {
  nn::LSTM lstm{1, 32, 1};
  nn::Linear last{32, 1, 2};

  template <class Visit>
  void parts(Visit&& visit) {
    visit("lstm", lstm);
    visit("last", last);
  }
  /// The number after each of x (length, batch, 1).
  Tensor operator()(const Tensor& x) const { return last(lstm(x).output); }

  /// The next numbers, once it has heard x: each prediction is the next input.
  std::vector<float> go_on(const Tensor& x, int count) const {
    nn::LSTMResult heard = lstm(x);
    std::vector<float> numbers;
    for (int i = 0; i < count; ++i) {
      const Tensor next = last(heard.hidden);  // (1, 1, 1)
      numbers.push_back(next.item<float>());
      heard = lstm(next, heard.hidden, heard.cell);
    }
    return numbers;
  }
};

/// Returns the loss of the last step.
float train(Forecaster& net, int64_t steps) {
  optim::Adam adam{.rate = optim::cosine(0.01, 0.001, steps)};
  Tensor last;
  for (int64_t step = 0; step < steps; ++step) {
    const uint64_t seed = split_seed(3, static_cast<uint64_t>(step));
    const Tensor clean = signal(uniform({batch}, seed) * 1000.0F, length + 1);
    const Tensor heard = (clean + normal(clean.shape(), seed) * noise).eval();
    const auto [loss, slopes] = nn::value_and_grad(
        net, [&](const Forecaster& model) { return mse_loss(model(heard.slice(0, 0, -1)), heard.slice(0, 1)); });
    adam.step(net, optim::clip_norm(slopes, 1).first);
    if (step % (steps / 5) == 0) std::cout << "step " << step << ": loss " << loss.item<float>() << std::endl;
    last = loss;
  }
  return last.item<float>();
}

/// A line of a drawing: the signal is a dot, what was predicted a circle.
void draw(float truth, float predicted) {
  std::string line(61, ' ');
  const auto column = [](float x) { return static_cast<size_t>(std::lround(30 + 25 * std::clamp(x, -1.2F, 1.2F))); };
  line[column(truth)] = '.';
  line[column(predicted)] = 'o';
  std::cout << line << "\n";
}

}  // namespace

int main(int count, char** arguments) {
  int64_t steps = 150;
  take_options(count, arguments, "A recurrent network goes on with a signal.",
               {{"--steps", &steps, "N", "of training (150)", 5}});
  Forecaster net;
  const float loss = train(net, steps);

  const std::vector<float> truth = signal(full({1}, 5000.0F), length + 24).to_vector<float>();
  const Tensor heard = signal(full({1}, 5000.0F), length) + normal({length, 1, 1}, 9) * noise;
  const std::vector<float> numbers = net.go_on(heard, 24);
  float error = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    draw(truth[length + i], numbers[i]);
    error += std::abs(truth[length + i] - numbers[i]) / static_cast<float>(numbers.size());
  }
  std::cout << "loss " << loss << ", of which the noise is " << noise * noise << "; 24 steps ahead off by " << error
            << " on average\n";
  // Who repeats the last number has a loss of 0.043.
  return loss < 0.03F ? EXIT_SUCCESS : EXIT_FAILURE;
}
