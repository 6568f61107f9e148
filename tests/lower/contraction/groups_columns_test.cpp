#include "lower/contraction/groups_cases.hpp"
#include "support/random/draw.hpp"

/// Batches of few rows, as groups of convolutions are, by invocations that have all rows of some columns.
namespace eglantine::test {
namespace {

class ColumnsSchedules : public GroupsSchedules {
 protected:
  static std::string text_of_kernel(const AsTarget& target, const GroupsCase& c) {
    const BufferPtr out = buffer_of(*device_, Words(static_cast<size_t>(c.g * c.rows * c.columns * c.apart + 4), 0));
    return glsl_of(target.target(), kernel_of(c, data_of(c), out));
  }
  /// The number that a program defines so.
  static int64_t defined(const std::string& text, const std::string& name) {
    const std::string line = "#define " + name + " ";
    const size_t at = text.find(line);
    return at == std::string::npos ? -1 : std::stoll(text.substr(at + line.size()));
  }
  static bool is_in_columns(const std::string& text) { return text.find("matmul_columns:") != std::string::npos; }
};

TEST_F(ColumnsSchedules, of_few_and_of_odd_rows) {
  for (const GroupsCase& c : {GroupsCase{3, 2, 300, 4, 9},
                              {2, 4, 515, 4, 9},
                              {5, 7, 130, 3, 5},
                              {2, 16, 1000, 16, 3},
                              {4, 24, 257, 5, 3},
                              {2, 5, 129, 50, 3},
                              {2, 6, 700, 13, 2}}) {
    AsHardware hardware(*device_, 132 * 2048);
    EXPECT_TRUE(is_in_columns(text_of_kernel(hardware, c))) << text_of(c);
    expect_close(hardware, c);
    EXPECT_EQ(hardware.dispatches, 1) << hardware.names;
  }
}

/// Of a device of few multiprocessors an invocation has four columns, or where the last group would be mostly empty
/// fewer.
TEST_F(ColumnsSchedules, of_one_two_and_four_columns) {
  int64_t most = 0, fewest = 4;
  for (const int64_t columns : {100, 250, 513, 4000}) {
    const GroupsCase c{4, 8, columns, 3, 5};
    AsHardware hardware(*device_, 2 * 2048);
    const int64_t each = defined(text_of_kernel(hardware, c), "EG_COLUMNS");
    most = std::max(most, each);
    fewest = std::min(fewest, each);
    expect_close(hardware, c);
  }
  EXPECT_EQ(most, 4);
  EXPECT_EQ(fewest, 1);
}

/// A short one, whose results take no second pass through memory; a narrow one has a kernel of its own.
TEST_F(ColumnsSchedules, with_an_epilogue) {
  AsHardware hardware(*device_, 132 * 2048);
  expect_close(hardware, {4, 8, 300, 4, 9, true});
  EXPECT_EQ(hardware.dispatches, 1) << hardware.names;
  GroupsCase narrow{4, 8, 300, 4, 9, true};
  narrow.of_out = StorageType::f16;
  AsHardware twice(*device_, 132 * 2048);
  expect_close(twice, narrow);
  EXPECT_EQ(twice.dispatches, 2) << twice.names;
}

TEST_F(ColumnsSchedules, of_operands_that_are_made_floats_and_windows_apart) {
  for (const auto& [left, right] :
       {std::pair{StorageType::i32, StorageType::f32}, {StorageType::f16, StorageType::bf16}}) {
    AsHardware hardware(*device_, 132 * 2048);
    GroupsCase c{3, 6, 1333, 7, 3, false, 2, left, right};
    c.step = 2;
    EXPECT_TRUE(is_in_columns(text_of_kernel(hardware, c)));
    expect_close(hardware, c);
  }
}

/// Where shared memory has no room, where rows are many, and of a single batch tiles have all rows.
TEST_F(ColumnsSchedules, tiles_have_the_others) {
  for (const GroupsCase& c : {GroupsCase{3, 128, 1000, 16, 3}, {1, 4, 3000, 4, 9}}) {
    AsHardware hardware(*device_, 132 * 2048);
    EXPECT_FALSE(is_in_columns(text_of_kernel(hardware, c))) << text_of(c);
  }
  AsHardware narrow(*device_, 132 * 2048);
  narrow.plan_for().max_shared_bytes = 4096;
  EXPECT_FALSE(is_in_columns(text_of_kernel(narrow, {4, 16, 1000, 16, 9})));
}

/// Nor where neighbouring columns lie in memory apart, as a gradient's of weights, whose sums lie along it.
TEST_F(ColumnsSchedules, tiles_have_columns_that_lie_apart) {
  AsHardware hardware(*device_, 132 * 2048);
  GroupsCase c{4, 16, 1000, 16, 3};
  EXPECT_TRUE(is_in_columns(text_of_kernel(hardware, c)));
  c.step = 64;
  EXPECT_FALSE(is_in_columns(text_of_kernel(hardware, c)));
}

/// Chunks of k that a binding covers, each from its own first step on: of channels that lie further apart than batches.
TEST_F(ColumnsSchedules, in_chunks_where_a_binding_holds_too_little) {
  AsHardware hardware(*device_, 132 * 2048);
  hardware.plan_for().max_block_bytes = 65536;
  const GroupsCase c{3, 5, 300, 40, 3};
  const Data data = data_of(c);
  const BufferPtr out = buffer_of(*device_, Words(static_cast<size_t>(c.g * c.rows * c.columns), 0));
  ContractionKernel kernel = kernel_of(c, data, out);
  ExpressionBuilder windows({c.g, c.columns, c.c, c.k});
  const Layout turned{{c.g, c.columns, c.c, c.k}, {c.length(), 1, c.g * c.length(), 1}, 0};
  load(windows, operand(data.right, c.of_right, turned, 0));
  kernel.right = windows.take();
  EXPECT_TRUE(is_in_columns(glsl_of(hardware.target(), kernel)));
  hardware.run(kernel);
  EXPECT_GT(hardware.dispatches, 1) << hardware.names;
  EXPECT_EQ(hardware.names.find("matmul"), std::string::npos) << hardware.names;
  const Words found = download(*device_, out->storage(), static_cast<size_t>(c.g * c.rows * c.columns));
  for_each_index({c.rows, c.g, c.columns}, [&](const Dims& at) {
    double sum = 0;
    for (int64_t i = 0; i < c.c; ++i)
      for (int64_t j = 0; j < c.k; ++j)
        sum += data.left.at({at[1], at[0], i, j}) *
               data.right.values[static_cast<size_t>((i * c.g + at[1]) * c.length() + at[2] + j)];
    ASSERT_NEAR(element_at(found, c.of_out, c.place(at[0], at[1], at[2])), sum, 1e-3) << text(at);
  });
}

}  // namespace
}  // namespace eglantine::test
