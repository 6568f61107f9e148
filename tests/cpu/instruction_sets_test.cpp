#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "backend/cpu/instructions/block_ops.hpp"
#include "backend/cpu/instructions/random_math.hpp"
#include "cpu/kernels.hpp"
#include "graph/op/op_info.hpp"
#include "philox.hpp"

// Every function of the table gives the same bits in every instruction set that this processor supports, at every
// length.
namespace eglantine::test {
namespace {

using cpu::BlockTable;

constexpr DType dtypes[] = {DType::f32, DType::i32, DType::u32, DType::boolean};

std::vector<const BlockTable*> wider_tables() {
  std::vector<const BlockTable*> tables;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) tables.push_back(&cpu::avx2::table);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
    tables.push_back(&cpu::avx512::table);
#endif
  return tables;
}

// Half random bit patterns, half ordinary numbers.
Bits samples(DType dtype, int64_t count, uint64_t seed) {
  Bits words = random_words(count, seed);
  Numbers numbers(seed + 100);
  for (size_t i = 0; i < words.size(); ++i) {
    if (dtype == DType::boolean) words[i] &= 1u;
    if (i % 2 == 0 && dtype == DType::f32) words[i] = bits_of(numbers.real() * 8.0f);
    if (i % 2 == 0 && dtype == DType::i32) words[i] = static_cast<uint32_t>(static_cast<int32_t>(words[i]) >> 26);
    if (i % 2 == 0 && dtype == DType::u32) words[i] >>= 26;
  }
  return words;
}

void expect_same(DType dtype, const Bits& actual, const Bits& expected, std::string_view what) {
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_TRUE(same_element(dtype, actual[i], expected[i]))
        << what << " of " << name_of(dtype) << " at " << i << ": " << actual[i] << ", not " << expected[i];
}

TEST(CpuInstructionSets, element_wise_operations_agree) {
  for (const BlockTable* table : wider_tables())
    for (size_t i = 0; i < all_operations().size(); ++i)
      for (const DType dtype : dtypes) {
        const OpInfo& row = all_operations()[i];
        const auto narrow = cpu::baseline::table.elementwise(static_cast<Op>(i), dtype);
        const auto wide = table->elementwise(static_cast<Op>(i), dtype);
        ASSERT_EQ(narrow != nullptr, takes(row.types, dtype)) << row.name;
        ASSERT_EQ(wide != nullptr, narrow != nullptr) << row.name;
        if (wide == nullptr) continue;
        for (const int64_t n : {1, 7, 33, 1024}) {
          const Bits x = samples(row.types == Types::where ? DType::boolean : dtype, n, 1);
          const Bits y = samples(dtype, n, 2), z = samples(dtype, n, 3);
          Bits expected(static_cast<size_t>(n)), actual(static_cast<size_t>(n));
          narrow(expected.data(), x.data(), y.data(), z.data(), n);
          wide(actual.data(), x.data(), y.data(), z.data(), n);
          expect_same(result_of(row.result, dtype), actual, expected, row.name);
        }
      }
}

// Of a float's largest, which are not found one after another.
TEST(CpuInstructionSets, prefixes_of_selections_are_those_of_one_step_after_another) {
  std::vector<const BlockTable*> tables = wider_tables();
  tables.push_back(&cpu::baseline::table);
  for (const BlockTable* table : tables)
    for (const Reduction reduction : {Reduction::max, Reduction::min, Reduction::nanmax, Reduction::nanmin})
      for (const int64_t n : {1, 15, 16, 127, 1024, 2055}) {
        const cpu::ReductionBlocks blocks = table->reduction(reduction, DType::f32);
        Bits x = bits_of(random_floats(n, static_cast<uint64_t>(n)));
        for (size_t i = 700; i < x.size(); i += 90) x[i] = 0x7fc00000U;
        Bits actual(x.size());
        uint32_t before = std::bit_cast<uint32_t>(0.25F), low = blocks.identity, last = blocks.identity;
        blocks.prefix(actual.data(), x.data(), n, before, low);
        for (size_t i = 0; i < x.size(); ++i) {
          blocks.accumulate(&last, &x[i], 1);
          uint32_t expected = before;
          blocks.accumulate(&expected, &last, 1);
          ASSERT_TRUE(same_element(DType::f32, actual[i], expected)) << name_of(reduction) << " at " << i;
        }
        EXPECT_TRUE(same_element(DType::f32, low, last));
      }
}

// Numbers that rise by 1 or 2 are looked up in shared blocks; others, and those that wrap, have one each.
TEST(CpuInstructionSets, random_words_are_those_of_their_counters) {
  std::vector<const BlockTable*> tables = wider_tables();
  tables.push_back(&cpu::baseline::table);
  Numbers numbers(5);
  for (const BlockTable* table : tables)
    for (const uint32_t step : {0U, 1U, 2U, 3U, ~0U})
      for (const int64_t n : {int64_t{1}, int64_t{2}, int64_t{127}, cpu::block_elements})
        for (const uint32_t first : {uint32_t{0}, numbers.word(), static_cast<uint32_t>(0 - n)}) {
          const auto count = static_cast<size_t>(n);
          Bits x(count), low(count, numbers.word()), high(count, numbers.word()), actual(count);
          for (size_t i = 0; i < count; ++i) x[i] = first + static_cast<uint32_t>(i) * step;
          const auto draw = [&](Op op) {
            table->elementwise(op, DType::u32)(actual.data(), x.data(), low.data(), high.data(), n);
          };
          const auto word = [&](uint32_t stream, uint32_t number) {
            return philox_block({number / 4, 0, stream, 0}, low[0], high[0])[number % 4];
          };
          const auto expect = [&](auto expected) {
            for (size_t i = 0; i < count; ++i)
              ASSERT_EQ(actual[i], expected(x[i])) << "number " << x[i] << ", step " << step << " of " << n;
          };
          draw(Op::philox_bernoulli);
          expect([&](uint32_t number) { return word(3, number); });
          draw(Op::philox_randint_high);
          expect([&](uint32_t number) { return word(2, 2 * number); });
          draw(Op::philox_randint_low);
          expect([&](uint32_t number) { return word(2, 2 * number + 1); });
          draw(Op::philox_normal);
          expect([&](uint32_t number) {
            const auto pair = cpu_math::normal_pair(word(1, number & ~1U), word(1, number | 1U));
            return std::bit_cast<uint32_t>((number & 1U) == 0 ? pair.even : pair.odd);
          });
        }
}

// Rows that lie in any order; rows and columns that are no whole blocks of registers, and nothing past the last column
// of a result's row.
TEST(CpuInstructionSets, products_of_floats_are_fused_one_after_another) {
  for (const BlockTable* table : wider_tables())
    for (const int64_t m : {1, 7, 8, 21})
      for (const int64_t n : {1, 16, 31, 47, 100})
        for (const int64_t k : {1, 19}) {
          const int64_t row = cpu::product_columns(n), c_row = n + 3;
          const Bits a = bits_of(random_floats(m * k, 1)), b = bits_of(random_floats(k * row, 2));
          Bits c(static_cast<size_t>(m * c_row), 7U);
          std::vector<int64_t> rows;  // of b, from the last to the first
          for (int64_t step = 0; step < k; ++step) rows.push_back((k - 1 - step) * row);
          table->product_of_floats({a.data(), b.data(), rows.data(), c.data(), 1, m, c_row, m, n, k});
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < c_row; ++j) {
              float sum = 0;
              for (int64_t step = 0; step < k; ++step)
                sum = std::fma(std::bit_cast<float>(a[static_cast<size_t>(step * m + i)]),
                               std::bit_cast<float>(b[static_cast<size_t>((k - 1 - step) * row + std::min(j, n - 1))]),
                               sum);
              ASSERT_EQ(c[static_cast<size_t>(i * c_row + j)], j < n ? std::bit_cast<uint32_t>(sum) : 7U)
                  << m << " x " << n << " x " << k << " at " << i << ", " << j;
            }
        }
}

