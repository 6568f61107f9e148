#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "graph/node.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Whatever takes a function: what it throws leaves nothing behind, and what else it computes changes nothing.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, Interrupted);

/// A derivative of a function of one tensor, and its value at x for the sum of x^3.
struct Taking {
  const char* name;
  Tensor (*of)(const ScalarFunction& f, const Tensor& x);
  Tensor (*of_cubes)(const Tensor& x);
};

Function only_result(const ScalarFunction& f) {
  return [f](const Tensors& x) { return Tensors{f(x)}; };
}

Tensor slopes_of_cubes(const Tensor& x) { return 3 * square(x); }

const std::vector<Taking>& every_taking() {
  static const std::vector<Taking> all{
      {"grad", [](const ScalarFunction& f, const Tensor& x) { return grad(f, {x})[0]; }, slopes_of_cubes},
      {"value_and_grad", [](const ScalarFunction& f, const Tensor& x) { return value_and_grad(f, {x}).second[0]; },
       slopes_of_cubes},
      {"vjp", [](const ScalarFunction& f, const Tensor& x) { return vjp(only_result(f), {x}, {ones({})}).second[0]; },
       slopes_of_cubes},
      {"jvp", [](const ScalarFunction& f, const Tensor& x) { return jvp(only_result(f), {x}, {x}).second[0]; },
       [](const Tensor& x) { return 3 * sum(x * x * x); }},
      {"jacobian", [](const ScalarFunction& f, const Tensor& x) { return jacobian(only_result(f), {x})[0]; },
       slopes_of_cubes},
      {"hessian", [](const ScalarFunction& f, const Tensor& x) { return hessian(f, x); },
       [](const Tensor& x) { return diag(6 * x); }},
      {"checkpoint",
       [](const ScalarFunction& f, const Tensor& x) {
         const Function again = checkpoint(only_result(f));
         return grad([&](const Tensors& at) { return again(at)[0]; }, {x})[0];
       },
       slopes_of_cubes},
      {"custom_vjp",
       [](const ScalarFunction& f, const Tensor& x) {
         const Function own = custom_vjp(only_result(f), [&](const Tensors& at, const Tensors&, const Tensors& g) {
           return Tensors{g[0] * grad(f, at)[0]};
         });
         return grad([&](const Tensors& at) { return own(at)[0]; }, {x})[0];
       },
       slopes_of_cubes},
      {"vmap of grad",
       [](const ScalarFunction& f, const Tensor& x) {
         return vmap([&](const Tensors& at) { return grad(f, at); }, {0})({stack({x, x}, 0)})[0];
       },
       [](const Tensor& x) {
         return stack({slopes_of_cubes(x), slopes_of_cubes(x)}, 0);
       }},
      {"grad of grad",
       [](const ScalarFunction& f, const Tensor& x) {
         return grad([&](const Tensors& at) { return sum(grad(f, at)[0]); }, {x})[0];
       },
       [](const Tensor& x) { return 6 * x; }},
  };
  return all;
}

Tensor cubes(const Tensors& x) { return sum(x[0] * x[0] * x[0]); }

Tensor place() { return Tensor::from({0.5F, -1.0F, 2.0F}, {3}); }

bool is_right(const Taking& taking, const Tensor& found) {
  return allclose(found, taking.of_cubes(place()), 1e-5, 1e-6) && !found.node()->is_traced();
}

int calls_of(const Taking& taking) {
  int calls = 0;
  taking.of([&](const Tensors& x) { return ++calls, cubes(x); }, place());
  return calls;
}

/// Throws when it is called for the n-th time, with values computed and pending.
ScalarFunction throwing(int n, int& calls, Tensors& escaped) {
  return [n, &calls, &escaped](const Tensors& x) {
    if (++calls != n) return cubes(x);
    escaped = {x[0], exp(x[0]), square(x[0] + 1).eval()};
    throw std::runtime_error("call " + std::to_string(n));
  };
}

EG_TEST(Interrupted, what_a_function_throws_leaves_nothing_behind) {
  for (const Taking& taking : every_taking())
    for (int n = 1; n <= calls_of(taking); ++n) {
      SCOPED_TRACE(std::string(taking.name) + ", call " + std::to_string(n));
      int calls = 0;
      Tensors escaped;
      EXPECT_THROW(taking.of(throwing(n, calls, escaped), place()), std::runtime_error);
      EXPECT_EQ(calls, n);
      for (const Tensor& each : escaped) EXPECT_FALSE(each.node()->is_traced() || each.node()->awaits_derivative());
      EXPECT_TRUE(is_right(taking, taking.of(cubes, place())));
      // Constants to a later derivative.
      const ScalarFunction with_escaped = [&](const Tensors& x) {
        return cubes(x) + sum(escaped[0] + escaped[1] + escaped[2]) * 0;
      };
      EXPECT_TRUE(is_right(taking, taking.of(with_escaped, place())));
    }
}

