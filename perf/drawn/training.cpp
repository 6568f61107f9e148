#include "perf/drawn/families.hpp"
#include "perf/drawn/lengths.hpp"

/// Steps of training: derivatives by hand or asked for, and what an optimiser makes of them.
namespace eglantine::perf::drawn {

namespace {

/// -log softmax of two layers at the labels, its mean.
Tensor perceptron_loss(const Tensors& weights, const Tensor& x, const Tensor& labels) {
  const Tensor hidden = relu(matmul(x, weights[0]) + weights[1]);
  return cross_entropy(matmul(hidden, weights[2]) + weights[3], labels);
}

Tensors sgd_step(const Tensors& t) {
  const Tensors weights(t.begin(), t.begin() + 4);
  const auto loss = [&](const Tensors& w) { return perceptron_loss(w, t[4], t[5]); };
  auto [value, slopes] = value_and_grad(loss, weights);
  Tensors results{value};
  for (size_t i = 0; i < 4; ++i) results.push_back(weights[i] - 0.05F * slopes[i]);
  return results;
}

/// With a velocity for each weight, after the labels.
Tensors momentum_step(const Tensors& t) {
  const Tensors weights(t.begin(), t.begin() + 4);
  const auto loss = [&](const Tensors& w) { return perceptron_loss(w, t[4], t[5]); };
  auto [value, slopes] = value_and_grad(loss, weights);
  Tensors results{value}, velocities;
  for (size_t i = 0; i < 4; ++i) velocities.push_back(0.9F * t[6 + i] + slopes[i]);
  for (size_t i = 0; i < 4; ++i) results.push_back(weights[i] - 0.05F * velocities[i]);
  results.insert(results.end(), velocities.begin(), velocities.end());
  return results;
}

void perceptron(Sketch& s, bool with_momentum) {
  const int64_t classes = s.dice.of({2, 10, 100}), side = root_of(s.room(24));
  const int64_t in = styled(s.dice, s.dice.log_between(side / 2 + 1, 2 * side + 1));
  const int64_t hidden = styled(s.dice, s.dice.log_between(side / 4 + 1, side + 1));
  const int64_t batch = styled(s.dice, s.dice.log_between(side / 2 + 1, 2 * side + 1));
  const Shape shapes[] = {{in, hidden}, {hidden}, {hidden, classes}, {classes}};
  for (const Shape& shape : shapes) s.stored(shape, Fill::small);
  s.operand({batch, in}, Fill::signed_uniform);
  s.places({batch}, classes);
  if (with_momentum)
    for (const Shape& shape : shapes) s.stored(shape, Fill::small);
  s.result({});
  for (int i = 0; i < (with_momentum ? 2 : 1); ++i)
    for (const Shape& shape : shapes) s.result(shape);
  s.drawn.operations = 4 * static_cast<double>(batch * hidden) * static_cast<double>(in + classes) +
                       2 * static_cast<double>(batch * hidden * classes);
  s.verb(with_momentum ? "perceptron_momentum" : "perceptron_sgd", with_momentum ? momentum_step : sgd_step);
}

/// A step of least squares by gradient descent, as by hand: w - 0.1 x' (x w - y) / rows.
void least_squares(Sketch& s) {
  const Shape x = s.shape(s.room(8), 2, 2);
  s.operand(x, Fill::signed_uniform);
  s.stored({x[1]}, Fill::small);
  s.stored({x[0]}, Fill::signed_uniform);
  s.result({x[1]});
  s.drawn.operations = 4 * static_cast<double>(x.elements());
  s.verb("least_squares", [](const Tensors& t) {
    const Tensor error = matmul(t[0], t[1]) - t[2];
    return Tensors{t[1] - matmul(t[0].transpose(0, 1), error) * (0.1F / static_cast<float>(t[0].shape()[0]))};
  });
}

/// Logistic regression: the same with sigmoid(x w) for x w, by derivatives.
void logistic(Sketch& s) {
  const Shape x = s.shape(s.room(8), 2, 2);
  s.operand(x, Fill::signed_uniform);
  s.stored({x[1]}, Fill::small);
  s.stored({x[0]}, Fill::uniform);
  s.result({});
  s.result({x[1]});
  s.drawn.operations = 4 * static_cast<double>(x.elements());
  s.verb("logistic", [](const Tensors& t) {
    const auto loss = [&](const Tensors& w) { return binary_cross_entropy_with_logits(matmul(t[0], w[0]), t[2]); };
    auto [value, slopes] = value_and_grad(loss, {t[1]});
    return Tensors{value, t[1] - 0.1F * slopes[0]};
  });
}

}  // namespace

void draw_training(Sketch& s) {
  switch (s.dice.below(4)) {
    case 0:
      perceptron(s, false);
      break;
    case 1:
      perceptron(s, true);
      break;
    case 2:
      least_squares(s);
      break;
    default:
      logistic(s);
  }
  s.within(1e-3, 1e-4);
}

}  // namespace eglantine::perf::drawn
