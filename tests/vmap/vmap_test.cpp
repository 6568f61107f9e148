#include <atomic>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Functions mapped over an axis: which axes, what is read, and derivatives on either side.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Derivatives, Vmap);

std::vector<float> values(const Tensor& x) { return x.to_vector<float>(); }

bool same_values(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() && allclose(a, b, 1e-5, 1e-6, true);
}

/// The same, and how often it is called.
Function counted(const Function& f, int& calls) {
  return [f, &calls](const Tensors& x) {
    ++calls;
    return f(x);
  };
}

const Function dot_product = [](const Tensors& x) { return Tensors{sum(x[0] * x[1])}; };
const Function doubled = [](const Tensors& x) { return Tensors{x[0] * 2}; };

EG_TEST(Vmap, maps_any_axis_of_each_argument) {
  const Tensor a = uniform({3, 4}, 1), b = uniform({4, 3}, 2), c = uniform({4}, 3);
  EXPECT_TRUE(same_values(vmap(dot_product, {0, 1})({a, b})[0], sum(a * b.transpose(0, 1), 1)));
  EXPECT_TRUE(same_values(vmap(dot_product, {-2, -1})({a, b})[0], sum(a * b.transpose(0, 1), 1)));
  EXPECT_TRUE(same_values(vmap(dot_product, {0, std::nullopt})({a, c})[0], matmul(a, c)));
  EXPECT_TRUE(same_values(vmap(dot_product, {std::nullopt, 0})({c, a})[0], matmul(a, c)));
}

EG_TEST(Vmap, stacks_along_any_axis) {
  const Tensor x = uniform({2, 3, 4}, 1);
  for (const int axis : {0, 1, 2, -1, -2, -3})
    EXPECT_TRUE(same_values(vmap(doubled, {1}, axis)({x})[0], moveaxis(x * 2, 1, axis))) << axis;
}

EG_TEST(Vmap, repeats_what_no_slice_leads_to) {
  const Tensor x = uniform({3, 2}, 1), y = arange(0, 2).astype(DType::i32);
  const Function f = [&](const Tensors& at) { return Tensors{y, at[0], at[1]}; };
  const Tensors found = vmap(f, {0, std::nullopt})({x, y});
  EXPECT_TRUE(same_values(found[0], broadcast_to(y, {3, 2})));
  EXPECT_TRUE(same_values(found[1], x));
  EXPECT_TRUE(same_values(found[2], broadcast_to(y, {3, 2})));
}

EG_TEST(Vmap, of_no_slices_is_empty) {
  int calls = 0;
  const Function f = [](const Tensors& x) { return Tensors{sum(x[0]), x[0] > 1}; };
  const Tensors found = vmap(counted(f, calls), {0}, -1)({zeros({0, 5})});
  EXPECT_EQ(found[0].shape(), (Shape{0}));
  EXPECT_EQ(found[1].shape(), (Shape{5, 0}));
  EXPECT_EQ(found[1].dtype(), DType::boolean);
  EXPECT_EQ(calls, 1);
}

EG_TEST(Vmap, runs_slices_together) {
  int calls = 0;
  const Function f = [](const Tensors& x) { return Tensors{tanh(matmul(x[1], x[0]).eval() + 1)}; };
  const Tensor x = uniform({5, 4}, 1), w = uniform({3, 4}, 2);
  const Tensor found = vmap(counted(f, calls), {0, std::nullopt})({x, w})[0];
  EXPECT_TRUE(same_values(found, tanh(matmul(x, w.transpose(0, 1)) + 1)));
  EXPECT_EQ(calls, 1);
}

EG_TEST(Vmap, goes_one_by_one_where_the_function_reads) {
  int calls = 0;
  const Function f = [](const Tensors& x) {
    Tensor y = stop_gradient(x[0]);
    while (sum(y).item<float>() < 10) y = y * 2;
    return Tensors{y};
  };
  const Tensor x = Tensor::from({1.0F, 2.0F, 20.0F}, {3, 1});
  EXPECT_EQ(values(vmap(counted(f, calls), {0})({x})[0]), (std::vector<float>{16, 16, 20}));
  EXPECT_EQ(calls, 3);
}

