#include "lower/contraction/matmul_cases.hpp"

/// Products of many matrices of a few rows, whose invocations have a column of results of any batch, on any device.
namespace eglantine::test {
namespace {

using Order = MatrixOrder;

class MatmulFewRows : public MatmulForms {};

lower::MatmulShader chosen_for(const MatmulCase& c) {
  lower::Target gpu;
  gpu.max_invocations = 1024;
  gpu.max_shared_bytes = 49152;
  gpu.resident_invocations = int64_t{132} * 2048;
  const auto matrices = [&](StorageType storage, int64_t rows, int64_t columns, Order order) {
    Strided x{nullptr, storage, layout::contiguous({c.batch, rows, columns})};
    if (order == Order::columns) x.layout.strides = {rows * columns, 1, rows};
    return x;
  };
  MatmulKernel kernel;
  kernel.batch = {c.batch};
  kernel.m = c.m, kernel.n = c.n, kernel.k = c.k;
  kernel.a = matrices(c.of_a, c.m, c.k, c.a);
  kernel.b = matrices(c.of_b, c.k, c.n, c.b);
  return lower::shader_for(gpu, lower::products_of(kernel, matrices(c.of_out, c.m, c.n, Order::rows)).front(), true);
}

bool has_columns_of_any_batch(const MatmulCase& c) { return chosen_for(c).batches_together; }

MatmulCase of_many(MatmulCase c) {
  c.batch *= 1000;
  return c;
}

/// Rows of whole vec4s and others, one row and eight, either order of a, with epilogues.
const MatmulCase few_rows[] = {{40, 7, 94, 22, 1},
                               {65, 3, 64, 8, 1},
                               {50, 8, 36, 31, 1, Order::columns, Order::rows, 3},
                               {70, 5, 33, 1, 1, Order::rows, Order::rows, 1},
                               {31, 2, 270, 11, 1, Order::rows, Order::rows, 9}};

TEST_F(MatmulFewRows, meet_the_bound) {
  for (const MatmulCase& c : few_rows) {
    EXPECT_TRUE(has_columns_of_any_batch(of_many(c))) << text_of(c);
    AsHardware target = hardware();
    meets_the_bound(target, c);
    EXPECT_EQ(target.dispatches, 1) << text_of(c) << target.names;
  }
}

TEST_F(MatmulFewRows, of_narrow_elements) {
  for (const StorageType storage : {StorageType::f16, StorageType::bf16})
    for (const int64_t start : {0, 4}) {
      MatmulCase c{65, 3, 64, 7, 1};
      c.of_a = c.of_b = c.of_out = storage;
      c.start = start;
      EXPECT_TRUE(has_columns_of_any_batch(of_many(c))) << text_of(c);
      AsHardware target = hardware();
      meets_the_bound(target, c);
      EXPECT_EQ(target.dispatches, 1) << target.names;
    }
}

/// Two neighbouring results share a word: the product waits in memory, and a map narrows it.
TEST_F(MatmulFewRows, of_floats_with_narrow_results) {
  MatmulCase c{40, 7, 94, 22, 1};
  c.of_out = StorageType::f16;
  AsHardware target = hardware();
  meets_the_bound(target, c);
  EXPECT_EQ(target.dispatches, 2) << target.names;
}

TEST_F(MatmulFewRows, in_several_dispatches) {
  AsHardware few = hardware();
  few.plan_for().max_groups = 2;
  meets_the_bound(few, {40, 7, 94, 22, 1});
  EXPECT_GT(few.dispatches, 3);
  AsHardware blocks = hardware();
  blocks.plan_for().max_block_bytes = 16384;
  meets_the_bound(blocks, {40, 7, 94, 22, 1});
  EXPECT_GT(blocks.dispatches, 10);
}

TEST(MatmulFewRowsSchedule, is_for_right_operands_that_lie_along_rows) {
  EXPECT_TRUE(has_columns_of_any_batch({123608, 7, 94, 22, 1}));
  EXPECT_EQ(chosen_for({123608, 7, 94, 22, 1}).columns, 1) << "neighbours read neighbours";
  EXPECT_EQ(chosen_for({123608, 7, 96, 22, 1}).columns, 4);
  EXPECT_FALSE(has_columns_of_any_batch({123608, 9, 94, 22, 1})) << "a's elements take longer than b's";
  EXPECT_FALSE(has_columns_of_any_batch({123608, 7, 31, 22, 1})) << "a subgroup reads of many rows";
  EXPECT_FALSE(has_columns_of_any_batch({123608, 7, 94, 33, 1}));
  EXPECT_FALSE(has_columns_of_any_batch({123608, 7, 94, 22, 1, Order::rows, Order::columns}));
  EXPECT_FALSE(has_columns_of_any_batch({1, 7, 94, 22, 1}));
  MatmulCase narrow{123608, 7, 94, 22, 1};
  narrow.of_a = narrow.of_b = StorageType::f16;
  EXPECT_FALSE(has_columns_of_any_batch(narrow)) << "results of rows that are no whole words";
}

}  // namespace
}  // namespace eglantine::test
