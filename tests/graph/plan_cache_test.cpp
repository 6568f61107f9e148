#include "graph/replay/plan_cache.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "backend/device_state.hpp"
#include "eglantine/grad.hpp"
#include "eglantine/layers.hpp"
#include "eglantine/nn.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/optim.hpp"
#include "graph/kernel/parts.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_graphs.hpp"

/// A replayed plan is the plan that would be made.
namespace eglantine::test {
namespace {

BufferPtr pretend(int64_t bytes) { return std::make_shared<Buffer>(nullptr, bytes); }

/// Buffers of one plan and of another, which have to correspond: those that the graph reads are the same.
class Correspondence {
 public:
  explicit Correspondence(const std::vector<NodePtr>& roots) { graph_.read(roots); }

  void expect(const BufferPtr& a, const BufferPtr& b) {
    EXPECT_EQ(a->bytes(), b->bytes());
    EXPECT_EQ(to_.emplace(a.get(), b.get()).first->second, b.get());
    EXPECT_EQ(from_.emplace(b.get(), a.get()).first->second, a.get());
    EXPECT_EQ(graph_.number_of(*a), graph_.number_of(*b));
  }

 private:
  GraphStructure graph_;
  std::map<const Buffer*, const Buffer*> to_, from_;
};

void expect_same(const Expr& a, const Expr& b) {
  EXPECT_EQ(a.domain, b.domain);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.stored, b.stored);
  ASSERT_EQ(a.operands.size(), b.operands.size());
  for (size_t i = 0; i < a.operands.size(); ++i) {
    EXPECT_EQ(a.operands[i].storage, b.operands[i].storage);
    EXPECT_TRUE(layout::same(a.operands[i].layout, b.operands[i].layout));
  }
  ASSERT_EQ(a.code.size(), b.code.size());
  for (size_t i = 0; i < a.code.size(); ++i) {
    EXPECT_EQ(a.code[i].op, b.code[i].op);
    EXPECT_EQ(a.code[i].dtype, b.code[i].dtype);
    EXPECT_EQ(a.code[i].args, b.code[i].args);
  }
}

void expect_same(const Kernel& a, const Kernel& b, Correspondence& buffers) {
  EXPECT_EQ(describe(a), describe(b));
  EXPECT_TRUE(layout::same(output_of(a).layout, output_of(b).layout));
  std::vector<BufferPtr> handles;
  for_each_buffer(a, [&](const BufferPtr& buffer) { handles.push_back(buffer); });
  size_t handle = 0;
  for_each_buffer(b, [&](const BufferPtr& buffer) { buffers.expect(handles.at(handle++), buffer); });
  EXPECT_EQ(handle, handles.size());
  std::vector<const Expr*> expressions;
  for_each_expression(a, [&](const Expr& expr) { expressions.push_back(&expr); });
  size_t expression = 0;
  for_each_expression(b, [&](const Expr& expr) { expect_same(*expressions.at(expression++), expr); });
}

void expect_same(const Plan& a, const Plan& b, Correspondence buffers) {
  ASSERT_EQ(a.kernels.size(), b.kernels.size());
  for (size_t i = 0; i < a.kernels.size(); ++i) expect_same(a.kernels[i], b.kernels[i], buffers);
  for (const auto& [results, others] : {std::pair(&a.produced, &b.produced), std::pair(&a.seconds, &b.seconds)}) {
    ASSERT_EQ(results->size(), others->size());
    for (const auto& [node, stored] : *results) {
      ASSERT_EQ(others->count(node), 1U);
      EXPECT_EQ(others->at(node).storage, stored.storage);
      buffers.expect(stored.buffer, others->at(node).buffer);
    }
  }
  EXPECT_EQ(std::set(a.fused.begin(), a.fused.end()), std::set(b.fused.begin(), b.fused.end()));
  EXPECT_EQ(a.in_place, b.in_place);
}

/// The pending ones among the values that a graph wants; all others are dropped, so that memory may be taken over.
std::vector<NodePtr> roots_of(const RandomGraph& graph) {
  const std::vector<Tensor> values = graph.build();
  const GraphLock lock;
  std::vector<NodePtr> roots;
  for (size_t number : graph.wanted())
    if (is_pending(*values[number].node())) roots.push_back(values[number].node());
  return roots;
}

RandomGraph drawn_graph(uint64_t seed, GraphTypes types, uint64_t data) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  return {draw, types, 5 + static_cast<int64_t>(seed % 3), data};
}

EG_ON_EACH_DEVICE(Plans, PlanCaches);

