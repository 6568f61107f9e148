#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <string>

#include "eglantine/ops.hpp"
#include "grad/drawn_shapes.hpp"
#include "grad/slopes.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"

/// The derivatives of rules_test.cpp at arguments of drawn shapes, in drawn views: each seed draws others.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, DrawnShapes);

using Compare = Comparison (*)(const Referenced&, const std::vector<Sample>&);

const View& drawn_view(Random& random) { return every_view()[random.word() % every_view().size()]; }

/// An Error of one case is its failure, and the others run.
Comparison compared(const DerivativeCase& one, const std::vector<Sample>& x, Compare compare) {
  try {
    return compare({one.f, one.reference}, x);
  } catch (const std::exception& error) {
    return ::testing::AssertionFailure() << error.what();
  }
}

/// Where arguments lie at a kink, others are drawn, and then other shapes: of many elements each may be near one.
void check_drawn(const DerivativeCase& one, Random& random, int64_t most, Compare compare) {
  std::vector<Dims> shapes;
  for (int tries = 0; tries < 20; ++tries) {
    if (tries % 4 == 0) shapes = drawn_shapes(one.lengths, random, most);
    const View& held = drawn_view(random);
    const Comparison result = compared(one, samples_of(shapes, held, random.word()), compare);
    if (!result) continue;
    EXPECT_TRUE(*result) << one.name << " of" << text_of(shapes) << ", " << held.name;
    return;
  }
  ADD_FAILURE() << one.name << " of" << text_of(shapes) << " has a kink wherever it was taken";
}

/// <v, J u> and <J' v, u>; nothing where they differ at a kink.
Comparison compared_both_ways(const Referenced& of, const std::vector<Sample>& x) {
  Tensors at, u;
  for (const Sample& each : x) {
    at.push_back(each.tensor);
    u.push_back(uniform(each.tensor.shape(), u.size()) - 0.5);
  }
  const Function f = [&](const Tensors& y) { return Tensors{of.f(y)}; };
  const auto [results, pushed] = jvp(f, at, u);
  const Tensor v = uniform(results[0].shape(), 50) - 0.5;
  const Tensors pulled = vjp(f, at, {v}).second;
  double forward = sum(v * pushed[0]).item<float>(), backward = 0;
  for (size_t i = 0; i < u.size(); ++i) backward += sum(pulled[i] * u[i]).item<float>();
  if (std::abs(forward - backward) <= 1e-4 * std::max(1.0, std::abs(forward))) return ::testing::AssertionSuccess();
  if (!compared_slopes(of, x, of_slopes)) return std::nullopt;  // no derivative there, as of 0 / 0
  return ::testing::AssertionFailure() << forward << " forwards, " << backward << " backwards";
}

/// Each case draws of a seed of its own, so that it draws the same whatever others do; each test of others.
void check_all(Draw draw, int64_t most, Compare compare) {
  SCOPED_TRACE("EGLANTINE_TEST_SEED=" + std::to_string(draw_seed()));
  Random seeds(draw_seed() + static_cast<uint64_t>(most));
  for (const DerivativeCase& one : derivative_cases()) {
    Random random(seeds.word());
    if (*one.lengths != '\0' && draw.next()) check_drawn(one, random, most, compare);
  }
}

EG_TEST(DrawnShapes, have_the_slopes_of_references) {
  check_all(draw_programs_one_of(12), 100,
            [](const Referenced& of, const std::vector<Sample>& x) { return compared_slopes(of, x, of_slopes); });
}

EG_TEST(DrawnShapes, agree_forwards_and_backwards) { check_all(draw_programs_one_of(40), 200, compared_both_ways); }

EG_TEST(DrawnShapes, have_derivatives_themselves) {
  check_all(draw_one_of(on_gl() ? 20 : 3), 64, [](const Referenced& of, const std::vector<Sample>& x) {
    return compared_curvatures(of, x, of_curvatures);
  });
}

}  // namespace
}  // namespace eglantine::test