TEST(CpuInstructionSets, casts_agree) {
  for (const BlockTable* table : wider_tables())
    for (const DType from : dtypes)
      for (const DType to : dtypes) {
        const Bits x = samples(from, 1021, 4);
        Bits expected(x.size()), actual(x.size());
        cpu::baseline::table.cast(from, to)(expected.data(), x.data(), nullptr, nullptr, 1021);
        table->cast(from, to)(actual.data(), x.data(), nullptr, nullptr, 1021);
        expect_same(to, actual, expected, "cast");
      }
}

TEST(CpuInstructionSets, reductions_agree) {
  for (const BlockTable* table : wider_tables())
    for (size_t i = 0; i < all_reductions().size(); ++i)
      for (const DType dtype : dtypes) {
        const ReductionInfo& row = all_reductions()[i];
        const auto narrow = cpu::baseline::table.reduction(static_cast<Reduction>(i), dtype);
        const auto wide = table->reduction(static_cast<Reduction>(i), dtype);
        ASSERT_EQ(narrow.accumulate != nullptr, takes(row.types, dtype) && row.accumulator == Accumulator::value)
            << row.name;
        if (narrow.accumulate == nullptr) continue;
        EXPECT_EQ(wide.identity, narrow.identity);
        Bits expected = samples(dtype, 256, 5), actual = expected;
        const Bits x = samples(dtype, 256, 6);
        narrow.accumulate(expected.data(), x.data(), 253);
        wide.accumulate(actual.data(), x.data(), 253);
        expect_same(dtype, actual, expected, row.name);
        for (int64_t lanes = 1; lanes <= 64; lanes *= 2)
          expect_same(dtype, {wide.fold_lanes(x.data(), lanes)}, {narrow.fold_lanes(x.data(), lanes)}, row.name);
      }
}

