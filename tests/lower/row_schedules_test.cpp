#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "graph/row_chain.hpp"
#include "layout/layout.hpp"
#include "lower/row/schedule.hpp"
#include "lower/row_formulas.hpp"
#include "lower/schedules.hpp"
#include "support/random/random_data.hpp"

/// The forms of row kernels for hardware, on any device; and that windows change no bits.
namespace eglantine::test {
namespace {

/// Rows of a (rows, length) tensor, or columns of a (length, rows) one.
struct RowCase {
  RowFormula op;
  int64_t rows, length;
  bool columns = false;
  bool mean = false;      ///< of a var, as an extra output
  float outlier = 0;      ///< instead of each row's first element, unless 0
  bool repeated = false;  ///< all rows are the first one
  int64_t gap = 0;        ///< of rows in memory, from one's end to the next one's begin
  bool across = false;    ///< rows are read as columns, and stored as rows; or columns the other way round
  bool constant = false;  ///< each row's elements are its first one
  bool alike = false;     ///< across: made so, but it lies as the results do

  Layout layout() const { return {{rows, length}, {columns ? 1 : length, columns ? rows : 1}, 0}; }
  Layout read() const {
    if (gap > 0) return {{rows, length}, {length + gap, 1}, 0};
    if (across && !alike) return {{rows, length}, {columns ? length : 1, columns ? 1 : rows}, 0};
    if (constant) return {{rows, length}, {columns ? 1 : length, 0}, 0};
    return repeated ? Layout{{rows, length}, {0, columns ? rows : 1}, 0} : layout();
  }
  Layout result() const { return reduces(op) ? Layout{{rows, length}, {1, 0}, 0} : layout(); }
  size_t at(int64_t row, int64_t i) const { return static_cast<size_t>(columns ? i * rows + row : row * length + i); }
};

class RowSchedules : public testing::Test {
 protected:
  explicit RowSchedules(bool gles = false) : device_(open_runtime({}, gles)) {}

  gl::Target hardware(bool large_pages = false) const {
    gl::Target target = device_->target();
    target.software = false;
    target.large_pages = large_pages;
    target.resident_invocations = 4096;
    return target;
  }

  gl::Target software() const {
    gl::Target target = device_->target();
    target.software = true;
    return target;
  }

  Words input(const RowCase& c, double center) const {
    Random random(7);
    Words x(static_cast<size_t>(c.rows * c.length));
    for (uint32_t& word : x) {
      const auto value = static_cast<float>(center + random.real(-8, 8));
      word = std::bit_cast<uint32_t>(halves_ ? static_cast<float>(half(value)) : value);
    }
    for (int64_t row = 1; row < c.rows && c.repeated; ++row)
      for (int64_t i = 0; i < c.length; ++i) x[c.at(row, i)] = x[c.at(0, i)];
    for (int64_t row = 0; row < c.rows && c.constant; ++row)
      for (int64_t i = 1; i < c.length; ++i) x[c.at(row, i)] = x[c.at(row, 0)];
    for (int64_t row = 0; row < c.rows && c.outlier != 0; ++row) x[c.at(row, 0)] = std::bit_cast<uint32_t>(c.outlier);
    return x;
  }

  /// The rows as read() has them.
  static Words in_memory(const Words& x, const RowCase& c) {
    if (c.across && !c.alike) {
      Words beside(x.size());
      for (int64_t row = 0; row < c.rows; ++row)
        for (int64_t i = 0; i < c.length; ++i)
          beside[static_cast<size_t>(c.columns ? row * c.length + i : i * c.rows + row)] = x[c.at(row, i)];
      return beside;
    }
    if (c.gap == 0) return x;
    Words spread(static_cast<size_t>(c.rows * (c.length + c.gap)));
    for (int64_t row = 0; row < c.rows; ++row)
      for (int64_t i = 0; i < c.length; ++i)
        spread[static_cast<size_t>(row * (c.length + c.gap) + i)] = x[c.at(row, i)];
    return spread;
  }

  Words run(const gl::Target& target, const Words& elements, const RowCase& c) {
    const Words x = in_memory(elements, c);
    const Layout layout = c.read();
    const size_t results = reduces(c.op) ? static_cast<size_t>(c.rows) : elements.size();
    const BufferPtr out = buffer_of(*device_, Words(results));
    std::optional<Strided> mean;
    if (c.mean) mean = Strided{buffer_of(*device_, Words(results)), StorageType::f32, c.result()};
    const Strided operand = halves_
                                ? Strided{buffer_of(*device_, packed(x, StorageType::f16)), StorageType::f16, layout}
                                : Strided{buffer_of(*device_, x), StorageType::f32, layout};
    RowKernel kernel = row_kernel(c.op, operand, {out, StorageType::f32, c.result()}, c.columns && c.rows > 1, mean);
    kernel.across = c.across && !reduces(c.op);
    PlannedAs planned(*device_, target);
    planned.run(kernel);
    names_ = planned.names;
    if (mean) means_ = download(*device_, mean->buffer->storage(), results);
    return download(*device_, out->storage(), results);
  }

