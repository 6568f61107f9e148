#include <algorithm>
#include <bit>

#include "lower/expressions.hpp"
#include "lower/reduce/fixture.hpp"
#include "support/random/draw.hpp"

namespace eglantine::test {
namespace {

/// Results in the order of memory: of operands that lie in any order of axes, repeat along kept axes or go backwards.
class KeptOrder : public ReduceSchedules {
 protected:
  /// By `reduction` over the last axis of x, which has three; what each element is read from is `layout`.
  std::vector<uint32_t> reduced_over(const Layout& layout, Reduction reduction, layout::ReduceTree tree) {
    std::vector<float> x;
    for (int64_t i = 0; i < elements_of(layout); ++i) x.push_back(static_cast<float>((i * 7919) % 10007) - 4000.0F);
    const Shape kept{layout.shape[0], layout.shape[1]};
    const DType dtype = reduction == Reduction::argmax ? DType::i32 : DType::f32;
    ReduceKernel kernel;
    kernel.prologue = lower::load_of({buffer_of(*device_, words_of(x)), StorageType::f32, layout});
    kernel.kept_rank = 2;
    kernel.reduction = reduction;
    kernel.tree = tree;
    kernel.epilogue = lower::accumulator_over({kept.elements()}, dtype);
    kernel.out = {buffer_of(*device_, Words(static_cast<size_t>(kept.elements()))), word_storage(dtype),
                  layout::contiguous({kept.elements()})};
    const std::vector<uint32_t> expected = expected_of(layout, x, reduction, tree);
    hardware_->run(kernel);
    const std::vector<uint32_t> results = download(*device_, kernel.out.buffer->storage(), expected.size());
    EXPECT_EQ(results, expected) << to_string(layout.shape) << " by " << testing::PrintToString(layout.strides);
    return results;
  }

  static int64_t elements_of(const Layout& layout) { return layout::reach(layout).last + 1; }

  static std::vector<uint32_t> expected_of(const Layout& layout, const std::vector<float>& x, Reduction reduction,
                                           layout::ReduceTree tree) {
    std::vector<uint32_t> all;
    for (int64_t i = 0; i < layout.shape[0]; ++i)
      for (int64_t j = 0; j < layout.shape[1]; ++j) {
        std::vector<float> run;
        for (int64_t e = 0; e < layout.shape[2]; ++e)
          run.push_back(x[static_cast<size_t>(layout::address(layout, {i, j, e}))]);
        const auto largest = std::max_element(run.begin(), run.end());
        const float sum = tree == layout::ReduceTree::row ? row_tree_sum(run) : column_tree_sum(run);
        if (reduction == Reduction::argmax)
          all.push_back(static_cast<uint32_t>(largest - run.begin()));
        else
          all.push_back(std::bit_cast<uint32_t>(reduction == Reduction::sum ? sum : *largest));
      }
    return all;
  }
};

TEST_F(KeptOrder, of_any_layout_gives_the_trees_bits) {
  const int64_t a = 37, b = 129, n = 70;
  const std::vector<Layout> layouts{{{a, b, n}, {1, a, a * b}, 0},      {{a, b, n}, {1, a * n, a}, 0},
                                    {{a, b, n}, {n, a * n, 1}, 0},      {{a, b, n}, {0, n, 1}, 0},
                                    {{a, b, n}, {1, 0, a}, 0},          {{a, b, n}, {0, 0, 1}, 0},
                                    {{a, b, n}, {b * n, n, -1}, n - 1}, {{a, b, n}, {1, a, -a * b}, a * b * (n - 1)},
                                    {{a, b, n}, {-1, a * n, a}, a - 1}};
  Draw draw = draw_one_of(3);
  for (const Layout& layout : layouts)
    for (const layout::ReduceTree tree : {layout::ReduceTree::row, layout::ReduceTree::column})
      for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::argmax})
        if (draw.next()) reduced_over(layout, reduction, tree);
}

TEST_F(KeptOrder, is_that_of_memory_on_hardware) {
  const int64_t a = 370, b = 129, n = 70;
  lower::Target target = hardware_->plan_for();
  const auto steps = [&](const std::vector<int64_t>& strides) {
    ReduceKernel kernel;
    kernel.prologue = lower::load_of({gl::unstored(a * b * n * 4), StorageType::f32, {{a, b, n}, strides, 0}});
    kernel.kept_rank = 2;
    kernel.reduction = Reduction::sum;
    kernel.epilogue = lower::accumulator_over({a * b}, DType::f32);
    kernel.out = {gl::unstored(a * b * 4), StorageType::f32, layout::contiguous({a * b})};
    std::string names;
    for (const lower::Step& step : lower::lower(kernel, target, &gl::unstored).steps)
      names += std::get<lower::Dispatch>(step).name + "; ";
    return names;
  };
  EXPECT_EQ(steps({b * n, n, 1}), "reduce_row sum f32; ");
  // What lies across the rows is transposed before.
  EXPECT_EQ(steps({b, 1, a * b}), "map_transpose f32; reduce_row sum f32; ");
  EXPECT_EQ(steps({1, a, a * b}), "map_transpose f32; reduce_row sum f32; map_transpose f32; ");
  EXPECT_EQ(steps({n, 0, 1}), "reduce_row sum f32; map f32; ");
}

}  // namespace
}  // namespace eglantine::test
