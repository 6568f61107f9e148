// Parameters of a physical model, from what was measured: a damped spring, x'' = -k x - c x', is simulated step by
// step, and the derivative goes back through all steps to k and c.

#include <cmath>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>

using namespace eglantine;

namespace {

constexpr int steps = 24;
constexpr float step_length = 0.1F;

/// A spring; what is trained of it is its stiffness and its damping.
struct Spring {
  Tensor stiffness = full({1}, 1.0F), damping = full({1}, 0.1F);

  template <class Visit>
  void parts(Visit&& visit) {
    visit("stiffness", stiffness);
    visit("damping", damping);
  }

  /// The positions after each step, (steps, springs), of springs that are let go at `start`.
  Tensor positions(const Tensor& start) const {
    Tensor x = start, v = zeros(start.shape(), DType::f32, start.device());
    std::vector<Tensor> seen;
    for (int i = 0; i < steps; ++i) {
      v = v - step_length * (stiffness * x + damping * v);  // semi-implicit Euler
      x = x + step_length * v;
      seen.push_back(x);
    }
    return stack(seen, 0);
  }
};

}  // namespace

int main() {
  Spring real;
  nn::load(real, {{"stiffness", full({1}, 4.0F)}, {"damping", full({1}, 0.5F)}});
  const Tensor start = uniform({64}, 1).eval();
  const Tensor measured = (real.positions(start) + normal({steps, 64}, 2) * 0.01F).eval();

  Spring guess;
  optim::Adam adam{.rate = optim::cosine(0.3, 0.01, 120)};
  for (int i = 0; i < 120; ++i) {
    const auto [loss, slopes] = nn::value_and_grad(
        guess, [&](const Spring& spring) { return mean(square(spring.positions(start) - measured)); });
    adam.step(guess, slopes);
    if (i % 30 == 0) std::cout << "step " << i << ": loss " << loss.item<float>() << "\n";
  }
  const float k = guess.stiffness.item<float>(), c = guess.damping.item<float>();
  std::cout << "stiffness " << k << " (4), damping " << c << " (0.5)\n";
  return std::abs(k - 4) < 0.05F && std::abs(c - 0.5F) < 0.05F ? EXIT_SUCCESS : EXIT_FAILURE;
}
