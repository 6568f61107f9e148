#include "eglantine/nn.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/optim.hpp"
#include "graph/node.hpp"
#include "support/devices.hpp"

/// An optimiser's step computes the value that its gradients are of.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, ValueBeside);

struct Line {
  Tensor w = uniform({5, 3}, 1).eval(), b = zeros({3}), x = uniform({4, 5}, 2).eval();
  template <class Visit>
  void parts(Visit&& visit) {
    visit("w", w);
    visit("b", b);
  }
};

std::pair<Tensor, Parameters> slopes_of(Line& line) {
  return nn::value_and_grad(line, [&](const Line& at) { return mean(square(tanh(matmul(line.x, at.w) + at.b))); });
}

bool is_computed(const Tensor& x) { return x.node()->is_computed(); }

EG_TEST(ValueBeside, is_computed_by_a_step) {
  Line line, same;
  optim::Sgd sgd{.rate = 0.1};
  const auto [value, slopes] = slopes_of(line);
  EXPECT_FALSE(is_computed(value));
  sgd.step(line, slopes);
  EXPECT_TRUE(is_computed(value));
  EXPECT_EQ(value.item<float>(), slopes_of(same).first.item<float>());
}

EG_TEST(ValueBeside, is_computed_by_a_step_along_clipped_gradients) {
  Line line;
  optim::AdamW adam{.rate = 0.1};
  const auto [value, slopes] = slopes_of(line);
  const auto [clipped, norm] = optim::clip_norm(slopes, 0.01);
  adam.step(line, clipped);
  EXPECT_TRUE(is_computed(value));
}

EG_TEST(ValueBeside, that_nobody_has_is_not_computed) {
  Line line;
  std::weak_ptr<const Node> value;
  Parameters slopes;
  {
    auto [loss, found] = slopes_of(line);
    value = loss.node();
    slopes = std::move(found);
  }
  EXPECT_TRUE(value.expired());
  const int64_t before = statistics(device()).kernels;
  optim::Sgd{.rate = 0.1}.step(line, slopes);
  const int64_t without = statistics(device()).kernels - before;
  const auto [loss, again] = slopes_of(line);
  optim::Sgd{.rate = 0.1}.step(line, again);
  EXPECT_EQ(statistics(device()).kernels - before, 2 * without + 1);
}

}  // namespace
}  // namespace eglantine::test