EG_TEST(Vmap, goes_one_by_one_where_no_axis_is_left) {
  int calls = 0;
  const Function f = [](const Tensors& x) { return Tensors{sum(x[0].reshape({1, 2, 1, 1, 1, 1, 1, 1}) * 2)}; };
  EXPECT_EQ(values(vmap(counted(f, calls), {0})({ones({3, 2})})[0]), std::vector<float>(3, 4));
  EXPECT_EQ(calls, 3);
}

EG_TEST(Vmap, nests) {
  const Tensor a = uniform({3, 4}, 1), b = uniform({5, 4}, 2);
  const Function of_each_b = vmap(dot_product, {std::nullopt, 0});
  EXPECT_TRUE(same_values(vmap(of_each_b, {0, std::nullopt})({a, b})[0], matmul(a, b.transpose(0, 1))));
  EXPECT_TRUE(same_values(vmap(of_each_b, {0, std::nullopt}, 1)({a, b})[0], matmul(b, a.transpose(0, 1))));
  int calls = 0;
  const Tensor x = uniform({2, 3, 4}, 3);
  const Function twice = vmap(vmap(counted([](const Tensors& at) { return Tensors{sum(at[0])}; }, calls), {0}), {2});
  EXPECT_TRUE(same_values(twice({x})[0], sum(x, 1).transpose(0, 1)));
  EXPECT_EQ(calls, 1);
}

/// Gradients of each sample: sum(tanh(w x)), for every x.
EG_TEST(Vmap, maps_derivatives) {
  const Tensor w = uniform({3, 4}, 1), x = uniform({5, 4}, 2);
  const auto loss = [](const Tensors& at) { return sum(tanh(matmul(at[0], at[1]))); };
  const Function slopes = [&](const Tensors& at) { return grad(loss, at); };
  const Tensors found = vmap(slopes, {std::nullopt, 0})({w, x});
  for (int64_t i = 0; i < 5; ++i) {
    const Tensors wanted = grad(loss, {w, x[i]});
    EXPECT_TRUE(same_values(found[0][i], wanted[0]));
    EXPECT_TRUE(same_values(found[1][i], wanted[1]));
  }
  const Function pushed = [](const Tensors& at) {
    return jvp([](const Tensors& y) { return Tensors{exp(y[0])}; }, {at[0]}, {at[1]}).second;
  };
  EXPECT_TRUE(same_values(vmap(pushed, {0, 0})({x, x})[0], x * exp(x)));
}

EG_TEST(Vmap, has_derivatives) {
  const Tensor w = uniform({3, 4}, 1), x = uniform({5, 4}, 2);
  const Function f = [](const Tensors& at) { return Tensors{tanh(matmul(at[0], at[1]))}; };
  const auto mapped = [&](const Tensors& at) { return sum(square(vmap(f, {std::nullopt, 0})(at)[0])); };
  const auto plain = [](const Tensors& at) { return sum(square(tanh(matmul(at[1], at[0].transpose(0, 1))))); };
  const Tensors found = grad(mapped, {w, x}), wanted = grad(plain, {w, x});
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(same_values(found[i], wanted[i]));
  const auto second = [&](const Tensors& at) { return sum(square(grad(mapped, at)[0])); };
  EXPECT_NO_THROW(check_gradients([&](const Tensors& at) { return grad(second, at); }, {w, x}, 1e-2, 5e-2));
}

/// What is captured is the same in each slice, and has a derivative.
EG_TEST(Vmap, has_derivatives_by_what_is_captured) {
  const Tensor w = uniform({4}, 1), x = uniform({5, 4}, 2);
  const auto f = [&](const Tensors& at) {
    return sum(vmap([&](const Tensors& one) { return Tensors{sum(one[0] * at[0])}; }, {0})({x})[0]);
  };
  EXPECT_TRUE(same_values(grad(f, {w})[0], sum(x, 0)));
}

