#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/views.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, Fusion);
EG_ON_EACH_DEVICE(Graph, Sharing);
EG_ON_EACH_DEVICE(Graph, Bounds);

Tensor held(const Dims& shape, uint64_t seed = 1) { return upload(random_array(DType::f32, shape, seed)); }

EG_TEST(Fusion, a_chain_over_views_and_its_sum_are_one_kernel) {
  const Array a = random_reals({37, 41}, -1, 1, 1);
  const Array b = random_reals({41, 37}, -1, 1, 2);
  const Tensor x = upload(a);
  const Tensor y = upload(b).transpose(0, 1).flip({0});
  const Array flipped = naive::flip(naive::transpose(b, 0, 1), {0});
  const Tensor result = sum(exp(x * y + x), {1});
  const Array terms = naive::map(a, flipped, DType::f32, [](double p, double q) { return std::exp(p * q + p); });
  EXPECT_EQ(kernels_of(result), 1);
  EXPECT_TRUE(matches(result, naive::sum(terms, {1}), {0, 1e-5, 0}));
}

EG_TEST(Fusion, element_wise_verbs_and_movements_melt_into_one_map) {
  const Tensor x = held({13, 127});
  EXPECT_EQ(kernels_of((neg(x).transpose(0, 1).flip({1}).slice(0, 3, 90, 2) + 1.0F) * held({13}, 2)), 1);
}

EG_TEST(Fusion, multiply_sum_is_one_kernel) {
  EXPECT_EQ(kernels_of(multiply_sum(held({13, 1, 37}), held({5, 37}, 2), {2})), 1);
}

EG_TEST(Fusion, a_matmul_takes_in_its_consumer) {
  EXPECT_EQ(kernels_of(relu(matmul(held({13, 37}), held({37, 11}, 2)) + held({11}, 3))), 1);
}

EG_TEST(Fusion, a_matmul_that_sums_nothing_is_element_wise) {
  EXPECT_EQ(kernels_of(sum(matmul(exp(held({13, 1})), held({1, 37}, 2)))), 1);
  EXPECT_EQ(kernels_of(matmul(held({127, 1}), held({1}, 2)) - held({127}, 3)), 1);
}

EG_TEST(Fusion, a_reduction_takes_in_its_consumer) {
  EXPECT_EQ(kernels_of(sqrt(sum(square(held({13, 37})), {1}) * 0.5F)), 1);
}

EG_TEST(Fusion, a_view_of_a_computed_tensor_runs_nothing) {
  const Tensor x = held({13, 37});
  EXPECT_EQ(kernels_of(x), 0);
  EXPECT_EQ(kernels_of(neg(x).eval()), 0);
}

EG_TEST(Fusion, a_matmul_reads_views_in_place) {
  EXPECT_EQ(kernels_of(matmul(held({37, 13}).transpose(0, 1), held({11, 37}, 2).transpose(0, 1).flip({0}))), 1);
}

EG_TEST(Fusion, constants_and_indices_need_no_buffer) {
  EXPECT_EQ(kernels_of(arange(0, 100) * 2.0F + ones({100}) + zeros({1})), 1);
  EXPECT_EQ(kernels_of(where(gt(uniform({100}, 1), 0.5), held({100}), zeros({100}))), 1);
}

EG_TEST(Fusion, a_few_elements_that_are_there_are_copied_by_a_software_driver) {
  std::vector<Tensor> losses;
  for (uint64_t i = 0; i < 20; ++i) losses.push_back((held({5}, i) * 2.0F).eval());
  const Tensor together = stack(losses, 0);
  const int64_t before = statistics(device()).dispatches;
  together.eval();
  const int64_t ran = statistics(device()).dispatches - before;
  const bool copies = on_gl() && device().info().software;
  const int64_t most = device().info().max_bindings - 2;  // which one kernel writes
  EXPECT_EQ(ran, on_gl() && !copies ? (20 + most - 1) / most : 0);
  for (int64_t i = 0; i < 20; ++i)
    EXPECT_EQ(together.slice(0, i, i + 1).to_vector<float>(), losses[static_cast<size_t>(i)].to_vector<float>());
  EXPECT_EQ(explain(stack(losses, 0)).find("copied by the driver") != std::string::npos, copies);
  // What is copied is written and read by kernels before and after.
  const Tensor x = held({64}), y = concatenate({exp(x).eval(), exp(x).slice(0, 0, 7).eval()}, 0);
  EXPECT_EQ((y.eval() * 1.0F).slice(0, 64, 71).to_vector<float>(), exp(x).slice(0, 0, 7).to_vector<float>());
}

