#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "eglantine/own.hpp"
#include "layout/layout.hpp"
#include "lower/schedules.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Single-pass scans, planned for hardware whose groups may wait for others, on any device.
namespace eglantine::test {
namespace {

/// Makes groups take tiles in an order in which each waits for later ones.
class Waiting : public PlannedAs {
 public:
  using PlannedAs::PlannedAs;
  std::vector<gl::Dispatch> instead_of(const gl::Dispatch& dispatch) override {
    if (!last_first) return {dispatch};
    gl::Dispatch reversed = dispatch;
    rewrite(reversed, [](std::string text) {
      const std::string wanted = "uint item = gl_WorkGroupID.x";
      const size_t at = text.find(wanted);
      if (at != std::string::npos)
        text.replace(at, wanted.size(), "uint item = gl_NumWorkGroups.x - 1u - gl_WorkGroupID.x");
      return text;
    });
    return {reversed};
  }
  bool last_first = false;
};

struct Scan {
  DType dtype = DType::u32;
  Reduction reduction = Reduction::sum;
  bool exclusive = false, reverse = false;
  ReduceOpPtr custom = nullptr;
};

float as_float(uint32_t word) { return std::bit_cast<float>(word); }
uint32_t as_word(float value) { return std::bit_cast<uint32_t>(value); }

class ScanTiles : public testing::Test {
 protected:
  explicit ScanTiles(bool gles = false) : device_(open_runtime({}, gles)), target_(device_->target()) {
    target_.software = false;
    target_.forward_progress = true;
    target_.subgroup = 0;
    target_.max_invocations = 128;
    target_.resident_invocations = 1024;
    target_.max_block_bytes = window;
  }

  static Layout layout_of(int64_t rows, int64_t length, bool reverse) {
    return {{rows, length}, {length, reverse ? -1 : 1}, reverse ? length - 1 : 0};
  }

  Words scanned(const Words& x, int64_t rows, const Scan& scan) {
    const Layout layout = layout_of(rows, static_cast<int64_t>(x.size()) / rows, scan.reverse);
    const BufferPtr out = buffer_of(*device_, Words(x.size(), 77));
    const ScanKernel kernel{{layout.shape,
                             {{buffer_of(*device_, x), word_storage(scan.dtype), layout}},
                             {},
                             {},
                             {{Op::load, scan.dtype, {0, -1, -1}}}},
                            1,
                            scan.reduction,
                            scan.exclusive,
                            {layout.shape, {}, {}, {}, {{Op::accumulator, scan.dtype, {-1, -1, -1}}}},
                            {out, word_storage(scan.dtype), layout},
                            scan.custom};
    Waiting planned(*device_, target_);
    planned.last_first = last_first_;
    planned.run(kernel);
    names_ = planned.names;
    glsl_ = glsl_of(target_, kernel);
    return download(*device_, out->storage(), x.size());
  }

  template <class Combine>
  static Words expected(const Words& x, int64_t rows, const Scan& scan, uint32_t identity, Combine combine) {
    const size_t length = x.size() / static_cast<size_t>(rows);
    Words y(x.size());
    for (size_t row = 0; row < static_cast<size_t>(rows); ++row) {
      uint32_t sum = identity;
      for (size_t i = 0; i < length; ++i) {
        const size_t at = row * length + (scan.reverse ? length - 1 - i : i);
        const uint32_t with = combine(sum, x[at]);
        y[at] = scan.exclusive ? sum : with;
        sum = with;
      }
    }
    return y;
  }

  Words random_words(int64_t count) {
    Words x(static_cast<size_t>(count));
    for (uint32_t& word : x) word = static_cast<uint32_t>(random_.word());
    return x;
  }

  Words random_floats(int64_t count) {
    Words x(static_cast<size_t>(count));
    for (uint32_t& word : x) word = as_word(static_cast<float>(random_.real(-2, 2)));
    return x;
  }

  void expect_equal(const Words& actual, const Words& expected, const std::string& what) {
    const auto [a, b] = std::mismatch(actual.begin(), actual.end(), expected.begin());
    EXPECT_TRUE(a == actual.end()) << what << " at " << a - actual.begin() << " of " << actual.size() << ": " << *a
                                   << ", not " << *b << "\n"
                                   << names_;
  }

