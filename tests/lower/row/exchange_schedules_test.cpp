#include <bit>

#include "lower/row/fixture.hpp"
#include "lower/row/schedule/schedule.hpp"

/// Rows whose operands or results lie across their lanes, which groups exchange through shared memory.
namespace eglantine::test {
namespace {

class RowExchangeSchedules : public RowSchedules {};

/// Of rows that lie side by side and stay in registers a group exchanges tiles; results are stored as rows.
TEST_F(RowExchangeSchedules, rows_side_by_side_are_exchanged) {
  gl::Target target = hardware(true);
  target.max_shared_bytes = 49152;
  for (const int64_t length : {65, 68, 131, 151, 200, 376, 501, 760}) {
    const int64_t rows = (int64_t{1} << 18) / length + 7 + length % 4;
    halves_ = length == 151;
    for (const RowFormula op : {RowFormula::standardize, RowFormula::softmax}) {
      expect_close(target, {op, rows, length, false, false, 0, false, 0, true}, 5);
      EXPECT_EQ(names_, "row " + folds_of(op) + "\n") << length;
    }
    expect_close(target, {RowFormula::logsumexp, rows, length, false, false, 0, false, 0, true});
    expect_close(target, {RowFormula::var, rows, length, false, true, 0, false, 0, true}, 5);
    EXPECT_EQ(names_, "row sum sum\n") << length;
  }
  const RowCase c{RowFormula::softmax, 2024, 131, false, false, 0, false, 0, true};
  const auto text = [&](const RowCase& x) {
    const BufferPtr memory = buffer_of(*device_, Words(static_cast<size_t>(x.rows * x.length)));
    return glsl_of(target, row_kernel(x.op, {memory, StorageType::f32, x.read()},
                                      {memory, StorageType::f32, x.result()}, false, std::nullopt));
  };
  EXPECT_NE(text(c).find("shared float eg_tile0["), std::string::npos);
  EXPECT_EQ(text({RowFormula::softmax, 2024, 131}).find("float eg_tile"), std::string::npos);
  EXPECT_NE(text({RowFormula::softmax, 400, 760, false, false, 0, false, 0, true}).find("float eg_tile0["),
            std::string::npos);
  EXPECT_EQ(text({RowFormula::softmax, 400, 769, false, false, 0, false, 0, true}).find("float eg_tile"),
            std::string::npos);
  halves_ = false;
  const Words x = input(c, 0), y = run(target, x, c);
  // As rows that lie one behind the other, also where a group takes several rounds, and in windows.
  EXPECT_TRUE(run(target, x, {RowFormula::softmax, 2024, 131}) == y);
  target.max_groups = 10;
  EXPECT_TRUE(run(target, x, c) == y);
  target.max_block_bytes = 1 << 19;
  EXPECT_TRUE(run(target, x, c) == y);
  EXPECT_NE(names_.find('\n'), names_.size() - 1) << "several windows";
}

/// What is read as rows and stored as columns goes back through tiles, with the bits of rows.
TEST_F(RowExchangeSchedules, rows_stored_side_by_side_are_exchanged) {
  gl::Target target = hardware(true);
  target.max_shared_bytes = 49152;
  for (const int64_t length : {65, 68, 131, 151, 200, 376, 760}) {
    const int64_t rows = (int64_t{1} << 18) / length + 7 + length % 4;
    halves_ = length == 151;
    for (const RowFormula op : {RowFormula::standardize, RowFormula::softmax}) {
      const RowCase c{op, rows, length, true, false, 0, false, 0, true}, by_rows{op, rows, length};
      expect_close(target, c, 5);
      EXPECT_EQ(names_, "row " + folds_of(op) + "\n") << length;
      const Words x = input(c, 0), y = run(target, x, c), z = run(target, in_memory(x, c), by_rows);
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t i = 0; i < length; ++i) ASSERT_EQ(y[c.at(row, i)], z[by_rows.at(row, i)]) << row << " " << i;
      RowCase alike = c;
      alike.alike = true;
      EXPECT_TRUE(run(target, x, alike) == y) << length << " " << names_;
    }
  }
  halves_ = false;
  const RowCase c{RowFormula::softmax, 2024, 131, true, false, 0, false, 0, true};
  const Words x = input(c, 0), y = run(target, x, c);
  target.max_groups = 10;
  EXPECT_TRUE(run(target, x, c) == y);
  target.max_block_bytes = 1 << 19;
  EXPECT_TRUE(run(target, x, c) == y);
}

/// Elements of a narrow mask are read apart, so that those of wide results are stored side by side.
TEST_F(RowExchangeSchedules, rows_under_a_mask_that_begin_anywhere) {
  for (const int64_t length : {67, 131, 1025}) {
    const RowCase c{RowFormula::softmax, 70, length};
    const Words x = input(c, 0);
    Words mask(x.size());
    for (size_t i = 0; i < mask.size(); ++i) mask[i] = x[i] % 3 != 0 ? 1 : 0;
    const BufferPtr out = buffer_of(*device_, Words(x.size()));
    ExpressionBuilder builder(c.layout().shape);
    const int element = builder.load({buffer_of(*device_, x), StorageType::f32, c.layout()});
    const StorageType byte = StorageType::boolean_byte;
    const int seen = builder.load({buffer_of(*device_, packed(mask, byte)), byte, c.layout()});
    const int zero = builder.parameter(DType::f32, {0});
    const int masked = builder.operation(Op::where, DType::f32, {seen, element, zero});
    const int sum = builder.fold(Reduction::sum, DType::f32, masked);
    builder.end_with(builder.operation(Op::sub, DType::f32, {masked, sum, -1}));
    const RowKernel kernel{builder.take(), 1, {out, StorageType::f32, c.layout()}};
    EXPECT_GT(lower::plan_row(hardware(true), kernel, chain_of(kernel, RowReads::once)).apart, 1);
    PlannedAs planned(*device_, hardware(true));
    planned.run(kernel);
    const Words y = download(*device_, out->storage(), x.size());
    for (int64_t row = 0; row < c.rows; ++row) {
      const auto value = [&](int64_t i) { return mask[c.at(row, i)] != 0 ? std::bit_cast<float>(x[c.at(row, i)]) : 0; };
      double total = 0;
      for (int64_t i = 0; i < length; ++i) total += value(i);
      for (int64_t i = 0; i < length; ++i)
        ASSERT_NEAR(std::bit_cast<float>(y[c.at(row, i)]), value(i) - total, 1e-3) << length << ", " << row;
    }
  }
}

}  // namespace
}  // namespace eglantine::test
