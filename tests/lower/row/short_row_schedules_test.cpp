#include "lower/row/fixture.hpp"

/// Short rows, of which an invocation has one or four to itself, in registers or in shared memory.
namespace eglantine::test {
namespace {

class ShortRowSchedules : public RowSchedules {};

/// An invocation has eight vectors of its row in registers from pass to pass, and longer rows in shared memory.
TEST_F(ShortRowSchedules, the_shortest_rows_in_registers) {
  for (const int64_t length : {17, 22, 31, 33, 63}) {
    const RowCase c{RowFormula::softmax, 512, length};
    const auto memory = [&] { return buffer_of(*device_, Words(static_cast<size_t>(c.rows * length))); };
    const RowKernel kernel = row_kernel(c.op, {memory(), StorageType::f32, c.layout()},
                                        {memory(), StorageType::f32, c.layout()}, false, std::nullopt);
    const std::string text = glsl_of(hardware(), kernel);
    const std::string constant = "#define EG_LENGTH " + std::to_string(length) + "u\n";
    EXPECT_EQ(text.find(constant) != std::string::npos, length <= 32) << length;
    EXPECT_EQ(text.find("vec4 h0_0u = eg_kept(0u, 0u);") != std::string::npos, length <= 32) << length;
  }
}

/// Rows enough to have an invocation each, of every length that begins anywhere, and the groups' last ones in part.
TEST_F(ShortRowSchedules, short_rows_in_shared_memory) {
  constexpr int64_t longest = 64;
  for (int64_t length = 3; length <= longest; ++length) {
    if (length % 4 == 0) continue;
    const auto op = static_cast<RowFormula>(length % 6);
    halves_ = length % 5 == 0;
    expect_close(hardware(length % 2 == 0), {op, 512 + length * 7 % 60, length}, op == RowFormula::rms ? 0 : 5);
    const bool is_staged = length <= 48 || !reduces(op);
    const std::string form = length < 16 ? "row_fours " : is_staged ? "row_short " : "row ";
    EXPECT_EQ(names_, form + folds_of(op) + "\n") << length;
  }
  halves_ = false;
  expect_close(hardware(), {RowFormula::var, 3001, 13, false, true}, 5);
  expect_close(hardware(), {RowFormula::standardize, 3001, 21, false, false, 0, false, 4}, 5);
  EXPECT_EQ(names_, "row_short sum sum sum\n");
  expect_close(hardware(), {RowFormula::softmax, 511, 13});
  EXPECT_EQ(names_, "row max sum\n");
  expect_close(hardware(), {RowFormula::softmax, 512, longest + 1});
  EXPECT_EQ(names_, "row max sum\n");
}

/// Four rows are vectors of memory, which an invocation has in registers: of gaps between rows, means of rows as a
/// second result, f16, and of a last four in part.
TEST_F(ShortRowSchedules, four_short_rows_an_invocation) {
  for (const int64_t length : {3, 6, 7, 14, 15})
    for (const int64_t rows : {512, 1025, 4099}) {
      halves_ = length == 7;
      expect_close(hardware(length % 2 == 0), {RowFormula::standardize, rows, length, false, false, 0, false, 4}, 5);
      EXPECT_EQ(names_, "row_fours sum sum sum\n") << length;
      expect_close(hardware(), {RowFormula::softmax, rows, length});
      expect_close(hardware(), {RowFormula::var, rows, length, false, true}, 5);
      EXPECT_EQ(names_, "row_fours sum sum\n") << length;
    }
}

/// Rows of two, and rows that lie side by side in memory but one behind the other in the results, of any short length.
TEST_F(ShortRowSchedules, four_short_rows_side_by_side) {
  for (const int64_t rows : {512, 1025, 4099, 140001})
    for (const int64_t length : {2, 3, 4, 7, 8, 13, 16}) {
      if (rows > 100000 && length > 3) continue;
      halves_ = length == 7;
      const RowFormula op = length % 3 == 1 ? RowFormula::standardize : RowFormula::softmax;
      expect_close(hardware(length % 2 == 0), {op, rows, length, false, false, 0, false, 0, true}, 5);
      EXPECT_EQ(names_, "row_fours " + folds_of(op) + "\n") << length;
    }
  halves_ = false;
  expect_close(hardware(), {RowFormula::log_softmax, 1027, 2});
  EXPECT_EQ(names_, "row_fours max sum\n");
  halves_ = true;
  expect_close(hardware(), {RowFormula::rms, 1027, 2});
  EXPECT_EQ(names_, "row_fours sum\n");
}

/// Longer ones are put in their places in shared memory.
TEST_F(ShortRowSchedules, short_rows_side_by_side_in_shared_memory) {
  for (const int64_t rows : {512, 1025, 4099})
    for (const int64_t length : {17, 18, 27, 45, 49, 63}) {
      halves_ = length == 27;
      const RowFormula op = length % 2 == 1 ? RowFormula::standardize : RowFormula::softmax;
      expect_close(hardware(length % 2 == 0), {op, rows, length, false, false, 0, false, 0, true}, 5);
      EXPECT_EQ(names_, "row_short " + folds_of(op) + "\n") << length;
      expect_close(hardware(), {RowFormula::logsumexp, rows, length, false, false, 0, false, 0, true}, 5);
    }
}

TEST_F(ShortRowSchedules, four_short_rows_compute_nothing_past_their_ends) {
  const RowCase c{RowFormula::softmax, 512, 3};
  const auto memory = [&] { return buffer_of(*device_, Words(static_cast<size_t>(c.rows * c.length))); };
  const RowKernel kernel = row_kernel(c.op, {memory(), StorageType::f32, c.layout()},
                                      {memory(), StorageType::f32, c.layout()}, false, std::nullopt);
  const std::string text = glsl_of(hardware(), kernel);
  EXPECT_NE(text.find("vec4 h0_0u = vec4(w0_0.x, w0_0.w, w0_1.z, w0_2.y);"), std::string::npos);
  EXPECT_EQ(text.find("h0_3u"), std::string::npos);
}

}  // namespace
}  // namespace eglantine::test
