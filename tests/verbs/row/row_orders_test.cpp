#include <cmath>

#include "support/plans_for_gpus.hpp"
#include "verbs/row/row_cases.hpp"

/// Rows whose operands and results lie in several orders in memory: what is copied, and what is read as it lies.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, RowOrders);  // with small windows long rows take several kernels

/// On a GPU an operand that lies across the rows of another one is transposed by tiles before.
EG_TEST(RowOrders, operands_across_the_rows_of_others_are_copied) {
  const Array a = random_reals({1530, 1017}, -4, 4), b = random_reals({1017, 1530}, -4, 4, 2);
  const Array both = naive::map(a, naive::transpose(b, 0, 1), DType::f32, [](double v, double w) { return v + w; });
  const Tensor x = upload(a), y = upload(b).transpose(0, 1);
  for (const int axis : {0, 1}) {
    EXPECT_TRUE(matches(softmax(x + y, axis), softmax_reference(both, axis), of_share));
    if (!plans_for_gpus(device())) continue;
    const std::string kernels = explain(softmax(x + y, axis));
    EXPECT_NE(kernels.find("// map_transpose"), std::string::npos) << axis;
    EXPECT_NE(kernels.find("// row"), std::string::npos) << axis;
    EXPECT_EQ(explain(softmax(x.slice(0, 0, 200) + y.slice(0, 0, 200), axis)).find("// map"), std::string::npos);
  }
}

/// Rows of values that no kernel keeps on the chip as columns are taken as rows.
EG_TEST(RowOrders, values_of_long_rows_across_those_of_others) {
  const Array a = random_reals({530, 517}, -4, 4), b = random_reals({517, 530}, -4, 4, 2);
  const Array turned = naive::transpose(b, 0, 1);
  const auto product = [](const Array& v, const Array& w, int axis) {
    return naive::sum(naive::map(v, w, DType::f32, [](double c, double d) { return c * d; }), {axis});
  };
  const Tensor x = upload(a), y = upload(b).transpose(0, 1);
  for (const int axis : {0, 1}) {
    const Array lengths = naive::map(product(a, a, axis), product(turned, turned, axis), DType::f32,
                                     [](double v, double w) { return std::sqrt(v * w); });
    const Array expected =
        naive::map(product(a, turned, axis), lengths, DType::f32, [](double v, double w) { return v / w; });
    EXPECT_TRUE(matches(cosine_similarity(x, y, axis), expected, {0, 1e-5, 1e-6}));
    EXPECT_TRUE(matches(cosine_similarity(y, x, axis), expected, {0, 1e-5, 1e-6}));
  }
}

/// On hardware a group exchanges what lies across its rows in shared memory, and copies nothing.
EG_TEST(RowOrders, rows_in_registers_whose_operands_lie_in_any_order) {
  const Array a = random_reals({2311, 151}, -4, 4), b = random_reals({151, 2311}, -4, 4, 2);
  const Array turned = naive::transpose(b, 0, 1);
  const Tensor x = upload(a), y = upload(b).transpose(0, 1);
  const auto product = [](const Array& v, const Array& w) {
    return naive::map(v, w, DType::f32, [](double c, double d) { return c * d; });
  };
  const auto quotient = [](double v, double w) { return v / w; };
  const Array lengths = naive::map(naive::sum(product(a, a), {1}), naive::sum(product(turned, turned), {1}), DType::f32,
                                   [](double v, double w) { return std::sqrt(v * w); });
  const Array cosines = naive::map(naive::sum(product(a, turned), {1}), lengths, DType::f32, quotient);
  const Array chosen = naive::map(a, turned, DType::f32, [](double v, double w) { return v > 0 ? w : -1; });
  const Array gradient = product(turned, naive::map(a, naive::sum(product(a, turned), {1}, true), DType::f32,
                                                    [](double v, double w) { return v - w; }));
  for (const bool first : {false, true}) {
    const Tensor cosine = first ? cosine_similarity(x, y) : cosine_similarity(y, x);
    EXPECT_TRUE(matches(cosine, cosines, {0, 1e-5, 1e-6}));
    if (plans_for_gpus(device())) {
      EXPECT_EQ(explain(first ? cosine_similarity(x, y) : cosine_similarity(y, x)).find("// map"), std::string::npos);
    }
  }
  EXPECT_TRUE(matches(softmax(where(gt(x, 0.0F), y, -1.0F), 1), softmax_reference(chosen, 1), of_share));
  EXPECT_TRUE(matches(y * (x - sum(x * y, 1, true)), gradient, {0, 1e-4, 1e-4}));
}

