#include "evaluate/pend.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/profile.hpp"
#include "evaluate/pending.hpp"
#include "graph/graph_lock.hpp"
#include "support/devices.hpp"

/// Building a node computes nothing; what becomes a tensor is bounded, with all that was built for it.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Evaluate, Pend);

int64_t weight_of(const NodePtr& x) {
  const GraphLock lock;
  return x->account(lock).weight;
}

NodePtr one_more(const NodePtr& x) {
  return make_elementwise(Op::add, x->dtype, {x, make_constant(x->device, x->dtype, x->shape, 1), nullptr});
}

EG_TEST(Pend, building_nodes_computes_nothing_and_weighs_nothing) {
  const int64_t before = statistics(device()).kernels;
  NodePtr x = Tensor::from(std::vector<int32_t>(13, 7), {13}).node();
  for (int64_t i = 0; i < 2 * max_pending_nodes; ++i) x = one_more(x);
  EXPECT_EQ(weight_of(x), 0);
  EXPECT_EQ(statistics(device()).kernels, before);
}

EG_TEST(Pend, what_was_built_for_a_node_is_bounded_with_it) {
  const int64_t before = statistics(device()).kernels;
  NodePtr x = Tensor::from(std::vector<int32_t>(13, 7), {13}).node();
  for (int64_t i = 0; i < 2 * max_pending_nodes; ++i) x = one_more(x);
  const Tensor y = pend(x);
  EXPECT_GE(statistics(device()).kernels, before + 1) << "of the first nodes";
  EXPECT_LE(weight_of(x), max_pending_nodes);
  EXPECT_EQ(y.to_vector<int32_t>(), std::vector<int32_t>(13, 7 + 2 * max_pending_nodes));
}

