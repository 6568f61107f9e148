#include "eglantine/grad.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "eglantine/ops.hpp"
#include "eglantine/own.hpp"
#include "eglantine/profile.hpp"
#include "eglantine/tile.hpp"
#include "grad/tape.hpp"
#include "graph/node.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/plans_for_gpus.hpp"

/// Functions that are differentiated, whatever they do besides.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, Grad);
EG_ON_EACH_DEVICE(Graph, GradKernels);

Tensor cube(const Tensors& x) { return sum(x[0] * x[0] * x[0]); }

std::vector<float> values(const Tensor& x) { return x.to_vector<float>(); }

EG_TEST(Grad, nests_to_any_order) {
  const Tensor x = Tensor::from({1.0F, 2.0F}, {2});
  const auto first = [](const Tensors& at) { return sum(grad(cube, at)[0]); };
  const auto second = [&](const Tensors& at) { return sum(grad(first, at)[0]); };
  EXPECT_EQ(values(grad(cube, {x})[0]), (std::vector<float>{3, 12}));
  EXPECT_EQ(values(grad(first, {x})[0]), (std::vector<float>{6, 12}));
  EXPECT_EQ(values(grad(second, {x})[0]), (std::vector<float>{6, 6}));
}

EG_TEST(Grad, goes_through_values_that_the_function_reads) {
  const Tensor x = Tensor::from({1.0F, 2.0F}, {2});
  const auto f = [](const Tensors& at) {
    Tensor y = at[0] * 3;
    while (sum(y).item<float>() < 100) y = y * 2;  // doubled four times
    return sum(y.eval() * at[0].eval());
  };
  EXPECT_EQ(values(grad(f, {x})[0]), (std::vector<float>{96, 192}));
}

EG_TEST(Grad, tells_inner_from_outer_inputs) {
  const Tensor x = Tensor::from({2.0F}, {1}), y = Tensor::from({5.0F}, {1});
  const auto f = [&](const Tensors& at) {
    // d/dy of x y^2 is 2 x y, of which d/dx is 2 y.
    return sum(grad([&](const Tensors& inner) { return sum(at[0] * square(inner[0])); }, {y})[0]);
  };
  EXPECT_EQ(values(grad(f, {x})[0]), (std::vector<float>{10}));
}

EG_TEST(Grad, of_what_an_input_does_not_reach_is_zero) {
  const Tensor x = ones({2, 3}), whole = ones({2}, DType::i32), empty = ones({0, 3});
  const Tensors found = grad([](const Tensors& at) { return sum(at[0] * 2); }, {x, x, whole, empty});
  EXPECT_EQ(values(found[0]), std::vector<float>(6, 2));
  EXPECT_EQ(values(found[1]), std::vector<float>(6, 0));
  EXPECT_EQ(found[2].dtype(), DType::f32);
  EXPECT_EQ(values(found[2]), std::vector<float>(2, 0));
  EXPECT_EQ(found[3].shape(), (Shape{0, 3}));
}

EG_TEST(Grad, of_narrow_inputs_is_narrow) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Tensor x = Tensor::from({1.0F, 2.0F}, {2}).astype(dtype);
    const Tensor found = grad([](const Tensors& at) { return sum(square(at[0])); }, {x})[0];
    EXPECT_EQ(found.dtype(), dtype);
    EXPECT_EQ(values(found.astype(DType::f32)), (std::vector<float>{2, 4}));
  }
}

/// A residual stream is added to and normalised: neither rule reads it.
EG_TEST(Grad, lets_go_of_values_that_no_rule_reads) {
  const Tensor x = uniform({6, 40}, 1).eval();
  std::weak_ptr<const Node> added, squared;
  const auto f = [&](const Tensors& at) {
    const Tensor a = exp(at[0]).eval(), b = (a + at[0]).eval(), c = (layer_norm(b, {1}).eval() + b).eval();
    added = b.node();
    squared = c.node();
    return sum(square(c));
  };
  const derivatives::Tape tape("grad", [&](const Tensors& at) { return Tensors{f(at)}; }, {x});
  EXPECT_TRUE(added.expired());
  EXPECT_FALSE(squared.expired());
  EXPECT_LT(max(abs(tape.back({ones({})})[0] - grad(f, {x})[0])).item<float>(), 1e-5F);
}

