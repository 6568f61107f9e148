#include <gtest/gtest.h>

#include "backend/gl/lowered.hpp"
#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/plan.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"

/// What is made of computed pieces, element by element: on a GPU of the pieces, which are not stored for it. Short ones
/// are written by one kernel.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, Pieces);

constexpr int64_t gpu_line = 32;

size_t kernels_on(int64_t line, const std::vector<Tensor>& results) {
  DeviceLimits limits;
  limits.line = line;
  std::vector<NodePtr> roots;
  for (const Tensor& x : results) roots.push_back(x.node());
  const GraphLock lock;
  return plan(roots, limits, gl::unstored).kernels.size();
}

struct Two {
  Array a = random_reals({40, 6}, -1, 1, 1), b = random_reals({40, 6}, -1, 1, 2), c = random_reals({80, 6}, -1, 1, 3);
  Tensor left = upload(a), right = upload(b), other = upload(c);

  Tensor pieces() const { return concatenate({left * 2.0F, -right}, 0); }
  Array reference() const {
    return naive::concatenate({naive::map(a, DType::f32, [](double x) { return 2 * x; }),
                               naive::map(b, DType::f32, [](double x) { return -x; })},
                              0);
  }
};

EG_TEST(Pieces, of_an_element_wise_node_are_its_own) {
  const Two t;
  const Tensor y = relu(t.pieces()) * t.other;
  EXPECT_EQ(kernels_on(gpu_line, {y}), 1U);
  EXPECT_EQ(kernels_on(0, {y}), 2U);
  const Array gated = naive::map(t.reference(), DType::f32, [](double x) { return std::max(x, 0.0); });
  EXPECT_TRUE(matches(y, naive::map(gated, t.c, DType::f32, [](double x, double z) { return x * z; }),
                      Tolerance{0, 1e-6, 1e-7}));
}

EG_TEST(Pieces, that_something_else_reads_stay) {
  const Two t;
  const Tensor x = t.pieces();
  EXPECT_EQ(kernels_on(gpu_line, {relu(x), x}), 2U);
  EXPECT_EQ(kernels_on(gpu_line, {relu(x), sum(x, {1})}), 3U);
}

/// A chain that is too long for one kernel is cut.
EG_TEST(Pieces, of_a_long_chain_are_stored_once_at_least) {
  const Two t;
  const auto chain = [&](int length) {
    Tensor y = t.pieces();
    for (int i = 0; i < length; ++i) y = y * t.other;
    return y;
  };
  EXPECT_EQ(kernels_on(gpu_line, {chain(8)}), 1U);
  EXPECT_EQ(kernels_on(gpu_line, {chain(9)}), 2U);
}

/// What lies in memory is copied to its place as before.
EG_TEST(Pieces, that_are_not_computed_stay) {
  const Two t;
  EXPECT_EQ(kernels_on(gpu_line, {relu(concatenate({t.left * 2.0F, t.right}, 0))}), 2U);
}

EG_TEST(Pieces, of_a_gradient_of_largest_elements_are_gated) {
  const Tensor x = upload(random_reals({2, 3, 12, 8}, -1, 1, 1)), g = upload(random_reals({2, 3, 6, 4}, -1, 1, 2));
  const auto pooled = [](const Tensors& at) { return Tensors{max_pool(at[0], 3, {.stride = 2, .padding = 1})}; };
  const auto gated = [&](const Tensors& at) { return pooled({relu(at[0])}); };
  const Tensor y = vjp(gated, {x}, {g}).second[0];
  EXPECT_LT(kernels_on(gpu_line, {y}), kernels_on(0, {y}));
  const Tensor ungated = vjp(pooled, {relu(x).eval()}, {g}).second[0].eval();
  EXPECT_TRUE(same_bits(y, where(x > 0, ungated, 0.0F)));
}

}  // namespace
}  // namespace eglantine::test
