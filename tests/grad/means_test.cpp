#include <functional>
#include <string>
#include <vector>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/kernel_count.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"

/// Gradients of means: what is the same for all elements, and known beforehand, takes no kernel.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, MeanGradKernels);

constexpr Tolerance means_close{0, 1e-5, 1e-8};

EG_TEST(MeanGradKernels, are_one_of_many_elements) {
  const Shape shape{1024, 1100};
  const Tensor x = (uniform(shape, 1) - 0.5F).eval(), t = uniform(shape, 2).eval();
  const std::vector<std::pair<std::string, ScalarFunction>> losses{
      {"mean of squares", [](const Tensors& at) { return mean(square(at[0])); }},
      {"sum over a number", [](const Tensors& at) { return sum(square(at[0])) / 1024.0F; }},
      {"scaled", [](const Tensors& at) { return -mean(square(at[0])) * 128.0F; }},
      {"mse_loss", [&](const Tensors& at) { return mse_loss(at[0], t); }},
      {"mean of logsumexp", [](const Tensors& at) { return mean(logsumexp(at[0], {1})); }},
      {"mean of var", [](const Tensors& at) { return mean(var(at[0], {1})); }},
      {"mean of var by hand", [](const Tensors& at) { return mean(mean(square(at[0] - mean(at[0], 1, true)), 1)); }},
      {"mean of cross entropies", [&](const Tensors& at) { return mean(-sum(log_softmax(at[0], 1) * t, 1)); }},
  };
  for (const auto& [name, loss] : losses) {
    const Tensor slope = grad(loss, {x})[0];
    const std::string text = explain(slope);
    EXPECT_EQ(kernels_of(slope), 1) << name << "\n" << text;
  }
}

EG_TEST(MeanGradKernels, are_those_of_the_formula) {
  const Array x = random_reals({1024, 1100}, -2, 2, 1), t = random_reals({1024, 1100}, -2, 2, 2);
  const auto n = static_cast<double>(x.values.size());
  const Tensor target = upload(t);
  EXPECT_TRUE(matches(grad([](const Tensors& at) { return mean(square(at[0])); }, {upload(x)})[0],
                      naive::map(x, DType::f32, [&](double v) { return 2 * v / n; }), means_close));
  EXPECT_TRUE(matches(grad([&](const Tensors& at) { return mse_loss(at[0], target) * 3.0F; }, {upload(x)})[0],
                      naive::map(x, t, DType::f32, [&](double v, double w) { return 6 * (v - w) / n; }), means_close));
}

}  // namespace
}  // namespace eglantine::test
