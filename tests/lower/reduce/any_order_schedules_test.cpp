#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "lower/reduce/fixture.hpp"

/// What no order changes: one dispatch takes all rows, however many.
namespace eglantine::test {
namespace {

class ReduceAnyOrderSchedules : public ReduceSchedules {};

/// Of few columns an invocation takes one: what is largest is found in whatever line, also in the last ones.
TEST_F(ReduceAnyOrderSchedules, few_columns_are_taken_singly_where_no_order_changes_a_result) {
  for (const int64_t resident : {int64_t{1} << 18, int64_t{256}})
    for (const int64_t columns : {1, 2, 3, 5, 7})
      for (const int64_t rows : {129, 513, 600, 2049, 20001}) {
        hardware_->plan_for().resident_invocations = resident;
        std::vector<float> x(static_cast<size_t>(rows * columns));
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7919) % 10007);
        std::vector<uint32_t> expected(static_cast<size_t>(columns));
        for (int64_t c = 0; c < columns; ++c) {
          // Twice: the first counts.
          const int64_t first = (rows - 1) * (c + 1) / (columns + 1);
          for (const int64_t row : {first, rows - 1}) x[static_cast<size_t>(row * columns + c)] = 20000;
          expected[static_cast<size_t>(c)] = static_cast<uint32_t>(first);
        }
        EXPECT_EQ(reduced(x, {rows, columns}, layout::ReduceTree::column, Reduction::argmax, 1), expected)
            << rows << " x " << columns;
        EXPECT_NE(hardware_->names.find("reduce_column_singly argmax f32"), std::string::npos) << hardware_->names;
        for (const int64_t last : {rows - 2, rows - 1}) {
          x.assign(x.size(), -std::numeric_limits<float>::infinity());
          for (int64_t c = 0; c < columns; ++c) x[static_cast<size_t>(last * columns + c)] = -3;
          expected.assign(expected.size(), static_cast<uint32_t>(last));
          EXPECT_EQ(reduced(x, {rows, columns}, layout::ReduceTree::column, Reduction::argmax, 1), expected);
        }
      }
}

/// Matrices of `length` rows, with a gap between one and the next.
struct Matrices {
  int64_t count, length, columns;

  int64_t apart() const { return (length + 3) * columns; }
  size_t place(int64_t matrix, int64_t row, int64_t column) const {
    return static_cast<size_t>(matrix * apart() + row * columns + column);
  }
  /// Ties; infinities alone in the first column of each, and in the second beside NaN, if there is any.
  std::vector<float> elements(bool has_nans) const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> x(static_cast<size_t>(count * apart()));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7919) % 211);
    for (int64_t m = 0; m < count; ++m)
      for (int64_t r = 0; r < length; ++r) {
        x[place(m, r, 0)] = -infinity;
        x[place(m, r, 1)] = infinity;
        if (has_nans && r > length / 2 && (r + m) % 5 == 0)
          x[place(m, r, 1)] = x[place(m, r, columns - 1)] = std::numeric_limits<float>::quiet_NaN();
      }
    return x;
  }
  std::vector<uint32_t> largest(const std::vector<float>& x) const {
    std::vector<uint32_t> rows;
    for (int64_t m = 0; m < count; ++m)
      for (int64_t c = 0; c < columns; ++c) {
        int64_t best = 0;
        for (int64_t r = 1; r < length && !std::isnan(x[place(m, best, c)]); ++r)
          if (const float y = x[place(m, r, c)]; std::isnan(y) || y > x[place(m, best, c)]) best = r;
        rows.push_back(static_cast<uint32_t>(best));
      }
    return rows;
  }
  ReduceKernel argmax_of(BufferPtr memory, BufferPtr rows) const {
    const Layout layout{{count, columns, length}, {apart(), 1, columns}, 0};
    const Shape results{count, columns};
    return {{layout.shape, {{memory, StorageType::f32, layout}}, {}, {}, {{Op::load, DType::f32, {0, -1, -1}}}},
            2,
            Reduction::argmax,
            layout::ReduceTree::column,
            {results, {}, {}, {}, {{Op::accumulator, DType::i32, {-1, -1, -1}}}},
            {rows, StorageType::i32, layout::contiguous(results)}};
  }
};

/// So are the columns of many matrices whose rows are no whole vectors, tile by tile.
TEST_F(ReduceAnyOrderSchedules, few_columns_of_many_matrices_are_taken_singly) {
  for (const bool large_pages : {false, true})
    for (const Matrices& of :
         {Matrices{7, 346, 9}, {1100, 130, 3}, {3, 5003, 33}, {2, 3001, 63}, {5, 1000, 6}, {5, 1000, 12}, {3, 700, 65}})
      for (const bool has_nans : {false, true}) {
        hardware_->plan_for().large_pages = large_pages;
        hardware_->names.clear();
        const std::vector<float> x = of.elements(has_nans);
        const std::vector<uint32_t> expected = of.largest(x);
        const BufferPtr rows = buffer_of(*device_, Words(expected.size()));
        hardware_->run(of.argmax_of(buffer_of(*device_, words_of(x)), rows));
        EXPECT_EQ(download(*device_, rows->storage(), expected.size()), expected) << of.length << " x " << of.columns;
        const bool singly = of.columns % 4 != 0 && of.columns < 65;
        EXPECT_EQ(hardware_->names, singly ? "reduce_column_singly argmax f32\n" : "reduce_column argmax f32\n");
      }
}