/// On hardware four of them are an invocation's, wherever their elements lie; some are copied side by side before.
EG_TEST(RowOrders, short_rows_lie_in_any_order) {
  const Array a = random_reals({313, 421, 3}, -4, 4), expected = softmax_reference(a, 2),
              ones = naive::map(naive::sum(a, {2}), DType::f32, [](double) { return 1.0; });
  const Tensor x = upload(a);
  for (const auto& [one, other] : {std::pair{0, 2}, {1, 2}, {0, 1}}) {
    const Tensor y = upload(naive::transpose(a, one, other)).transpose(one, other), e = exp(y - max(x, 2, true));
    EXPECT_TRUE(matches(softmax(y + 0.0F * x, 2), expected, of_share));
    EXPECT_TRUE(matches(e / sum(e, 2, true), expected, of_share));
    EXPECT_TRUE(matches(cosine_similarity(x, y, 2), ones, {0, 1e-6, 1e-6}));
    EXPECT_TRUE(matches(cosine_similarity(y, x, 2), ones, {0, 1e-6, 1e-6}));
  }
}

/// On a GPU values of rows that lie across the results are computed as the rows lie, elements by tiles.
EG_TEST(RowOrders, rows_across_their_results_are_read_as_they_lie) {
  const Array stored = random_reals({1030, 1027}, -4, 4), x = naive::transpose(stored, 0, 1);
  const Tensor seen = upload(stored).transpose(0, 1);
  // In the order of its axes, whatever it is made of.
  const auto chosen = [&] { return where(gt(seen, -5.0F), seen, 0.0F); };
  const Tensor made = chosen().eval();
  const auto rescaled = [](const Tensor& at, int axis) {
    const Tensor low = min(at, axis, true);
    return (at - low) / (max(at, axis, true) - low + 1);
  };
  for (const int axis : {0, 1}) {
    EXPECT_TRUE(matches(softmax(seen, axis), softmax_reference(x, axis), of_share));
    const auto of_both = [](double a, double b) { return a - b; };
    const Array low = naive::min(x, {axis}, true),
                range = naive::map(naive::max(x, {axis}, true), low, DType::f32, of_both);
    const Array expected = naive::map(naive::map(x, low, DType::f32, of_both), range, DType::f32,
                                      [](double a, double b) { return a / (b + 1); });
    EXPECT_TRUE(matches(rescaled(seen, axis), expected, {0, 1e-6, 1e-6}));
    // The order of a row's sum is that of how it was made.
    EXPECT_EQ(softmax(chosen(), axis).to_vector<float>(), softmax(made, axis).to_vector<float>());
    if (plans_for_gpus(device())) {
      EXPECT_NE(explain(softmax(chosen(), axis)).find("map_transpose"), std::string::npos);
      EXPECT_EQ(explain(softmax(upload(stored), axis)).find("map"), std::string::npos);
    }
  }
  const auto [means, variances] = moments(seen, {1}, true);
  const Array apart = naive::map(x, naive::mean(x, {1}, true), DType::f32, [](double a, double b) { return a - b; });
  const Array expected =
      naive::map(apart, naive::var(x, {1}, true), DType::f32, [](double a, double b) { return a / std::sqrt(b + 1); });
  EXPECT_TRUE(matches((seen - means) / sqrt(variances + 1), expected, {0, 1e-5, 1e-5}));
}

/// Read and written in one order, of rows and of columns.
EG_TEST(RowOrders, softmax_of_a_transposed_tensor_lies_in_the_order_of_memory) {
  const Array x = random_reals({60, 90, 70}, -3, 3);
  for (const Axes& order : {Axes{0, 2, 1}, {2, 1, 0}, {2, 0, 1}}) {
    Axes back = order;
    for (int i = 0; i < 3; ++i) back[static_cast<int>(order[i])] = i;
    const Tensor given = (upload(x).permute(order) + 0.0F).eval().permute(back);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_TRUE(matches(softmax(given, axis), softmax_reference(x, axis), of_share)) << order[0] << ' ' << axis;
      EXPECT_TRUE(matches(log_softmax(given, axis), log_softmax_reference(x, axis), millionth))
          << order[0] << ' ' << axis;
    }
  }
  const Tensor given = upload(x).permute({0, 2, 1});
  EXPECT_TRUE(explain(softmax(given, 0)).starts_with("row f32 (60,) for each of (6300,)"))
      << explain(softmax(given, 0)).substr(0, 100);
}

}  // namespace
}  // namespace eglantine::test