/// How many plans the current device has recorded.
size_t recorded() {
  const GraphLock lock;
  return Device::current().state()->plans(lock).size();
}

EG_TEST(PlanCaches, replay_the_plan_that_would_be_made) {
  const Capabilities& limits = device().state()->capabilities();
  PlanCache cache(limits, pretend);
  Draw draw = draw_programs_one_of(8);
  for (uint64_t seed = draw_seed(), end = seed + 2000; seed < end; ++seed) {
    if (!draw.next()) continue;
    SCOPED_TRACE(seed);
    const GraphTypes types{seed % 2 == 0 ? DType::f32 : DType::i32, seed % 3 == 0};
    const std::vector<NodePtr> first = roots_of(drawn_graph(seed, types, 1));
    const std::vector<NodePtr> again = roots_of(drawn_graph(seed, types, 1));
    if (first.empty()) continue;
    const GraphLock lock;
    cache.plan(first, pretend);
    const size_t known = cache.size();
    const Plan planned = plan(again, limits, pretend);
    Plan replayed = cache.plan(again, pretend);
    expect_same(planned, replayed, Correspondence(again));
    // From kernels that have run, too, with whatever buffers they had.
    if (!replayed.pool) continue;  // of users' operations
    for (size_t i = 0; i < replayed.kernels.size(); ++i) replayed.pool->put(i, std::move(replayed.kernels[i]));
    expect_same(planned, cache.plan(again, pretend), Correspondence(again));
    EXPECT_EQ(cache.size(), known);
  }
}

/// Windows that are combined place by place, and one that reads what they give.
std::vector<Tensor> drawn_stencils(uint64_t seed, uint64_t data) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  const int64_t window = draw(1, 3), channels = draw(2, 4), stride = draw(1, 2), padding = draw(0, window / 2);
  const Tensor x = uniform({draw(1, 2), channels, draw(3, 9), draw(3, 9)}, data).eval();
  const Tensor w = uniform({channels, 1, window, draw(2, 3)}, data + 1).eval();
  const PoolOptions options{.stride = {stride, 1}, .padding = {{padding, padding}, {0, 0}}};
  const Tensor sums = conv(x, w, {.stride = {stride, stride}, .groups = channels});
  return {avg_pool(x, {window, 2}, options), max_pool(x, {window, 3}, options) * 2.0F, sums, sum(relu(sums), {1})};
}

/// What windows give back to what their largest elements are of, and one that reads it.
std::vector<Tensor> drawn_composites(uint64_t seed, uint64_t data) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  const int64_t window = draw(1, 3), stride = draw(1, 2), padding = draw(0, window / 2);
  const Tensor x = uniform({draw(1, 2), draw(2, 4), draw(3, 9), draw(3, 9)}, data).eval();
  const PoolOptions options{.stride = {stride, draw(1, 2)}, .padding = {{padding, padding}, {0, 0}}};
  const auto pool = [&](const Tensors& at) { return Tensors{max_pool(at[0], {window, 2}, options)}; };
  const Tensor g = uniform(pool({x})[0].shape(), data + 1).eval();
  const Tensor given = vjp(pool, {x}, {g}).second[0];
  return {given, sum(given * 2.0F, {1})};
}

template <class Value>
bool leads_to(const NodePtr& x) {
  if (x->as<Value>()) return true;
  const std::vector<NodePtr> sources = sources_of(*x);
  return std::any_of(sources.begin(), sources.end(), leads_to<Value>);
}

/// Where the plan is known, they stay one node; it has the kernels of the nodes that they stand for.
template <class Value>
void expect_replayed(const std::function<std::vector<Tensor>(uint64_t seed, uint64_t data)>& draw) {
  const Capabilities& limits = Device::current().state()->capabilities();
  PlanCache cache(limits, pretend);
  for (uint64_t seed = draw_seed(), end = seed + 60; seed < end; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<Tensor> first = draw(seed, 1), again = draw(seed, 2);
    const GraphLock lock;
    for (size_t i = 0; i < first.size(); ++i) {
      const std::vector<NodePtr> roots{again[i].node()};
      EXPECT_TRUE(leads_to<Value>(roots[0]));
      cache.plan({first[i].node()}, pretend);
      const size_t known = cache.size();
      const Plan replayed = cache.plan(roots, pretend);
      EXPECT_EQ(cache.size(), known);
      EXPECT_TRUE(leads_to<Value>(roots[0]));
      expect_same(plan(roots, limits, pretend), replayed, Correspondence(roots));
    }
  }
}

