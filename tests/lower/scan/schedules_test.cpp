#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "layout/layout.hpp"
#include "lower/schedules.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// The scan schedules for hardware, on any device; and that windows change no bits.
namespace eglantine::test {
namespace {

/// Rows of a (rows, length) tensor, or columns of an (outer, length, rows) one.
struct ScanCase {
  int64_t rows, length;
  bool columns = false;
  int64_t outer = 1;

  int64_t size() const { return outer * rows * length; }
  Layout layout() const {
    if (outer > 1) return {{outer, rows, length}, {rows * length, 1, rows}, 0};
    return {{rows, length}, {columns ? 1 : length, columns ? rows : 1}, 0};
  }
};

class ScanSchedules : public testing::Test {
 protected:
  explicit ScanSchedules(bool gles = false) : device_(open_runtime({}, gles)) {}

  gl::Target hardware(int64_t resident = 4096) const {
    gl::Target target = device_->target();
    target.software = false;
    target.forward_progress = false;
    target.resident_invocations = resident;
    return target;
  }

  Words scanned(const gl::Target& target, const Words& x, const ScanCase& c, DType dtype, bool exclusive) {
    return scanned(target, x, c.layout(), c.layout(), dtype, exclusive);
  }
  /// Of x, which lies as `of`, into results that lie as `layout`.
  Words scanned(const gl::Target& target, const Words& x, const Layout& of, const Layout& layout, DType dtype,
                bool exclusive = false) {
    const BufferPtr out = buffer_of(*device_, Words(x.size()));
    const ScanKernel kernel{{layout.shape,
                             {bytes_ ? Strided{buffer_of(*device_, packed(x, StorageType::u8)), StorageType::u8, of}
                                     : Strided{buffer_of(*device_, x), word_storage(dtype), of}},
                             {},
                             {},
                             {{Op::load, dtype, {0, -1, -1}}}},
                            layout.shape.rank() - 1,
                            Reduction::sum,
                            exclusive,
                            {layout.shape, {}, {}, {}, {{Op::accumulator, dtype, {-1, -1, -1}}}},
                            {out, word_storage(dtype), layout}};
    PlannedAs planned(*device_, target);
    planned.run(kernel);
    names_ = planned.names;
    glsl_ = glsl_of(target, kernel);
    return download(*device_, out->storage(), x.size());
  }

  void expect_exact(const gl::Target& target, const ScanCase& c) {
    Random random(7);
    Words x(static_cast<size_t>(c.size()));
    for (uint32_t& word : x) word = static_cast<uint32_t>(random.word()) & (bytes_ ? 0xffU : ~0U);
    for (bool exclusive : {false, true}) {
      Words expected(x.size());
      for (int64_t row = 0; row < c.outer * c.rows; ++row) {
        uint32_t sum = 0;
        for (int64_t i = 0; i < c.length; ++i) {
          const auto at = static_cast<size_t>(c.columns ? (row / c.rows * c.length + i) * c.rows + row % c.rows
                                                        : row * c.length + i);
          expected[at] = exclusive ? sum : sum + x[at];
          sum += x[at];
        }
      }
      const Words actual = scanned(target, x, c, bytes_ ? DType::i32 : DType::u32, exclusive);
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(actual[i], expected[i])
            << c.rows << " x " << c.length << (c.columns ? " columns" : "") << " at " << i << "\n"
            << names_;
    }
  }

