#include <functional>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/random/random_data.hpp"

/// Kernels that store more than one result: what is computed together must be what is computed one after another.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, Stored);

using Results = std::vector<Tensor>;
/// The same graph anew each time, over inputs that are there.
using Build = std::function<Results()>;

Tensor held_numbers(const Dims& shape, uint64_t seed = 1) { return upload(random_array(DType::i32, shape, seed)); }
/// Whole numbers, whose sums and products are exact in f32.
Tensor whole(const Dims& shape, uint64_t seed = 1) { return held_numbers(shape, seed).astype(DType::f32).eval(); }

void expect_equal(const Tensor& a, const Tensor& b) { EXPECT_TRUE(all(eq(a, b)).item<bool>()); }

/// Computes the results together, in so many kernels where the device binds enough buffers, then one by one.
void expect_together(int64_t kernels, const Build& build) {
  const Results together = build(), apart = build();
  const int64_t ran = kernels_of(together);
  if (together[0].device().info().max_bindings >= 8) {
    EXPECT_EQ(ran, kernels);
  }
  for (size_t i = 0; i < apart.size(); ++i) {
    SCOPED_TRACE(::testing::Message() << "result " << i);
    apart[i].eval();
    expect_equal(together[i], apart[i]);
  }
}

EG_TEST(Stored, a_momentum_update_is_one_kernel) {
  for (const Dims& shape : {Dims{37}, Dims{64}, Dims{13, 41}, Dims{1}, Dims{}, Dims{300, 1000}}) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    const Tensor w = whole(shape, 1), v = whole(shape, 2), g = whole(shape, 3);
    expect_together(1, [&] {
      const Tensor velocity = v * 0.875F + g;
      return Results{w - velocity * 0.5F, velocity};
    });
  }
}

EG_TEST(Stored, an_adam_update_is_one_kernel) {
  const Tensor w = whole({37, 5}, 1), m = whole({37, 5}, 2), v = square(whole({37, 5}, 3)).eval(),
               g = whole({37, 5}, 4);
  expect_together(1, [&] {
    const Tensor mean = m * 0.875F + g * 0.125F, square_mean = v * 0.75F + square(g) * 0.25F;
    return Results{mean, square_mean, w - mean / (sqrt(square_mean) + 1.0F)};
  });
}

EG_TEST(Stored, operands_may_lie_in_any_way) {
  const Tensor a = held_numbers({41, 13}, 1).transpose(0, 1), b = held_numbers({13, 1}, 2),
               c = held_numbers({26, 82}, 3);
  expect_together(1, [&] {
    const Tensor y = a * b - c.slice(0, 0, 26, 2).slice(1, 81, 0, -2);
    return Results{y, (y.reshape({41, 13}) + 1).reshape({13, 41}) * a};
  });
}

EG_TEST(Stored, masks_are_stored_as_booleans) {
  const Tensor x = held_numbers({13, 5});
  expect_together(1, [&] {
    const Tensor mask = gt(x, 7);
    return Results{mask, where(mask, x, 0)};
  });
}

EG_TEST(Stored, at_most_four_results_a_kernel) {
  const Tensor x = held_numbers({37});
  expect_together(3, [&] {
    Results chain{x + 1};
    for (int i = 1; i < 10; ++i) chain.push_back(chain.back() * 3 + i);
    return chain;
  });
}

EG_TEST(Stored, a_product_what_is_added_and_what_becomes_of_it) {
  for (const int64_t n : {1, 10, 36, 128}) {
    SCOPED_TRACE(n);
    const Tensor a = whole({37, 20}, 1), b = whole({20, n}, 2), c = whole({n}, 3);
    expect_together(1, [&] {
      const Tensor product = matmul(a, b), sum = product + c;
      return Results{product, sum, maximum(sum, 0.0F)};
    });
  }
}

EG_TEST(Stored, products_of_many_tiles) {
  for (const Dims& size : {Dims{300, 70, 200}, Dims{257, 33, 129}}) {
    SCOPED_TRACE(::testing::PrintToString(size));
    const Tensor a = whole({size[1], size[0]}, 1).transpose(0, 1), b = whole({size[1], size[2]}, 2);
    const Tensor v = whole({size[0], size[2]}, 3);
    expect_together(1, [&] {
      const Tensor velocity = v * 0.5F + matmul(a, b);
      return Results{v - velocity * 0.25F, velocity};
    });
  }
}

