#include <cmath>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Bodies that attract one another: the components of all pairs' differences, each times a weight of the pair's
/// distance, are summed by one kernel that reads the bodies alone.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, Forces);

constexpr double softening = 0.05;

struct Bodies {
  Bodies(int64_t count, int64_t components, uint64_t seed)
      : places(random_reals({count, components}, -1, 1, seed)),
        masses(random_reals({count}, 0.5, 1.5, seed + 1)),
        weights(random_reals({count, components}, -1, 1, seed + 2)) {}
  static Bodies drawn(Random& random) {
    const int64_t few = random.integer(1, 40), count = random.integer(0, 2) == 0 ? random.integer(250, 600) : few;
    return {count, random.integer(2, 4), random.word()};
  }

  int64_t count() const { return places.shape[0]; }
  int64_t components() const { return places.shape[1]; }
  double place(int64_t body, int64_t k) const { return places.values[static_cast<size_t>(body * components() + k)]; }
  double weight(int64_t body, int64_t k) const { return weights.values[static_cast<size_t>(body * components() + k)]; }
  double mass(int64_t body) const { return masses.values[static_cast<size_t>(body)]; }
  double apart(int64_t i, int64_t j, int64_t k) const { return place(j, k) - place(i, k); }
  double distance(int64_t i, int64_t j) const {
    double squares = softening;
    for (int64_t k = 0; k < components(); ++k) squares += apart(i, j, k) * apart(i, j, k);
    return std::sqrt(squares);
  }

  Array places, masses, weights;
};

Tensor squares_of(const Tensor& x) {
  const Tensor apart = x.unsqueeze(0) - x.unsqueeze(1);
  return sum(apart * apart, 2);
}

/// The acceleration of each body, by the squared distances of pairs; axis 0: less that of each by its own mass.
Tensor acceleration(const Tensor& x, const Tensor& masses, const Tensor& squares, int axis = 1) {
  const Tensor apart = x.unsqueeze(0) - x.unsqueeze(1), inverse = rsqrt(squares + softening);
  return sum(apart * (masses * inverse * inverse * inverse).unsqueeze(2), axis);
}

Array expected_of(const Bodies& bodies, int axis) {
  return generate(DType::f32, bodies.places.shape, [&](const Dims& at) {
    double total = 0;
    for (int64_t other = 0; other < bodies.count(); ++other) {
      const int64_t i = axis == 1 ? at[0] : other, j = axis == 1 ? other : at[0];
      total += bodies.mass(j) * bodies.apart(i, j, at[1]) / std::pow(bodies.distance(i, j), 3);
    }
    return total;
  });
}

/// The derivatives of sum(weights * acceleration) by places, and by masses.
Array expected_slopes(const Bodies& bodies) {
  const auto part = [&](int64_t i, int64_t j, int64_t k) {  // of body j by its own place
    double product = 0;
    for (int64_t c = 0; c < bodies.components(); ++c) product += bodies.weight(i, c) * bodies.apart(i, j, c);
    const double r = bodies.distance(i, j);
    return bodies.mass(j) *
           (bodies.weight(i, k) / std::pow(r, 3) - 3 * product * bodies.apart(i, j, k) / std::pow(r, 5));
  };
  return generate(DType::f32, bodies.places.shape, [&](const Dims& at) {
    double total = 0;
    for (int64_t other = 0; other < bodies.count(); ++other)
      total += part(other, at[0], at[1]) - part(at[0], other, at[1]);
    return total;
  });
}

/// A GPU adds the products of distances that it does not store by fma().
testing::AssertionResult agree(const Tensor& computed, const Tensor& by_stored) {
  if (!plans_for_gpus(computed.device())) return same_bits(computed, by_stored);
  return matches(computed, download(by_stored), {0, 1e-5, 1e-4});
}

