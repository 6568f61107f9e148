#include <cmath>

#include "eglantine/ops.hpp"
#include "grad/drawn_shapes.hpp"
#include "grad/slopes.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive_statistics.hpp"

/// Wrong derivatives, which what compares derivatives with references must find.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, Planted);

/// A function with its derivative, and one that is nearly it.
struct Plant {
  const char* name;
  DerivativeCase of;
  Tensors (*right)(const Tensors& x, const Tensors& results, const Tensors& g);
  Tensors (*wrong)(const Tensors& x, const Tensors& results, const Tensors& g);
};

using T = Tensors;
using A = Arrays;

Array sine(const A& x) {
  return naive::map(x[0], DType::f32, [](double v) { return std::sin(v); });
}

DerivativeCase softmax_case() {
  return {"softmax",
          {{3, 4}},
          [](const T& x) { return softmax(x[0], 1); },
          [](const A& x) { return softmax_reference(x[0], 1); }};
}

DerivativeCase product_case() {
  return {"matmul",
          {{3, 3}, {3, 3}},
          [](const T& x) { return matmul(x[0], x[1]); },
          [](const A& x) { return naive::matmul(x[0], x[1]); }};
}

Tensors of_product(const T& x, const T&, const T& g) {
  return {matmul(g[0], x[1].transpose(0, 1)), matmul(x[0].transpose(0, 1), g[0])};
}

const std::vector<Plant>& every_plant() {
  static const std::vector<Plant> all{
      {"a factor of 1.001",
       {"sin", {{7}}, [](const T& x) { return sin(x[0]); }, sine},
       [](const T& x, const T&, const T& g) { return Tensors{g[0] * cos(x[0])}; },
       [](const T& x, const T&, const T& g) { return Tensors{g[0] * cos(x[0]) * 1.001F}; }},
      {"a wrong sign",
       {"sin", {{7}}, [](const T& x) { return sin(x[0]); }, sine},
       [](const T& x, const T&, const T& g) { return Tensors{g[0] * cos(x[0])}; },
       [](const T& x, const T&, const T& g) { return Tensors{-(g[0] * cos(x[0]))}; }},
      {"a missing term", softmax_case(),
       [](const T&, const T& y, const T& g) { return Tensors{y[0] * (g[0] - sum(g[0] * y[0], {1}, true))}; },
       [](const T&, const T& y, const T& g) { return Tensors{y[0] * g[0]}; }},
      {"a sum over the other axis", softmax_case(),
       [](const T&, const T& y, const T& g) { return Tensors{y[0] * (g[0] - sum(g[0] * y[0], {1}, true))}; },
       [](const T&, const T& y, const T& g) { return Tensors{y[0] * (g[0] - sum(g[0] * y[0], {0}, true))}; }},
      {"an operand that is not transposed", product_case(), of_product,
       [](const T& x, const T&, const T& g) {
         return Tensors{matmul(g[0], x[1]), matmul(x[0].transpose(0, 1), g[0])};
       }},
      {"operands in each other's place", product_case(), of_product,
       [](const T& x, const T& y, const T& g) {
         const Tensors found = of_product(x, y, g);
         return Tensors{found[1], found[0]};
       }},
      {"a scan in the wrong direction",
       {"cumsum", {{5}}, [](const T& x) { return cumsum(x[0], 0); }, [](const A& x) { return naive::cumsum(x[0], 0); }},
       [](const T&, const T&, const T& g) { return Tensors{cumsum(g[0], 0, false, true)}; },
       [](const T&, const T&, const T& g) { return Tensors{cumsum(g[0], 0)}; }},
      {"one place for another",
       {"max", {{6}}, [](const T& x) { return max(x[0]); }, [](const A& x) { return naive::max(x[0], {}); }},
       [](const T& x, const T& y, const T& g) { return Tensors{where(x[0] == y[0], g[0], 0)}; },
       [](const T& x, const T& y, const T& g) { return Tensors{where(x[0] == y[0], g[0], 0).flip({0})}; }},
  };
  return all;
}

Referenced with_rule(const DerivativeCase& one, decltype(Plant::right) rule) {
  const Function f = custom_vjp(function_of(one), rule);
  return {[f](const Tensors& x) { return f(x)[0]; }, one.reference};
}

