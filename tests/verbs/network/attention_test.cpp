#include "eglantine/verbs/attention.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "eglantine/ops.hpp"
#include "evaluate/evaluate.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_einsum.hpp"

/// scaled_dot_product_attention against naive loops.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Contraction, Attention);

constexpr float infinite_score = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr Tolerance allowed_of_attention{0, 4e-6, 1e-6};

struct Operands {
  Array q, k, v;
  double scale() const { return 1 / std::sqrt(static_cast<double>(q.shape.back())); }
};

Operands of_shapes(const Dims& q, const Dims& k, const Dims& v, DType dtype = DType::f32) {
  return {random_array(dtype, q, 1), random_array(dtype, k, 2), random_array(dtype, v, 3)};
}

testing::AssertionResult is_attention(const Operands& x, const Tensor& mask = {}, bool causal = false,
                                      const Array* of_mask = nullptr) {
  const Tensor y =
      scaled_dot_product_attention(upload(x.q), upload(x.k), upload(x.v), {.mask = mask, .causal = causal});
  return matches(y, naive::attention(x.q, x.k, x.v, x.scale(), {of_mask, causal}), allowed_of_attention);
}

EG_TEST(Attention, of_lengths_and_features_that_differ) {
  for (const auto& [q, k, v] : std::vector<std::array<Dims, 3>>{{{{5, 8}, {7, 8}, {7, 3}}},
                                                                {{{2, 3, 13, 4}, {2, 3, 9, 4}, {2, 3, 9, 6}}},
                                                                {{{1, 4}, {1, 4}, {1, 4}}},
                                                                {{{3, 40, 8}, {3, 70, 8}, {3, 70, 33}}}}) {
    SCOPED_TRACE(text(q) + text(k) + text(v));
    EXPECT_TRUE(is_attention(of_shapes(q, k, v)));
    EXPECT_TRUE(is_attention(of_shapes(q, k, v), {}, true));
  }
}

EG_TEST(Attention, leading_axes_broadcast) {
  EXPECT_TRUE(is_attention(of_shapes({2, 1, 3, 5, 4}, {4, 3, 7, 4}, {7, 4})));
  EXPECT_TRUE(is_attention(of_shapes({5, 4}, {2, 3, 7, 4}, {3, 7, 4})));
  EXPECT_TRUE(is_attention(of_shapes({2, 3, 5, 4}, {7, 4}, {2, 1, 7, 4})));
}

/// q's heads may be a multiple of k's and v's, whatever its layout and rank.
EG_TEST(Attention, heads_in_groups) {
  const Operands grouped = of_shapes({2, 6, 5, 4}, {2, 2, 7, 4}, {2, 3, 7, 8});
  EXPECT_TRUE(is_attention(grouped));
  EXPECT_TRUE(is_attention(of_shapes({6, 5, 4}, {2, 7, 4}, {2, 7, 4}), {}, true));
  EXPECT_TRUE(is_attention(of_shapes({1, 1, 1, 1, 2, 4, 5, 4}, {2, 2, 7, 4}, {1, 7, 4})));
  const Tensor q = upload(naive::transpose(grouped.q, 1, 2)).transpose(1, 2);
  EXPECT_TRUE(matches(scaled_dot_product_attention(q, upload(grouped.k), upload(grouped.v)),
                      naive::attention(grouped.q, grouped.k, grouped.v, grouped.scale(), {}), allowed_of_attention));
}

/// Whether the kernel has heads in registers, several a group.
bool are_in_registers(const Tensor& y, const Dims& q) {
  const auto rows = q.end() - 2;
  const int64_t fewest = limits_of(*y.node()).short_heads;
  return fewest > 0 && *rows >= 8 && std::accumulate(q.begin(), rows, int64_t{1}, std::multiplies<>()) >= fewest;
}

/// Few rows of many heads, which a GPU composes of products that read each matrix once: of few columns, or of small
/// matrices; but for what it has in registers.
EG_TEST(Attention, of_few_rows_of_many_heads) {
  for (const auto& [q, k, v] : std::vector<std::array<Dims, 3>>{{{{55, 2, 3, 64}, {55, 2, 58, 64}, {55, 2, 58, 64}}},
                                                                {{{160, 1, 1, 32}, {160, 1, 79, 32}, {160, 1, 79, 40}}},
                                                                {{{90, 2, 2, 48}, {90, 1, 40, 48}, {90, 2, 40, 33}}},
                                                                {{{340, 12, 24}, {340, 20, 24}, {340, 20, 16}}},
                                                                {{{4001, 8, 8}, {4001, 9, 8}, {4001, 9, 5}}}}) {
    SCOPED_TRACE(text(q) + text(k) + text(v));
    const Operands x = of_shapes(q, k, v);
    EXPECT_TRUE(is_attention(x));
    const Tensor y = scaled_dot_product_attention(upload(x.q), upload(x.k), upload(x.v));
    if (plans_for_gpus(y.device())) {
      EXPECT_EQ(kernels_of(y), are_in_registers(y, q) ? 1 : 3) << "two products and a softmax, or all at once";
    }
  }
}

