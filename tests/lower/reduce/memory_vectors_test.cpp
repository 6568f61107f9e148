#include <cmath>
#include <functional>
#include <limits>

#include "lower/as_subgroups.hpp"
#include "lower/reduce/forms.hpp"
#include "support/random/draw.hpp"

/// What no order changes, of rows that begin between vectors of memory: these are read whole, and what is not of the
/// row is left out.
namespace eglantine::test {
namespace {

enum class Filling { numbers, some_nan, infinities, few };

class MemoryVectors : public ReduceForms {
 protected:
  void SetUp() override {
    ReduceForms::SetUp();
    resident_ = 256;
  }

  /// (rows, length) in memory from element `offset` on, with `gap` elements between rows.
  Tensor rows_of(int64_t rows, int64_t length, int64_t offset, int64_t gap, Filling filling) {
    const int64_t pitch = length + gap, count = offset + rows * pitch;
    const Tensor all = Tensor::from(filled(count, filling), {count}).eval();
    moved_[all.node()->stored().buffer] = buffer_of(*device_, bits_of(all));
    return all.slice(0, offset, count).reshape({rows, pitch}).slice(1, 0, length);
  }

  void expect_rows(const std::function<Tensor()>& make, const std::string& combine, bool of_memory) {
    expect<AsSubgroups>(make, "reduce_row " + combine + "\n");
    EXPECT_EQ(text_.find("#define EG_BEFORE") != std::string::npos, of_memory) << combine;
  }

  /// Of rows that begin between vectors, or sums, whose order is the tree's.
  void expect_all(const Tensor& x, bool of_memory) {
    expect_rows([&] { return max(x, 1); }, "max f32", of_memory);
    expect_rows([&] { return min(x, 1); }, "min f32", of_memory);
    expect_rows([&] { return argmax(x, 1); }, "argmax f32", of_memory);
    expect_rows([&] { return argmin(x, 1); }, "argmin f32", of_memory);
    expect_rows([&] { return any(x > 0.45F, 1); }, "any boolean", of_memory);
    expect_rows([&] { return count_nonzero(x > 0.25F, 1); }, "sum i32", of_memory);
  }

  /// From one place after another, with gaps of all lengths.
  void expect_rows_of(int64_t rows, int64_t length) {
    for (const Filling filling : {Filling::numbers, Filling::some_nan, Filling::infinities, Filling::few}) {
      const int64_t gap = ++place_ % 4, offset = place_ % 7;
      SCOPED_TRACE(std::to_string(length) + " from " + std::to_string(offset) + ", " + std::to_string(gap) + " apart");
      expect_all(rows_of(rows, length, offset, gap, filling), (length + gap) % 4 != 0 || offset % 4 != 0);
    }
  }

 private:
  std::vector<float> filled(int64_t count, Filling filling) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> values = (uniform({count}, ++seed_) - 0.5F).to_vector<float>();
    for (size_t i = 0; i < values.size(); ++i) {
      if (filling == Filling::infinities) values[i] = i % 397 == 3 ? -infinity : infinity;
      if (filling == Filling::some_nan && i % 89 == 5) values[i] = std::nanf("");
      if (filling == Filling::few) values[i] = std::round(values[i] * 6);
    }
    return values;
  }

  int64_t place_ = 0;
};

TEST_F(MemoryVectors, of_rows_of_eight_lanes) {
  Draw draw = draw_one_of(3);
  for (const int64_t length : {65, 66, 67, 96, 125, 126, 128, 161, 221, 253, 255, 256})
    if (draw.next()) expect_rows_of(37, length);
}

TEST_F(MemoryVectors, of_rows_of_a_subgroup) {
  Draw draw = draw_one_of(2);
  for (const int64_t length : {257, 383, 509, 1021, 1024, 1025, 4097})
    if (draw.next()) expect_rows_of(11, length);
}

TEST_F(MemoryVectors, of_integers) {
  for (const int64_t length : {65, 127, 255, 509}) {
    const Tensor numbers = round(uniform({37 * length + 3}, ++seed_) * 40 - 20).astype(DType::i32).eval();
    moved_[numbers.node()->stored().buffer] = buffer_of(*device_, bits_of(numbers));
    const Tensor x = numbers.slice(0, 3, numbers.size()).reshape({37, length});
    expect_rows([&] { return argmax(x, 1); }, "argmax i32", true);
    expect_rows([&] { return min(x, 1); }, "min i32", true);
    expect_rows([&] { return sum(x, 1); }, "sum i32", true);
  }
}

TEST_F(MemoryVectors, of_several_axes) {
  const Tensor x = rows_of(6 * 7, 5 * 27, 3, 0, Filling::numbers).reshape({6, 7, 5, 27});
  for (const Axes& axes : {Axes{2, 3}, Axes{3}})
    expect<AsSubgroups>([&] { return max(x.flip(0), axes); }, "reduce_row max f32\n");
}

/// Numbers that are computed, not read.
TEST_F(MemoryVectors, of_no_operand) {
  expect_rows([] { return sum(uniform({37, 100}, 5), 1); }, "sum f32", false);
  expect_rows([] { return count_nonzero(uniform({37, 101}, 5) > 0.5F, 1); }, "sum i32", false);
}

TEST_F(MemoryVectors, of_operands_that_begin_alike) {
  const Tensor x = rows_of(37, 101, 1, 0, Filling::numbers), y = rows_of(37, 101, 5, 0, Filling::few),
               z = rows_of(37, 101, 2, 0, Filling::numbers), column = rows_of(37, 1, 0, 0, Filling::numbers);
  expect_rows([&] { return max(x + y, 1); }, "max f32", true);
  expect_rows([&] { return max(x - column, 1); }, "max f32", true);
  expect_rows([&] { return argmin(abs(x * y), 1); }, "argmin f32", true);
  // Others are joined from two vectors each.
  expect_rows([&] { return max(x + z, 1); }, "max f32", false);
  expect_rows([&] { return max(x + x.flip(1), 1); }, "max f32", false);
  expect_rows([&] { return max(x.slice(1, 0, 90) + x.slice(1, 8, 98), 1); }, "max f32", false);
  expect_rows([&] { return sum(x, 1); }, "sum f32", false);
}

}  // namespace
}  // namespace eglantine::test
