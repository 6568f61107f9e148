#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/own.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Derivatives of users' element-wise operations, which a user gives.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, OwnOperations);

/// x0^2 x1 + 1, of which the derivatives are 2 x0 x1 and x0^2.
ElementwiseOp squared_times() {
  return {"squared_times", 2, "x0 * x0 * x1 + 1.0", [](std::span<const float> x) { return x[0] * x[0] * x[1] + 1; },
          [](const Tensors& x, const Tensor&, const Tensor& g) {
            return Tensors{g * (2 * x[0] * x[1]), g * square(x[0])};
          }};
}

Tensors applied(const Tensors& x) { return {elementwise(squared_times(), x)}; }

std::vector<float> values_as_f32(const Tensor& x) { return x.astype(DType::f32).to_vector<float>(); }

EG_TEST(OwnOperations, have_the_derivative_that_they_are_given) {
  const Tensor x = uniform({3, 4}, 1), y = uniform({4}, 2);
  EXPECT_NO_THROW(check_gradients(applied, {x, y}));
  EXPECT_NO_THROW(check_gradients(applied, {x.transpose(0, 1), x.transpose(0, 1).slice(1, 0, 1)}));
  const Tensors found = grad([](const Tensors& at) { return sum(applied(at)[0]); }, {x, y});
  EXPECT_TRUE(matches(found[0], download(2 * x * y), {2}));
  EXPECT_TRUE(matches(found[1], download(sum(square(x), 0)), {4}));
}

EG_TEST(OwnOperations, have_derivatives_of_derivatives_and_forwards) {
  const Tensor x = uniform({5}, 1), y = uniform({5}, 2);
  const auto slopes = [](const Tensors& at) {
    return grad([](const Tensors& z) { return sum(square(applied(z)[0])); }, at);
  };
  EXPECT_NO_THROW(check_gradients(slopes, {x, y}, 1e-2, 5e-2));
  const Tensor pushed = jvp(applied, {x, y}, {ones({5}), 3 * ones({5})}).second[0];
  EXPECT_TRUE(matches(pushed, download(2 * x * y + 3 * square(x)), {4}));
}

EG_TEST(OwnOperations, take_narrow_operands_in_f32) {
  const Tensor x = Tensor::from({1.0F, 2.0F}, {2}).astype(DType::f16), y = full({2}, 3.0F).astype(DType::bf16);
  const ElementwiseOp op{"first", 2, "x0 + 0.0 * x1", [](std::span<const float> at) { return at[0]; },
                         [](const Tensors& at, const Tensor& result, const Tensor& g) {
                           for (const Tensor& one : {at[0], at[1], result, g}) EXPECT_EQ(one.dtype(), DType::f32);
                           return Tensors{g * at[1], Tensor()};  // none by the second
                         }};
  const Tensors found = grad([&](const Tensors& at) { return sum(elementwise(op, at)); }, {x, y});
  EXPECT_EQ(found[0].dtype(), DType::f16);
  EXPECT_EQ(values_as_f32(found[0]), (std::vector<float>{3, 3}));
  EXPECT_EQ(values_as_f32(found[1]), (std::vector<float>{0, 0}));
}

EG_TEST(OwnOperations, are_refused_without_a_fitting_derivative) {
  const auto slope_with = [](const decltype(ElementwiseOp::vjp)& vjp) {
    ElementwiseOp op = squared_times();
    op.vjp = vjp;
    return grad([&](const Tensors& at) { return sum(elementwise(op, at)); }, {ones({3}), ones({3})});
  };
  EXPECT_ERROR(slope_with({}), Error,
               "[grad] \"squared_times\", an operation of one's own without a vjp, has no derivative yet; take "
               "stop_gradient of it, or give one by custom_vjp");
  EXPECT_ERROR(slope_with([](const Tensors&, const Tensor&, const Tensor& g) { return Tensors{g}; }), Error,
               "[grad] the vjp of \"squared_times\" gives one cotangent for each of 2 operands, got 1");
  EXPECT_ERROR(slope_with([](const Tensors&, const Tensor&, const Tensor& g) {
                 return Tensors{g, sum(g)};
               }),
               ShapeError, "[grad] the vjp of \"squared_times\": cotangent 0 is (), what it belongs to is (3,)");
}

}  // namespace
}  // namespace eglantine::test
