#include <functional>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Verbs that are one node to their caller: a recorded plan serves every graph of their structure.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, Composites);

using Verb = std::function<Tensor(const Tensor&)>;

/// Of x and, where they take two, of other operands in memory.
std::vector<std::pair<std::string, Verb>> verbs() {
  const Tensor other = upload(random_reals({40, 24}, 0.1, 1, 7)), labels = randint(0, 24, {40}, 8).eval();
  return {{"softmax", [](const Tensor& x) { return softmax(x, 1); }},
          {"log_softmax", [](const Tensor& x) { return log_softmax(x, 0); }},
          {"logsumexp", [](const Tensor& x) { return logsumexp(x, 1); }},
          {"layer_norm", [](const Tensor& x) { return layer_norm(x, 1); }},
          {"rms_norm", [](const Tensor& x) { return rms_norm(x, 1); }},
          {"group_norm", [](const Tensor& x) { return group_norm(x, 4); }},
          {"var", [](const Tensor& x) { return var(x, 1); }},
          {"stddev", [](const Tensor& x) { return stddev(x); }},
          {"mse_loss", [=](const Tensor& x) { return mse_loss(x, other); }},
          {"l1_loss", [=](const Tensor& x) { return l1_loss(x, other, LossReduction::none); }},
          {"huber_loss", [=](const Tensor& x) { return huber_loss(x, other, 0.5); }},
          {"bce", [=](const Tensor& x) { return binary_cross_entropy_with_logits(x, other); }},
          {"kl_div", [=](const Tensor& x) { return kl_div(x, other, LossReduction::sum); }},
          {"cosine", [=](const Tensor& x) { return cosine_similarity(x, other, 1); }},
          {"cross_entropy", [=](const Tensor& x) { return cross_entropy(x, labels); }},
          {"nll_loss", [=](const Tensor& x) { return nll_loss(x, labels); }}};
}

/// Arguments that differ by a number alone, which is a parameter of one plan.
const std::vector<std::function<Tensor(const Tensor& x, const Tensor& row, float number)>> arguments{
    [](const Tensor& x, const Tensor& row, float number) { return (x - row) * number; },
    [](const Tensor& x, const Tensor& row, float number) { return clip(x * row, -number, number); },
    [](const Tensor& x, const Tensor& row, float number) {
      return x * row + full({40, 24}, number);
    },
    [](const Tensor& x, const Tensor&, float number) { return (x - max(x, {1}, true)) * number; },
    [](const Tensor& x, const Tensor&, float number) { return log_softmax(x, 1) * number; },
    [](const Tensor& x, const Tensor&, float number) { return x / number; }};

EG_TEST(Composites, of_arguments_with_other_numbers) {
  const Tensor x = upload(random_reals({40, 24}, -1, 1, 1)), row = upload(random_reals({40, 1}, 0.5, 1, 2));
  Draw draw = draw_programs_one_of(5);
  for (const auto& [name, verb] : verbs())
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!draw.next()) continue;
      for (const float number : {0.5F, 0.25F, 2.0F}) {
        const Tensor stored = arguments[i](x, row, number).eval();
        EXPECT_TRUE(matches(verb(arguments[i](x, row, number)), download(verb(stored)), {0, 1e-4, 1e-5}))
            << name << " of argument " << i << " with " << number;
      }
    }
}

/// Sums of what is made of transposed arguments are in the order of these, as of the nodes that the verb stands for.
EG_TEST(Composites, of_transposed_arguments_are_summed_as_these_lie) {
  const Tensor a = upload(random_reals({48, 64}, 0, 1, 3)).transpose(0, 1),
               b = upload(random_reals({48, 64}, 0, 1, 4)).transpose(0, 1);
  EXPECT_TRUE(same_bits(sum(l1_loss(a, b, LossReduction::none), 1), sum(abs(a - b), 1)));
  EXPECT_TRUE(same_bits(sum(mse_loss(a, b, LossReduction::none)), sum(square(a - b))));
}

}  // namespace
}  // namespace eglantine::test