EG_TEST(Stored, a_product_of_transposed_batches) {
  const Tensor a = whole({3, 20, 64}, 1).transpose(1, 2), b = whole({3, 20, 36}, 2), v = whole({3, 64, 36}, 3);
  expect_together(1, [&] {
    const Tensor velocity = v * 0.5F + matmul(a, b);
    return Results{velocity, v - velocity * 0.25F};
  });
}

EG_TEST(Stored, sums_and_what_becomes_of_them) {
  const Tensor x = held_numbers({130, 36}), one = held_numbers({1}, 2);
  for (const Axes& axes : {Axes{0}, Axes{1}, Axes{0, 1}}) {
    SCOPED_TRACE(::testing::PrintToString(axes));
    expect_together(1, [&] {
      const Tensor total = sum(x, axes), scaled = total * 3 + one.reshape({});
      return Results{total, scaled, neg(scaled)};
    });
  }
}

EG_TEST(Stored, sums_of_several_levels) {
  const Tensor x = held_numbers({3, 70000}), y = held_numbers({5000, 37}, 2), z = held_numbers({300000}, 3);
  expect_together(3, [&] {
    const Tensor rows = sum(x, {1}), columns = sum(y, {0}), all = sum(z);
    return Results{rows, rows * 3, columns, columns - 1, all, all + 7};
  });
}

EG_TEST(Stored, rows_and_what_becomes_of_them) {
  for (const Dims& shape : {Dims{128, 10}, Dims{37, 130}, Dims{2, 2000}}) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    const Tensor x = whole(shape);
    expect_together(2, [&] {
      const Tensor p = log_softmax(x, 1);
      return Results{p, exp(p) * 0.5F, sum(p)};
    });
    expect_together(1, [&] {
      const Tensor v = var(x, {1});
      return Results{v, v + 1.0F};
    });
  }
}

EG_TEST(Stored, columns_and_what_becomes_of_them) {
  const Tensor x = whole({40, 36});
  expect_together(1, [&] {
    const Tensor p = softmax(x, 0);
    return Results{p, p * 2.0F};
  });
}

EG_TEST(Stored, what_is_also_read_out_of_order_is_computed_first) {
  const Tensor x = held_numbers({20, 20});
  expect_together(2, [&] {
    const Tensor y = x * 3;
    return Results{y, y + y.transpose(0, 1)};
  });
}

EG_TEST(Stored, what_a_kernel_waits_for_is_computed_first) {
  const Tensor x = held_numbers({20, 20}), w = held_numbers({20, 20}, 2);
  expect_together(3, [&] {
    const Tensor y = x * 3;
    return Results{y, y - max(y, {1}, true)};
  });
  expect_together(3, [&] {
    const Tensor y = x * 3, z = w * matmul(y, w).flip({0});
    return Results{y, z + y};
  });
}

EG_TEST(Stored, results_of_other_kernels_in_between) {
  const Tensor x = held_numbers({20, 20});
  // y + z and z are one kernel; y, which the sum in z waits for, is not.
  expect_together(3, [&] {
    const Tensor y = x * 3, z = sum(y, {1}, true) * x;
    return Results{y, z, y + z};
  });
}

EG_TEST(Stored, scans_sorts_and_gathers_store_their_own_result_alone) {
  const Tensor x = held_numbers({13, 37});
  const Tensor places = upload(generate(DType::i32, {37}, [](const Dims& at) { return at[0] * 5 % 13; }));
  expect_together(2, [&] {
    const Tensor scanned = cumsum(x, 1) + 1;
    return Results{scanned, scanned * 2};
  });
  expect_together(2, [&] {
    const Tensor taken = take(x, places, 0) + 1;
    return Results{taken, taken * 2};
  });
  expect_together(2, [&] {
    const Tensor sorted = sort(x, 1) + 1;
    return Results{sorted, sorted * 2};
  });
}

