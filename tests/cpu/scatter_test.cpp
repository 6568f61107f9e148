#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <tuple>

#include "backend/cpu/families/families.hpp"
#include "cpu/kernels.hpp"
#include "eglantine/error.hpp"
#include "graph/op/op_info.hpp"
#include "support/random/random_data.hpp"

namespace eglantine::test {
namespace {

/// {10, 20, 30}, the updates {5, 40} combined into elements 0 and 2.
ScatterKernel kernel_of(std::optional<Reduction> combine) {
  const Layout pair = layout::contiguous(Shape{2});
  return {load_of({buffer_of(Bits{0, 2}), StorageType::i32, pair}),
          load_of({buffer_of(Bits{5, 40}), StorageType::i32, pair}),
          {{2}, {0}, 0},
          3,
          1,
          combine,
          false,
          false,
          {buffer_of(Bits{10, 20, 30}), StorageType::i32, layout::contiguous(Shape{3})},
          std::make_shared<const IndexCheck>(IndexCheck{"scatter", {3}, 0, {2}, pair}),
          pair};
}

Bits scattered(std::optional<Reduction> combine) {
  const ScatterKernel kernel = kernel_of(combine);
  backend().run(kernel);
  return contents(*kernel.out.buffer);
}

TEST(CpuScatter, combines_by_each_reduction_that_it_promises) {
  EXPECT_EQ(scattered({}), (Bits{5, 20, 40}));
  EXPECT_EQ(scattered(Reduction::sum), (Bits{15, 20, 70}));
  EXPECT_EQ(scattered(Reduction::prod), (Bits{50, 20, 1200}));
  EXPECT_EQ(scattered(Reduction::max), (Bits{10, 20, 40}));
  EXPECT_EQ(scattered(Reduction::min), (Bits{5, 20, 30}));
}

/// Updates (rows, width) of drawn floats, added to (places, width) at a drawn place for each row.
ScatterKernel sum_of(int64_t rows, int64_t width, int64_t places) {
  Random random(static_cast<uint64_t>(rows + width));
  Bits index, updates;
  for (int64_t i = 0; i < rows; ++i) index.push_back(static_cast<uint32_t>(random.integer(0, places - 1)));
  for (int64_t i = 0; i < rows * width; ++i)
    updates.push_back(std::bit_cast<uint32_t>(static_cast<float>(random.real(-1, 1))));
  const Shape domain{rows, width};
  const Layout by_row{domain, {1, 0}, 0};
  return {load_of({buffer_of(index), StorageType::i32, by_row}),
          load_of({buffer_of(updates), StorageType::f32, layout::contiguous(domain)}),
          {domain, {0, width > 1 ? 1 : 0}, 0},
          places,
          width,
          Reduction::sum,
          false,
          false,
          {buffer_of(Bits(static_cast<size_t>(places * width))), StorageType::f32,
           layout::contiguous(Shape{places * width})},
          std::make_shared<const IndexCheck>(IndexCheck{"index_add", {places, width}, 0, {rows}, by_row}),
          by_row};
}

TEST(CpuScatter, sums_do_not_depend_on_the_threads) {
  for (const auto& [rows, width, places] :
       {std::tuple{100003, 1, 3}, {40001, 1, 1000}, {1009, 97, 40}, {40, 4001, 7}, {30011, 3, 5}, {300, 2, 9}}) {
    SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(width) + " to " + std::to_string(places));
    Bits once;
    for (const int threads : {1, 2, 5}) {
      const ScatterKernel kernel = sum_of(rows, width, places);
      ThreadPool pool(threads, "scatter");
      cpu::run_scatter(kernel, pool);
      const Bits found = contents(*kernel.out.buffer);
      EXPECT_TRUE(once.empty() || found == once) << threads << " threads";
      once = found;
    }
  }
}

/// Of `count` numbers those whose mask is true, each with its own share in runs, from the second word of the result on.
TEST(CpuScatter, compacts_what_a_mask_chooses) {
  for (const int64_t count : {int64_t{1}, compacted_tile - 1, compacted_tile, 40 * compacted_tile + 5,
                              most_counted_tiles * compacted_tile + 5}) {
    const bool counted = count <= most_counted_tiles * compacted_tile;
    Random random(static_cast<uint64_t>(count));
    int64_t before = 0;
    Bits mask, updates, ends, expected{0};
    for (int64_t i = 0; i < count; ++i) {
      mask.push_back(random.integer(0, 2) >= i / 3000 % 4 || i == 0 ? 1 : 0);
      updates.push_back(static_cast<uint32_t>(100 + i));
      if (mask.back() != 0) expected.push_back(updates.back());
      if (i % compacted_tile != compacted_tile - 1 && i != count - 1) continue;
      ends.push_back(static_cast<uint32_t>(std::ssize(expected) - 1 - before));
      if (counted) before = std::ssize(expected) - 1;
    }
    const Layout all = layout::contiguous(Shape{count});
    const int64_t length = std::ssize(expected) - 1;
    expected.push_back(0);
    for (const int threads : {1, 2, 5}) {
      const ScatterKernel kernel{load_of({buffer_of(mask), StorageType::boolean_word, all}),
                                 load_of({buffer_of(updates), StorageType::i32, all}),
                                 {{count}, {0}, 1},
                                 length,
                                 1,
                                 {},
                                 true,
                                 true,
                                 {buffer_of(Bits(expected.size())), StorageType::i32, {{length}, {1}, 1}},
                                 nullptr,
                                 all,
                                 {buffer_of(ends), StorageType::i32, layout::contiguous(Shape{std::ssize(ends)})}};
      ThreadPool pool(threads, "compaction");
      cpu::run_compaction(kernel, pool);
      EXPECT_EQ(contents(*kernel.out.buffer), expected) << count << " by " << threads << " threads";
    }
  }
}

TEST(CpuScatter, refuses_every_other_reduction) {
  for (const Reduction reduction : {Reduction::nanmax, Reduction::nanmin, Reduction::any, Reduction::all,
                                    Reduction::argmax, Reduction::argmin, Reduction::custom}) {
    SCOPED_TRACE(name_of(reduction));
    EXPECT_THROW(backend().run(kernel_of(reduction)), Error);
  }
}

}  // namespace
}  // namespace eglantine::test