EG_TEST(Fusion, long_rows_are_copied_on_a_software_device_between_kernels) {
  const auto copies = [](const Tensor& x) { return explain(x).find("copied by") != std::string::npos; };
  const bool software = on_gl() && device().info().software;
  const Tensor table = exp(held({7, 600})).eval();
  const Tensor rows = (arange(0, 6, 1, DType::i32, device()) * 2 - 5).eval();
  EXPECT_EQ(copies(take(table, rows, 0)), software);
  EXPECT_FALSE(copies(take(table, rows, 0) * 2.0F)) << "a kernel that computes can fetch as well";
  const Tensor both = concatenate({take(table, rows, 0).eval(), neg(table).slice(0, 0, 6).eval()}, 1);
  EXPECT_EQ(copies(both), software);
  const std::vector<float> found = (both.eval() * 1.0F).to_vector<float>(), values = table.to_vector<float>();
  const std::vector<size_t> expected{2, 4, 6, 1, 3, 5};  // -5, -3, -1, 1, 3, 5
  for (size_t row = 0; row < 6; ++row)
    for (size_t i = 0; i < 600; ++i) {
      ASSERT_EQ(found[row * 1200 + i], values[expected[row] * 600 + i]) << row << ", " << i;
      ASSERT_EQ(found[row * 1200 + 600 + i], -values[row * 600 + i]) << row << ", " << i;
    }
}

EG_TEST(Fusion, explain_names_each_kernel_and_runs_none) {
  const Tensor x = held({13, 37});
  const int64_t before = statistics(device()).kernels;
  const std::string one = explain(sum(exp(x * x + x), {1}));
  const std::string two = explain(matmul(x, x.transpose(0, 1)).flip({0}) + softmax(held({13, 13}), 1));
  EXPECT_EQ(statistics(device()).kernels, before);
  EXPECT_NE(one.find("reduce"), std::string::npos) << one;
  EXPECT_EQ(one.find("matmul"), std::string::npos) << one;
  EXPECT_NE(two.find("matmul"), std::string::npos) << two;
  EXPECT_NE(two.find("max of the row"), std::string::npos) << two;
  EXPECT_EQ(one.find("#version") != std::string::npos, on_gl());
}

EG_TEST(Sharing, a_node_that_two_results_read_is_computed_once) {
  const Tensor x = held({37, 41});
  const Tensor shared = tanh(x);
  const Tensor s = sum(shared, {1});
  const Tensor m = max(shared, {1});
  const int64_t before = statistics(device()).kernels;
  eval({s, m});
  EXPECT_EQ(statistics(device()).kernels - before, 3);
  EXPECT_EQ(kernels_of(shared), 0);
}

EG_TEST(Sharing, what_readers_of_parts_compute_once_together_is_not_stored) {
  const Array a = random_reals({37, 41}, -1, 1, 1);
  const Tensor x = upload(a), few = sum(upload(a), {1}, true).eval();
  const auto sums = [&](int64_t end, int64_t begin) {
    const Tensor y = tanh(x) - few;
    return std::vector<Tensor>{sum(y.slice(1, 0, end), {1}), sum(y.slice(1, begin), {1})};
  };
  EXPECT_EQ(kernels_of(sums(30, 30)), 2) << "of each part";
  EXPECT_EQ(kernels_of(sums(30, 29)), 3) << "what both read of a column, too";
  const Array rows = naive::sum(a, {1});
  const Array y = generate(DType::f32, {37, 41}, [&](const Dims& at) {
    return std::tanh(a.values[static_cast<size_t>(at[0] * 41 + at[1])]) - rows.values[static_cast<size_t>(at[0])];
  });
  EXPECT_TRUE(matches(sums(30, 30)[0] + sums(30, 30)[1], naive::sum(y, {1}), {1e-4, 1e-5, 0}));
}

/// Also where each of several readers reads parts that together are all of it, or results of neighbours at once.
EG_TEST(Sharing, what_readers_of_parts_compute_several_times_is_stored) {
  const Tensor x = held({37, 40}), narrow = held({40, 4}, 2);
  const Tensor y = tanh(x), a = y.slice(1, 0, 20), b = y.slice(1, 20);
  EXPECT_EQ(kernels_of({sum(a * b, {1}), sum(a + b, {1})}), 3);
  const Tensor z = tanh(narrow);
  EXPECT_EQ(kernels_of({sum(z, {0}), sum(z * z, {0}), sum(z * 3.0F, {0})}), 4);
}