  void expect_close(const gl::Target& target, const RowCase& c, double center = 0) {
    const Words x = input(c, center), y = run(target, x, c);
    for (int64_t row = 0; row < c.rows; ++row) {
      const auto value = [&](int64_t i) { return static_cast<double>(std::bit_cast<float>(x[c.at(row, i)])); };
      double largest = value(0), mean = 0, sum = 0, squares = 0, own_squares = 0;
      for (int64_t i = 0; i < c.length; ++i) largest = std::max(largest, value(i));
      for (int64_t i = 0; i < c.length; ++i) mean += value(i) / static_cast<double>(c.length);
      for (int64_t i = 0; i < c.length; ++i) {
        sum += std::exp(value(i) - largest);
        squares += (value(i) - mean) * (value(i) - mean) / static_cast<double>(c.length);
        own_squares += value(i) * value(i) / static_cast<double>(c.length);
      }
      const auto check = [&](size_t at, double expected, double tolerance) {
        ASSERT_NEAR(std::bit_cast<float>(y[at]), expected, tolerance)
            << c.rows << " x " << c.length << (c.columns ? " columns" : "") << " row " << row << "\n"
            << names_;
      };
      const auto at = static_cast<size_t>(row);
      if (c.op == RowFormula::var) check(at, squares, 1e-5 * squares + 1e-6 * mean * mean);
      if (c.mean) {
        ASSERT_NEAR(std::bit_cast<float>(means_[at]), mean, 1e-5 + 1e-6 * std::abs(mean)) << names_;
      }
      if (c.op == RowFormula::logsumexp) check(at, largest + std::log(sum), 1e-6 * std::max(1.0, std::abs(largest)));
      for (int64_t i = 0; i < c.length; ++i) {
        const double standard = (value(i) - mean) / std::sqrt(squares + row_eps);
        if (c.op == RowFormula::standardize) check(c.at(row, i), standard, 4e-6 * std::max(1.0, std::abs(standard)));
        if (c.op == RowFormula::rms) check(c.at(row, i), value(i) / std::sqrt(own_squares + row_eps), 4e-6);
      }
      for (int64_t i = 0; i < c.length && (c.op == RowFormula::softmax || c.op == RowFormula::log_softmax); ++i) {
        const double share = std::exp(value(i) - largest) / sum;
        // Shares of long rows are small: an absolute 1e-6 would hardly test them.
        c.op == RowFormula::softmax ? check(c.at(row, i), share, 4e-6 * share)
                                    : check(c.at(row, i), std::log(share), 1e-6 * std::max(1.0, -std::log(share)));
      }
    }
  }

