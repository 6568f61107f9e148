#include <cmath>

#include "eglantine/ops.hpp"
#include "grad/attention_blocks.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive_einsum.hpp"
#include "verbs/network/attention.hpp"

/// The gradient of attention made of products of blocks of rows, which GPUs take, against naive loops.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Contraction, AttentionBlocks);

constexpr Tolerance allowed{0, 2e-5, 5e-6};

struct Lengths {
  int64_t rows, columns;
};

/// Of two heads of 5 features and 3 results.
void expect_gradients(const Lengths& of, bool causal, const Array* mask = nullptr) {
  SCOPED_TRACE(std::to_string(of.rows) + " rows, " + std::to_string(of.columns) + (causal ? " causal" : ""));
  const Array q = random_array(DType::f32, {2, of.rows, 5}, 1), k = random_array(DType::f32, {2, of.columns, 5}, 2),
              v = random_array(DType::f32, {2, of.columns, 3}, 3), g = random_array(DType::f32, {2, of.rows, 3}, 4);
  const double scale = 1 / std::sqrt(5.0);
  const Tensor given = mask != nullptr ? upload(*mask) : Tensor();
  const auto [y, logsumexp] =
      verbs::attention_with_logsumexp(upload(q), upload(k), upload(v), {.mask = given, .causal = causal});
  const nodes::Attention about{
      nullptr, nullptr, nullptr, mask != nullptr ? given.node() : nullptr, causal, static_cast<float>(scale), false};
  const Tensor cotangent = upload(g);
  const auto found = derivatives::attention_gradients_in_blocks(about, upload(q), upload(k), upload(v),
                                                                {logsumexp, sum(cotangent * y, -1), cotangent});
  const naive::AttentionGradients wanted = naive::attention_gradients(q, k, v, g, scale, {mask, causal});
  EXPECT_TRUE(matches(found.q, wanted.q, allowed)) << "q";
  EXPECT_TRUE(matches(found.k, wanted.k, allowed)) << "k";
  EXPECT_TRUE(matches(found.v, wanted.v, allowed)) << "v";
}

EG_TEST(AttentionBlocks, of_one_and_of_several_with_a_shorter_last_one) {
  Draw draw = draw_programs_one_of(2);
  for (const Lengths& of : {Lengths{1, 1}, {7, 12}, {12, 7}, {128, 128}, {300, 300}, {300, 100}, {100, 300}})
    for (const bool causal : {false, true})
      if (draw.next()) expect_gradients(of, causal);
}

/// Whole rows too, whose logsumexp is -infinity.
EG_TEST(AttentionBlocks, masks_that_hide_whole_rows) {
  for (const bool boolean : {true, false})
    for (const bool causal : {true, false}) {
      SCOPED_TRACE(boolean ? "boolean" : "float");
      const Array drawn = random_array(DType::f32, {2, 200, 150}, 5);
      const Array mask = generate(boolean ? DType::boolean : DType::f32, {2, 200, 150}, [&](const Dims& at) {
        const bool hides = at[1] % 9 == 1 || drawn.at(at) < -1;
        return boolean ? (hides ? 0 : 1) : hides ? -INFINITY : drawn.at(at);
      });
      expect_gradients({200, 150}, causal, &mask);
    }
}

}  // namespace
}  // namespace eglantine::test