EG_TEST(Vmap, stops_where_the_function_does) {
  const Tensor x = uniform({5, 4}, 2);
  const auto f = [&](const Tensors& at) {
    return sum(vmap([](const Tensors& one) { return Tensors{one[0] * stop_gradient(one[0])}; }, {0})(at)[0]);
  };
  EXPECT_TRUE(same_values(grad(f, {x})[0], x));
}

EG_TEST(Vmap, takes_own_derivatives) {
  int calls = 0;
  const Function steep = custom_vjp(counted(doubled, calls),
                                    [](const Tensors&, const Tensors&, const Tensors& g) { return Tensors{g[0] * 7}; });
  const Tensor x = uniform({3, 2}, 1);
  const auto outside = [&](const Tensors& at) { return sum(vmap(steep, {0})(at)[0]); };
  EXPECT_EQ(values(grad(outside, {x})[0]), std::vector<float>(6, 7));
  EXPECT_EQ(calls, 3);
  const Function inside = [&](const Tensors& at) {
    return grad([&](const Tensors& y) { return sum(steep(y)[0]); }, at);
  };
  EXPECT_EQ(values(vmap(inside, {0})({x})[0]), std::vector<float>(6, 7));
  EXPECT_EQ(calls, 4);
  EXPECT_TRUE(same_values(vmap(steep, {0})({x})[0], x * 2));
  EXPECT_EQ(calls, 5);
}

/// All rows of a Jacobian in one pass.
EG_TEST(Vmap, of_cotangents_is_a_jacobian) {
  const Tensor x = uniform({4}, 1), w = uniform({3, 4}, 2);
  const Function f = [&](const Tensors& at) { return Tensors{tanh(matmul(w, at[0]))}; };
  const Function row = [&](const Tensors& v) { return vjp(f, {x}, v).second; };
  EXPECT_TRUE(same_values(vmap(row, {0})({eye(3)})[0], jacobian(f, {x})[0]));
}

EG_TEST(Vmap, leaves_nothing_behind_where_the_function_throws) {
  const Function bad = [](const Tensors& x) -> Tensors { throw std::runtime_error(std::to_string(x[0].rank())); };
  EXPECT_THROW(vmap(bad, {0})({ones({3})}), std::runtime_error);
  EXPECT_EQ(values(vmap(doubled, {0})({ones({3})})[0]), std::vector<float>(3, 2));
}

EG_TEST(Vmap, refuses_what_does_not_fit_together) {
  int calls = 0;
  const Function longer = [&](const Tensors& x) {
    ++calls;
    return x[0].item<float>() > 0 && calls > 1 ? Tensors{ones({calls})} : Tensors{ones({1})};
  };
  EXPECT_ERROR(vmap(longer, {0})({ones({3})}), ShapeError,
               "[vmap] the function's result 0 is (1,) of slice 0 and (2,) of slice 1");
  calls = 0;
  const Function more = [&](const Tensors& x) {
    return x[0].item<float>() > 0 && ++calls > 1 ? Tensors{} : Tensors{x[0]};
  };
  EXPECT_ERROR(vmap(more, {0})({ones({3})}), Error, "[vmap] the function gives 1 results of slice 0 and 0 of slice 1");
}

/// An index out of range is told with its slice.
EG_TEST(Vmap, tells_which_slice_is_wrong) {
  const Tensor x = uniform({4}, 1), index = Tensor::from({0, 1, 2, 9}, {2, 2});
  const Function f = [&](const Tensors& at) { return Tensors{take(x, at[0], 0)}; };
  EXPECT_ERROR(values(vmap(f, {0})({index})[0]), IndexError,
               "[take] index 9 at (1, 1) lies outside [-4, 4): axis 0 of (4,)");
}

}  // namespace
}  // namespace eglantine::test
