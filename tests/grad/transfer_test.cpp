#include <functional>
#include <string>
#include <vector>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Functions whose values go to another device on the way.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, Transfers);

/// A function of a tensor (3, 4), which calls `move` on the way and `back` before its result.
struct Moving {
  std::string name;
  std::function<Tensor(const Tensor& x, const std::function<Tensor(const Tensor&)>& move,
                       const std::function<Tensor(const Tensor&)>& back)>
      f;
};

const std::vector<Moving>& moving() {
  static const std::vector<Moving> all{
      {"an input", [](auto& x, auto& move, auto& back) { return back(square(move(x)) * 3); }},
      {"an expression", [](auto& x, auto& move, auto& back) { return back(sin(move(exp(x)))); }},
      {"a result", [](auto& x, auto& move, auto& back) { return back(move(x * x * x)); }},
      {"a view", [](auto& x, auto& move, auto& back) { return back(square(move(x.transpose(0, 1).flip(0)))); }},
      {"a part", [](auto& x, auto& move, auto& back) { return x.slice(0, 0, 1) * back(exp(move(x.slice(0, 1)))); }},
      {"a reduction", [](auto& x, auto& move, auto& back) { return x * back(square(move(sum(x, 1, true)))); }},
      {"a product", [](auto& x, auto& move, auto& back) { return back(matmul(move(x), move(x.transpose(0, 1)))); }},
      {"twice", [](auto& x, auto& move, auto& back) { return back(move(back(move(square(x))) * x)); }},
      {"narrow", [](auto& x, auto& move, auto& back) { return back(move(x.astype(DType::f16)).astype(DType::f32)); }},
      {"a mask beside it", [](auto& x, auto& move, auto& back) { return where(back(move(x > 0.5F)), x * x, x); }},
  };
  return all;
}

Tensor stay(const Tensor& x) { return x; }

template <class Derivative>
void expect_each_as_on_one_device(Derivative derivative) {
  const Tensor x = uniform({3, 4}, 1);
  for (const std::string& spec : device_specs()) {
    const Device other = open_device(spec), here = x.device();
    for (const Moving& each : moving()) {
      SCOPED_TRACE(spec + ", " + each.name);
      const auto there = [&](const Tensor& at) { return at.to(other); };
      const auto back = [&](const Tensor& at) { return at.to(here); };
      const auto moved = [&](const Tensor& at) { return each.f(at, there, back); };
      const auto staying = [&](const Tensor& at) { return each.f(at, stay, stay); };
      EXPECT_TRUE(matches(derivative(moved, x), download(derivative(staying, x)), {0, 1e-5, 1e-5}));
    }
  }
}

EG_TEST(Transfers, have_gradients) {
  expect_each_as_on_one_device(
      [](auto& f, const Tensor& x) { return grad([&](const Tensors& at) { return sum(square(f(at[0]))); }, {x})[0]; });
}

EG_TEST(Transfers, have_gradients_of_gradients) {
  expect_each_as_on_one_device([](auto& f, const Tensor& x) {
    const auto slope = [&](const Tensors& at) {
      return sum(exp(grad([&](const Tensors& inner) { return sum(square(f(inner[0]))); }, at)[0]));
    };
    return grad(slope, {x})[0];
  });
}

EG_TEST(Transfers, have_forward_derivatives) {
  expect_each_as_on_one_device([](auto& f, const Tensor& x) {
    return jvp([&](const Tensors& at) { return Tensors{f(at[0])}; }, {x}, {cos(x)}).second[0];
  });
}

EG_TEST(Transfers, are_mapped) {
  expect_each_as_on_one_device([](auto& f, const Tensor& x) {
    const auto slope = [&](const Tensors& at) {
      return grad([&](const Tensors& inner) { return sum(square(f(inner[0]))); }, at);
    };
    return vmap(slope, {0})({stack({x, x * 2}, 0)})[0];
  });
}

}  // namespace
}  // namespace eglantine::test
