#include <algorithm>
#include <cmath>
#include <limits>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "evaluate/evaluate.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive_einsum.hpp"
#include "verbs/network/attention.hpp"

/// The gradient of scaled_dot_product_attention against naive loops, and that it stores no scores.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Contraction, AttentionGradient);

constexpr Tolerance allowed_of_gradients{0, 2e-5, 5e-6};

double scale_of(const Array& q) { return 1 / std::sqrt(static_cast<double>(q.shape.back())); }

struct GradientOperands {
  Array q, k, v, g;
};

GradientOperands gradient_operands(const Dims& q, const Dims& k, const Dims& v, DType dtype = DType::f32) {
  Dims result = q;
  result.back() = v.back();
  return {random_array(dtype, q, 1), random_array(dtype, k, 2), random_array(dtype, v, 3),
          random_array(dtype, result, 4)};
}

Tensors gradients(const Tensors& x, const Tensor& g, const AttentionOptions& options) {
  const auto f = [&](const Tensors& at) { return Tensors{scaled_dot_product_attention(at[0], at[1], at[2], options)}; };
  return vjp(f, x, {g}).second;
}

void expect_attention_gradients(const GradientOperands& x, const Array* mask = nullptr, bool causal = false) {
  SCOPED_TRACE(text(x.q.shape) + text(x.k.shape) + text(x.v.shape) + (causal ? " causal" : ""));
  const Tensors found = gradients({upload(x.q), upload(x.k), upload(x.v)}, upload(x.g),
                                  {.mask = mask != nullptr ? upload(*mask) : Tensor(), .causal = causal});
  const naive::AttentionGradients wanted =
      naive::attention_gradients(x.q, x.k, x.v, x.g, scale_of(x.q), {mask, causal});
  EXPECT_TRUE(matches(found[0], wanted.q, allowed_of_gradients)) << "q";
  EXPECT_TRUE(matches(found[1], wanted.k, allowed_of_gradients)) << "k";
  EXPECT_TRUE(matches(found[2], wanted.v, allowed_of_gradients)) << "v";
}

EG_TEST(AttentionGradient, of_lengths_and_features_that_differ) {
  Draw draw = draw_programs_one_of(2);
  for (const auto& [q, k, v] : std::vector<std::array<Dims, 3>>{{{{5, 8}, {7, 8}, {7, 3}}},
                                                                {{{2, 3, 13, 4}, {2, 3, 9, 4}, {2, 3, 9, 6}}},
                                                                {{{1, 4}, {1, 4}, {1, 4}}},
                                                                {{{3, 40, 8}, {3, 70, 8}, {3, 70, 33}}},
                                                                {{{2, 127, 20}, {2, 65, 20}, {2, 65, 64}}},
                                                                {{{1, 33, 65}, {1, 300, 65}, {1, 300, 1}}}})
    for (const bool causal : {false, true})
      if (draw.next()) expect_attention_gradients(gradient_operands(q, k, v), nullptr, causal);
}

EG_TEST(AttentionGradient, leading_axes_broadcast_and_heads_in_groups) {
  expect_attention_gradients(gradient_operands({2, 4, 9, 4}, {4, 7, 4}, {7, 4}));
  expect_attention_gradients(gradient_operands({2, 6, 9, 4}, {2, 2, 11, 4}, {2, 2, 11, 8}), nullptr, true);
  expect_attention_gradients(gradient_operands({8, 9, 4}, {2, 11, 4}, {4, 11, 8}), nullptr, true);
  expect_attention_gradients(gradient_operands({8, 9, 4}, {4, 11, 4}, {8, 11, 8}));
}

EG_TEST(AttentionGradient, heads_of_any_size) {
  Draw draw = draw_programs_one_of(11);
  for (const int64_t features : {1, 3, 16, 33, 64, 80, 127, 128, 200, 256, 257})
    for (const int64_t results : {int64_t{1}, features})
      if (draw.next())
        expect_attention_gradients(gradient_operands({2, 13, features}, {2, 21, features}, {2, 21, results}), nullptr,
                                   true);
}