  std::unique_ptr<gl::GlRuntime> device_;
  std::string names_, glsl_;
  bool bytes_ = false;  ///< the operand's elements are u8
};

class ScanSchedulesOnGles : public ScanSchedules {
 protected:
  ScanSchedulesOnGles() : ScanSchedules(true) {}
};

TEST_F(ScanSchedulesOnGles, rows_and_columns) {
  for (const ScanCase& c : {ScanCase{70, 5}, {3, 8193}, {1, 70001}, {130, 257, true}}) expect_exact(hardware(), c);
}

TEST_F(ScanSchedules, rows_of_every_length) {
  Draw draw = draw_one_of(4);
  for (int64_t length : {2, 3, 4, 5, 8, 13, 16, 17, 33, 64, 127, 256, 1025, 2048, 2049, 8192, 8193, 70001})
    for (int64_t rows : {1, 3, 70})
      if (rows * length < 300000 && draw.next()) expect_exact(hardware(), {rows, length});
}

TEST_F(ScanSchedules, many_short_rows_share_tiles_and_many_long_rows_take_one_pass) {
  expect_exact(hardware(), {5003, 5});
  expect_exact(hardware(), {2001, 64});
  expect_exact(hardware(1024), {9, 17000});
  EXPECT_EQ(names_, "scan_row sum u32\n");
}

TEST_F(ScanSchedules, long_rows_take_three_passes_and_longer_ones_more) {
  expect_exact(hardware(), {1, 200003});
  EXPECT_EQ(names_, "scan_row totals sum u32\nscan_rows sum u32\nscan_row sum u32\n");
  gl::Target small = hardware();
  small.max_invocations = 128;
  small.max_shared_bytes = 16384;
  expect_exact(small, {1, 200003});
}

TEST_F(ScanSchedules, columns_of_every_length) {
  for (int64_t length : {2, 7, 16, 17, 64, 65, 257, 1025, 20001})
    for (int64_t rows : {2, 4, 5, 130})
      if (rows * length < 300000) expect_exact(hardware(), {rows, length, true});
}

TEST_F(ScanSchedules, columns_have_eight_loads_in_flight) {
  for (const int64_t rows : {130, 132}) {
    expect_exact(hardware(), {rows, 19, true, 3});
    EXPECT_NE(glsl_.find(" F(7, eg_x7)\n"), std::string::npos) << rows;
  }
}

TEST_F(ScanSchedules, columns_whose_rows_are_no_whole_vectors_are_scanned_singly) {
  expect_exact(hardware(), {130, 19, true, 3});
  EXPECT_EQ(names_, "scan_column_singly sum u32\n");
  expect_exact(hardware(), {132, 19, true, 3});
  EXPECT_EQ(names_, "scan_column sum u32\n");
  bytes_ = true;  // of the operand alone: results of i32
  expect_exact(hardware(), {130, 19, true, 3});
  EXPECT_EQ(names_, "scan_column_singly sum i32\n");
}

TEST_F(ScanSchedules, of_few_columns_a_software_device_scans_chunks_side_by_side) {
  gl::Target target = hardware();
  target.software = true;
  for (const int64_t columns : {1, 2, 4, 5, 12, 13, 130}) {
    expect_exact(target, {columns, 2001, true});
    EXPECT_EQ(names_.find("scan_column_spread") == std::string::npos, columns <= 12) << names_;
  }
}

TEST_F(ScanSchedules, operands_that_lie_across_their_results_are_transposed_before) {
  constexpr int64_t outer = 5, rows = 130, length = 500;
  Random random(9);
  Words x(outer * rows * length), across(x.size());
  for (uint32_t& word : x) word = std::bit_cast<uint32_t>(static_cast<float>(random.real(-2, 2)));
  const Shape shape{outer, rows, length};
  const Layout as_rows = layout::contiguous(shape), as_columns{shape, {rows * length, 1, rows}, 0};
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t row = i / length, e = i % length;
    across[row / rows * rows * length + e * rows + row % rows] = x[i];
  }
  for (const bool reverse : {false, true}) {
    const auto along = [&](const Layout& at) { return reverse ? layout::flip(at, 2) : at; };
    const Words columns = scanned(hardware(256), across, along(as_columns), along(as_columns), DType::f32);
    EXPECT_EQ(names_, "scan_column_singly sum f32\n");
    EXPECT_EQ(scanned(hardware(256), x, along(as_rows), along(as_columns), DType::f32), columns);
    EXPECT_EQ(names_, "map_transpose f32\nscan_column_singly sum f32\n");
    const Words in_rows = scanned(hardware(256), x, along(as_rows), along(as_rows), DType::f32);
    EXPECT_EQ(names_, "scan_rows sum f32\n");
    EXPECT_EQ(scanned(hardware(256), across, along(as_columns), along(as_rows), DType::f32), in_rows);
    EXPECT_EQ(names_, "map_transpose f32\nscan_rows sum f32\n");
  }
  // Flipped as well, along another axis; and of few elements as it lies.
  const Layout flipped = layout::flip(as_rows, 1);
  scanned(hardware(256), x, flipped, as_columns, DType::f32);
  EXPECT_EQ(names_, "map_transpose f32\nscan_column_singly sum f32\n");
  scanned(hardware(256), x, layout::slice(as_rows, 0, 0, 3, 1), layout::slice(as_columns, 0, 0, 3, 1), DType::f32);
  EXPECT_EQ(names_.find("map"), std::string::npos);
}

/// What is broadcast along a kept axis is scanned once.
TEST_F(ScanSchedules, rows_that_repeat_are_scanned_once) {
  constexpr int64_t rows = 30, length = 3001, times = 3;
  Random random(9);
  Words x(rows * length * times), expected(x.size());
  for (size_t i = 0; i < rows * length; ++i) x[i] = static_cast<uint32_t>(random.word());
  const Shape shape{rows, times, length};
  const Layout repeated{shape, {length, 0, 1}, 0};
  for (const Layout& out : {Layout{shape, {length * times, 1, times}, 0}, layout::contiguous(shape),
                            layout::flip(Layout{shape, {length, rows * length, 1}, 0}, 1)}) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < times; ++k)
        for (int64_t i = 0, sum = 0; i < length; ++i) {
          sum += x[static_cast<size_t>(row * length + i)];
          const int64_t at = out.offset + row * out.strides[0] + k * out.strides[1] + i * out.strides[2];
          expected[static_cast<size_t>(at)] = static_cast<uint32_t>(sum);
        }
    EXPECT_EQ(scanned(hardware(256), x, repeated, out, DType::u32), expected);
    EXPECT_NE(names_.find("scan_row"), std::string::npos) << names_;
    EXPECT_NE(names_.find("map u32\n"), std::string::npos) << names_;
  }
}