EG_TEST(Stored, more_than_a_kernel_binds) {
  std::vector<Tensor> inputs;
  for (uint64_t i = 0; i < 100; ++i) inputs.push_back(held_numbers({13}, i));
  const auto build = [&] {
    Results results{inputs[0] + 1};
    for (size_t i = 1; i < inputs.size(); ++i) {
      const Tensor sum = results.back() + inputs[i];
      i % 30 == 0 ? results.push_back(sum) : void(results.back() = sum);
    }
    return results;
  };
  const Results together = build(), apart = build();
  eval(together);
  for (size_t i = 0; i < apart.size(); ++i) expect_equal(together[i], apart[i].eval());
}

EG_TEST(Stored, explain_says_what_is_stored) {
  const Tensor x = whole({1300, 61});
  const auto read_twice = [](const Tensor& y, const Tensor& z) { return stack({max(y), sum(z), max(z)}, 0); };
  const Tensor y = exp(tanh(x)), p = exp(tanh(softmax(x, 1)));  // a GPU computes one function again
  const std::string map = explain(read_twice(y, sqrt(y) - 1.0F)), row = explain(read_twice(p, sqrt(p) - 1.0F));
  EXPECT_NE(map.find("tanh, exp (stored), sqrt, sub of 1 operand\n"), std::string::npos) << map;
  EXPECT_NE(row.find("tanh, exp (stored), sqrt, sub of 1 operand\n"), std::string::npos) << row;
}

EG_TEST(Stored, both_results_of_a_kernel_that_failed_tell_why) {
  const Tensor x = held_numbers({13}), bad = upload(Array{DType::i32, {2}, {3, 13}});
  const Tensor y = take(x, bad, 0) * 2, z = take(x, bad, 0) * 3, both = y + z;
  const Tensor first = both + 1, second = first * 2;
  eval({first, second});
  EXPECT_THROW(first.to_vector<int32_t>(), IndexError);
  EXPECT_THROW(second.to_vector<int32_t>(), IndexError);
}

EG_TEST(Stored, what_the_host_reads_kernels_read_too) {
  const Tensor x = held_numbers({37});
  const Tensor y = x * 3, z = y + 1;
  eval({y, z});
  expect_equal(z - y, ones({37}, DType::i32));
  const Tensor seen = x * 5, sum_of_both = seen + sum(seen);
  EXPECT_EQ(seen.to_vector<int32_t>(), (x + x * 4).to_vector<int32_t>());
  expect_equal(sum_of_both - seen, sum(x * 5).expand({37}));
}

/// A node of a random graph over square matrices, of some that are there.
Tensor random_node(Random& random, const Results& before) {
  const auto any = [&]() -> const Tensor& {
    // Mostly of what is near, so that chains grow long.
    const int64_t last = static_cast<int64_t>(before.size()) - 1;
    return before[static_cast<size_t>(
        random.integer(random.integer(0, 2) == 0 ? 0 : std::max<int64_t>(0, last - 2), last))];
  };
  switch (random.integer(0, 11)) {
    case 0:
      return any() + any().transpose(0, 1);
    case 1:
      return sum(any(), {1}, true) - any();
    case 2:
      return any() * max(any(), {0});
    case 3:
      return matmul(any(), any()) + any();
    case 4:
      return any().flip({0}) - any();
    case 5:
      return where(gt(any(), any()), any(), 3);
    case 6:
      return cumsum(any(), 1) - any();
    default:
      return random.integer(0, 1) == 0 ? any() * 3 + any() : any() - any();
  }
}

EG_TEST(Stored, random_graphs_give_the_same_together_and_one_by_one) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const int64_t side = seed % 2 == 0 ? 20 : 13;
    const Tensor x = held_numbers({side, side}, seed), y = held_numbers({side, side}, seed + 100);
    const auto build = [&] {
      Random random(seed);
      Results nodes{x, y};
      while (nodes.size() < 14) nodes.push_back(random_node(random, nodes));
      return nodes;
    };
    const Results together = build(), apart = build();
    Random random(seed + 1000);
    Results wanted{together.back()};
    for (const Tensor& node : together)
      if (random.integer(0, 1) == 0) wanted.push_back(node);
    eval(wanted);
    for (size_t i = 0; i < apart.size(); ++i) {
      SCOPED_TRACE(::testing::Message() << "node " << i);
      expect_equal(together[i], apart[i].eval());
    }
  }
}

}  // namespace
}  // namespace eglantine::test