void expect_hidden_rows_give_nothing(const GradientOperands& x) {
  Draw draw = draw_programs_one_of(6);
  for (const Dims& shape : std::vector<Dims>{{9, 11}, {2, 1, 9, 11}, {2, 4, 9, 1}})
    for (const bool boolean : {true, false})
      for (const bool causal : {true, false}) {
        if (!draw.next()) continue;
        const Array drawn = random_array(DType::f32, shape, 5);
        const Array mask = generate(boolean ? DType::boolean : DType::f32, shape, [&](const Dims& at) {
          const bool hides = at[at.size() - 2] == 1 || drawn.at(at) < -1;
          return boolean ? (hides ? 0 : 1) : hides ? -INFINITY : drawn.at(at);
        });
        SCOPED_TRACE(text(shape) + (boolean ? " boolean" : " float"));
        expect_attention_gradients(x, &mask, causal);
      }
}

EG_TEST(AttentionGradient, masks_that_hide_whole_rows) {
  expect_hidden_rows_give_nothing(gradient_operands({2, 4, 9, 8}, {2, 2, 11, 8}, {2, 2, 11, 3}));
}

/// Which attention composed of products takes.
EG_TEST(AttentionGradient, masks_that_hide_whole_rows_of_long_heads) {
  expect_hidden_rows_give_nothing(gradient_operands({2, 4, 9, 300}, {2, 2, 11, 300}, {2, 2, 11, 300}));
}

EG_TEST(AttentionGradient, narrow_floats_are_widened) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const GradientOperands x = gradient_operands({2, 4, 9, 8}, {2, 2, 11, 8}, {2, 2, 11, 3}, dtype);
    const Tensors found = gradients({upload(x.q), upload(x.k), upload(x.v)}, upload(x.g), {.causal = true});
    const naive::AttentionGradients wanted =
        naive::attention_gradients(x.q, x.k, x.v, x.g, scale_of(x.q), {nullptr, true});
    const double eps = dtype == DType::f16 ? 4e-3 : 4e-2;
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(found[i].dtype(), dtype);
      const Array& each = i == 0 ? wanted.q : i == 1 ? wanted.k : wanted.v;
      EXPECT_TRUE(matches(found[i].astype(DType::f32), each, {0, eps, eps}));
    }
  }
}

EG_TEST(AttentionGradient, of_operands_in_any_view) {
  Draw draw = draw_programs_one_of(2);
  for (const char* name : {"permuted", "stepped", "broadcast", "pending", "flipped"}) {
    if (!draw.next()) continue;
    SCOPED_TRACE(name);
    const GradientOperands x = gradient_operands({2, 2, 9, 4}, {2, 2, 11, 4}, {2, 2, 11, 8});
    const Sample q = view(name).hold(x.q), k = view(name).hold(x.k), v = view(name).hold(x.v), g = view(name).hold(x.g);
    const Tensors found = gradients({q.tensor, k.tensor, v.tensor}, g.tensor, {});
    const naive::AttentionGradients wanted =
        naive::attention_gradients(q.array, k.array, v.array, g.array, scale_of(q.array), {});
    EXPECT_TRUE(matches(found[0], wanted.q, allowed_of_gradients));
    EXPECT_TRUE(matches(found[1], wanted.k, allowed_of_gradients));
    EXPECT_TRUE(matches(found[2], wanted.v, allowed_of_gradients));
  }
}

/// Heads inside rows in memory, as a layer has them: so they lie in the result and its cotangent.
EG_TEST(AttentionGradient, of_operands_with_heads_inside_rows) {
  const GradientOperands x = gradient_operands({2, 4, 9, 8}, {2, 2, 11, 8}, {2, 2, 11, 3});
  const Array of_logsumexp = random_array(DType::f32, {2, 4, 9}, 6);
  const auto rows_first = [](const Array& of) {
    const Tensor moved = upload(of).transpose(1, 2);
    return Tensor::from(moved.to_vector<float>(), moved.shape());
  };
  const auto both = [&](const Tensors& at) {
    const auto [y, logsumexp] = verbs::attention_with_logsumexp(at[0].transpose(1, 2), at[1].transpose(1, 2),
                                                                at[2].transpose(1, 2), {.causal = true});
    return Tensors{y.transpose(1, 2).reshape({2, 9, 12}), logsumexp};
  };
  const Tensors found = vjp(both, {rows_first(x.q), rows_first(x.k), rows_first(x.v)},
                            {rows_first(x.g).reshape({2, 9, 12}), upload(of_logsumexp)})
                            .second;
  const naive::AttentionGradients wanted =
      naive::attention_gradients(x.q, x.k, x.v, x.g, scale_of(x.q), {nullptr, true}, &of_logsumexp);
  EXPECT_TRUE(matches(found[0].transpose(1, 2), wanted.q, allowed_of_gradients));
  EXPECT_TRUE(matches(found[1].transpose(1, 2), wanted.k, allowed_of_gradients));
  EXPECT_TRUE(matches(found[2].transpose(1, 2), wanted.v, allowed_of_gradients));
}