EG_TEST(Sharing, a_remainder_of_many_steps_is_computed_once) {
  const Array a = random_reals({37, 41}, -1, 1, 1);
  const Tensor x = upload(a), place = arange(0, 41);
  const Tensor far = remainder(place, 3.0F), whole = remainder(arange(0, 41, 1, DType::i32), 3);
  EXPECT_EQ(kernels_of({sum(x * far, {1}), sum(x - far, {1})}), 3) << "the remainders, and two sums";
  EXPECT_EQ(kernels_of({sum(x * whole, {1}), sum(x - whole, {1})}), 2) << "integers are quickly divided";
}

EG_TEST(Sharing, quotients_of_few_sums_are_not_computed_for_each_of_many_elements) {
  const Tensor x = held({100000, 11}), few = held({5, 11});
  const auto center = [&] {
    const Tensor total = sum(few, {0}), third = total / 3.0F;
    return where(isinf(third), total, third + total / 7.0F);
  };
  EXPECT_NE(explain(x - center()).find(": sub of 2 operands"), std::string::npos);
  EXPECT_EQ(explain(x.slice(0, 0, 1000) - center()).find(": sub of 2 operands"), std::string::npos);
}

EG_TEST(Sharing, a_mask_of_places_is_computed_where_it_is_read) {
  const Array a = random_bits(DType::i32, {37, 41});
  const Tensor x = upload(a), mask = ge(arange(0, 37).unsqueeze(1), arange(0, 41));
  const Tensor kept = where(mask, x, 0), others = sum(where(mask, 0, x), {1});
  EXPECT_EQ(kernels_of({kept, others}), 2);
  EXPECT_EQ(kernels_of(where(mask, x, 1)), 1) << "a kernel of before has computed the mask";
  const Array below = generate(DType::i32, {37, 41}, [&](const Dims& at) {
    return at[0] >= at[1] ? a.values[static_cast<size_t>(at[0] * 41 + at[1])] : 0;
  });
  EXPECT_TRUE(matches(kept, below));
  EXPECT_TRUE(matches(others + sum(kept, {1}), naive::sum(a, {1})));
  EXPECT_EQ(kernels_of(mask), 1);
}

EG_TEST(Sharing, a_table_of_labels_is_computed_where_it_is_read) {
  const Array a = random_bits(DType::i32, {37, 11});
  const Tensor numbers = upload(generate(DType::i32, {64}, [](const Dims& at) { return at[0]; }));
  const Tensor labels = take(numbers, arange(63, 26, -1, DType::i32), 0);
  const Tensor table = eq(labels.unsqueeze(1), arange(0, 11, 1, DType::i32) + 30).astype(DType::i32);
  const Tensor x = upload(a), marked = x * table, rest = sum(x - x * table, {0});
  EXPECT_EQ(kernels_of({marked, rest}), 3) << "the labels, and one for each result";
  EXPECT_TRUE(matches(table, generate(DType::i32, {37, 11}, [](const Dims& at) { return 63 - at[0] == 30 + at[1]; })));
  EXPECT_TRUE(matches(rest + sum(marked, {0}), naive::sum(a, {0})));
}

EG_TEST(Sharing, what_a_product_reads_is_computed_into_memory_once) {
  const Tensor mask = ge(arange(0, 37).unsqueeze(1), arange(0, 41)).astype(DType::f32);
  const Tensor squares = sum(square(mask), {0}), product = matmul(mask.transpose(0, 1), mask);
  EXPECT_EQ(kernels_of({squares, product}), 3) << "the mask, which the product reads both ways, and two results";
  EXPECT_EQ(squares.to_vector<float>(), sum(product * eye(41), {1}).to_vector<float>());
}

EG_TEST(Sharing, what_takes_long_or_reads_much_is_computed_once) {
  const Tensor column = held({37, 1}), large = held({257, 259});  // a GPU recomputes a small sum
  for (const Tensor& shared : {large + held({257, 259}, 2), tanh(column.expand({37, 41})), uniform({37, 41}, 5)})
    EXPECT_EQ(kernels_of({sum(shared, {1}), max(shared, {0})}), 3);
}