/// Whether a device binds too few buffers for the kernel, with a mask or without.
bool is_composed(const Tensor& q, bool has_mask) { return limits_of(*q.node()).max_bindings < (has_mask ? 6 : 5); }

/// The same, with heads inside rows in memory.
Tensor rows_first(const Array& x) {
  const Tensor moved = upload(x).transpose(1, 2);
  return Tensor::from(moved.to_vector<float>(), moved.shape()).transpose(1, 2);
}

EG_TEST(Attention, lies_in_memory_as_its_queries_do) {
  for (const int64_t results : {3, 8, 64}) {
    SCOPED_TRACE(results);
    const Operands x = of_shapes({2, 4, 37, 16}, {2, 2, 50, 16}, {2, 2, 50, results});
    const Tensor q = rows_first(x.q), k = rows_first(x.k), v = upload(x.v);
    const auto joined = [&](const Tensor& y) { return y.transpose(1, 2).reshape({2, 37, 4 * results}); };
    const auto attend = [&] { return scaled_dot_product_attention(q, k, v, {.causal = true}); };
    const Array wanted = naive::attention(x.q, x.k, x.v, x.scale(), {nullptr, true});
    EXPECT_TRUE(matches(attend(), wanted, allowed_of_attention));
    EXPECT_TRUE(same_bits(joined(attend()) * 2, joined(attend().eval() * 2)));
    if (!is_composed(q, false)) {
      EXPECT_EQ(kernels_of(joined(attend()) * 2), 1);
    }
  }
}

EG_TEST(Attention, is_one_kernel_that_reads_its_operands_in_place) {
  const auto random = [](const Dims& shape) { return upload(random_array(DType::f32, shape)); };
  const Tensor q = random({2, 40, 8, 16}).transpose(1, 2), k = random({2, 50, 2, 16}).transpose(1, 2),
               v = random({2, 50, 2, 24}).transpose(1, 2), mask = random({40, 50}) > 0;
  mask.eval();
  if (is_composed(q, true)) return;
  EXPECT_EQ(kernels_of(scaled_dot_product_attention(q, k, v)), 1);
  EXPECT_EQ(kernels_of(scaled_dot_product_attention(q, k, v, {.causal = true})), 1);
  const Tensor joined = scaled_dot_product_attention(q, k, v, {.mask = mask}).transpose(1, 2).reshape({2, 40, 192});
  EXPECT_EQ(kernels_of(relu(joined) + 1), 1);
  const std::string text = explain(scaled_dot_product_attention(q, k, v, {.mask = mask, .causal = true}));
  EXPECT_TRUE(text.starts_with("attention f32 16 x (40, 16) to (50, 24), causal, boolean mask")) << text;
}

/// A head's features and its results, in and beyond each width of a tile.
EG_TEST(Attention, heads_of_any_size) {
  Draw draw = draw_programs_one_of(11);
  for (const int64_t features : {1, 3, 16, 33, 64, 80, 127, 128, 200, 256, 257})
    for (const int64_t results : {int64_t{1}, features}) {
      if (!draw.next()) continue;
      SCOPED_TRACE(std::to_string(features) + " to " + std::to_string(results));
      const Operands x{random_reals({2, 13, features}, -1, 1, 1), random_reals({2, 21, features}, -1, 1, 2),
                       random_reals({2, 21, results}, -1, 1, 3)};
      EXPECT_TRUE(is_attention(x, {}, true));
    }
}

/// Scores of 4096 x 4096 would take 64 MiB.
EG_TEST(Attention, stores_no_scores) {
  const auto random = [](const Dims& shape) { return upload(random_array(DType::f32, shape)); };
  const Tensor q = random({4096, 4}), k = random({4096, 4}), v = random({4096, 4});
  eval({q, k, v});
  if (is_composed(q, false)) return;
  device().trim();
  const auto held = [&] { return device().memory().live + device().memory().pooled; };
  device().synchronize();
  const int64_t before = held();
  const Tensor y = scaled_dot_product_attention(q, k, v, {.causal = true});
  EXPECT_EQ(y[0].to_vector<float>(), v[0].to_vector<float>());
  device().synchronize();
  EXPECT_LT(held() - before, 2 << 20) << "rows of several parts of the keys, and not 64 MiB";
}