EG_TEST(Planted, wrong_derivatives_are_found) {
  for (const Plant& plant : every_plant()) {
    SCOPED_TRACE(plant.name);
    const std::vector<Sample> x = samples_of(plant.of, view("contiguous"));
    EXPECT_TRUE(has_slopes_of_reference(with_rule(plant.of, plant.right), x, of_slopes));
    EXPECT_FALSE(has_slopes_of_reference(with_rule(plant.of, plant.wrong), x, of_slopes));
  }
}

/// Right themselves, they have a derivative that misses a term.
EG_TEST(Planted, wrong_derivatives_of_derivatives_are_found) {
  const DerivativeCase softmax_of = softmax_case();
  const auto rule = [](const T&, const T& y, const T& g) {
    return Tensors{stop_gradient(y[0]) * (g[0] - sum(g[0] * y[0], {1}, true))};
  };
  const std::vector<Sample> x = samples_of(softmax_of, view("contiguous"));
  EXPECT_TRUE(has_slopes_of_reference(with_rule(softmax_of, rule), x, of_slopes));
  EXPECT_FALSE(has_curvatures_of_reference(with_rule(softmax_of, rule), x, of_curvatures));
  EXPECT_TRUE(has_curvatures_of_reference({softmax_of.f, softmax_of.reference}, x, of_curvatures));
}

/// Right at the case's own length.
EG_TEST(Planted, what_is_wrong_at_some_lengths_is_found_where_these_are_drawn) {
  const DerivativeCase running{"cumsum",
                               {{5}},
                               [](const T& x) { return cumsum(x[0], 0); },
                               [](const A& x) { return naive::cumsum(x[0], 0); },
                               "a..."};
  const Referenced of = with_rule(running, [](const T& x, const T&, const T& g) {
    return Tensors{cumsum(g[0], 0, false, true) * (x[0].shape()[0] % 4 == 0 ? 1.01F : 1)};
  });
  EXPECT_TRUE(has_slopes_of_reference(of, samples_of(running, view("contiguous")), of_slopes));
  Random random(3);
  int wrong = 0;
  for (int i = 0; i < 12; ++i) {
    const std::vector<Dims> shapes = drawn_shapes(running.lengths, random, 60);
    const bool is_wrong = shapes[0][0] % 4 == 0;
    wrong += is_wrong;
    EXPECT_EQ(!has_slopes_of_reference(of, samples_of(shapes, view("contiguous"), 1), of_slopes), is_wrong);
  }
  EXPECT_GT(wrong, 0);
}

EG_TEST(Planted, kinks_and_wrong_values_are_no_slopes) {
  const DerivativeCase size{
      "abs",
      {{5}},
      [](const T& x) { return abs(x[0]); },
      [](const A& x) { return naive::map(x[0], DType::f32, [](double v) { return std::abs(v); }); }};
  const Referenced of{size.f, size.reference};
  const Array smooth{DType::f32, {2}, {1, -2}}, kink{DType::f32, {2}, {1, 0}};
  EXPECT_TRUE(is_smooth(of, {{upload(smooth), smooth}}));
  EXPECT_TRUE(has_slopes_of_reference(of, {{upload(smooth), smooth}}, of_slopes));
  EXPECT_FALSE(is_smooth(of, {{upload(kink), kink}}));
  EXPECT_FALSE(has_slopes_of_reference(of, {{upload(kink), kink}}, of_slopes));
  EXPECT_FALSE(has_slopes_of_reference({[](const T& x) { return abs(x[0]) + 1; }, size.reference},
                                       {{upload(smooth), smooth}}, of_slopes));
}

/// The median of equal elements stays the same wherever one of them goes, but not where all do.
EG_TEST(Planted, what_has_slopes_by_each_element_alone_is_no_slope) {
  const Referenced middle{[](const T& x) { return median(x[0]); },
                          [](const A& x) { return quantile_of(x[0], 0.5, {}); }};
  const Array apart{DType::f32, {5}, {1, 5, 3, 2, 4}}, equal{DType::f32, {5}, {1, 1, 1, 1, 1}};
  EXPECT_TRUE(is_smooth(middle, {{upload(apart), apart}}));
  EXPECT_TRUE(has_slopes_of_reference(middle, {{upload(apart), apart}}, of_slopes));
  EXPECT_FALSE(is_smooth(middle, {{upload(equal), equal}}));
}

}  // namespace
}  // namespace eglantine::test