  void expect_exact(int64_t rows, int64_t length, Scan scan = {}) {
    const Words x = random_words(rows * length);
    expect_equal(scanned(x, rows, scan), expected(x, rows, scan, 0, std::plus<uint32_t>()),
                 std::to_string(rows) + " x " + std::to_string(length));
  }

  static constexpr int64_t tile = 2048, run = 32 * tile, run_of_runs = 32 * run;
  // 128 tiles. A software driver may start a thread in the middle of a dispatch while the thread with the tiles before
  // waits for the processor; it then computes them all, and the driver ends it silently after 65535 loop trips.
  static constexpr int64_t window = 128 * tile * 4;
  std::unique_ptr<gl::GlRuntime> device_;
  gl::Target target_;
  Random random_{11};
  std::string names_, glsl_;
  bool last_first_ = false;
};

class ScanTilesOnGles : public ScanTiles {
 protected:
  ScanTilesOnGles() : ScanTiles(true) {}
};

TEST_F(ScanTiles, rows_of_every_length) {
  for (int64_t length : {2, 3, 4, 5, 8, 13, 16, 17, 33, 64, 100, 127, 256, 513, 1025, 2045, 2047, 2048})
    for (int64_t rows : {1, 3, 70}) expect_exact(rows, length);
  EXPECT_EQ(names_, "scan_register_resident sum u32\n");
}

/// Rows of whole vectors are accessed a line of memory at a time.
TEST_F(ScanTiles, neighbouring_lanes_access_a_line) {
  const auto plan = [&](int64_t length) {
    expect_exact(70, length);
    const auto of = [&](const std::string& name) {
      return std::stoi(glsl_.substr(glsl_.find("#define EG_" + name + " ") + name.size() + 12));
    };
    return std::pair(of("LANES"), of("VECTORS"));
  };
  EXPECT_EQ(plan(8), std::pair(2, 1));
  EXPECT_EQ(plan(12), std::pair(4, 1));
  EXPECT_EQ(plan(32), std::pair(8, 1));
  EXPECT_EQ(plan(36), std::pair(8, 2));
  EXPECT_EQ(plan(128), std::pair(8, 4));
  EXPECT_EQ(plan(31), std::pair(2, 4));
}

/// Neighbours access neighbours where vectors are not whole ones in memory; the bits stay those of vectors.
TEST_F(ScanTiles, rows_from_the_back_or_of_odd_lengths_are_accessed_singly) {
  const auto has = [&](const char* text) { return glsl_.find(std::string("#define EG_") + text) != std::string::npos; };
  for (const int64_t length : {int64_t{8}, int64_t{24}, int64_t{100}, int64_t{1028}, 3 * tile + 400})
    for (const bool exclusive : {false, true}) {
      const Words x = random_floats(3 * length);
      const Scan forward{DType::f32, Reduction::sum, exclusive}, back{DType::f32, Reduction::sum, exclusive, true};
      Words mirrored(x.rbegin(), x.rend()), from_front = scanned(x, 3, forward);
      EXPECT_FALSE(has("LOADS_SINGLY") || has("STORES_SINGLY")) << length;
      Words from_back = scanned(mirrored, 3, back);
      EXPECT_EQ(has("LOADS_SINGLY") && has("STORES_SINGLY"), length > 8) << length;
      std::reverse(from_back.begin(), from_back.end());
      expect_equal(from_back, from_front, std::to_string(length));
    }
  expect_exact(3, 1027);
  EXPECT_TRUE(has("STORES_SINGLY"));
  expect_exact(1, 1027);
  EXPECT_FALSE(has("STORES_SINGLY"));
}

/// Many short rows that begin anywhere are taken to shared memory as they lie, and scanned in the same order.
TEST_F(ScanTiles, many_short_rows_of_odd_lengths_are_staged) {
  for (const int64_t length : {3, 10, 17, 31}) {
    for (const bool reverse : {false, true}) {
      const Words x = random_floats(333 * length);
      const Scan scan{DType::f32, Reduction::sum, length < 17, reverse};
      const Words staged = scanned(x, 333, scan);
      EXPECT_EQ(names_, "scan_staged sum f32\n") << length;
      const int64_t shared = std::exchange(target_.max_shared_bytes, 1024);
      expect_equal(scanned(x, 333, scan), staged, std::to_string(length));
      EXPECT_EQ(names_, "scan_register_resident sum f32\n") << length;
      target_.max_shared_bytes = shared;
    }
    expect_exact(331, length);
  }
  expect_exact(333, 8);
  EXPECT_EQ(names_, "scan_register_resident sum u32\n");
  expect_exact(100, 7);
  EXPECT_EQ(names_, "scan_register_resident sum u32\n");
  target_.max_block_bytes = 8192;
  expect_exact(700, 7);
  EXPECT_NE(names_.find("scan_staged sum u32\nscan_staged sum u32\n"), std::string::npos) << names_;
}

TEST_F(ScanTiles, staged_rows_of_booleans) {
  Words few(300 * 7, 0);
  few[4] = few[21] = few[700] = 1;
  const Scan scan{.dtype = DType::boolean, .reduction = Reduction::any};
  expect_equal(scanned(few, 300, scan), expected(few, 300, scan, 0, std::bit_or<uint32_t>()), "boolean");
  EXPECT_EQ(names_, "scan_staged any boolean\n");
}

TEST_F(ScanTiles, lengths_around_tiles_and_runs_of_tiles) {
  Draw draw = draw_one_of(4);
  for (int64_t length :
       {tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1, run - 1, run, run + 1, run + tile, 2 * run - 1,
        3 * run + 5 * tile + 3, run_of_runs - 1, run_of_runs, run_of_runs + 1, run_of_runs + run + tile + 1})
    if (draw.next()) expect_exact(1, length);
  expect_exact(1, 3 * run + 5);
  EXPECT_EQ(names_, "map u32\nscan_look_back sum u32\n");
  expect_exact(3, run + 7);
  expect_exact(70, 2 * tile - 3);
}

TEST_F(ScanTiles, wider_groups_hold_longer_tiles) {
  for (int64_t group : {256, 512, 1024}) {
    target_.max_invocations = group;
    expect_exact(3, group * 16);
    expect_exact(2, group * 16 * 33 + 5);
  }
}

TEST_F(ScanTiles, in_windows_have_the_same_bits) {
  for (const auto& [rows, length] : {std::pair<int64_t, int64_t>{1, 5 * run + 99}, {7, run + 7}, {300, 1999}}) {
    const Words x = random_floats(rows * length);
    target_.max_block_bytes = int64_t{1} << 24;  // none of these has more than 161 tiles
    const Scan scan{.dtype = DType::f32};
    const Words whole = scanned(x, rows, scan);
    target_.max_block_bytes = 1 << 17;
    expect_equal(scanned(x, rows, scan), whole, "windows");
  }
}

TEST_F(ScanTiles, more_tiles_and_rows_than_a_device_has_groups) {
  target_.large_pages = true;
  for (const auto& [rows, length] : {std::pair<int64_t, int64_t>{1, 2 * run + 5}, {3, 7 * tile + 1}, {501, 700}}) {
    target_.max_groups_x = 65535;
    const Words x = random_floats(rows * length);
    const Scan scan{.dtype = DType::f32};
    const Words one_each = scanned(x, rows, scan);
    target_.max_groups_x = 3;
    expect_equal(scanned(x, rows, scan), one_each, "three groups");
    expect_exact(rows, length);
  }
}

/// Later tiles are taken first: groups compute the tiles that they wait for.
TEST_F(ScanTiles, need_no_progress_of_others) {
  const int64_t length = 2 * run + 3 * tile + 5;
  const Scan scan{.dtype = DType::f32};
  for (int64_t rows : {1, 2}) {
    const Words x = random_floats(rows * length);
    last_first_ = false;
    const Words first = scanned(x, rows, scan);
    last_first_ = true;
    expect_equal(scanned(x, rows, scan), first, "last first");
  }
}

TEST_F(ScanTiles, have_the_same_bits_every_time) {
  for (const auto& [rows, length] : {std::pair<int64_t, int64_t>{1, 9 * run + 99}, {65, 2 * tile + 7}, {501, 700}}) {
    const Words x = random_floats(rows * length);
    const Scan scan{.dtype = DType::f32};
    const Words first = scanned(x, rows, scan);
    Draw draw = draw_one_of(4);
    for (int i = 0; i < 20; ++i)
      if (draw.next()) expect_equal(scanned(x, rows, scan), first, "run " + std::to_string(i));
  }
}

TEST_F(ScanTiles, exclusive_and_from_the_end) {
  for (int64_t length : {int64_t{77}, tile, run + 9, 3 * tile + 4})
    for (bool exclusive : {false, true})
      for (bool reverse : {false, true}) expect_exact(3, length, {.exclusive = exclusive, .reverse = reverse});
}

TEST_F(ScanTiles, largest_of_every_dtype) {
  const int64_t length = 5 * tile + 3;
  const auto as_int = [](uint32_t word) { return std::bit_cast<int32_t>(word); };
  const Words x = random_words(2 * length);
  Scan scan{.dtype = DType::u32, .reduction = Reduction::max};
  expect_equal(scanned(x, 2, scan), expected(x, 2, scan, 0, [](uint32_t a, uint32_t b) { return std::max(a, b); }),
               "u32");
  scan.dtype = DType::i32;
  expect_equal(scanned(x, 2, scan),
               expected(x, 2, scan, 0x80000000U, [&](uint32_t a, uint32_t b) { return as_int(a) > as_int(b) ? a : b; }),
               "i32");
  scan = {.dtype = DType::boolean, .reduction = Reduction::any};
  Words few(x.size(), 0);
  few[4000] = few[x.size() - 9] = 1;
  expect_equal(scanned(few, 2, scan), expected(few, 2, scan, 0, std::bit_or<uint32_t>()), "boolean");
}

TEST_F(ScanTiles, nan_stays_from_the_first_on) {
  const int64_t length = 70 * tile;
  const Scan scan{.dtype = DType::f32, .reduction = Reduction::max};
  for (int64_t place : {int64_t{0}, int64_t{5}, tile - 1, 3 * tile + 1, run, length - 1}) {
    Words x = random_floats(length);
    x[static_cast<size_t>(place)] = as_word(std::numeric_limits<float>::quiet_NaN());
    const Words y = scanned(x, 1, scan);
    for (int64_t i = 0; i < length; ++i)
      ASSERT_EQ(std::isnan(as_float(y[static_cast<size_t>(i)])), i >= place) << place << " at " << i;
  }
}

/// The last value that is not -7: any reordering changes it.
TEST_F(ScanTiles, a_users_operation_that_does_not_commute) {
  ReduceOp last;
  last.name = "last";
  last.glsl = "b == -7.0 ? a : b";
  last.identity = -7;
  last.cpu = [](float a, float b) { return b == -7.0F ? a : b; };
  const Scan scan{
      .dtype = DType::f32, .reduction = Reduction::custom, .custom = std::make_shared<const ReduceOp>(last)};
  for (int64_t length : {int64_t{301}, run + 3 * tile + 1}) {
    Words x(static_cast<size_t>(2 * length));
    for (uint32_t& word : x) word = as_word(random_.real(0, 1) < 0.9 ? -7.0F : static_cast<float>(random_.real(0, 1)));
    expect_equal(
        scanned(x, 2, scan),
        expected(x, 2, scan, as_word(-7.0F), [](uint32_t a, uint32_t b) { return as_float(b) == -7.0F ? a : b; }),
        "custom");
  }
}

TEST_F(ScanTiles, keep_to_their_error) {
  const double third = static_cast<double>(1.0F / 3);
  const Words x(1000003, as_word(1.0F / 3));
  const Words y = scanned(x, 1, {.dtype = DType::f32});
  const double bound = (128 + std::log2(x.size())) * 0x1p-23;
  for (size_t i = 0; i < y.size(); ++i)
    ASSERT_NEAR(as_float(y[i]), third * static_cast<double>(i + 1), bound * third * static_cast<double>(i + 1)) << i;
}

TEST_F(ScanTilesOnGles, rows_in_registers_and_by_look_back) {
  for (const auto& [rows, length] : {std::pair<int64_t, int64_t>{70, 5}, {3, 2000}, {1, 2 * run + 1}})
    expect_exact(rows, length);
}

}  // namespace
}  // namespace eglantine::test