EG_TEST(Forces, are_one_kernel_with_the_values_that_stored_distances_give) {
  Draw draw = draw_programs_one_of(4);
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    if (!draw.next()) continue;
    Random random(seed + draw_seed());
    const Bodies bodies = Bodies::drawn(random);
    SCOPED_TRACE(text(bodies.places.shape) + " seed " + std::to_string(seed));
    const Tensor x = upload(bodies.places), masses = upload(bodies.masses), stored = squares_of(x).eval();
    for (const int axis : {0, 1}) {
      const auto forces = [&](const Tensor& squares) { return acceleration(x, masses, squares, axis); };
      if (bodies.count() >= 8) {
        EXPECT_EQ(kernels_of(forces(squares_of(x))), 1);
      }
      EXPECT_TRUE(matches(forces(squares_of(x)), expected_of(bodies, axis), {0, 1e-4, 1e-3}));
      EXPECT_TRUE(agree(forces(squares_of(x)), forces(stored)));
      const Tensor velocity = upload(bodies.weights);
      EXPECT_TRUE(agree(velocity + 0.5F * forces(squares_of(x)), (velocity + 0.5F * forces(stored)).eval()));
    }
  }
}

EG_TEST(Forces, are_one_kernel_with_what_is_made_of_them) {
  if (binds_few_buffers()) return;  // several, where few buffers bind
  const Bodies bodies(37, 3, 1);
  const Tensor x = upload(bodies.places), masses = upload(bodies.masses), velocity = upload(bodies.weights);
  EXPECT_EQ(kernels_of(velocity + 0.01F * acceleration(x, masses, squares_of(x))), 1);
}

/// sum over j of masses[j] exp(-squares(i, j)) at each place i: a product with one column.
EG_TEST(Forces, sums_weighted_by_a_function_of_the_distance_are_one_kernel) {
  Draw draw = draw_programs_one_of(4);
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    if (!draw.next()) continue;
    Random random(seed + draw_seed());
    const Bodies bodies(random.integer(33, 600), random.integer(2, 4), random.word());
    SCOPED_TRACE(text(bodies.places.shape) + " seed " + std::to_string(seed));
    const Array expected = generate(DType::f32, {bodies.count()}, [&](const Dims& at) {
      double total = 0;
      for (int64_t j = 0; j < bodies.count(); ++j)
        total += bodies.mass(j) * std::exp(softening - std::pow(bodies.distance(at[0], j), 2));
      return total;
    });
    const Tensor x = upload(bodies.places), masses = upload(bodies.masses);
    const auto functions = [&] { return exp(-1.0F * squares_of(x)); };
    EXPECT_EQ(kernels_of(matmul(functions(), masses)), 1);
    EXPECT_TRUE(matches(matmul(functions(), masses), expected, {0, 1e-5, 1e-5}));
    EXPECT_EQ(kernels_of(matmul(masses, functions())), 1);
    EXPECT_TRUE(matches(matmul(masses, functions()), expected, {0, 1e-5, 1e-5}));
    const Tensor both = masses.unsqueeze(1).expand({bodies.count(), 2});
    EXPECT_TRUE(matches(matmul(functions(), both).slice(1, 1, 2).squeeze(1), expected, {0, 1e-5, 1e-5}));
  }
}

EG_TEST(Forces, are_stored_where_two_kernels_read_the_distances) {
  const Bodies bodies(300, 3, 2);
  const Tensor squares = squares_of(upload(bodies.places));
  EXPECT_EQ(kernels_of({argmin(squares, 1), matmul(exp(-1.0F * squares), upload(bodies.masses))}), 3);
}

EG_TEST(Forces, have_derivatives) {
  for (const int64_t components : {2, 3, 4}) {
    const Bodies bodies(23, components, static_cast<uint64_t>(components));
    const Tensor weights = upload(bodies.weights);
    const auto total = [&](const Tensors& x) { return sum(weights * acceleration(x[0], x[1], squares_of(x[0]))); };
    const Tensors slopes = grad(total, {upload(bodies.places), upload(bodies.masses)});
    EXPECT_TRUE(matches(slopes[0], expected_slopes(bodies), {0, 1e-3, 2e-2}));
    const Array by_mass = generate(DType::f32, bodies.masses.shape, [&](const Dims& at) {
      double slope = 0;
      for (int64_t i = 0; i < bodies.count(); ++i)
        for (int64_t k = 0; k < components; ++k)
          slope += bodies.weight(i, k) * bodies.apart(i, at[0], k) / std::pow(bodies.distance(i, at[0]), 3);
      return slope;
    });
    EXPECT_TRUE(matches(slopes[1], by_mass, {0, 1e-3, 1e-2}));
  }
}

}  // namespace
}  // namespace eglantine::test