/// An outer function that catches what an inner one throws has its derivative.
EG_TEST(Interrupted, what_is_caught_within_leaves_nothing_behind) {
  for (const Taking& outer : every_taking())
    for (const Taking& inner : every_taking()) {
      SCOPED_TRACE(std::string(inner.name) + " within " + outer.name);
      const ScalarFunction f = [&](const Tensors& x) {
        int calls = 0;
        Tensors escaped;
        EXPECT_THROW(inner.of(throwing(1, calls, escaped), x[0]), std::runtime_error);
        return cubes(x);
      };
      EXPECT_TRUE(is_right(outer, outer.of(f, place())));
    }
}

/// What may run meanwhile, and what it gives.
struct Other {
  const char* name;
  Tensor (*run)();
  std::vector<float> expected;
};

const std::vector<Other>& every_other() {
  static const std::vector<Other> all{
      {"a pending value", [] { return ones({3}) * 2 + 1; }, {3, 3, 3}},
      {"a computed value", [] { return (arange(0, 3) * 2).eval(); }, {0, 2, 4}},
      {"a number that is read", [] { return full({}, sum(arange(0, 5)).item<float>()); }, {10}},
      {"another derivative", [] { return grad(cubes, {ones({2})})[0]; }, {3, 3}},
      {"another derivative, computed", [] { return hessian(cubes, ones({1})).eval(); }, {6}},
      {"a mapped function",
       [] { return vmap([](const Tensors& x) { return Tensors{x[0] * 2}; }, {0})({arange(0, 3)})[0]; },
       {0, 2, 4}},
      {"another thread",
       [] {
         Tensor found;
         const Device here = Device::current();
         std::thread([&] { found = grad(cubes, {full({2}, 2.0F, DType::f32, here)})[0].eval(); }).join();
         return found;
       },
       {12, 12}},
      {"a function that throws",
       [] {
         EXPECT_THROW(grad([](const Tensors&) -> Tensor { throw std::runtime_error("no"); }, {ones({2})}),
                      std::runtime_error);
         return zeros({1});
       },
       {0}},
  };
  return all;
}

EG_TEST(Interrupted, what_else_a_function_computes_changes_nothing) {
  for (const Taking& taking : every_taking())
    for (const Other& other : every_other()) {
      SCOPED_TRACE(std::string(other.name) + " within " + taking.name);
      Tensors made;
      const ScalarFunction f = [&](const Tensors& x) {
        const Tensor squares = square(x[0]);
        made.push_back(other.run());
        const Tensor result = sum(squares * x[0]).eval();
        made.push_back(other.run());
        return result;
      };
      EXPECT_TRUE(is_right(taking, taking.of(f, place())));
      for (const Tensor& each : made) {
        EXPECT_TRUE(each.node()->traces.empty());
        EXPECT_EQ(each.to_vector<float>(), other.expected);
      }
    }
}

/// A number that a training loop logs would else keep a step's whole graph alive.
EG_TEST(Interrupted, what_a_function_lets_out_keeps_nothing_that_it_was_made_of) {
  for (const Taking& taking : every_taking())
    for (const bool throws : {false, true}) {
      SCOPED_TRACE(std::string(taking.name) + (throws ? ", thrown out of" : ""));
      Tensors let_out;
      std::vector<std::weak_ptr<const Node>> parts;
      const ScalarFunction f = [&](const Tensors& x) {
        const Tensor part = exp(x[0]);
        parts.emplace_back(part.node());
        let_out.push_back((part * 2).eval());
        if (throws) throw std::runtime_error("after its number");
        return cubes(x);
      };
      if (throws)
        EXPECT_THROW(taking.of(f, place()), std::runtime_error);
      else
        EXPECT_TRUE(is_right(taking, taking.of(f, place())));
      EXPECT_FALSE(parts.empty());
      for (const auto& part : parts) EXPECT_TRUE(part.expired());
    }
}

}  // namespace
}  // namespace eglantine::test