/// Parts of one tensor, (batch, rows, 3, heads, features), as one product of a layer makes them.
EG_TEST(AttentionGradient, of_operands_that_are_parts_of_one_tensor) {
  const Dims each{2, 4, 9, 8};
  const GradientOperands x = gradient_operands(each, each, each);
  std::vector<Tensor> parts;
  for (const Array* of : {&x.q, &x.k, &x.v}) parts.push_back(upload(*of).transpose(1, 2));
  const Tensor together = stack(parts, 2).reshape({2, 9, 96}).eval();
  const auto part = [](const Tensor& all, int64_t i) {
    return all.reshape({2, 9, 3, 4, 8}).slice(2, i, i + 1).squeeze(2).transpose(1, 2);
  };
  // Of the parts alone, and where one is read again, or two change places.
  for (const auto& [key, value, again] : {std::array{1, 2, 0}, {1, 2, 1}, {2, 1, 0}}) {
    const auto f = [&, key = key, value = value, again = again](const Tensors& at) {
      const Tensor y = scaled_dot_product_attention(part(at[0], 0), part(at[0], key), part(at[0], value));
      return Tensors{again > 0 ? y + part(at[0], 2) : y};
    };
    const Tensor found = vjp(f, {together}, {upload(x.g)}).second[0];
    const Array &k = key == 1 ? x.k : x.v, &v = key == 1 ? x.v : x.k;
    const naive::AttentionGradients wanted = naive::attention_gradients(x.q, k, v, x.g, scale_of(x.q), {});
    const auto expect = [&](int64_t i, const Array& one) {
      const Tensor given = again > 0 && i == 2 ? part(found, i) - upload(x.g) : part(found, i);
      EXPECT_TRUE(matches(given, one, allowed_of_gradients)) << i << " " << key << " " << again;
    };
    expect(0, wanted.q);
    expect(key, wanted.k);
    expect(value, wanted.v);
  }
}

/// With an axis between them, q, k and v would have one more than a tensor can.
EG_TEST(AttentionGradient, of_as_many_axes_as_there_are) {
  const GradientOperands x = gradient_operands({2, 4, 9, 8}, {2, 4, 9, 8}, {2, 4, 9, 8});
  const auto moved = [](const Array& of) {
    return upload(of).transpose(1, 2).eval().reshape({1, 1, 1, 1, 2, 9, 4, 8});
  };
  const auto f = [](const Tensors& at) {
    return Tensors{scaled_dot_product_attention(at[0].transpose(5, 6), at[1].transpose(5, 6), at[2].transpose(5, 6))};
  };
  const Tensor g = upload(x.g).reshape({1, 1, 1, 1, 2, 4, 9, 8});
  const Tensors found = vjp(f, {moved(x.q), moved(x.k), moved(x.v)}, {g}).second;
  const naive::AttentionGradients wanted = naive::attention_gradients(x.q, x.k, x.v, x.g, scale_of(x.q), {});
  EXPECT_TRUE(matches(found[0].reshape({2, 9, 4, 8}).transpose(1, 2), wanted.q, allowed_of_gradients));
  EXPECT_TRUE(matches(found[2].reshape({2, 9, 4, 8}).transpose(1, 2), wanted.v, allowed_of_gradients));
}

/// Of few scores: on GPUs products of these are quicker.
bool is_gradient_composed(const Tensor& q, bool mask) {
  const DeviceInfo& device = q.device().info();
  return !verbs::takes_gradient_kernels(*q.node(), mask) || (device.kind != "cpu" && !device.software);
}

