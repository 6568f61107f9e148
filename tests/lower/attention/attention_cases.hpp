#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <string>

#include "gl/fixture.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/schedules.hpp"
#include "support/compare.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive_einsum.hpp"

/// What the tests of attention's schedules and of its gradient's share: cases, and their operands in memory.
namespace eglantine::test::attention {

enum class Mask { none, truths, floats };

struct Case {
  int64_t heads, rows, columns, features, results;
  bool causal = false;
  Mask mask = Mask::none;
  int64_t key_share = 1, value_share = 1;
  StorageType storage = StorageType::f32;  ///< of q, k and v: f32 or f16
  bool turned = false;                     ///< lines and elements of the operands are the other way round in memory
};

inline std::string text_of(const Case& c) {
  return text({c.heads, c.rows, c.columns, c.features, c.results}) + (c.causal ? " causal" : "") +
         (c.mask == Mask::none     ? ""
          : c.mask == Mask::truths ? " truths"
                                   : " floats") +
         " shares " + text({c.key_share, c.value_share}) + (c.storage == StorageType::f16 ? " f16" : "") +
         (c.turned ? " turned" : "");
}

class Fixture : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }

  static BufferPtr uploaded(const Array& x, StorageType storage) { return buffer_of(*device_, words_of(x, storage)); }

  /// Of (heads, lines, elements).
  static Strided strided(const Array& x, StorageType storage, bool turned) {
    if (!turned) return {uploaded(x, storage), storage, layout::contiguous(Shape(x.shape))};
    const int64_t heads = x.shape[0], lines = x.shape[1], elements = x.shape[2];
    const Array other = generate(DType::f32, {heads, elements, lines}, [&](const Dims& at) {
      return x.at({at[0], at[2], at[1]});
    });
    return {uploaded(other, storage), storage, {Shape(x.shape), {lines * elements, 1, lines}, 0}};
  }

  static Array numbers(const Case& c, const Dims& shape, uint64_t seed) {
    return random_elements(c.storage, shape, seed);
  }

  struct Data {
    Array q, k, v, mask;
  };
  static Data data_of(const Case& c) {
    Data x{numbers(c, {c.heads, c.rows, c.features}, 1), numbers(c, {c.heads / c.key_share, c.columns, c.features}, 2),
           numbers(c, {c.heads / c.value_share, c.columns, c.results}, 3),
           random_reals({c.heads, c.rows, c.columns}, -1, 1, 4)};
    const bool truths = c.mask == Mask::truths;
    if (truths) x.mask.dtype = DType::boolean;
    // Row 1 is hidden whole.
    for (size_t i = 0; i < x.mask.values.size(); ++i) {
      const bool hidden = x.mask.values[i] < -0.3 || static_cast<int64_t>(i) / c.columns % c.rows == 1;
      if (truths || hidden) x.mask.values[i] = truths ? (hidden ? 0 : 1) : -INFINITY;
    }
    return x;
  }

  static double scale_of(const Case& c) { return 1 / std::sqrt(static_cast<double>(c.features)); }

  static Array downloaded(const Strided& x, const Dims& shape) {
    const auto count = static_cast<size_t>(x.layout.size());
    const Words words = download(*device_, x.buffer->storage(), count + 4);
    Array result{DType::f32, shape, {}};
    for (size_t i = 0; i < count; ++i) result.values.push_back(std::bit_cast<float>(words[i]));
    for (size_t i = count; i < count + 4; ++i) EXPECT_EQ(words[i], untouched) << "past the end";
    return result;
  }

  static testing::AssertionResult within(const Array& found, const Array& expected, double relative, double absolute) {
    for (size_t i = 0; i < expected.values.size(); ++i) {
      const double x = found.values[i], y = expected.values[i];
      if (!(x == y || std::abs(x - y) <= std::max(absolute, relative * std::abs(y))))
        return testing::AssertionFailure() << "element " << i << ": " << x << " instead of " << y;
    }
    return testing::AssertionSuccess();
  }

  static AttentionKernel kernel_of(const Case& c, const Data& data) {
    const int64_t rows = c.heads * c.rows, results = rows * c.results;
    AttentionKernel kernel;
    kernel.heads = c.heads;
    kernel.rows = c.rows;
    kernel.columns = c.columns;
    kernel.features = c.features;
    kernel.results = c.results;
    kernel.key_share = c.key_share;
    kernel.value_share = c.value_share;
    kernel.q = strided(data.q, c.storage, c.turned);
    kernel.k = strided(data.k, c.storage, c.turned);
    kernel.v = strided(data.v, c.storage, c.turned);
    if (c.mask == Mask::truths) kernel.mask = strided(data.mask, StorageType::boolean_byte, false);
    if (c.mask == Mask::floats) kernel.mask = strided(data.mask, StorageType::f32, c.turned);
    kernel.causal = c.causal;
    kernel.scale = std::bit_cast<uint32_t>(static_cast<float>(scale_of(c)));
    kernel.epilogue = lower::accumulator_over({results}, DType::f32);
    kernel.out = {buffer_of(*device_, Words(static_cast<size_t>(results) + 4, untouched)), StorageType::f32,
                  layout::contiguous({results})};
    kernel.second = {buffer_of(*device_, Words(static_cast<size_t>(rows) + 4, untouched)), StorageType::f32,
                     layout::contiguous({rows})};
    return kernel;
  }

  /// Of a kernel of kernel_of, or one that differs in where operands lie.
  static void expect_results(AsTarget& target, const Case& c, const Data& data, const AttentionKernel& kernel) {
    SCOPED_TRACE(text_of(c));
    target.run(kernel);
    const naive::Masking masking{c.mask == Mask::none ? nullptr : &data.mask, c.causal};
    constexpr double relative = 4e-6, absolute = 1e-6;
    EXPECT_TRUE(within(downloaded(kernel.out, {c.heads, c.rows, c.results}),
                       naive::attention(data.q, data.k, data.v, scale_of(c), masking), relative, absolute));
    EXPECT_TRUE(within(downloaded(kernel.second, {c.heads, c.rows}),
                       naive::attention_logsumexp(data.q, data.k, scale_of(c), masking), relative, absolute));
  }

  static constexpr uint32_t untouched = 0x7fc0deadU;
  inline static std::unique_ptr<gl::GlRuntime> device_;
};

}  // namespace eglantine::test::attention