TEST_F(ScanSchedules, of_bytes) {
  bytes_ = true;
  for (int64_t length : {3, 16, 33, 256, 1025, 8193, 70001})
    for (int64_t rows : {1, 3, 70})
      if (rows * length < 300000) expect_exact(hardware(), {rows, length});
  for (int64_t length : {7, 64, 257, 20001}) expect_exact(hardware(), {5, length, true});
  expect_exact(hardware(), {1, 200003});
}

TEST_F(ScanSchedules, columns_of_several_matrices_in_windows) {
  gl::Target target = hardware(1 << 18);
  expect_exact(target, {6, 700, true, 100});
  target.max_block_bytes = 1 << 14;
  expect_exact(target, {6, 700, true, 100});
}

TEST_F(ScanSchedules, windows_change_no_bits_of_rows) {
  Random random(5);
  for (const ScanCase& c : {ScanCase{1, 300007}, {5, 40001}, {3000, 70}}) {
    Words x(static_cast<size_t>(c.rows * c.length));
    for (uint32_t& word : x) word = std::bit_cast<uint32_t>(static_cast<float>(random.real(-2, 2)));
    for (gl::Target target : {device_->target(), hardware()}) {
      target.max_block_bytes = int64_t{1} << 24;
      const Words whole = scanned(target, x, c, DType::f32, false);
      target.max_block_bytes = 1 << 17;
      EXPECT_TRUE(scanned(target, x, c, DType::f32, false) == whole) << c.rows << " x " << c.length << "\n" << names_;
    }
  }
}

TEST_F(ScanSchedules, keep_to_their_error) {
  const double third = static_cast<double>(1.0F / 3);
  for (const ScanCase& c : {ScanCase{1, 500009}, {4, 125003, true}}) {
    const Words x(static_cast<size_t>(c.rows * c.length), std::bit_cast<uint32_t>(1.0F / 3));
    const Words y = scanned(hardware(1 << 18), x, c, DType::f32, false);
    const double bound = (128 + std::log2(c.length)) * 0x1p-23;
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t added = i / static_cast<size_t>(c.rows) + 1;
      const double expected = third * static_cast<double>(added);
      ASSERT_NEAR(std::bit_cast<float>(y[i]), expected, bound * expected) << i;
    }
  }
}

}  // namespace
}  // namespace eglantine::test
