#include <pthread.h>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/random/random_graphs.hpp"

/// Results that are computed together and read each other's sources: no kernel waits for one that waits for it.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, Crossing);

Tensor whole_numbers(const Dims& shape, uint64_t seed) { return upload(random_array(DType::i32, shape, seed)); }

/// The same as when everything is computed by itself.
void expect_same_results(const std::vector<Tensor>& together, const std::vector<Tensor>& apart) {
  eval(together);
  for (size_t i = 0; i < together.size(); ++i)
    EXPECT_TRUE(matches(together[i], download(apart[i].eval()))) << "result " << i;
}

EG_TEST(Crossing, two_results_that_read_each_others_sources_in_another_order) {
  const Tensor x = whole_numbers({37}, 1), y = whole_numbers({37}, 2);
  const auto results = [&](bool computed) {
    const Tensor p = x * 3 + 1, q = y * 5 - 2;
    if (computed) eval({p, q});
    return std::vector{p + q.flip({0}), q + p.flip({0})};
  };
  expect_same_results(results(false), results(true));
}

EG_TEST(Crossing, a_product_of_what_reads_a_sum_in_two_orders) {
  const Tensor x = whole_numbers({13, 13}, 1), s = whole_numbers({13}, 2);
  const auto product = [&](bool computed) {
    const Tensor a = sum(x, {1}), c = s * 3;
    if (computed) eval({a, c});
    return std::vector{matmul(c.flip({0}) + a, a * c)};
  };
  expect_same_results(product(false), product(true));
}

EG_TEST(Crossing, updates_that_read_a_product_and_a_sum_of_the_other) {
  const Tensor w = whole_numbers({13, 5}, 1), x = whole_numbers({5, 7}, 2), v = whole_numbers({13, 7}, 3);
  const auto step = [&](bool computed) {
    const Tensor g = matmul(w, x), decay = v * 9;
    if (computed) eval({g, decay});
    return std::vector{g * sum(decay * decay), decay + g};
  };
  expect_same_results(step(false), step(true));
}

#ifdef __SANITIZE_ADDRESS__
constexpr size_t small_stack = 1 << 20;  // frames with red zones
#else
constexpr size_t small_stack = 192 << 10;
#endif

/// Runs on a thread with a small stack, far less than a level of a recursion for each pending node would take.
void on_a_small_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, small_stack);
  pthread_t thread;
  const auto run = [](void* what) -> void* {
    (*static_cast<const std::function<void()>*>(what))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

EG_TEST(Crossing, planning_takes_no_more_stack_for_deeper_programs) {
  const Tensor x = whole_numbers({5, 5}, 1);
  for (const bool sums : {false, true}) {
    Tensor y = x;
    for (int i = 0; i < 90; ++i) {
      y = y.transpose(0, 1).flip({0}) + x;
      if (sums) y = y - sum(y, {1}, true);
    }
    on_a_small_stack([&] { eval({y, y.flip({1}) + 1}); });
    Tensor expected = x;
    for (int i = 0; i < 90; ++i) {
      expected = (expected.transpose(0, 1).flip({0}) + x).eval();
      if (sums) expected = (expected - sum(expected, {1}, true).eval()).eval();
    }
    EXPECT_TRUE(matches(y, download(expected)));
  }
}

EG_TEST(Crossing, random_graphs_have_the_same_bits_in_every_order) {
  Draw draw = draw_one_of(5);
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    if (!draw.next()) continue;
    EXPECT_EQ(check_random_graph(seed), "");
  }
}

}  // namespace
}  // namespace eglantine::test