/// A kernel that does nothing but store it would read as much as each reader, and write it.
EG_TEST(Sharing, what_reads_as_much_as_it_is_recomputed_by_reductions) {
  const Tensor x = held({37, 41}), column = held({37, 1});
  const Tensor low = x - column, shared = (x + 1.0F) * 2.0F, beside = x - column;
  EXPECT_EQ(kernels_of({sum(low, {1}), max(low, {0})}), 2);
  EXPECT_EQ(kernels_of({sum(shared * shared, {0}), max(shared, {0}), argmin(shared, 0)}), 3);
  EXPECT_EQ(kernels_of(shared), 1);
  EXPECT_EQ(kernels_of({sum(beside, {1}), beside * 2.0F}), 2) << "one of which stores it beside its own result";
  EXPECT_EQ(kernels_of(beside), plans_for_gpus(device()) ? 1 : 0) << "but on GPUs, where no kernel writes it";
}

EG_TEST(Sharing, adding_to_itself_forty_times_stays_linear) {
  Tensor x = ones({127});
  for (int i = 0; i < 40; ++i) x = x + x;
  const int64_t before = statistics(device()).kernels;
  EXPECT_EQ(x.slice(0, 5, 6).item<float>(), std::ldexp(1.0F, 40));
  EXPECT_LE(statistics(device()).kernels - before, 41);
}

EG_TEST(Sharing, reading_twice_computes_once) {
  const Tensor x = exp(held({13}));
  x.to_vector<float>();
  const int64_t before = statistics(device()).kernels;
  x.to_vector<float>();
  EXPECT_EQ(statistics(device()).kernels, before);
}

EG_TEST(Sharing, a_result_read_by_maps_of_two_shapes) {
  const Array x = random_array(DType::i32, {13, 13});
  const Tensor shared = upload(x) * 3;
  const Tensor y = shared + shared.transpose(0, 1) + sum(shared, {0});
  const Array tripled = naive::map(x, DType::i32, [](double v) { return 3 * v; });
  EXPECT_TRUE(matches(y, naive::map(tripled, naive::transpose(tripled, 0, 1), naive::sum(tripled, {0}), DType::i32,
                                    [](double a, double b, double c) { return a + b + c; })));
}

int64_t peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

EG_TEST(Bounds, a_hundred_thousand_updates_that_never_read) {
  Tensor x = zeros({13}, DType::i32);
  const Tensor step = Tensor::from(std::vector<int32_t>(13, 3), {13});
  for (int i = 0; i < 1000; ++i) x = x + step;
  x.eval();
  device().synchronize();
  const int64_t before = peak_kilobytes();
  for (int i = 1000; i < 100000; ++i) x = x + step;
  EXPECT_EQ(x.to_vector<int32_t>(), std::vector<int32_t>(13, 300000));
  EXPECT_LT(peak_kilobytes() - before, 128 * 1024);
  EXPECT_LT(device().memory().live, 64 << 20);
}

/// Each round's numbers, which nothing else holds, and what they were, are pending in every round.
EG_TEST(Bounds, a_pending_sum_of_many_large_tensors_keeps_few_of_them) {
  constexpr int64_t n = 1 << 20;
  const std::vector<int32_t> ones(n, 1);
  Tensor x = zeros({n}, DType::i32);
  int64_t most = 0;
  for (int i = 0; i < 300; ++i) {
    const Tensor p = Tensor::from(ones, {n});
    x = x + p;
    EXPECT_EQ(max(p).item<int32_t>(), 1);
    most = std::max(most, device().memory().live);
  }
  EXPECT_LT(most, 640 << 20) << "and what kernels under way use";
  EXPECT_EQ(x.slice(0, n - 1, n).item<int32_t>(), 300);
}

EG_TEST(Bounds, many_results_that_nobody_has_read_keep_few_of_their_operands) {
  constexpr int64_t n = 1 << 18;
  const std::vector<int32_t> twos(n, 2);
  std::vector<Tensor> sums;
  int64_t most = 0;
  for (int i = 0; i < 900; ++i) {
    const Tensor p = Tensor::from(twos, {2, n / 2});
    sums.push_back(sum(p.transpose(0, 1) * p.transpose(0, 1)));
    most = std::max(most, device().memory().live);
  }
  EXPECT_LT(most, 512 << 20);
  for (const Tensor& each : sums) EXPECT_EQ(each.item<int32_t>(), 4 * n);
}