  std::unique_ptr<gl::GlRuntime> device_;
  std::string names_;
  Words means_;
  bool halves_ = false;  ///< the operand's elements are f16
};

class RowSchedulesOnGles : public RowSchedules {
 protected:
  RowSchedulesOnGles() : RowSchedules(true) {}
};

TEST_F(RowSchedules, rows_of_every_size_class) {
  for (int64_t length : {2, 5, 13, 64, 127, 128, 129, 1023, 4097, 16384, 16385})
    expect_close(hardware(), {RowFormula::softmax, length < 200 ? 70 : 5, length});
  EXPECT_EQ(names_, "row max sum\n");
  for (int64_t length : {128, 1025}) expect_close(hardware(true), {RowFormula::log_softmax, 70, length});
}

/// Columns that fill the device by themselves: one lane has all steps of four neighbours.
TEST_F(RowSchedules, many_columns_of_a_few_steps) {
  for (const int64_t length : {2, 3, 4, 5})
    for (const RowFormula op : {RowFormula::var, RowFormula::softmax})
      expect_close(hardware(true), {op, 4 * 4096 + 7, length, true});
  expect_close(hardware(), {RowFormula::standardize, 4 * 4096, 4, true});
  expect_close(hardware(true), {RowFormula::var, 4 * 4096 - 3, 3, true, true});
}

TEST_F(RowSchedules, software_takes_short_rows_and_columns_in_parts) {
  constexpr int64_t elements = 70000;
  const auto expect_parts = [&](RowFormula op, int64_t length, bool columns = false) {
    expect_close(software(), {op, elements / length, length, columns});
    EXPECT_EQ(names_.find("row_"), std::string::npos) << names_;
    EXPECT_NE(names_, "row " + folds_of(op) + "\n");
  };
  for (int64_t length : {2, 3, 5, 64}) expect_parts(RowFormula::softmax, length);
  for (int64_t length : {2, 7}) expect_parts(RowFormula::var, length);
  for (int64_t length : {3, 300}) expect_parts(RowFormula::rms, length);
  for (int64_t length : {3, 64, 300}) expect_parts(RowFormula::standardize, length, true);
  expect_close(software(), {RowFormula::var, elements / 3, 3, true, true});
  // One kernel where a row is read again from the nearest cache, or where a program for each part is too much.
  expect_close(software(), {RowFormula::standardize, elements / 300, 300});
  EXPECT_NE(names_.find("row_"), std::string::npos) << names_;
  expect_close(software(), {RowFormula::softmax, 100, 3});
  EXPECT_NE(names_.find("row_"), std::string::npos) << names_;
}

TEST_F(RowSchedules, of_halves) {
  halves_ = true;
  for (int64_t length : {2, 5, 13, 64, 127, 128, 129, 1023, 4097, 16384, 16385})
    expect_close(hardware(), {RowFormula::softmax, length < 200 ? 70 : 5, length});
  // Rows enough that few lanes have each.
  expect_close(hardware(), {RowFormula::softmax, 600, 95});
  expect_close(hardware(true), {RowFormula::log_softmax, 520, 127});
  for (RowFormula op : {RowFormula::var, RowFormula::logsumexp, RowFormula::rms}) {
    expect_close(hardware(), {op, 517, 66});
    expect_close(hardware(), {op, 70, 13});
    expect_close(hardware(true), {op, 9, 4097});
    expect_close(hardware(), {op, 3, 40001});
    expect_close(hardware(), {op, 70, 130, true});
  }
}

/// An invocation has eight vectors of its row in registers from pass to pass, and longer rows in shared memory.
TEST_F(RowSchedules, the_shortest_rows_in_registers) {
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
TEST_F(RowSchedules, short_rows_in_shared_memory) {
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
TEST_F(RowSchedules, four_short_rows_an_invocation) {
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
TEST_F(RowSchedules, four_short_rows_side_by_side) {
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
TEST_F(RowSchedules, short_rows_side_by_side_in_shared_memory) {
  for (const int64_t rows : {512, 1025, 4099})
    for (const int64_t length : {17, 18, 27, 45, 49, 63}) {
      halves_ = length == 27;
      const RowFormula op = length % 2 == 1 ? RowFormula::standardize : RowFormula::softmax;
      expect_close(hardware(length % 2 == 0), {op, rows, length, false, false, 0, false, 0, true}, 5);
      EXPECT_EQ(names_, "row_short " + folds_of(op) + "\n") << length;
      expect_close(hardware(), {RowFormula::logsumexp, rows, length, false, false, 0, false, 0, true}, 5);
    }
}

/// Of longer ones that stay in registers a group exchanges tiles; results are stored as rows.
TEST_F(RowSchedules, rows_side_by_side_are_exchanged) {
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
TEST_F(RowSchedules, rows_stored_side_by_side_are_exchanged) {
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

TEST_F(RowSchedules, four_short_rows_compute_nothing_past_their_ends) {
  const RowCase c{RowFormula::softmax, 512, 3};
  const auto memory = [&] { return buffer_of(*device_, Words(static_cast<size_t>(c.rows * c.length))); };
  const RowKernel kernel = row_kernel(c.op, {memory(), StorageType::f32, c.layout()},
                                      {memory(), StorageType::f32, c.layout()}, false, std::nullopt);
  const std::string text = glsl_of(hardware(), kernel);
  EXPECT_NE(text.find("vec4 h0_0u = vec4(w0_0.x, w0_0.w, w0_1.z, w0_2.y);"), std::string::npos);
  EXPECT_EQ(text.find("h0_3u"), std::string::npos);
}

TEST_F(RowSchedules, rows_that_repeat_are_computed_once) {
  for (const gl::Target& target : {hardware(), hardware(true), software()})
    for (const bool columns : {false, true})
      for (const RowFormula op : {RowFormula::standardize, RowFormula::softmax, RowFormula::logsumexp}) {
        expect_close(target, {op, 2500, 29, columns, false, 0, true}, 5);
        EXPECT_EQ(names_.find("row"), 0) << names_;
        EXPECT_EQ(names_.find("map", names_.find('\n')), names_.find('\n') + 1) << names_;
      }
  expect_close(hardware(), {RowFormula::var, 2500, 29, false, true, 0, true}, 5);
  expect_close(hardware(), {RowFormula::softmax, 250, 29, false, false, 0, true});
  EXPECT_EQ(names_, "row max sum\n");
}

/// A row's sum is that of one element times their number, so that rows are maps.
TEST_F(RowSchedules, rows_of_one_value_take_no_folds) {
  const auto dispatches = [&] { return std::ranges::count(names_, '\n'); };
  for (const gl::Target& target : {hardware(), hardware(true), software()})
    for (const bool columns : {false, true})
      for (const RowFormula op : {RowFormula::softmax, RowFormula::log_softmax, RowFormula::logsumexp, RowFormula::var,
                                  RowFormula::rms, RowFormula::standardize}) {
        expect_close(target, {op, 2500, 29, columns, false, 0, false, 0, false, true}, 5);
        EXPECT_EQ(names_.find("row"), std::string::npos) << names_;
        // The driver copies of software devices are no dispatches.
        EXPECT_TRUE(target.software || dispatches() == (reduces(op) ? 1 : 2)) << names_;
      }
  expect_close(hardware(), {RowFormula::logsumexp, 25000, 4, true, false, 0, false, 0, false, true}, 5);
  EXPECT_EQ(dispatches(), 1) << names_;
  expect_close(hardware(), {RowFormula::softmax, 25000, 4, true, false, 0, false, 0, false, true}, 5);
  EXPECT_EQ(names_.find("row"), 0U) << names_;
}

TEST_F(RowSchedules, columns_that_repeat_are_written_as_they_lie) {
  const RowCase c{RowFormula::softmax, 25000, 6, true, false, 0, true};
  const Strided x{nullptr, StorageType::f32, c.read()}, y{nullptr, StorageType::f32, c.layout()};
  const std::string text = glsl_of(hardware(true), row_kernel(c.op, x, y, true));
  EXPECT_NE(text.find("void eg_store(uint number, vec4 value)", text.find("// map")), std::string::npos);
}

/// Elements of a narrow mask are read apart, so that those of wide results are stored side by side.
TEST_F(RowSchedules, rows_under_a_mask_that_begin_anywhere) {
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

TEST_F(RowSchedules, what_lies_behind_a_row_changes_none_of_its_bits) {
  for (int64_t length : {2, 5, 13, 33, 127}) {
    const RowCase c{RowFormula::softmax, 2, length};
    Words x = input(c, 0);
    const Words y = run(hardware(), x, c);
    for (int64_t i = 0; i < length; ++i) x[c.at(1, i)] = std::bit_cast<uint32_t>(100.0F);
    const Words z = run(hardware(), x, c);
    for (size_t i = 0; i < static_cast<size_t>(length); ++i) EXPECT_EQ(y[i], z[i]) << length << ", " << i;
  }
}

TEST_F(RowSchedules, rows_too_long_for_registers_are_read_again) {
  expect_close(hardware(), {RowFormula::softmax, 3, 40001});
  EXPECT_EQ(names_, "row_reread max sum\n");
  expect_close(hardware(), {RowFormula::var, 3, 40001}, 100);
  expect_close(hardware(), {RowFormula::logsumexp, 3, 40001}, -100);
}

TEST_F(RowSchedules, what_becomes_of_whole_rows) {
  for (RowFormula op : {RowFormula::var, RowFormula::logsumexp}) {
    expect_close(hardware(), {op, 70, 13}, 5);
    expect_close(hardware(true), {op, 9, 4097}, 5);
    expect_close(hardware(), {op, 70, 130, true}, 5);
  }
}

TEST_F(RowSchedules, standardized_and_scaled) {
  for (RowFormula op : {RowFormula::standardize, RowFormula::rms}) {
    const double center = op == RowFormula::rms ? 0 : 1e5;
    for (int64_t length : {2, 13, 129, 1025}) expect_close(hardware(), {op, 70, length}, center);
    expect_close(hardware(true), {op, 9, 4097}, center);
    EXPECT_EQ(names_, "row " + folds_of(op) + "\n");
    expect_close(hardware(), {op, 3, 40001}, center);
    EXPECT_EQ(names_, "row_reread " + folds_of(op) + "\n");
    expect_close(hardware(), {op, 130, 120, true}, center);
    expect_close(hardware(), {op, 5, 1025, true}, center);
  }
}

TEST_F(RowSchedules, standardized_beside_an_outlier) {
  for (int64_t length : {129, 1025, 16384, 40001})
    expect_close(hardware(), {RowFormula::standardize, 70000 / length, length, false, false, 1e7F});
  EXPECT_EQ(names_, "row_reread sum sum sum\n");
  expect_close(hardware(true), {RowFormula::standardize, 9, 4097, false, false, -1e7F}, 5);
  for (int64_t length : {120, 1025, 20000})
    expect_close(hardware(), {RowFormula::standardize, 5, length, true, false, 1e7F});
}

TEST_F(RowSchedules, means_beside_variances) {
  expect_close(hardware(), {RowFormula::var, 70, 13, false, true}, 5);
  EXPECT_EQ(names_, "row sum sum\n");
  expect_close(hardware(true), {RowFormula::var, 9, 4097, false, true}, 5);
  expect_close(hardware(), {RowFormula::var, 3, 40001, false, true}, 100);
  EXPECT_EQ(names_, "row_reread sum sum\n");
  for (int64_t length : {130, 1025}) expect_close(hardware(), {RowFormula::var, 70, length, true, true}, 5);
  EXPECT_EQ(names_, "row_strided_reread sum sum\n");
  expect_close(device_->target(), {RowFormula::var, 70, 13, true, true}, 5);
  gl::Target windows = hardware();
  windows.max_block_bytes = 1 << 16;
  expect_close(windows, {RowFormula::var, 700, 257, false, true}, 5);
  EXPECT_NE(names_.find('\n'), names_.size() - 1) << "several windows";
}

TEST_F(RowSchedules, columns_in_registers_and_read_again) {
  for (int64_t rows : {2, 5, 130}) expect_close(hardware(), {RowFormula::softmax, rows, 120, true});
  EXPECT_EQ(names_, "row_strided max sum\n");
  expect_close(hardware(), {RowFormula::log_softmax, 130, 1025, true});
  EXPECT_EQ(names_, "row_strided_reread max sum\n");
}

/// In large pages fewer columns are side by side where they then make a group for each multiprocessor.
TEST_F(RowSchedules, fewer_columns_side_by_side_have_more_lanes) {
  gl::Target large = hardware(true);
  large.resident_invocations = int64_t{32} * 2048;
  const auto side_by_side = [&](int64_t columns) {
    const RowCase c{RowFormula::softmax, columns, 5000, true};
    const Strided x{nullptr, StorageType::f32, c.layout()};
    const RowKernel kernel = row_kernel(c.op, x, x, true);
    return lower::plan_row(large, kernel, chain_of(kernel, RowReads::once)).items_at_once();
  };
  EXPECT_EQ(side_by_side(64 * 32), 16);
  EXPECT_EQ(side_by_side(32 * 32), 8);
  EXPECT_EQ(side_by_side(130), 2);
  expect_close(large, {RowFormula::softmax, 130, 5000, true});
  expect_close(large, {RowFormula::var, 10, 1025, true}, 5);
}

TEST_F(RowSchedules, columns_in_registers_of_lengths_between_powers_of_two) {
  for (const int64_t columns : {130, 1201})
    for (const int64_t length : {70, 137, 160, 161, 255}) {
      expect_close(hardware(length % 2 == 1), {RowFormula::softmax, columns, length, true});
      expect_close(hardware(length % 2 == 0), {RowFormula::standardize, columns, length, true}, 5);
    }
}

TEST_F(RowSchedulesOnGles, on_the_least_that_gles_has) {
  gl::Target target = hardware();
  target.max_invocations = 128;
  target.max_shared_bytes = 16384;
  expect_close(target, {RowFormula::softmax, 9, 4096});
  expect_close(target, {RowFormula::var, 9, 4097});
  expect_close(target, {RowFormula::softmax, 70, 65, true});
  expect_close(target, {RowFormula::standardize, 600, 29});
  EXPECT_EQ(names_, "row_short sum sum sum\n");
  expect_close(target, {RowFormula::standardize, 600, 14});
  EXPECT_EQ(names_, "row_fours sum sum sum\n");
}

TEST_F(RowSchedules, windows_change_no_bits) {
  for (const RowCase& c : {RowCase{RowFormula::softmax, 700, 257},
                           {RowFormula::var, 700, 257},
                           {RowFormula::rms, 4000, 29},
                           {RowFormula::rms, 9001, 13},
                           {RowFormula::var, 9001, 7}}) {
    const Words x = input(c, 0);
    for (gl::Target target : {device_->target(), hardware()}) {
      target.max_block_bytes = int64_t{1} << 24;
      const Words whole = run(target, x, c);
      target.max_block_bytes = 1 << 16;
      EXPECT_TRUE(run(target, x, c) == whole) << names_;
      EXPECT_NE(names_.find('\n'), names_.size() - 1) << "several windows";
    }
  }
}

}  // namespace
}  // namespace eglantine::test
