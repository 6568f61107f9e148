#include "trust/bad_input/row.hpp"

/// Derivatives.
namespace eglantine::test::bad_input {

namespace {

Tensors twice(const Tensors& x) { return {x[0] * 2, x[0]}; }
Tensor whole(const Tensors& x) { return x[0].astype(DType::i32).reshape({}); }

const char* const no_function = "there is no function to call: the std::function is empty";

void add_scalar(Rows& rows, const std::string& name,
                const std::function<void(const ScalarFunction&, const Tensor&)>& use) {
  const auto add = [&](auto type, const std::string& wrong, const ScalarFunction& f, const std::string& message) {
    rows.push_back(row<typename decltype(type)::type>(
        name, wrong, [=] { use(f, of({1})); }, "[" + name + "] " + message));
  };
  add(
      std::type_identity<ShapeError>{}, "no number", [](const Tensors& x) { return x[0]; },
      "the function gives one number, of rank 0, got (1,); reduce it with sum or mean, or use vjp");
  add(std::type_identity<DTypeError>{}, "an integer", whole, "the function gives a float, got i32");
  add(std::type_identity<Error>{}, "no function", ScalarFunction(), no_function);
}

void add_products(Rows& rows) {
  rows.insert(rows.end(),
              {row<Error>(
                   "vjp", "too few cotangents", [] { return vjp(twice, {of({3})}, {of({3})}); },
                   "[vjp] wants one cotangent for each of 2 tensors, got 1"),
               row<ShapeError>(
                   "vjp", "another shape",
                   [] {
                     return vjp(twice, {of({3})}, {of({3}), of({2})});
                   },
                   "[vjp] cotangent 1 is (2,), what it belongs to is (3,)"),
               row<DTypeError>(
                   "vjp", "another dtype",
                   [] {
                     return vjp(twice, {of({3})}, {of({3}, DType::f16), of({3})});
                   },
                   "[vjp] cotangent 0 is f16, what it belongs to is f32; convert with astype"),
               row<Error>(
                   "vjp", "no cotangent",
                   [] {
                     return vjp(twice, {of({3})}, {of({3}), Tensor()});
                   },
                   "[vjp] cotangent 1 is no tensor, what it belongs to is f32 (3,); give zeros where there is none"),
               row<Error>(
                   "vjp", "a result that is no tensor",
                   [] { return vjp([](const Tensors&) { return Tensors{Tensor()}; }, {of({3})}, {of({3})}); },
                   "[vjp] the function's result 0 is no tensor"),
               row<ShapeError>(
                   "jvp", "another shape",
                   [] {
                     return jvp(twice, {of({3})}, {of({1, 3})});
                   },
                   "[jvp] tangent 0 is (1, 3), what it belongs to is (3,)"),
               row<Error>(
                   "jvp", "no tangent", [] { return jvp(twice, {of({3})}, {Tensor()}); },
                   "[jvp] tangent 0 is no tensor, what it belongs to is f32 (3,); give zeros where there is none"),
               row<Error>(
                   "jvp", "too many tangents",
                   [] {
                     return jvp(twice, {of({3})}, {of({3}), of({3})});
                   },
                   "[jvp] wants one tangent for each of 1 tensors, got 2"),
               row<Error>(
                   "jacobian", "two results", [] { return jacobian(twice, {of({3})}); },
                   "[jacobian] the function gives one tensor, got 2"),
               row<DTypeError>(
                   "jacobian", "integers",
                   [] { return jacobian([](const Tensors& x) { return Tensors{whole(x)}; }, {of({1})}); },
                   "[jacobian] the function gives floats, got i32")});
}

void add_own(Rows& rows) {
  const auto too_many = [](const Tensors&, const Tensors&, const Tensors& g) { return g; };
  const auto too_long = [](const Tensors&, const Tensors&, const Tensors&) { return Tensors{of({4})}; };
  const auto gradient = [](const Function& f) {
    return grad([&](const Tensors& x) { return sum(f(x)[0]); }, {of({3})});
  };
  rows.insert(
      rows.end(),
      {row<Error>(
           "checkpoint", "no function", [] { return checkpoint({}); }, std::string("[checkpoint] ") + no_function),
       row<Error>(
           "custom_vjp", "no function", [=] { return custom_vjp({}, too_many); },
           std::string("[custom_vjp] ") + no_function),
       row<Error>(
           "custom_vjp", "no derivative", [] { return custom_vjp(twice, {}); },
           std::string("[custom_vjp] ") + no_function),
       row<Error>(
           "custom_vjp", "too many cotangents", [=] { return gradient(custom_vjp(twice, too_many)); },
           "[custom_vjp] backward gives one cotangent for each of 1 tensors, got 2"),
       row<ShapeError>(
           "custom_vjp", "a cotangent of another shape", [=] { return gradient(custom_vjp(twice, too_long)); },
           "[custom_vjp] backward's cotangent 0 is (4,), what it belongs to is (3,)"),
       row<Error>(
           "grad", "of an operation without a vjp",
           [=] {
             const ElementwiseOp op{"mine", 1, "x0", [](std::span<const float> x) { return x[0]; }};
             return gradient([=](const Tensors& x) { return Tensors{elementwise(op, x)}; });
           },
           "[grad] \"mine\", an operation of one's own without a vjp, has no derivative yet; take stop_gradient of it, "
           "or give one by custom_vjp"),
       row<Error>(
           "check_gradients", "no step", [] { check_gradients(twice, {of({3})}, 0); },
           "[check_gradients] step and tolerance are above zero, got 0.000000 and 0.010000")});
}

void add_mapped(Rows& rows) {
  const auto sums = [](const Tensors& x) { return Tensors{sum(x[0])}; };
  const auto mapped = [=](std::vector<std::optional<int>> axes, const Tensors& x, int out_axis = 0) {
    return vmap(sums, std::move(axes), out_axis)(x);
  };
  rows.insert(rows.end(),
              {row<Error>(
                   "vmap", "no function", [] { return vmap({}, {0}); }, std::string("[vmap] ") + no_function),
               row<Error>(
                   "vmap", "no mapped axis",
                   [=] {
                     return vmap(sums, {std::nullopt, std::nullopt});
                   },
                   "[vmap] no axis is mapped; give at least one of the 2 tensors one"),
               row<Error>(
                   "vmap", "too few tensors",
                   [=] {
                     return mapped({0, 0}, {of({3})});
                   },
                   "[vmap] the function is mapped over the axes of 2 tensors, got 1"),
               row<ShapeError>(
                   "vmap", "an axis that x does not have", [=] { return mapped({1}, {of({3})}); },
                   "[vmap] axis 1 is out of range for a tensor of rank 1: it must lie in [-1, 0]"),
               row<ShapeError>(
                   "vmap", "an axis of a number", [=] { return mapped({0}, {of({})}); },
                   "[vmap] axis 0 of a scalar, which has no axes"),
               row<ShapeError>(
                   "vmap", "axes of other lengths",
                   [=] {
                     return mapped({0, 1}, {of({3}), of({3, 4})});
                   },
                   "[vmap] the mapped axes have one length, got 3 and, of tensor 1, 4"),
               row<ShapeError>(
                   "vmap", "an axis that no result has", [=] { return mapped({0}, {of({3})}, 1); },
                   "[vmap] axis 1 is out of range for a tensor of rank 1: it must lie in [-1, 0]"),
               row<Error>(
                   "vmap", "a result that is no tensor",
                   [] { return vmap([](const Tensors&) { return Tensors{Tensor()}; }, {0})({of({3})}); },
                   "[vmap] the function's result 0 is no tensor")});
}

}  // namespace

void add_grad(Rows& rows) {
  add_scalar(rows, "grad", [](const ScalarFunction& f, const Tensor& x) { grad(f, {x}); });
  add_scalar(rows, "value_and_grad", [](const ScalarFunction& f, const Tensor& x) { value_and_grad(f, {x}); });
  add_scalar(rows, "hessian", [](const ScalarFunction& f, const Tensor& x) { hessian(f, x); });
  add_products(rows);
  add_own(rows);
  add_mapped(rows);
}

}  // namespace eglantine::test::bad_input
