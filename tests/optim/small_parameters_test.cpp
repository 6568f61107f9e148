#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "backend/device_state.hpp"
#include "eglantine/layers.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/optim.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"

/// Small parameters are updated together, with the bits that each has alone.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, SmallParameters);

std::string name_of(int64_t i) { return "p" + std::to_string(1000 + i); }

/// Of shapes of rank 0 to 3: small ones, and among them an empty, a large and a narrow one.
Parameters drawn(int64_t count, uint64_t seed, uint64_t shapes) {
  Random random(shapes);
  Parameters all;
  for (int64_t i = 0; i < count; ++i) {
    Dims shape;
    for (int64_t axes = random.integer(0, 3); axes > 0; --axes) shape.push_back(random.integer(1, 9));
    if (i == 5) shape = {0, 3};
    if (i == 7) shape = {300, 300};
    all[name_of(i)] =
        upload(random_array(i == 9 ? DType::f16 : DType::f32, shape, seed * 1000 + static_cast<uint64_t>(i)));
  }
  return all;
}

/// The gradients of a step; now and then one is missing.
Parameters gradients_at(int step, int64_t count) {
  Parameters g = drawn(count, static_cast<uint64_t>(20 + step), 1);
  if (step % 2 == 1) g.erase(name_of(step));
  return g;
}

Parameters only(const Parameters& all, const std::string& path) {
  const auto found = all.find(path);
  return found == all.end() ? Parameters() : Parameters{*found};
}

void take(Parameters& values, const Parameters& results) {
  for (const auto& [path, x] : results) values[path] = x;
}

void expect_same(const Parameters& found, const Parameters& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [path, x] : expected) EXPECT_TRUE(same_bits(found.at(path), x)) << path;
}

/// All parameters together, and by copies of the optimiser each alone.
template <class Optimiser>
void expect_as_alone(const Optimiser& optimiser, int64_t count) {
  Parameters together = drawn(count, 1, 1), alone = together;
  Optimiser of_all = optimiser;
  std::vector<Optimiser> of_each(static_cast<size_t>(count), optimiser);
  for (int step = 0; step < 4; ++step) {
    const Parameters g = gradients_at(step, count);
    take(together, of_all.next(together, g));
    for (int64_t i = 0; i < count; ++i) {
      const std::string path = name_of(i);
      take(alone, of_each[static_cast<size_t>(i)].next(only(alone, path), only(g, path)));
    }
    if (step == 2) {  // resumed from what was saved
      const Parameters saved = of_all.state();
      of_all = optimiser;
      of_all.load(saved);
    }
  }
  expect_same(together, alone);
}

EG_TEST(SmallParameters, have_the_bits_of_each_alone) {
  expect_as_alone(optim::Sgd{.rate = 0.1, .momentum = 0.9, .nesterov = true, .decay = 0.01}, 12);
  expect_as_alone(optim::Adam{.rate = 0.1}, 12);
  expect_as_alone(optim::AdamW{.rate = 0.1, .decay = 0.1}, 40);
  expect_as_alone(optim::RmsProp{.rate = 0.1}, 12);
  expect_as_alone(optim::Adagrad{.rate = 0.1}, 12);
  expect_as_alone(optim::Lion{.rate = 0.1}, 12);
}

constexpr int64_t layers = 100;

/// Of 200 parameters, in two shapes.
struct Deep {
  std::vector<nn::Linear> linear;
  Deep() {
    for (uint64_t seed = 0; seed < layers; ++seed) linear.emplace_back(16, 16, seed);
  }
  template <class Visit>
  void parts(Visit&& visit) {
    visit("linear", linear);
  }
  Tensor operator()(Tensor x) const {
    for (const nn::Linear& layer : linear) x = tanh(layer(x));
    return x;
  }
};

Parameters gradients_of(Deep model, uint64_t seed) {
  const Tensor x = upload(random_array(DType::f32, {8, 16}, seed));
  return nn::value_and_grad(model, [&](const Deep& traced) { return mean(square(traced(x))); }).second;
}

Parameters evaluated(const Parameters& parameters) {
  std::vector<Tensor> all;
  for (const auto& [path, x] : parameters) all.push_back(x);
  eval(all);
  return parameters;
}

Parameters sums_of(Parameters a, const Parameters& b) {
  for (auto& [path, x] : a) x = x + b.at(path);
  return a;
}

Parameters clipped(const Parameters& g) { return optim::clip_norm(g, 1).first; }

/// The kernels that put 200 gradients, computed from so many operands each, in one vector, of which one fills the gaps.
int64_t packing_kernels(const Device& device, int64_t operands) {
  const int64_t most = std::min<int64_t>(32, (device.state()->capabilities().max_bindings - 2) / operands);
  return 2 * ((layers + most - 1) / most) + 1;
}

/// Each scenario's second step: the first has parameters apart, and zeros for moments.
EG_TEST(SmallParameters, of_a_large_model_take_a_few_kernels) {
  if (binds_few_buffers()) return;  // fewer than an update binds
  Deep model;
  optim::AdamW adam{.rate = 0.1};
  const auto kernels_of_step = [&](const std::function<Parameters()>& gradients) {
    const auto kernels = [&] { return statistics(device()).kernels; };
    adam.step(model, gradients());
    const int64_t before = kernels();
    adam.step(model, gradients());
    return kernels() - before;
  };
  const Parameters g = evaluated(gradients_of(model, 1)), other = evaluated(gradients_of(model, 2));
  const int64_t of_gradients = 4 * layers, packing = packing_kernels(device(), 1);
  EXPECT_EQ(kernels_of_step([&] { return g; }), packing + 1);
  EXPECT_EQ(kernels_of_step([&] { return sums_of(g, other); }), packing_kernels(device(), 2) + 1);
  EXPECT_LE(kernels_of_step([&] { return clipped(g); }), packing + 2);
  EXPECT_LE(kernels_of_step([&] { return clipped(sums_of(g, other)); }), packing_kernels(device(), 2) + 2);
  EXPECT_LE(kernels_of_step([&] { return clipped(gradients_of(model, 3)); }), of_gradients + packing + 2);
  EXPECT_LE(kernels_of_step([&] { return gradients_of(model, 4); }), of_gradients + 2)
      << "each is updated where it is computed";
}

EG_TEST(SmallParameters, of_accumulated_gradients_have_the_bits_of_each_alone) {
  const Deep model;
  const Parameters g = sums_of(evaluated(gradients_of(model, 1)), evaluated(gradients_of(model, 2)));
  const Parameters values = nn::parameters(model);
  optim::AdamW adam{.rate = 0.1};
  const optim::AdamW fresh = adam;
  const Parameters together = adam.next(values, g);
  for (const auto& [path, x] : together)
    EXPECT_TRUE(same_bits(x, optim::AdamW(fresh).next(only(values, path), only(g, path)).at(path))) << path;
}

EG_TEST(SmallParameters, are_clipped_by_the_norm_of_all) {
  const Parameters g = drawn(30, 3, 3);
  const auto [clipped, norm] = optim::clip_norm(g, 0.5);
  double squares = 0;
  for (const auto& [path, x] : g)
    for (double value : download(x).values) squares += value * value;
  EXPECT_NEAR(norm.item<float>(), std::sqrt(squares), 1e-5 * std::sqrt(squares));
  for (const auto& [path, x] : g) {
    EXPECT_EQ(clipped.at(path).dtype(), x.dtype());
    EXPECT_TRUE(same_bits(clipped.at(path), x * (0.5F / norm).astype(x.dtype()))) << path;
  }
}

}  // namespace
}  // namespace eglantine::test
