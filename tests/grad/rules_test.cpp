#include <cmath>

#include "eglantine/ops.hpp"
#include "grad/slopes.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"

/// The derivative of each kind of node: against central differences of references in double, in every view, forwards
/// against backwards, and once more of the derivative itself.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, Rules);

double dot_of_tensors(const Tensor& a, const Tensor& b) { return sum(a * b).item<float>(); }

Tensors drawn_like(const Tensors& x, uint64_t seed) {
  Tensors drawn;
  for (const Tensor& each : x) drawn.push_back(uniform(each.shape(), seed++) - 0.5);
  return drawn;
}

EG_TEST(Rules, are_central_differences_of_references) {
  Draw draw = draw_programs_one_of(8);
  for (const DerivativeCase& one : derivative_cases()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(one.name);
    EXPECT_TRUE(has_slopes_of_reference({one.f, one.reference}, samples_of(one, view("contiguous")), of_slopes));
  }
}

/// Elements of a broadcast view tie, so that what chooses among them has no slope.
EG_TEST(Rules, hold_in_every_view) {
  Draw draw = draw_one_of(on_gl() ? 80 : 3);
  size_t without = 0;
  for (const DerivativeCase& one : derivative_cases())
    for (const View& held : every_view()) {
      if (!draw.next()) continue;
      SCOPED_TRACE(std::string(one.name) + " " + held.name);
      const Referenced of{one.f, one.reference};
      const std::vector<Sample> x = samples_of(one, held);
      if (held.name == "broadcast" && !is_smooth(of, x))
        ++without;
      else
        EXPECT_TRUE(has_slopes_of_reference(of, x, of_slopes));
    }
  EXPECT_LT(without, derivative_cases().size() / 2);
}

EG_TEST(Rules, forwards_and_backwards_agree) {
  Draw draw = draw_programs_one_of(32);
  for (const DerivativeCase& one : derivative_cases()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(one.name);
    const Tensors x = arguments_of(one, view("contiguous")), u = drawn_like(x, 5);
    const auto [results, pushed] = jvp(function_of(one), x, u);
    const Tensors v = drawn_like(results, 50), pulled = vjp(function_of(one), x, v).second;
    double forward = dot_of_tensors(v[0], pushed[0]), backward = 0;
    for (size_t i = 0; i < x.size(); ++i) backward += dot_of_tensors(pulled[i], u[i]);
    EXPECT_NEAR(forward, backward, 1e-4 * std::max(1.0, std::abs(forward)));
  }
}

EG_TEST(Rules, have_derivatives_themselves) {
  Draw draw = draw_programs_one_of(14);
  for (const DerivativeCase& one : derivative_cases()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(one.name);
    EXPECT_TRUE(
        has_curvatures_of_reference({one.f, one.reference}, samples_of(one, view("contiguous")), of_curvatures));
  }
}

}  // namespace
}  // namespace eglantine::test
