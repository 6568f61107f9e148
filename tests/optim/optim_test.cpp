#include "eglantine/optim.hpp"

#include <cmath>
#include <functional>
#include <vector>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Optimisers against loops in double precision; their state, schedules and clipping.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, Optimisers);

struct Point {
  Tensor w = Tensor::from({1.0F, -2.0F, 0.5F}, {3});
  template <class Visit>
  void parts(Visit&& visit) {
    visit("w", w);
  }
};

/// The gradient at a step: of three numbers that turn.
std::vector<double> gradient_at(int step) {
  return {std::sin(step + 1.0), 0.3 * step - 0.5, step % 2 == 0 ? 0.2 : -0.7};
}

Parameters as_gradients(const std::vector<double>& g) {
  return {{"w", Tensor::from(std::vector<float>(g.begin(), g.end()), {3})}};
}

/// One number's update: its value, its gradient, two moments, and the step from 1 on.
using Rule = std::function<double(double w, double g, double& first, double& second, int step)>;

template <class Optimiser>
void expect_follows(Optimiser optimiser, const Rule& rule) {
  constexpr int steps = 6;
  Point point;
  std::vector<double> w{1, -2, 0.5}, first(3), second(3);
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> g = gradient_at(step);
    optimiser.step(point, as_gradients(g));
    for (size_t i = 0; i < 3; ++i) w[i] = rule(w[i], g[i], first[i], second[i], step + 1);
  }
  const std::vector<float> found = point.w.to_vector<float>();
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], w[i], 1e-5 * std::max(1.0, std::abs(w[i])));
  EXPECT_EQ(optimiser.steps, steps);
}

double adam(double g, double& m, double& v, int t) {
  m = 0.9 * m + 0.1 * g;
  v = 0.999 * v + 0.001 * g * g;
  return m / (1 - std::pow(0.9, t)) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
}

EG_TEST(Optimisers, follow_their_formulas) {
  expect_follows(optim::Sgd{.rate = 0.1}, [](double w, double g, double&, double&, int) { return w - 0.1 * g; });
  expect_follows(optim::Sgd{.rate = 0.1, .momentum = 0.9, .decay = 0.01},
                 [](double w, double g, double& v, double&, int) {
                   v = 0.9 * v + g + 0.01 * w;
                   return w - 0.1 * v;
                 });
  expect_follows(optim::Sgd{.rate = 0.1, .momentum = 0.9, .nesterov = true},
                 [](double w, double g, double& v, double&, int) {
                   v = 0.9 * v + g;
                   return w - 0.1 * (g + 0.9 * v);
                 });
  expect_follows(optim::Adam{.rate = 0.1, .decay = 0.02},
                 [](double w, double g, double& m, double& v, int t) { return w - 0.1 * adam(g + 0.02 * w, m, v, t); });
  expect_follows(optim::AdamW{.rate = 0.1, .decay = 0.02}, [](double w, double g, double& m, double& v, int t) {
    return w * (1 - 0.1 * 0.02) - 0.1 * adam(g, m, v, t);
  });
  expect_follows(optim::RmsProp{.rate = 0.1}, [](double w, double g, double& v, double&, int) {
    v = 0.99 * v + 0.01 * g * g;
    return w - 0.1 * g / (std::sqrt(v) + 1e-8);
  });
  expect_follows(optim::Adagrad{.rate = 0.1}, [](double w, double g, double& s, double&, int) {
    s += g * g;
    return w - 0.1 * g / (std::sqrt(s) + 1e-10);
  });
  expect_follows(optim::Lion{.rate = 0.1, .decay = 0.02}, [](double w, double g, double& m, double&, int) {
    const double towards = 0.9 * m + 0.1 * g;
    m = 0.99 * m + 0.01 * g;
    return w * (1 - 0.1 * 0.02) - 0.1 * (towards > 0 ? 1 : towards < 0 ? -1 : 0);
  });
}