EG_TEST(PlanCaches, replay_composites) { expect_replayed<nodes::Composite>(drawn_composites); }

EG_TEST(PlanCaches, replay_stencils) { expect_replayed<nodes::Stencil>(drawn_stencils); }

/// In a loop with other numbers each time: one plan.
EG_TEST(PlanCaches, put_in_the_numbers_of_each_graph) {
  Tensor x = full({3, 50}, 1.0F).eval();
  double expected = 1;
  size_t first = 0;
  for (int step = 1; step <= 6; ++step) {
    const Tensor rows = sum(x * (0.5F + static_cast<float>(step)) + 0.25F, 1, true);
    x = (rows / static_cast<float>(step) + x).eval();
    expected += 50 * (expected * (0.5 + step) + 0.25) / step;
    EXPECT_NEAR(x.to_vector<float>()[77] / expected, 1, 1e-5);
    if (step == 2) first = recorded();
  }
  EXPECT_EQ(recorded(), first);
}

/// One graph twice, where its base may be overwritten and where somebody still holds that.
EG_TEST(PlanCaches, tell_whether_memory_may_be_taken_over) {
  const Tensor places = arange(0, 4, 1, DType::i32).eval();
  for (const bool held : {false, true, false, true, true, false}) {
    Tensor base = full({8}, 1.0F).eval(), kept;
    base = (base + 1.0F).eval();
    if (held) kept = base;
    base = scatter(base, 0, places, full({4}, 5.0F)).eval();
    EXPECT_EQ(base.to_vector<float>(), (std::vector<float>{5, 5, 5, 5, 2, 2, 2, 2}));
    if (held) {
      EXPECT_EQ(kept.to_vector<float>(), std::vector<float>(8, 2.0F));
    }
  }
}

/// What was computed apart is told from what is computed on the way, and one tensor read twice from two.
EG_TEST(PlanCaches, tell_graphs_of_one_shape_apart) {
  const Tensor a = uniform({40}, 1).eval(), b = uniform({40}, 2).eval();
  const auto numbers = [](const Tensor& x) { return x.to_vector<float>(); };
  const std::vector<float> x = numbers(a), y = numbers(b);
  for (int round = 0; round < 2; ++round) {
    const std::vector<float> twice = numbers(cumsum(a, 0) - flip(a, 0)), of_two = numbers(cumsum(a, 0) - flip(b, 0));
    EXPECT_EQ(twice[0], x[0] - x[39]);
    EXPECT_EQ(of_two[0], x[0] - y[39]);
    EXPECT_EQ(numbers(pad(a, {{2, 0}}, 3.0F) + 0.0F)[0], 3.0F);
    EXPECT_EQ(numbers(pad(a, {{2, 0}}, 4.0F) + 0.0F)[0], 4.0F);
  }
}

/// A layer whose buffers depend on those of the step before.
struct Normalised {
  nn::Linear first{6, 8, 1}, second{8, 3, 2};
  nn::BatchNorm norm{8};
  template <class Visit>
  void parts(Visit&& visit) {
    visit("first", first);
    visit("norm", norm);
    visit("second", second);
  }
  Tensor operator()(const Tensor& x) { return second(relu(norm(first(x), true))); }
};

/// Nothing of a step stays pending, so that each step has the plans of the one before.
EG_TEST(PlanCaches, know_the_steps_of_a_training) {
  Normalised model;
  optim::AdamW optimiser{.rate = optim::cosine(1e-2, 1e-3, 8)};
  const Tensor x = uniform({16, 6}, 3).eval(), labels = (arange(0, 16, 1, DType::i32) % 3).eval();
  size_t known = 0;
  for (int step = 0; step < 8; ++step) {
    const auto [loss, gradients] =
        nn::value_and_grad(model, [&](Normalised& each) { return cross_entropy(each(x), labels); });
    optimiser.step(model, gradients);
    EXPECT_TRUE(std::isfinite(loss.item<float>()));
    if (step == 2) known = recorded();
  }
  EXPECT_EQ(recorded(), known);
}

EG_TEST(PlanCaches, start_anew_when_they_are_full) {
  const Capabilities& limits = device().state()->capabilities();
  PlanCache cache(limits, pretend, 2000);
  for (int length = 2; length < 200; ++length) {
    const Tensor x = sum(full({length}, 1.0F) + arange(0, length), 0, true) * 2.0F;
    const GraphLock lock;
    EXPECT_EQ(cache.plan({x.node()}, pretend).kernels.size(), 1U);
    EXPECT_LT(cache.size(), 50U);
  }
}

}  // namespace
}  // namespace eglantine::test
