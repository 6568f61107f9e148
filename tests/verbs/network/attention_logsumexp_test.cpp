#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "evaluate/evaluate.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_einsum.hpp"
#include "verbs/network/attention.hpp"

/// What attention's gradient needs: each row's logsumexp beside the result.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Contraction, AttentionLogsumexp);

constexpr Tolerance allowed_of_logsumexp{0, 4e-6, 1e-6};

EG_TEST(AttentionLogsumexp, of_masks_groups_and_lengths) {
  struct Case {
    Dims q, k, v, mask;
    bool causal;
  };
  Draw draw = draw_programs_one_of(2);
  for (const auto& [q_shape, k_shape, v_shape, mask_shape, causal] :
       {Case{{5, 8}, {7, 8}, {7, 3}, {}, false}, Case{{2, 6, 13, 4}, {2, 2, 9, 4}, {2, 3, 9, 6}, {}, true},
        Case{{2, 4, 5, 8}, {2, 2, 7, 8}, {2, 2, 7, 3}, {5, 7}, true},
        Case{{3, 40, 8}, {3, 70, 8}, {3, 70, 33}, {3, 40, 70}, false},
        Case{{3, 4, 300}, {3, 6, 300}, {3, 6, 5}, {4, 6}, false}}) {
    if (!draw.next()) continue;
    SCOPED_TRACE(text(q_shape) + text(k_shape) + text(mask_shape));
    const Array q = random_array(DType::f32, q_shape, 1), k = random_array(DType::f32, k_shape, 2),
                v = random_array(DType::f32, v_shape, 3), drawn = random_array(DType::f32, mask_shape, 4);
    // Row 1 is hidden whole.
    const Array mask = generate(DType::boolean, mask_shape, [&](const Dims& at) {
      return at.size() < 2 || (at[at.size() - 2] != 1 && drawn.at(at) > -0.5) ? 1 : 0;
    });
    const bool masked = !mask_shape.empty();
    const naive::Masking masking{masked ? &mask : nullptr, causal};
    const double scale = 1 / std::sqrt(static_cast<double>(q_shape.back()));
    const auto [y, lse] = verbs::attention_with_logsumexp(upload(q), upload(k), upload(v),
                                                          {.mask = masked ? upload(mask) : Tensor(), .causal = causal});
    EXPECT_TRUE(matches(y, naive::attention(q, k, v, scale, masking), allowed_of_logsumexp));
    EXPECT_TRUE(matches(lse, naive::attention_logsumexp(q, k, scale, masking), allowed_of_logsumexp));
  }
}

EG_TEST(AttentionLogsumexp, both_by_one_kernel) {
  const auto random = [](const Dims& shape) { return upload(random_array(DType::f32, shape)); };
  const auto [y, lse] = verbs::attention_with_logsumexp(random({2, 30, 8}), random({2, 20, 8}), random({2, 20, 8}));
  const bool composed = limits_of(*y.node()).max_bindings < 5;
  EXPECT_EQ(kernels_of({y, lse}), composed ? 4 : 1);
  const auto [result, alone] =
      verbs::attention_with_logsumexp(random({2, 30, 8}), random({2, 20, 8}), random({2, 20, 8}));
  EXPECT_EQ(kernels_of(alone), composed ? 2 : 1);
  EXPECT_TRUE(same_bits(alone, lse));
}

EG_TEST(AttentionLogsumexp, of_narrow_floats_and_of_nothing) {
  const auto of = [](const Shape& q, const Shape& k, const Shape& v, DType dtype) {
    return verbs::attention_with_logsumexp(zeros(q, dtype), ones(k, dtype), ones(v, dtype));
  };
  const auto [y, lse] = of({2, 3, 4}, {2, 5, 4}, {2, 5, 6}, DType::f16);
  EXPECT_EQ(y.dtype(), DType::f16);
  EXPECT_EQ(lse.dtype(), DType::f32);
  EXPECT_NEAR(lse.to_vector<float>()[0], std::log(5.0), 1e-6);
  const Tensor none = of({2, 3, 4}, {2, 0, 4}, {2, 0, 6}, DType::f32).logsumexp;
  EXPECT_EQ(none.to_vector<float>(), std::vector<float>(6, -std::numeric_limits<float>::infinity()));
  EXPECT_EQ(of({2, 3, 4}, {2, 5, 4}, {2, 5, 0}, DType::f32).logsumexp.shape(), (Shape{2, 3}));
}

}  // namespace
}  // namespace eglantine::test