EG_TEST(Optimisers, go_on_from_their_state_with_the_same_bits) {
  Point whole, cut;
  optim::Adam all{.rate = optim::cosine(0.1, 0.01, 10)}, first = all, second = all;
  for (int step = 0; step < 8; ++step) all.step(whole, as_gradients(gradient_at(step)));
  for (int step = 0; step < 3; ++step) first.step(cut, as_gradients(gradient_at(step)));
  second.load(first.state());
  for (int step = 3; step < 8; ++step) second.step(cut, as_gradients(gradient_at(step)));
  EXPECT_TRUE(same_bits(whole.w, cut.w));
}

/// Of gradients that lie across memory, where the sum that they are a view of does not: a step of known structure takes
/// this optimiser's numbers, not those of the one before.
EG_TEST(Optimisers, have_numbers_of_their_own_however_a_gradient_lies) {
  const auto gradient = [](uint64_t seed) {
    const Tensor across = uniform({1024, 512}, seed).eval(), along = uniform({512, 1024}, seed + 1).eval();
    return (across.transpose(0, 1) + along).eval().transpose(0, 1);
  };
  const Tensor before = gradient(1), now = gradient(3);
  for (const double beta : {0.9, 0.5}) {
    Point point{full({1024, 512}, 1.0F)};
    optim::Adam adam{.rate = 0.1, .beta1 = beta};
    adam.step(point, {{"w", before}});
    adam.step(point, {{"w", now}});
    const Tensor expected = before * (beta * (1 - beta)) + now * (1 - beta);
    EXPECT_LT(max(abs(adam.moments.at("first.w") - expected)).item<float>(), 1e-6) << beta;
  }
}

EG_TEST(Optimisers, refuse_numbers_that_no_float_has) {
  Point point;
  optim::AdamW adam{.rate = 1e30, .decay = 1e30};
  EXPECT_THROW(adam.step(point, as_gradients(gradient_at(0))), DTypeError);
}

EG_TEST(Optimisers, keep_a_parameter_s_dtype) {
  Point point;
  point.w = point.w.astype(DType::f16);
  optim::Adam adam{.rate = 0.1};
  adam.step(point, {{"w", ones({3}, DType::f16)}});
  EXPECT_EQ(point.w.dtype(), DType::f16);
  EXPECT_EQ(adam.moments.at("first.w").dtype(), DType::f32);
}

EG_TEST(Optimisers, clip_by_the_norm_of_all) {
  const Parameters gradients{{"a", Tensor::from({3.0F}, {1})}, {"b", Tensor::from({4.0F}, {1})}};
  const auto [clipped, norm] = optim::clip_norm(gradients, 1);
  EXPECT_EQ(norm.item<float>(), 5);
  EXPECT_NEAR(clipped.at("a").item<float>(), 0.6, 1e-6);
  EXPECT_EQ(optim::clip_norm(gradients, 10).first.at("b").item<float>(), 4);
  EXPECT_EQ(optim::clip_norm({{"a", zeros({2})}}, 1).first.at("a").to_vector<float>()[0], 0);
  EXPECT_EQ(optim::clip_norm({}, 1).second.item<float>(), 0);
}

TEST(Rates, are_functions_of_the_step) {
  EXPECT_EQ(optim::constant(0.5)(100), 0.5);
  EXPECT_EQ(optim::stepped(1, 10, 0.5)(25), 0.25);
  EXPECT_NEAR(optim::exponential(1, 0.9)(2), 0.81, 1e-12);
  const optim::Schedule wave = optim::cosine(1, 0, 10);
  EXPECT_EQ(wave(0), 1);
  EXPECT_NEAR(wave(5), 0.5, 1e-12);
  EXPECT_EQ(wave(10), 0);
  EXPECT_EQ(wave(99), 0);
  const optim::Schedule both = optim::then(optim::linear_warmup(1, 4), 4, optim::constant(2));
  EXPECT_EQ(both(0), 0.25);
  EXPECT_EQ(both(3), 1);
  EXPECT_EQ(both(4), 2);
}

}  // namespace
}  // namespace eglantine::test