/// One dispatch finds the largest of more elements than a group takes, as of a column.
TEST_F(ReduceAnyOrderSchedules, one_row_is_a_column_where_no_order_changes_a_result) {
  hardware_->plan_for().resident_invocations = 1 << 18;
  hardware_->plan_for().large_pages = false;  // where a single pass is for largest elements, too
  const auto names_of = [&](int64_t length, Reduction reduction) {
    std::vector<float> x(static_cast<size_t>(length), -1.0F);
    x[static_cast<size_t>(length - 2)] = x[static_cast<size_t>(length - 1)] = 5;
    hardware_->names.clear();
    const uint32_t expected =
        reduction == Reduction::max ? std::bit_cast<uint32_t>(5.0F) : static_cast<uint32_t>(length - 2);
    EXPECT_EQ(reduced(x, {1, length}, layout::ReduceTree::row, reduction, 1), std::vector<uint32_t>{expected});
    return hardware_->names;
  };
  for (const int64_t length : {131073, 496487, 3000001}) {
    EXPECT_EQ(names_of(length, Reduction::argmax), "reduce_column_singly argmax f32\n");
    EXPECT_EQ(names_of(length, Reduction::max), "reduce_column_singly max f32\n");
  }
  EXPECT_EQ(names_of(131072, Reduction::max), "reduce_row max f32\n");
}

TEST_F(ReduceAnyOrderSchedules, the_largest_of_many_rows_is_found_by_one_dispatch) {
  const auto dispatches = [&](Shape shape) {
    hardware_->dispatches = 0;
    const auto places = reduced(std::vector<float>(static_cast<size_t>(shape.elements()), 1.0F), shape,
                                layout::ReduceTree::column, Reduction::argmax, 1);
    EXPECT_EQ(places, std::vector<uint32_t>(places.size())) << to_string(shape);
    return hardware_->dispatches;
  };
  // Tiles of one group, and of several, which count in an exchange.
  for (const bool large_pages : {false, true}) {
    hardware_->plan_for().large_pages = large_pages;
    for (const Shape& shape :
         {Shape{129, 2060}, Shape{130, 65700}, Shape{5003, 2}, Shape{20001, 13}, Shape{3001, 130}, Shape{20001, 67}})
      EXPECT_EQ(dispatches(shape), 1) << to_string(shape);
  }
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(download(*device_, device_->open_exchange()->storage(), lower::exchange_counters),
              Words(lower::exchange_counters))
        << i;
}

TEST_F(ReduceAnyOrderSchedules, the_largest_value_of_many_rows_is_found_by_one_dispatch_and_nan_wins) {
  constexpr int64_t length = 20001, kept = 13;
  std::vector<float> x(static_cast<size_t>(length * kept), -std::numeric_limits<float>::infinity());
  for (size_t c = 1; c < kept; ++c) x[(c * 1500) * kept + c] = -1 - static_cast<float>(c);
  x[19990 * kept + 3] = std::numeric_limits<float>::quiet_NaN();
  hardware_->dispatches = 0;
  const std::vector<uint32_t> bits = reduced(x, {length, kept}, layout::ReduceTree::column, Reduction::max, 1);
  EXPECT_EQ(hardware_->dispatches, 1);
  for (size_t c = 0; c < kept; ++c) {
    const auto largest = std::bit_cast<float>(bits[c]);
    if (c == 3)
      EXPECT_TRUE(std::isnan(largest)) << bits[c];
    else
      EXPECT_EQ(largest, c == 0 ? x[0] : -1 - static_cast<float>(c));
  }
}

TEST_F(ReduceAnyOrderSchedules, integers_of_many_rows_are_combined_by_one_dispatch) {
  for (const Shape& shape : {Shape{5003, 2}, Shape{20001, 13}, Shape{3001, 130}}) {
    const int64_t length = shape[0], kept = shape[1];
    Words words;
    for (int64_t i = 0; i < length * kept; ++i) words.push_back(static_cast<uint32_t>(i * 2654435761));
    for (Reduction reduction : {Reduction::sum, Reduction::max}) {
      const Layout layout{{kept, length}, {1, kept}, 0};
      ReduceKernel kernel;
      kernel.prologue = {layout.shape,
                         {{buffer_of(*device_, words), StorageType::u32, layout}},
                         {},
                         {},
                         {{Op::load, DType::u32, {0, -1, -1}}}};
      kernel.kept_rank = 1;
      kernel.reduction = reduction;
      kernel.tree = layout::ReduceTree::column;
      kernel.epilogue = {{kept}, {}, {}, {}, {{Op::accumulator, DType::u32, {-1, -1, -1}}}};
      kernel.out = {buffer_of(*device_, Words(static_cast<size_t>(kept))), StorageType::u32,
                    layout::contiguous({kept})};
      hardware_->dispatches = 0;
      hardware_->run(kernel);
      EXPECT_EQ(hardware_->dispatches, 1) << to_string(shape);
      Words expected(static_cast<size_t>(kept));
      for (size_t i = 0; i < words.size(); ++i) {
        uint32_t& total = expected[i % static_cast<size_t>(kept)];
        total = reduction == Reduction::sum ? total + words[i] : std::max(total, words[i]);
      }
      EXPECT_EQ(download(*device_, kernel.out.buffer->storage(), expected.size()), expected) << to_string(shape);
    }
  }
}

}  // namespace
}  // namespace eglantine::test