EG_TEST(Grad, of_a_function_that_throws_leaves_nothing_behind) {
  const Tensor x = ones({3});
  EXPECT_THROW(
      grad([](const Tensors& at) -> Tensor { throw std::runtime_error(at[0].size() == 3 ? "three" : ""); }, {x}),
      std::runtime_error);
  EXPECT_EQ(values(grad(cube, {x})[0]), std::vector<float>(3, 3));
}

/// Only its values stay: a loop that keeps its losses keeps no graph of each.
EG_TEST(Grad, keeps_no_history_of_its_results) {
  const Tensor x = uniform({64}, 1).eval();
  const auto [value, slopes] = value_and_grad([](const Tensors& at) { return sum(exp(at[0]).eval()); }, {x});
  eval({value, slopes[0]});
  EXPECT_TRUE(value.node()->origin().index() == value.node()->value().index());
  EXPECT_TRUE(slopes[0].node()->as<nodes::Leaf>() != nullptr);
}

EG_TEST(Grad, own_derivatives_have_derivatives) {
  const Function twice_as_steep = custom_vjp(
      [](const Tensors& x) {
        return Tensors{exp(x[0]), x[0] * 3};
      },
      [](const Tensors&, const Tensors& results, const Tensors& g) {
        return Tensors{2 * results[0] * g[0] + 6 * g[1]};
      });
  const auto f = [&](const Tensors& x) { return sum(twice_as_steep(x)[0]); };
  const auto slope = [&](const Tensors& x) { return sum(grad(f, x)[0]); };
  const Tensor x = zeros({2});
  EXPECT_EQ(values(grad(f, {x})[0]), std::vector<float>(2, 2));
  EXPECT_EQ(values(grad(slope, {x})[0]), std::vector<float>(2, 4));
  // f(x)^2, of which the derivative reads f(x) twice: in f(x)^2 and in f's own.
  const auto squared = [&](const Tensors& at) { return sum(square(twice_as_steep(at)[0])); };
  EXPECT_EQ(values(grad([&](const Tensors& at) { return sum(grad(squared, at)[0]); }, {x})[0]),
            std::vector<float>(2, 16));
  const auto both = [&](const Tensors& at) { return sum(twice_as_steep(at)[0] + twice_as_steep(at)[1]); };
  EXPECT_EQ(values(grad(both, {x})[0]), std::vector<float>(2, 8));
}

EG_TEST(Grad, is_the_same_through_checkpoints) {
  const Tensor x = uniform({4, 5}, 1), w = uniform({5, 5}, 2);
  const Function layer = [](const Tensors& at) { return Tensors{tanh(matmul(at[0], at[1]))}; };
  const auto model = [&](const Function& f) {
    return [f](const Tensors& at) { return sum(square(f({f(at)[0], at[1]})[0])); };
  };
  const Tensors plain = grad(model(layer), {x, w}), again = grad(model(checkpoint(layer)), {x, w});
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(matches(again[i], download(plain[i]), {0, 1e-6, 1e-6}));
}