EG_TEST(AttentionGradient, is_four_kernels_with_the_forward_pass) {
  const auto random = [](const Shape& shape) { return uniform(shape, 1) - 0.5; };
  const Tensors x{random({2, 40, 16}), random({2, 50, 16}), random({2, 50, 24})};
  const Tensor g = random({2, 40, 24});
  eval({x[0], x[1], x[2], g});
  if (is_gradient_composed(x[0], false)) return;
  const Tensors found = gradients(x, g, {.causal = true});
  const std::string text = explain(found[0]) + explain(found[1]);
  EXPECT_NE(text.find("attention gradient of q f32 2 x (40, 16) to (50, 24), causal"), std::string::npos) << text;
  EXPECT_NE(text.find("attention gradient of k and v f32 2 x (40, 16) to (50, 24), causal"), std::string::npos) << text;
  EXPECT_EQ(text.find("matmul"), std::string::npos) << text;
  EXPECT_EQ(kernels_of(found), 4) << "attention, delta, q, k and v";
}

/// Scores of 3000 x 3000 would take 34 MiB.
EG_TEST(AttentionGradient, stores_no_scores) {
  const auto random = [](const Shape& shape) { return uniform(shape, 1) - 0.5; };
  const Tensors x{random({3000, 4}), random({3000, 4}), random({3000, 4})};
  const Tensor g = random({3000, 4});
  eval({x[0], x[1], x[2], g});
  if (is_gradient_composed(x[0], false)) return;
  device().trim();
  const auto held = [&] { return device().memory().live + device().memory().pooled; };
  device().synchronize();
  const int64_t before = held();
  eval(gradients(x, g, {.causal = true}));
  device().synchronize();
  EXPECT_LT(held() - before, 2 << 20);
}

EG_TEST(AttentionGradient, the_same_bits_each_time) {
  const GradientOperands x = gradient_operands({2, 4, 130, 24}, {2, 2, 300, 24}, {2, 2, 300, 20});
  const auto run = [&] { return gradients({upload(x.q), upload(x.k), upload(x.v)}, upload(x.g), {.causal = true}); };
  const Tensors first = run();
  for (int i = 0; i < 3; ++i) {
    const Tensors again = run();
    for (size_t j = 0; j < 3; ++j) EXPECT_TRUE(same_bits(again[j], first[j]));
  }
}

EG_TEST(AttentionGradient, of_the_logsumexp) {
  const GradientOperands x = gradient_operands({2, 4, 9, 8}, {2, 2, 11, 8}, {2, 2, 11, 3});
  const Array of_logsumexp = random_array(DType::f32, {2, 4, 9}, 6);
  const auto both = [&](const Tensors& at) {
    const auto [y, logsumexp] = verbs::attention_with_logsumexp(at[0], at[1], at[2], {.causal = true});
    return Tensors{y, logsumexp};
  };
  const Tensors found = vjp(both, {upload(x.q), upload(x.k), upload(x.v)}, {upload(x.g), upload(of_logsumexp)}).second;
  const naive::AttentionGradients wanted =
      naive::attention_gradients(x.q, x.k, x.v, x.g, scale_of(x.q), {nullptr, true}, &of_logsumexp);
  EXPECT_TRUE(matches(found[0], wanted.q, allowed_of_gradients));
  EXPECT_TRUE(matches(found[1], wanted.k, allowed_of_gradients));
  EXPECT_TRUE(matches(found[2], wanted.v, allowed_of_gradients));
}

/// By differences, also of what the gradient was made of.
EG_TEST(AttentionGradient, has_gradients_itself) {
  const auto random = [](const Shape& shape, uint64_t seed) { return uniform(shape, seed) * 2 - 1; };
  const Tensors x{random({2, 9, 3}, 1), random({1, 10, 3}, 2), random({2, 10, 4}, 3)};
  const auto first = [](const Tensors& at) {
    return grad([](const Tensors& y) { return sum(square(scaled_dot_product_attention(y[0], y[1], y[2]))); }, at);
  };
  EXPECT_NO_THROW(check_gradients(first, x, 1e-2, 6e-2));
}

/// A float mask's gradient is the scores'.
EG_TEST(AttentionGradient, of_a_float_mask) {
  const auto random = [](const Shape& shape, uint64_t seed) { return uniform(shape, seed) * 2 - 1; };
  const Tensors x{random({2, 9, 3}, 1), random({2, 10, 3}, 2), random({2, 10, 4}, 3), random({9, 10}, 4)};
  const auto f = [](const Tensors& at) {
    return Tensors{scaled_dot_product_attention(at[0], at[1], at[2], {.mask = at[3]})};
  };
  EXPECT_NO_THROW(check_gradients(f, x, 1e-2, 2e-2));
}

}  // namespace
}  // namespace eglantine::test