/// A reshape that no strides express copies its argument, by a node that no tensor holds.
EG_TEST(Pend, copies_within_a_loop_that_never_reads_are_counted) {
  Tensor x = Tensor::from(std::vector<int32_t>{0, 1, 2, 3, 4, 5}, {2, 3});
  const int64_t before = statistics(device()).kernels;
  for (int i = 0; i < 1200; ++i) {
    x = x.transpose(0, 1).reshape({2, 3});
    ASSERT_LE(weight_of(x.node()), max_pending_nodes);
  }
  EXPECT_GE(statistics(device()).kernels, before + 3);
  // The transposition of (2, 3) moves its four middle elements in a circle.
  EXPECT_EQ(x.to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
}

/// Also after a tensor so large that four of them may be kept, once it is gone.
EG_TEST(Pend, copies_that_nobody_has_read_keep_few_of_their_operands) {
  constexpr int64_t n = 1 << 18;
  const std::vector<int32_t> twos(n, 2);
  std::vector<Tensor> ends;
  {
    const Tensor large = (zeros({int64_t{1} << 26}, DType::i32) + 1).eval();
    std::vector<Tensor> many;  // pending at once: the dead are then looked for more seldom
    for (int i = 0; i < 1800; ++i) many.push_back(large.slice(0, i, i + 1) + i);
  }
  int64_t most = 0;
  for (int i = 0; i < 900; ++i) {
    const Tensor p = Tensor::from(twos, {2, n / 2});
    ends.push_back(p.transpose(0, 1).reshape({n}).slice(0, n - 2));
    most = std::max(most, device().memory().live);
  }
  EXPECT_LT(most, 512 << 20);
  for (const Tensor& each : ends) EXPECT_EQ(each.to_vector<int32_t>(), (std::vector<int32_t>{2, 2}));
}

/// What is half built would be cut in two.
EG_TEST(Pend, what_is_built_whole_is_not_computed_before_its_end) {
  constexpr int64_t n = 1 << 18;
  const std::vector<int32_t> twos(n, 2);
  std::vector<Tensor> ends;
  const auto keep_one_more = [&] {
    const Tensor p = Tensor::from(twos, {2, n / 2});
    ends.push_back(p.transpose(0, 1).reshape({n}).slice(0, n - 2));
  };
  const int64_t before = statistics(device()).kernels;
  {
    const BuiltWhole whole;
    for (int i = 0; i < 400; ++i) keep_one_more();
    settle_overdue();
    EXPECT_EQ(statistics(device()).kernels, before);
  }
  settle_overdue();
  EXPECT_GT(statistics(device()).kernels, before);
  EXPECT_LT(device().memory().live, 256 << 20);
  for (const Tensor& each : ends) EXPECT_EQ(each.to_vector<int32_t>(), (std::vector<int32_t>{2, 2}));
}

/// As the gradients of a layer's weight and bias, of one cotangent: alone each would compute it anew, and let go
/// nothing.
EG_TEST(Pend, results_of_one_pending_tensor_are_computed_together) {
  constexpr int64_t n = 1 << 9, pairs = 300;  // 2 MiB each
  const std::vector<float> ones(n * n, 1.0F);
  const Tensor w = Tensor::from(std::vector<float>(8 * n, 1.0F), {8, n});
  std::vector<Tensor> ends;
  Profile profile;
  for (int64_t i = 0; i < pairs; ++i) {
    const Tensor both = Tensor::from(ones, {n, n}) * Tensor::from(ones, {n, n});
    ends.push_back(sum(both, 0));
    ends.push_back(matmul(w, both));
  }
  EXPECT_LT(device().memory().live, 320 << 20);
  eval(ends);
  int64_t products = 0;
  for (const auto& kernel : profile.stop().kernels)
    if (kernel.kernel.find("mul of 2") != std::string::npos) products += kernel.runs;
  EXPECT_EQ(products, pairs);
}

/// A rule that begins shortly before the limit.
EG_TEST(Pend, what_is_built_whole_may_be_of_more_nodes) {
  Tensor x = Tensor::from(std::vector<int32_t>(13, 7), {13});
  for (int64_t i = 1; i < max_pending_nodes; ++i) x = pend(one_more(x.node()));
  const int64_t before = statistics(device()).kernels;
  {
    const BuiltWhole whole;
    for (int64_t i = 0; i < max_pending_nodes; ++i) x = pend(one_more(x.node()));
    EXPECT_EQ(statistics(device()).kernels, before);
    x = pend(one_more(pend(one_more(x.node())).node()));
    EXPECT_GT(statistics(device()).kernels, before) << "bounded, too";
  }
  for (int64_t i = 0; i < max_pending_nodes; ++i) x = pend(one_more(x.node()));
  EXPECT_LE(weight_of(x.node()), max_pending_nodes);
  EXPECT_EQ(x.to_vector<int32_t>(), std::vector<int32_t>(13, 7 + 3 * max_pending_nodes + 1));
}

/// A function of the user's that has a derivative of its own may keep no more than others, on the way forward and back.
EG_TEST(Pend, what_a_user_wrote_is_bounded_inside_of_derivatives) {
  constexpr int64_t n = 1 << 20, steps = 160;  // 4 MiB each
  const std::vector<float> ones(n, 1.0F);
  int64_t most = 0;
  const auto f = [&](const Tensors& at) {
    Tensor y = at[0];
    for (int64_t i = 0; i < steps; ++i) {
      y = y + Tensor::from(ones, {n});
      most = std::max(most, device().memory().live);
    }
    return Tensors{y};
  };
  const auto back = [&](const Tensors& at, const Tensors&, const Tensors& g) { return Tensors{g[0] + 0 * f(at)[0]}; };
  const Tensor x = Tensor::from(ones, {n});
  const Function own = custom_vjp(f, back);
  const Tensors found = grad([&](const Tensors& at) { return sum(own(at)[0]); }, {x});
  EXPECT_LT(most, int64_t{480} << 20) << "of " << steps * 4 << " MiB";
  EXPECT_EQ(found[0].to_vector<float>(), ones);
}

}  // namespace
}  // namespace eglantine::test