EG_TEST(Attention, the_same_bits_each_time) {
  const Operands x = of_shapes({2, 4, 130, 24}, {2, 2, 300, 24}, {2, 2, 300, 20});
  const auto run = [&] {
    return scaled_dot_product_attention(upload(x.q), upload(x.k), upload(x.v), {.causal = true});
  };
  const Tensor first = run();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(run(), first));
}

/// Rows that see columns, all of which count for nothing, are NaN, and not rows that see nothing; nor does +infinity.
EG_TEST(Attention, infinite_and_nan_scores_that_are_seen) {
  Operands x = of_shapes({3, 2}, {3, 2}, {3, 2});
  const auto with = [&](float score) {
    const Tensor mask =
        Tensor::from({0.0F, 0.0F, -infinite_score, score, score, -infinite_score, 0.0F, score, 0.0F}, {3, 3});
    return scaled_dot_product_attention(upload(x.q), upload(x.k), upload(x.v), {.mask = mask}).to_vector<float>();
  };
  for (const float score : {nan, infinite_score}) {
    const std::vector<float> y = with(score);
    EXPECT_TRUE(std::isfinite(y[0]) && std::isfinite(y[1]));
    for (size_t i = 2; i < 6; ++i) EXPECT_TRUE(std::isnan(y[i])) << i;
  }
  for (size_t i = 0; i < 2; ++i) x.k.values[i] = -INFINITY;
  const Tensor ones_of_q = ones({1, 2}), k = upload(x.k), v = upload(x.v);
  const std::vector<float> row = scaled_dot_product_attention(ones_of_q, k, v, {.causal = true}).to_vector<float>();
  EXPECT_TRUE(std::isnan(row[0]) && std::isnan(row[1]));
  const std::vector<float> all = scaled_dot_product_attention(ones_of_q, k, v).to_vector<float>();
  EXPECT_TRUE(std::isfinite(all[0]) && std::isfinite(all[1]));
}

/// Constants are not written out in the shape that they are broadcast to.
EG_TEST(Attention, constants_as_operands) {
  const Operands x = of_shapes({2, 3, 5, 4}, {2, 3, 7, 4}, {2, 3, 7, 2});
  const Array mask = generate(DType::boolean, {7}, [](const Dims&) { return 1; });
  EXPECT_TRUE(
      matches(scaled_dot_product_attention(upload(x.q), upload(x.k), upload(x.v), {.mask = ones({7}, DType::boolean)}),
              naive::attention(x.q, x.k, x.v, x.scale(), {&mask, false}), allowed_of_attention));
  EXPECT_TRUE(matches(scaled_dot_product_attention(upload(x.q), upload(x.k), ones({7, 2})),
                      generate(DType::f32, {2, 3, 5, 2}, [](const Dims&) { return 1; }), allowed_of_attention));
}

/// Row 1 of the mask is hidden whole, in each of the ways that a mask can say so.
Array hiding(const Dims& shape, bool boolean, uint64_t seed) {
  Array mask = random_array(DType::f32, shape, seed);
  const auto hide = [&](const Dims& where, double v) {
    return where[where.size() - 2] == 1 || v < -1 ? (boolean ? 0.0 : -INFINITY) : (boolean ? 1.0 : v);
  };
  return generate(boolean ? DType::boolean : DType::f32, shape,
                  [&](const Dims& where) { return hide(where, mask.at(where)); });
}

EG_TEST(Attention, masks_that_hide_whole_rows) {
  const Operands x = of_shapes({2, 4, 5, 8}, {2, 2, 7, 8}, {2, 2, 7, 3});
  Draw draw = draw_programs_one_of(2);
  for (const Dims& shape : std::vector<Dims>{{5, 7}, {2, 1, 5, 7}, {4, 5, 7}, {2, 4, 5, 1}})
    for (const bool boolean : {true, false})
      for (const bool causal : {true, false}) {
        if (!draw.next()) continue;
        SCOPED_TRACE(text(shape) + (boolean ? " boolean" : " float") + (causal ? " causal" : ""));
        const Array mask = hiding(shape, boolean, 4);
        EXPECT_TRUE(is_attention(x, upload(mask), causal, &mask));
      }
}

EG_TEST(Attention, masks_of_lower_rank) {
  const Operands x = of_shapes({3, 5, 8}, {3, 7, 8}, {3, 7, 4});
  const Array row = random_array(DType::boolean, {7}, 4), none{DType::boolean, {}, {0}}, add{DType::f32, {}, {2}};
  for (const Array& mask : {row, none, add}) EXPECT_TRUE(is_attention(x, upload(mask), false, &mask));
}