EG_TEST(Grad, what_has_no_derivative_says_so) {
  const Tensor x = ones({4});
  const ReduceOp largest{"largest", -1, "max(a, b)", [](float a, float b) { return std::max(a, b); }};
  const std::string rest = " has no derivative yet; take stop_gradient of it, or give one by custom_vjp";
  EXPECT_ERROR(grad([&](const Tensors& at) { return reduce(at[0], largest); }, {x}), Error,
               "[grad] \"largest\", a reduction of one's own," + rest);
  EXPECT_ERROR(grad([&](const Tensors& at) { return sum(scan(at[0], largest, 0)); }, {x}), Error,
               "[grad] \"largest\", a scan of one's own," + rest);
  EXPECT_ERROR(grad([&](const Tensors& at) { return sum(PartitionView(at[0], {2}).reduce(largest)); }, {x}), Error,
               "[grad] \"largest\", a reduction of tiles of one's own," + rest);
}

EG_TEST(Grad, errors_name_the_function_that_is_called) {
  const Tensor x = ones({4});
  const ReduceOp largest{"largest", -1, "max(a, b)", [](float a, float b) { return std::max(a, b); }};
  const Function f = [&](const Tensors& at) { return Tensors{reduce(at[0], largest)}; };
  const ScalarFunction number = [&](const Tensors& at) { return f(at)[0]; };
  const std::string rest =
      "\"largest\", a reduction of one's own, has no derivative yet; take stop_gradient of it, or give one by "
      "custom_vjp";
  EXPECT_ERROR(value_and_grad(number, {x}), Error, "[value_and_grad] " + rest);
  EXPECT_ERROR(vjp(f, {x}, {ones({})}), Error, "[vjp] " + rest);
  EXPECT_ERROR(jvp(f, {x}, {x}), Error, "[jvp] " + rest);
  EXPECT_ERROR(jacobian(f, {x}), Error, "[jacobian] " + rest);
  EXPECT_ERROR(hessian(number, x), Error, "[hessian] " + rest);
  const ElementwiseOp none{"none", 1, "x0", [](std::span<const float> at) { return at[0]; }};
  EXPECT_ERROR(vjp([&](const Tensors& at) { return Tensors{elementwise(none, at)}; }, {x}, {x}), Error,
               "[vjp] \"none\", an operation of one's own without a vjp, has no derivative yet; take stop_gradient of "
               "it, or give one by custom_vjp");
}

