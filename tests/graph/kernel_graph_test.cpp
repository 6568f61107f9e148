#include "graph/planning/ownership/kernel_graph.hpp"

#include <gtest/gtest.h>

#include "eglantine/error.hpp"
#include "support/compare.hpp"
#include "support/random/random_data.hpp"

/// The graph of kernels by itself: which waits for which, and in which order they run.
namespace eglantine::test {
namespace {

class KernelGraphs : public testing::Test {
 protected:
  /// `count` kernels; only their addresses matter.
  explicit KernelGraphs(size_t count = 6) {
    for (size_t i = 0; i < count; ++i) {
      nodes_.push_back(std::make_shared<const Node>(nullptr, DType::f32, Shape{1}, nodes::Leaf{}, Dominant{}));
      graph_.add(nodes_.back().get());
    }
  }
  const Node* kernel(size_t i) const { return nodes_[i].get(); }
  void need(size_t reader, size_t writer) { graph_.need(kernel(reader), kernel(writer)); }
  bool needs_any(size_t reader, const std::vector<size_t>& writers) const {
    std::unordered_set<const Node*> others;
    for (size_t writer : writers) others.insert(kernel(writer));
    return graph_.needs_any(kernel(reader), others);
  }
  size_t place(const std::vector<const Node*>& order, size_t i) const {
    return static_cast<size_t>(std::find(order.begin(), order.end(), kernel(i)) - order.begin());
  }

  std::vector<NodePtr> nodes_;
  KernelGraph graph_;
};

TEST_F(KernelGraphs, a_kernel_needs_what_those_need_that_it_needs) {
  need(0, 1), need(1, 2), need(3, 2);
  EXPECT_TRUE(needs_any(0, {2}));
  EXPECT_TRUE(needs_any(0, {4, 1}));
  EXPECT_TRUE(needs_any(3, {2}));
  EXPECT_FALSE(needs_any(2, {0, 1, 3}));
  EXPECT_FALSE(needs_any(0, {3, 4, 5}));
  EXPECT_FALSE(needs_any(0, {0})) << "nothing waits for itself";
}

/// A chain, as cotangents are, with one for each of its kernels that nobody needs, as weights' gradients are.
TEST_F(KernelGraphs, what_nobody_needs_runs_right_behind_what_it_needs) {
  need(1, 0), need(2, 1);  // the chain 0, 1, 2
  need(3, 0), need(4, 1), need(4, 0);
  const std::vector<const Node*> order = graph_.in_order_of_running();
  EXPECT_EQ(place(order, 3), place(order, 0) + 1);
  EXPECT_EQ(place(order, 4), place(order, 1) + 1);
  EXPECT_EQ(order.size(), 6U);
}

TEST_F(KernelGraphs, each_kernel_runs_behind_those_it_needs) {
  Random random(7);
  for (int round = 0; round < 100; ++round) {
    KernelGraph graph;
    std::vector<std::pair<size_t, size_t>> needs;
    for (size_t i = 0; i < nodes_.size(); ++i) graph.add(kernel(i));
    for (size_t i = 0; i < nodes_.size(); ++i)
      for (size_t j = i + 1; j < nodes_.size(); ++j)
        if (random.integer(0, 2) == 0) graph.need(kernel(i), kernel(j)), needs.emplace_back(i, j);
    const std::vector<const Node*> order = graph.in_order_of_running();
    ASSERT_EQ(order.size(), nodes_.size());
    for (const auto& [reader, writer] : needs) EXPECT_GT(place(order, reader), place(order, writer));
  }
}

TEST_F(KernelGraphs, a_cycle_is_an_error) {
  need(0, 1), need(1, 2), need(2, 3), need(3, 1);
  EXPECT_ERROR(graph_.in_order_of_running(), Error,
               "[eval] kernels of this program wait for one another, which is a mistake of the library's: please "
               "report the program; computing its parts with eval(), one after another, goes around it");
}

}  // namespace
}  // namespace eglantine::test