/// What a score is where nobody looks does not matter; nor is v looked at by a row that sees nothing.
EG_TEST(Attention, what_is_hidden_may_be_infinite_or_nan) {
  Operands x = of_shapes({3, 4}, {5, 4}, {5, 2});
  Array mask = generate(DType::boolean, {3, 5}, [](const Dims& at) { return at[0] != 1 && at[1] < 3 ? 1 : 0; });
  const Array expected = naive::attention(x.q, x.k, x.v, 0.5, {&mask, false});
  for (const float value : {nan, infinite_score, -infinite_score}) {
    for (size_t i = 12; i < 20; ++i) x.k.values[i] = static_cast<double>(value);
    const Tensor q = upload(x.q), k = upload(x.k), v = upload(x.v);
    EXPECT_TRUE(matches(scaled_dot_product_attention(q, k, v, {.mask = upload(mask)}), expected, allowed_of_attention));
    const Tensor added = where(upload(mask), 0.0F, -infinite_score);
    EXPECT_TRUE(matches(scaled_dot_product_attention(q, k, v, {.mask = added}), expected, allowed_of_attention));
    const Tensor nowhere =
        scaled_dot_product_attention(q, k, full({5, 2}, value), {.mask = zeros({3, 5}, DType::boolean)});
    EXPECT_EQ(nowhere.to_vector<float>(), (std::vector<float>(6, 0)));
  }
}

EG_TEST(Attention, scale_and_large_scores) {
  const Operands x = of_shapes({5, 8}, {7, 8}, {7, 3});
  const Tensor q = upload(x.q), k = upload(x.k), v = upload(x.v);
  for (const double scale : {0.0, -0.5, 1.0})
    EXPECT_TRUE(matches(scaled_dot_product_attention(q, k, v, {.scale = scale}),
                        naive::attention(x.q, x.k, x.v, scale, {}), allowed_of_attention));
  // Scores of 1e5: only the largest counts.
  EXPECT_TRUE(matches(scaled_dot_product_attention(q, k, v, {.scale = 1e5}), naive::attention(x.q, x.k, x.v, 1e5, {}),
                      {0, 1e-3, 1e-3}));
}

EG_TEST(Attention, narrow_floats_round_once) {
  for (DType dtype : {DType::f16, DType::bf16}) {
    const Operands x = of_shapes({2, 4, 5, 8}, {2, 2, 7, 8}, {2, 2, 7, 3}, dtype);
    const Tensor q = upload(x.q), k = upload(x.k), v = upload(x.v), mask = upload(hiding({5, 7}, false, 4));
    const auto wide = [](const Tensor& t) { return t.astype(DType::f32); };
    const Tensor y = scaled_dot_product_attention(q, k, v, {.mask = mask});
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_TRUE(same_bits(y, scaled_dot_product_attention(wide(q), wide(k), wide(v), {.mask = mask}).astype(dtype)));
    EXPECT_EQ(scaled_dot_product_attention(q, wide(k), v).dtype(), DType::f32);
  }
}

EG_TEST(Attention, of_nothing) {
  const auto shape_of = [](const Shape& q, const Shape& k, const Shape& v) {
    const Tensor y = scaled_dot_product_attention(zeros(q), ones(k), ones(v));
    EXPECT_EQ(sum(abs(y)).item<float>(), 0);
    return y.shape();
  };
  EXPECT_EQ(shape_of({3, 0, 4}, {3, 5, 4}, {3, 5, 2}), (Shape{3, 0, 2}));
  EXPECT_EQ(shape_of({3, 5, 4}, {3, 0, 4}, {3, 0, 2}), (Shape{3, 5, 2})) << "no columns are seen";
  EXPECT_EQ(shape_of({0, 5, 4}, {0, 5, 4}, {0, 5, 2}), (Shape{0, 5, 2}));
  EXPECT_EQ(shape_of({0, 5, 4}, {2, 5, 4}, {2, 5, 2}), (Shape{0, 5, 2}));
  EXPECT_EQ(shape_of({5, 4}, {5, 4}, {5, 0}), (Shape{5, 0}));
  // Of no features every score is 0, and the mean of v results.
  EXPECT_EQ(
      scaled_dot_product_attention(zeros({1, 0}), zeros({2, 0}), Tensor::from({1.0F, 3.0F}, {2, 1})).item<float>(), 2);
}

EG_TEST(Attention, every_view) {
  const Operands x = of_shapes({2, 5, 4}, {2, 7, 4}, {2, 7, 3});
  check_over_some_views(
      x.k, [&](const Tensor& k) { return scaled_dot_product_attention(upload(x.q), k, upload(x.v), {.causal = true}); },
      [&](const Array& k) {
        return naive::attention(x.q, k, x.v, x.scale(), {nullptr, true});
      },
      allowed_of_attention);
}

}  // namespace
}  // namespace eglantine::test
