#include <functional>
#include <string>
#include <vector>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Functions with a derivative of their own that read more than their arguments.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, Captures);

/// What a function may have captured of an input w, of shape (4), and whether a derivative by w goes through it.
struct Capture {
  std::string name;
  std::function<Tensor(const Tensor& w)> of;
  bool leads;
};

const std::vector<Capture>& captures() {
  static const std::vector<Capture> all{
      {"itself", [](const Tensor& w) { return w; }, true},
      {"an expression", [](const Tensor& w) { return exp(w) + 1; }, true},
      {"a computed value", [](const Tensor& w) { return (w * 3).eval(); }, true},
      {"a view", [](const Tensor& w) { return w.flip(0).slice(0, 0, 1); }, true},
      {"a reduction", [](const Tensor& w) { return sum(w * w); }, true},
      {"a sort", [](const Tensor& w) { return sort(w); }, true},
      {"a gather", [](const Tensor& w) { return take(w, argsort(w), 0); }, true},
      {"a convolution",
       [](const Tensor& w) {
         return conv(w.reshape({1, 4}), ones({1, 1, 1})).reshape({4});
       },
       true},
      {"another dtype", [](const Tensor& w) { return w.astype(DType::f16); }, true},
      {"a derivative", [](const Tensor& w) { return grad([](const Tensors& x) { return sum(square(x[0])); }, {w})[0]; },
       true},
      {"a function with its own derivative",
       [](const Tensor& w) { return checkpoint([](const Tensors& x) { return Tensors{sin(x[0])}; })({w})[0]; }, true},
      {"a constant", [](const Tensor& w) { return zeros_like(w); }, false},
      {"without its derivative", [](const Tensor& w) { return stop_gradient(w); }, false},
      {"integers", [](const Tensor& w) { return argsort(w); }, false},
      {"a mask", [](const Tensor& w) { return where(w > 0.5F, 1.0F, 2.0F); }, false},
      {"a number that was read", [](const Tensor& w) { return ones({4}) * sum(w).item<float>(); }, false},
  };
  return all;
}

Tensor product(const Tensor& x, const Tensor& captured) { return x * captured; }

/// f(x), whose derivative is its own, of a function that captures.
Function checkpointed(const Tensor& captured) {
  return checkpoint([captured](const Tensors& x) { return Tensors{product(x[0], captured)}; });
}

Function with_backward(const Tensor& captured) {
  return custom_vjp([captured](const Tensors& x) { return Tensors{product(x[0], captured)}; },
                    [](const Tensors&, const Tensors&, const Tensors& g) { return g; });
}

using Of = std::function<Function(const Tensor& captured)>;

void expect_each(const std::string& function, const Of& of,
                 const std::function<void(const ScalarFunction& f, const Tensors& w)>& differentiate) {
  for (const Capture& capture : captures()) {
    SCOPED_TRACE(function + ", " + capture.name);
    const auto f = [&](const Tensors& w) { return sum(of(capture.of(w[0]))({w[1]})[0]); };
    const Tensors w{uniform({4}, 1), uniform({4}, 2)};
    if (!capture.leads) {
      EXPECT_NO_THROW(differentiate(f, w));
      continue;
    }
    EXPECT_ERROR(differentiate(f, w), Error,
                 "[" + function +
                     "] the function captures a tensor that a derivative is being taken by, which would be lost; "
                     "pass it as an argument, or take stop_gradient of it");
  }
}

EG_TEST(Captures, of_inputs_of_a_derivative_are_errors) {
  const auto once = [](const ScalarFunction& f, const Tensors& w) { grad(f, w); };
  expect_each("checkpoint", checkpointed, once);
  expect_each("custom_vjp", with_backward, once);
}

EG_TEST(Captures, of_inputs_of_an_outer_derivative_are_errors) {
  const auto inside = [](const ScalarFunction& f, const Tensors& w) {
    const auto inner = [&](const Tensors& at) {
      return sum(grad([&](const Tensors& x) { return f({at[0], x[0]}); }, {at[1]})[0]);
    };
    grad(inner, w);
  };
  expect_each("checkpoint", checkpointed, inside);
  expect_each("custom_vjp", with_backward, inside);
}

EG_TEST(Captures, without_a_derivative_are_values) {
  const Tensor x = uniform({4}, 1), w = uniform({4}, 2);
  const auto mapped = [&](const Tensors& at) { return Tensors{checkpointed(at[0])({x})[0]}; };
  for (const Tensor& y : {checkpointed(w)({x})[0], with_backward(w)({x})[0], vmap(mapped, {0})({w.unsqueeze(0)})[0][0]})
    EXPECT_TRUE(array_equal(y, x * w));
  const Tensor slope = grad([&](const Tensors& at) { return sum(checkpointed(w)(at)[0]); }, {x})[0];
  EXPECT_TRUE(array_equal(slope, w));
}

}  // namespace
}  // namespace eglantine::test
