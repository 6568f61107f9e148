#include <cmath>
#include <functional>
#include <string>

#include "eglantine/ops.hpp"
#include "eglantine/optim.hpp"
#include "eglantine/profile.hpp"
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

/// What runs beside copies.
int64_t kernels_beside_copies(const std::function<void()>& f) {
  Profile profile;
  f();
  int64_t runs = 0;
  for (const ProfiledKernel& each : profile.stop().kernels)
    if (each.kernel.find(": copy of 1 operand") == std::string::npos || each.kernel.find("reduce") == 0)
      runs += each.runs;
  return runs;
}

EG_TEST(SmallParameters, of_a_large_model_take_a_few_kernels) {
  constexpr int64_t count = 200;
  Parameters values = drawn(count, 1, 2);
  optim::AdamW adam{.rate = 0.1};
  const auto step = [&](uint64_t seed) {
    take(values, adam.next(values, optim::clip_norm(drawn(count, seed, 2), 1).first));
    device().synchronize();
  };
  step(2);
  step(3);
  EXPECT_LE(kernels_beside_copies([&] { step(4); }), 12);
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