EG_TEST(Bounds, what_the_program_holds_itself_is_not_computed_early) {
  const Tensor p = full({1 << 20}, 1, DType::i32).eval();
  const int64_t before = statistics(device()).kernels;
  std::vector<Tensor> pending;
  for (int i = 0; i < 300; ++i) pending.push_back(p + i);
  EXPECT_EQ(statistics(device()).kernels, before);
}

EG_TEST(Bounds, a_momentum_loop_reaches_a_bounded_set_of_programs) {
  Tensor x = held({37});
  Tensor v = held({37}, 2);  // a constant would be another program the first time
  for (int i = 0; i < 200; ++i) {
    v = v * 0.9F - x * (0.1F + 0.001F * static_cast<float>(i));
    x = x + v;
    if (i % 20 == 0) eval({x, v});
  }
  eval({x, v});
  const int64_t before = statistics(device()).programs;
  for (int i = 0; i < 200; ++i) {
    v = v * 0.8F - x * (0.05F + 0.002F * static_cast<float>(i));
    x = x + v;
    if (i % 20 == 0) eval({x, v});
  }
  eval({x, v});
  EXPECT_EQ(statistics(device()).programs, before);
  for (float value : x.to_vector<float>()) EXPECT_TRUE(std::isfinite(value));
}

EG_TEST(Bounds, more_operands_than_a_kernel_can_bind) {
  Tensor total = zeros({13}, DType::i32);
  int32_t expected = 0;
  for (int32_t i = 1; i <= 60; ++i) {
    total = total + Tensor::from(std::vector<int32_t>(13, i), {13});
    expected += i;
  }
  EXPECT_EQ(total.to_vector<int32_t>(), std::vector<int32_t>(13, expected));
}

/// Each level reads the one below through two views that are drawn: 2^16 reads of the first, if all were fused.
EG_TEST(Bounds, levels_that_each_read_two_views_of_the_one_below) {
  for (uint32_t seed = 0; seed < 4; ++seed) {
    std::mt19937 draw(seed);
    std::vector<int32_t> expected(30'000);
    for (int32_t& value : expected) value = static_cast<int32_t>(draw());
    Tensor x = Tensor::from(expected, {static_cast<int64_t>(expected.size())});
    for (int level = 0; level < 16; ++level) {
      const auto shift = static_cast<int64_t>(seed == 0 ? 1U << std::min(level, 13) : 1 + draw() % 900);
      const int64_t length = x.size() - shift;
      if (length < 1) break;
      const bool flips = draw() % 4 == 0;
      const Tensor left = x.slice(0, shift), right = x.slice(0, 0, length);
      x = left - (flips ? right.flip({0}) : right);
      std::vector<int32_t> next(static_cast<size_t>(length));
      for (size_t i = 0; i < next.size(); ++i)
        next[i] = static_cast<int32_t>(static_cast<uint32_t>(expected[i + static_cast<size_t>(shift)]) -
                                       static_cast<uint32_t>(expected[flips ? next.size() - 1 - i : i]));
      expected = next;
    }
    EXPECT_EQ(x.to_vector<int32_t>(), expected) << "seed " << seed;
  }
}

EG_TEST(Bounds, a_deep_graph_of_views_and_reductions_is_let_go) {
  Tensor x = held({3, 3});
  for (int i = 0; i < 20000; ++i) x = (x.transpose(0, 1).flip({0}) - mean(x, {1}, true)) * 0.5F;
  for (float value : x.to_vector<float>()) EXPECT_TRUE(std::isfinite(value));
}

EG_TEST(Bounds, a_deep_graph_that_nobody_reads) {
  Tensor x = held({13});
  for (int i = 0; i < 100000; ++i) x = x * 1.0F;
  x = zeros({1});
  device().synchronize();
}

/// A kernel had the elements of a view in memory, in the order in which a copy has them.
EG_TEST(Fusion, copies_of_what_lies_in_memory_are_not_stored) {
  const Tensor x = uniform({4, 6, 5}, 1).eval();
  const Tensor padded = x.transpose(0, 1).reshape({6, 20}).pad({{1, 2}, {3, 0}});
  sum(padded, {0}).eval();
  EXPECT_EQ(kernels_of(padded + 1), 1);
  EXPECT_EQ((padded + 1).to_vector<float>()[23 + 3 + 5], x.to_vector<float>()[30] + 1);
}

}  // namespace
}  // namespace eglantine::test
