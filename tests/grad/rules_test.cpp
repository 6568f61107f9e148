#include <cmath>

#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"

/// The derivative of each kind of node: against difference quotients, forwards against backwards, and once more of the
/// derivative itself.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, Rules);

double dot_of_tensors(const Tensor& a, const Tensor& b) { return sum(a * b).item<float>(); }

Tensors drawn_like(const Tensors& x, uint64_t seed) {
  Tensors drawn;
  for (const Tensor& each : x) drawn.push_back(uniform(each.shape(), seed++) - 0.5);
  return drawn;
}

EG_TEST(Rules, are_difference_quotients) {
  Draw draw = draw_programs_one_of(8);
  for (const DerivativeCase& one : derivative_cases()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(one.name);
    EXPECT_NO_THROW(check_gradients(function_of(one), arguments_of(one, view("contiguous")), 1e-2, 2e-2));
  }
}

EG_TEST(Rules, hold_in_every_view) {
  Draw draw = draw_programs_one_of(40);
  for (const DerivativeCase& one : derivative_cases())
    for (const char* name : {"permuted", "stepped", "broadcast", "pending", "flipped"}) {
      if (!draw.next()) continue;
      SCOPED_TRACE(std::string(one.name) + " " + name);
      const Tensors x = arguments_of(one, view(name));
      const auto value = [&](const Tensors& at) { return sum(one.f(at)); };
      Tensors copies;
      for (const Tensor& each : x) copies.push_back(Tensor::from(each.to_vector<float>(), each.shape()));
      const Tensors found = grad(value, x), wanted = grad(value, copies);
      for (size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(matches(found[i], download(wanted[i]), {0, 1e-5, 1e-5}));
    }
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
    const Tensors x = arguments_of(one, view("contiguous"));
    const auto first = [&](const Tensors& at) {
      return grad([&](const Tensors& y) { return sum(square(one.f(y))); }, at);
    };
    EXPECT_NO_THROW(check_gradients(first, x, 1e-2, 6e-2));
  }
}

}  // namespace
}  // namespace eglantine::test