TEST(CpuInstructionSets, argmax_and_argmin_agree) {
  for (const BlockTable* table : wider_tables())
    for (const Reduction reduction : {Reduction::argmax, Reduction::argmin})
      for (const DType dtype : {DType::f32, DType::i32, DType::u32}) {
        const auto narrow = cpu::baseline::table.arg(reduction, dtype), wide = table->arg(reduction, dtype);
        const Bits x = samples(dtype, 1000, 7), index = random_words(1000, 8);
        uint32_t expected[] = {x[0], 0}, actual[] = {x[0], 0};
        narrow.scan(x.data(), 1000, 5, expected[0], expected[1]);
        wide.scan(x.data(), 1000, 5, actual[0], actual[1]);
        EXPECT_EQ(actual[1], expected[1]);
        Bits best = samples(dtype, 1000, 9), wide_best = best, places(1000), wide_places(1000);
        narrow.merge(best.data(), places.data(), x.data(), index.data(), 1000);
        wide.merge(wide_best.data(), wide_places.data(), x.data(), index.data(), 1000);
        EXPECT_EQ(wide_best, best);
        EXPECT_EQ(wide_places, places);
      }
}

TEST(CpuInstructionSets, integer_tiles_agree) {
  const Bits a = random_words(cpu::tile_rows * 100, 10), b = random_words(cpu::tile_columns * 100, 11);
  for (const BlockTable* table : wider_tables()) {
    Bits expected(cpu::tile_rows * cpu::tile_columns, 3), actual = expected;
    cpu::baseline::table.tile(expected.data(), a.data(), b.data(), 100);
    table->tile(actual.data(), a.data(), b.data(), 100);
    EXPECT_EQ(actual, expected);
  }
}

TEST(CpuInstructionSets, rows_side_by_side_are_sorted) {
  std::vector<const BlockTable*> tables = wider_tables();
  tables.push_back(&cpu::baseline::table);
  const auto rows = static_cast<size_t>(cpu::sorted_at_once);
  for (int64_t length : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 511, 1025, 2047}) {
    Bits keys = random_words(length * cpu::sorted_at_once, 12);
    for (size_t i = 0; i < keys.size(); i += rows) keys[i] &= 7U;  // many that are equal
    Bits expected = keys;
    for (size_t row = 0; row < rows; ++row) {
      Bits alone;
      for (size_t i = row; i < keys.size(); i += rows) alone.push_back(keys[i]);
      std::sort(alone.begin(), alone.end());
      for (size_t i = 0; i < alone.size(); ++i) expected[i * rows + row] = alone[i];
    }
    for (const BlockTable* table : tables) {
      Bits actual = keys;
      table->sort(actual.data(), length);
      EXPECT_EQ(actual, expected) << length;
    }
  }
}

TEST(CpuInstructionSets, products_of_small_matrices_agree) {
  const int64_t k = 23, m = 8;
  const Bits a = bits_of(random_floats(m * k, 12)), b = bits_of(random_floats(k * 48, 13));
  for (const BlockTable* table : wider_tables())
    for (int64_t n = 1; n <= 40; ++n) {
      Bits expected(static_cast<size_t>(m * n), 3), actual = expected;
      const auto product = [&](Bits& c) {
        return cpu::SmallProduct{a.data(), b.data(), b.data(), c.data(), k, 1, n, 7, m, n, k};
      };
      cpu::baseline::table.small_product_of_floats(product(expected));
      table->small_product_of_floats(product(actual));
      EXPECT_EQ(actual, expected);
      cpu::baseline::table.small_product_of_integers(product(expected));
      table->small_product_of_integers(product(actual));
      EXPECT_EQ(actual, expected);
    }
}

}  // namespace
}  // namespace eglantine::test
