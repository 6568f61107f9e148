#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "layout/layout.hpp"
#include "lower/schedules.hpp"
#include "support/custom_ops.hpp"
#include "support/reference/tree_simulation.hpp"

namespace eglantine::test {

/// Reductions by the schedules for hardware, on any device: they give the bits of plain loops too.
class ReduceSchedules : public testing::Test {
 protected:
  ReduceSchedules() : device_(open_runtime()), hardware_(std::make_unique<AsHardware>(*device_)) {}

  /// sum, argmax or a custom sum over axis 1 (rows) or axis 0 (columns) of a (rows, columns) tensor, times `factors`
  /// ones.
  std::vector<uint32_t> reduced(const std::vector<float>& x, Shape shape, layout::ReduceTree tree, Reduction reduction,
                                int factors) {
    const bool row = tree == layout::ReduceTree::row;
    const int64_t kept = shape[row ? 0 : 1], length = shape[row ? 1 : 0];
    const Layout layout{{kept, length}, {row ? length : 1, row ? 1 : kept}, 0};
    ReduceKernel kernel;
    kernel.prologue = {layout.shape,
                       {{buffer_of(*device_, words_of(x)), storage_, layout}},
                       {},
                       {{std::bit_cast<uint32_t>(1.0F)}},
                       {}};
    kernel.prologue.code = {{Op::load, DType::f32, {0, -1, -1}}, {Op::parameter, DType::f32, {0, -1, -1}}};
    for (int i = 0; i < factors; ++i) {
      const int32_t last = i == 0 ? 0 : static_cast<int32_t>(kernel.prologue.code.size()) - 1;
      kernel.prologue.code.push_back({Op::mul, DType::f32, {last, 1, -1}});
    }
    kernel.kept_rank = 1;
    kernel.reduction = reduction;
    if (reduction == Reduction::custom) kernel.custom = std::make_shared<const ReduceOp>(plus());
    kernel.tree = tree;
    const DType dtype = reduction == Reduction::argmax ? DType::i32 : DType::f32;
    kernel.epilogue = {{kept}, {}, {}, {}, {{Op::accumulator, dtype, {-1, -1, -1}}}};
    kernel.out = {buffer_of(*device_, std::vector<uint32_t>(static_cast<size_t>(kept))), word_storage(dtype),
                  layout::contiguous({kept})};
    hardware_->run(kernel);
    return download(*device_, kernel.out.buffer->storage(), static_cast<size_t>(kept));
  }

  void expect_the_trees_bits(Shape shape, layout::ReduceTree tree, int factors = 1,
                             Reduction summing = Reduction::sum) {
    const bool row = tree == layout::ReduceTree::row;
    const int64_t kept = shape[row ? 0 : 1], length = shape[row ? 1 : 0];
    std::vector<float> x;
    for (int64_t i = 0; i < kept * length; ++i) x.push_back(static_cast<float>((i * 7919) % 10007) / 10007.0F - 0.4F);
    if (storage_ == StorageType::f16)
      for (float& value : x) value = static_cast<float>(half(value));
    const std::vector<uint32_t> bits = reduced(x, shape, tree, summing, factors);
    const std::vector<uint32_t> places = reduced(x, shape, tree, Reduction::argmax, factors);
    for (int64_t k = 0; k < kept; ++k) {
      std::vector<float> run;
      for (int64_t e = 0; e < length; ++e) run.push_back(x[static_cast<size_t>(row ? k * length + e : e * kept + k)]);
      const auto largest = static_cast<uint32_t>(std::max_element(run.begin(), run.end()) - run.begin());
      const float expected = row ? row_tree_sum(run) : column_tree_sum(run);
      ASSERT_EQ(bits[static_cast<size_t>(k)], std::bit_cast<uint32_t>(expected)) << to_string(shape) << " at " << k;
      ASSERT_EQ(places[static_cast<size_t>(k)], largest) << to_string(shape) << " at " << k;
    }
  }

  Words words_of(const std::vector<float>& x) const {
    Words words;
    for (float value : x) words.push_back(std::bit_cast<uint32_t>(value));
    return storage_ == StorageType::f16 ? packed(words, storage_) : words;
  }

  std::unique_ptr<gl::GlRuntime> device_;
  std::unique_ptr<AsHardware> hardware_;
  StorageType storage_ = StorageType::f32;
};

}  // namespace eglantine::test
