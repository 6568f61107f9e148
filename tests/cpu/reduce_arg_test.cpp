#include <gtest/gtest.h>

#include "cpu/kernels.hpp"

namespace eglantine::test {
namespace {

using layout::ReduceTree;

bool beats(bool largest, DType dtype, uint32_t x, uint32_t best) {
  if (dtype == DType::i32)
    return largest ? static_cast<int32_t>(x) > static_cast<int32_t>(best)
                   : static_cast<int32_t>(x) < static_cast<int32_t>(best);
  if (dtype == DType::u32) return largest ? x > best : x < best;
  if (is_nan(x) || is_nan(best)) return is_nan(x) && !is_nan(best);
  return largest ? float_of(x) > float_of(best) : float_of(x) < float_of(best);
}

void check_arg(DType dtype, const Bits& values, int64_t kept) {
  const int64_t length = static_cast<int64_t>(values.size()) / kept;
  for (const bool largest : {true, false})
    for (const ReduceTree tree : {ReduceTree::row, ReduceTree::column}) {
      Layout x = layout::contiguous({kept, length});
      if (tree == ReduceTree::column) x = layout::permute(layout::contiguous({length, kept}), {1, 0});
      const Bits result = run_reduce(load_of({buffer_of(values), word_storage(dtype), x}), 1,
                                     largest ? Reduction::argmax : Reduction::argmin, tree, DType::i32);
      for (int64_t i = 0; i < kept; ++i) {
        const auto at = [&](int64_t j) { return values[static_cast<size_t>(place(x, i * length + j))]; };
        int64_t best = 0;
        for (int64_t j = 1; j < length; ++j)
          if (beats(largest, dtype, at(j), at(best))) best = j;
        ASSERT_EQ(result[static_cast<size_t>(i)], static_cast<uint32_t>(best)) << "result " << i << " of " << length;
      }
    }
}

TEST(CpuArgReduce, finds_the_best_of_random_numbers) {
  for (const int64_t length : {1, 2, 13, 127, 1025, 200003})
    for (const int64_t kept : {1, 3}) {
      check_arg(DType::f32, bits_of(random_floats(length * kept, 1)), kept);
      check_arg(DType::i32, random_words(length * kept, 2), kept);
      check_arg(DType::u32, random_words(length * kept, 3), kept);
    }
  for (const int64_t length : {1, 2, 13, 32, 33})  // short rows, side by side, and longer ones
    check_arg(DType::f32, bits_of(random_floats(length * 5000, 1)), 5000);
}

TEST(CpuArgReduce, gives_the_first_of_equals) {
  for (const int64_t length : {2, 100, 1025, 200003}) {
    check_arg(DType::f32, bits_of(std::vector<float>(static_cast<size_t>(length), 1.5f)), 1);
    Bits few = random_words(length * 3, 4);
    for (uint32_t& word : few) word %= 3;
    check_arg(DType::i32, few, 3);
  }
  check_arg(DType::f32, bits_of(std::vector<float>{0.0f, -0.0f, 0.0f, -0.0f}), 2);
}

TEST(CpuArgReduce, first_nan_wins) {
  for (const int64_t length : {3, 100, 1025, 200003})
    for (const int64_t where : {int64_t{0}, length / 3, length - 1}) {
      std::vector<float> values = random_floats(length * 2, 5);
      values[0] = INFINITY;
      values[static_cast<size_t>(where)] = NAN;
      values[static_cast<size_t>(length - 1)] = -NAN;
      check_arg(DType::f32, bits_of(values), 2);
    }
}

TEST(CpuArgReduce, of_infinities_alone) {
  check_arg(DType::f32, bits_of(std::vector<float>(2000, -INFINITY)), 2);
  check_arg(DType::f32, bits_of(std::vector<float>(2000, INFINITY)), 2);
}

}  // namespace
}  // namespace eglantine::test