EG_TEST(Grad, of_many_threads_at_once) {
  std::vector<std::thread> threads;
  std::vector<int> right(8);
  const Device here = device();
  for (size_t i = 0; i < right.size(); ++i)
    threads.emplace_back([&, i] {
      const Tensor x = full({16}, static_cast<float>(i), DType::f32, here);
      for (int step = 0; step < 20; ++step)
        right[i] += values(grad(cube, {x})[0]) == std::vector<float>(16, 3.0F * static_cast<float>(i * i)) ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  for (int count : right) EXPECT_EQ(count, 20);
}

/// What a derivative has used is let go on the way, also where no gradient is computed yet.
EG_TEST(Grad, of_a_long_function_keeps_little_of_it) {
  constexpr int64_t rows = 1 << 14, columns = 512, layers = 16;  // 32 MiB each
  const Tensor x = uniform({rows, columns}, 1).eval();
  Tensors w;
  for (int64_t i = 0; i < layers; ++i) w.push_back(uniform({columns}, static_cast<uint64_t>(i)).eval());
  const auto f = [&](const Tensors& at) {
    Tensor y = x;
    for (const Tensor& each : at) y = tanh(y * each).eval();
    return sum(y);
  };
  device().synchronize();
  const int64_t before = device().memory().live;
  const Tensors found = grad(f, w);
  device().synchronize();
  EXPECT_LT(device().memory().live - before, int64_t{400} << 20) << "of " << layers * 32 << " MiB";
  EXPECT_TRUE(std::isfinite(sum(found.front()).item<float>()));
}

/// A derivative fuses as what users write does.
EG_TEST(GradKernels, fuse) {
  const Tensor x = uniform({64, 100}, 1).eval(), g = uniform({64, 100}, 2).eval();
  EXPECT_EQ(kernels_of(grad([](const Tensors& at) { return sum(tanh(exp(at[0]) * 2)); }, {x})), 1);
  EXPECT_EQ(kernels_of(vjp([](const Tensors& at) { return Tensors{softmax(at[0], 1)}; }, {x}, {g}).second), 1);
}

/// Of a graph so long that it is evaluated in parts, before cotangents go back and on their way.
EG_TEST(GradKernels, compute_no_product_twice) {
  constexpr int layers = 60;
  const Tensor x = uniform({32, 32}, 1).eval(), bias = uniform({32}, 2).eval();
  Tensors w;
  for (int i = 0; i < layers; ++i) w.push_back((uniform({32, 32}, 3 + static_cast<uint64_t>(i)) - 0.5F).eval());
  const auto f = [&](const Tensors& at) {
    Tensor y = x;
    for (const Tensor& each : at) y = gelu(matmul(y, each) + bias);
    return sum(y);
  };
  Profile profile;
  eval(grad(f, w));
  int64_t products = 0;
  for (const ProfiledKernel& each : profile.stop().kernels)
    if (each.kernel.starts_with("matmul")) products += each.runs;
  EXPECT_EQ(products, 3 * layers - 1);  // the first layer's input has no gradient
}

/// What functions made again would wait for the last of them, pending.
EG_TEST(GradKernels, of_checkpoints_run_one_after_another) {
  constexpr int layers = 6;
  Tensors w;
  for (uint64_t i = 0; i < layers; ++i) w.push_back(uniform({32, 32}, i).eval());
  const Function layer = checkpoint([](const Tensors& at) { return Tensors{tanh(matmul(at[0], at[1]))}; });
  const auto f = [&](const Tensors& at) {
    Tensor y = ones({32, 32});
    for (const Tensor& each : at) y = layer({y, each})[0];
    return sum(y);
  };
  const Tensors found = grad(f, w);
  Profile profile;
  eval(found);
  for (const ProfiledKernel& each : profile.stop().kernels) EXPECT_FALSE(each.kernel.starts_with("matmul"));
}

/// As attention's heads are cut from one product: what is permuted is copied, and all are put together at once.
EG_TEST(GradKernels, of_slices_of_split_axes_fuse) {
  const Tensor x = uniform({4, 6, 24}, 1).eval(), g = uniform({3, 4, 6, 2, 4}, 2).eval();
  for (const bool permuted : {false, true}) {
    const auto heads = [&](const Tensor& at, int64_t i) {
      const Tensor split = at.slice(2, 8 * i, 8 * i + 8).reshape({4, 6, 2, 4});
      return permuted ? split.permute({0, 2, 1, 3}) * g[i].permute({0, 2, 1, 3}).eval() : split * g[i];
    };
    const auto f = [&](const Tensors& at) {
      return sum(heads(at[0], 0)) + sum(heads(at[0], 1)) + sum(heads(at[0], 2));
    };
    const Tensors found = grad(f, {x});
    EXPECT_EQ(kernels_of(found), permuted ? 4 : 1);
    EXPECT_TRUE(same_bits(found[0], permute(g, {1, 2, 0, 3, 4}).reshape({4, 6, 24})));
  }
}

/// The runs of kernels whose line begins so, while f runs.
int64_t runs_of(const std::string& kernel, const std::function<void()>& f) {
  Profile profile;
  f();
  int64_t runs = 0;
  for (const ProfiledKernel& each : profile.stop().kernels)
    if (each.kernel.rfind(kernel, 0) == 0) runs += each.runs;
  return runs;
}

/// A function that is evaluated in parts multiplies once: what its derivative will read is stored then.
EG_TEST(GradKernels, store_what_they_read_of_a_product) {
  const Tensor x = uniform({37, 48}, 1).eval(), w = uniform({48, 29}, 2).eval(), b = uniform({29}, 3).eval();
  const auto gradient_of = [&](Tensor (*activation)(const Tensor&)) {
    return runs_of("matmul f32 (37, 48) x (48, 29)", [&] {
      const auto f = [&](const Tensors& at) { return sum(square(activation(matmul(x, at[0]) + b).eval())); };
      grad(f, {w})[0].eval();
    });
  };
  EXPECT_EQ(gradient_of(gelu), 1);
  EXPECT_EQ(gradient_of(sigmoid), 1);
  EXPECT_EQ(gradient_of(relu), 1);
}

/// Rows of logits that no chip holds are read once for the loss, which has one number a row, and once on the way back,
/// on GPUs by one kernel; on the CPU, where a second exponential takes longer, exponentials are stored.
EG_TEST(GradKernels, of_a_loss_store_no_exponentials) {
  const Tensor x = uniform({64, 40000}, 1).eval(), labels = zeros({64}, DType::i32).eval();
  const std::string both = plans_for_gpus(device()) ? "" : " of each row,";
  const int64_t of_rows = runs_of("row f32" + both + " (40000,) for each of (64,)", [&] {
    const auto [loss, found] = value_and_grad([&](const Tensors& at) { return cross_entropy(at[0], labels); }, {x});
    eval({loss, found[0]});
    EXPECT_TRUE(std::isfinite(loss.item<float>()));
  });
  const bool few = binds_few_buffers();  // in parts, where few buffers bind
  EXPECT_EQ(of_rows, device().info().kind == "cpu" || few ? 0 : 1);
}

/// Dispatches bound a step of a small network. On GPUs its loss takes four, also where gradients are evaluated before
/// it: the labels that count and the rows with the gradient, then their logits and the sum of the losses.
EG_TEST(GradKernels, of_cross_entropy_are_few) {
  const Tensor x = uniform({128, 10}, 1).eval(), labels = (arange(0, 128, 1, DType::i32) % 10).eval();
  const auto both = [&] {
    return value_and_grad([&](const Tensors& at) { return cross_entropy(at[0], labels); }, {x});
  };
  const auto [loss, gradients] = both();
  const int64_t together = kernels_of({loss, gradients[0]});
  const auto [later, first] = both();
  const int64_t of_gradient = kernels_of(first[0]), of_loss = kernels_of(later);
  EXPECT_EQ(values(later), values(loss));
  if (!plans_for_gpus(device())) return;
  EXPECT_EQ(together, 4);
  EXPECT_EQ(of_gradient, 2);
  EXPECT_EQ(of_loss, 2);
}

/// A layer's weight is multiplied transposed: its cotangent lies as the weight does, and its step is an epilogue.
EG_TEST(GradKernels, of_transposed_matrices_lie_as_what_was_transposed) {
  const Tensor x = uniform({37, 48}, 1).eval(), w = uniform({29, 48}, 2).eval(), g = uniform({37, 29}, 3).eval();
  const auto f = [](const Tensors& at) { return Tensors{matmul(at[0], at[1].transpose(0, 1))}; };
  const Tensors found = vjp(f, {x, w}, {g}).second;
  EXPECT_TRUE(matches(found[0], download(matmul(g, w)), {0, 1e-6, 1e-6}));
  EXPECT_TRUE(matches(found[1], download(matmul(g.transpose(0, 1), x)), {0, 1e-6, 1e-6}));
  EXPECT_EQ(kernels_of(w - vjp(f, {x, w}, {g}).second[1] * 0.1F), 1);
  const auto of_transposed = [](const Tensors& at) { return Tensors{matmul(at[0].transpose(0, 1), at[1])}; };
  const Tensor turned = (x.transpose(0, 1) * 1).eval();
  const Tensor v = (w.transpose(0, 1) * 1).eval();
  EXPECT_TRUE(
      matches(vjp(of_transposed, {turned, v}, {g}).second[0], download(matmul(v, g.transpose(0, 1))), {0, 1e-6, 1e-6}));
}

}  // namespace
}  // namespace eglantine::test
