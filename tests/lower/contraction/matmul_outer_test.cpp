#include "lower/contraction/gpu_products.hpp"

/// Products of a short k with many results, as sums of outer products in registers, on any device.
namespace eglantine::test {
namespace {

using Order = MatrixOrder;

class MatmulOuter : public MatmulForms {
 protected:
  AsHardware hardware(int64_t cores = 1) {
    AsHardware target(*device_, cores * 2048);
    target.plan_for().large_pages = true;
    target.plan_for().tuning = nullptr;
    return target;
  }
  /// In so many dispatches, of which the last is no map: the product stores the results of its epilogue.
  void meets_the_bound_in(int dispatches, const MatmulCase& c) {
    AsHardware target = hardware();
    meets_the_bound(target, c);
    EXPECT_EQ(target.dispatches, dispatches) << text_of(c) << "\n" << target.names;
  }
};

/// The structure that the schedule chooses on a GPU of so many multiprocessors.
lower::MatmulShader chosen_for(int64_t multiprocessors, int64_t m, int64_t n, int64_t k) {
  return lower::shader_for(gpu_of(multiprocessors), product_of(m, n, k), true);
}

// Whole tiles and edges; rows of whole vec4s and others, four rows an invocation and sixteen; a along k by vec4s and
// not; either order of both operands; batches; short epilogues, which read rows and columns, and long ones.
const MatmulCase short_sums[] = {{1, 300, 128, 6, 1},
                                 {1, 301, 131, 6, 1},
                                 {1, 129, 260, 8, 1, Order::rows, Order::columns},
                                 {1, 1100, 515, 3, 1, Order::columns, Order::rows, 1},
                                 {1, 1100, 516, 12, 1, Order::columns, Order::columns, 3},
                                 {3, 270, 68, 16, 1, Order::rows, Order::rows, 1},
                                 {1, 8200, 65, 1, 1, Order::rows, Order::one_row, 9},
                                 {2, 1050, 64, 5, 1, Order::rows, Order::rows, 9},
                                 {5, 300, 9, 13, 1},
                                 {3, 530, 15, 15, 1, Order::rows, Order::rows, 1},
                                 {4, 71, 32, 13, 1},
                                 {3, 530, 16, 15, 1, Order::rows, Order::columns, 3},
                                 {3, 130, 40, 7, 1, Order::columns, Order::rows, 9},
                                 {3, 61, 67, 7, 1, Order::columns, Order::columns},
                                 {1, 2100, 25, 16, 1, Order::rows, Order::columns},
                                 {1, 2100, 48, 16, 1, Order::rows, Order::columns, 1},
                                 {1, 2101, 48, 16, 1},
                                 {2, 530, 131, 4, 1, Order::columns, Order::columns, 9}};

TEST_F(MatmulOuter, meets_the_bound_in_one_dispatch) {
  for (const MatmulCase& c : short_sums) meets_the_bound_in(1, c);
}

TEST_F(MatmulOuter, of_integers_is_exact) {
  MatmulCase c{1, 301, 131, 7, 1};
  c.integers = true;
  meets_the_bound_in(1, c);
}

TEST_F(MatmulOuter, of_narrow_operands_from_anywhere) {
  for (const StorageType storage : {StorageType::f16, StorageType::bf16}) {
    MatmulCase c{1, 1040, 100, 5, 1};
    c.of_a = c.of_b = storage;
    c.start = 3;
    meets_the_bound_in(1, c);
  }
}

/// Narrow results are stored by the product itself, in whole words but at the ends of rows that are none.
TEST_F(MatmulOuter, of_narrow_results) {
  for (const int64_t n : {10, 13, 100, 101, 102, 131, 515}) {
    MatmulCase c{1, 1041, n, 5, 1};
    c.of_a = c.of_b = c.of_out = n == 102 ? StorageType::bf16 : StorageType::f16;
    meets_the_bound_in(1, c);
  }
}

/// Of more steps than wide results, which tiles store themselves.
TEST_F(MatmulOuter, of_narrow_results_of_more_steps) {
  for (const int64_t n : {101, 128})
    for (const int64_t k : {17, 18, 32}) {
      MatmulCase c{1, 1041, n, k, 1};
      c.of_a = c.of_b = c.of_out = k == 18 ? StorageType::bf16 : StorageType::f16;
      meets_the_bound_in(1, c);
    }
}

/// An odd number of rows, of which two are read together.
TEST_F(MatmulOuter, of_narrow_batches) {
  for (const StorageType storage : {StorageType::f16, StorageType::bf16})
    for (MatmulCase c : {MatmulCase{3, 187, 128, 6, 1}, MatmulCase{2, 385, 66, 8, 1},
                         MatmulCase{2, 300, 100, 5, 1, Order::columns, Order::columns},
                         MatmulCase{2, 385, 66, 8, 1, Order::rows, Order::columns},
                         MatmulCase{1, 1041, 100, 16, 1, Order::rows, Order::columns}}) {
      c.of_a = c.of_b = c.of_out = storage;
      meets_the_bound_in(1, c);
    }
}

/// As planned where the epilogue reads nothing.
TEST_F(MatmulOuter, of_narrow_results_along_one_axis) {
  MatmulCase c{1, 1590, 51, 7, 1};
  c.of_out = c.of_a = c.of_b = StorageType::bf16;
  c.one_axis = true;
  meets_the_bound_in(1, c);
}

TEST_F(MatmulOuter, in_several_dispatches) {
  AsHardware few = hardware();
  few.plan_for().max_groups = 2;
  meets_the_bound(few, {1, 2100, 300, 3, 1});
  EXPECT_GT(few.dispatches, 1);
  AsHardware blocks = hardware();
  blocks.plan_for().max_block_bytes = 4096;
  meets_the_bound(blocks, {1, 300, 131, 3, 1});
  EXPECT_GT(blocks.dispatches, 10);
  // Cut along k: what a column of the first reaches, and all rows of the second.
  AsHardware of_k = hardware();
  of_k.plan_for().max_block_bytes = 4096;
  meets_the_bound(of_k, {1, 1100, 515, 3, 1, Order::columns, Order::rows});
  meets_the_bound(of_k, {1, 300, 515, 7, 1, Order::rows, Order::rows});
}

/// Stores of rows that are no whole vec4s fall side by side, not four elements apart.
TEST(MatmulOuterText, neighbours_write_neighbours) {
  const lower::MatmulShader odd = chosen_for(132, 16060, 5419, 6), fours = chosen_for(132, 16060, 5420, 6);
  EXPECT_FALSE(odd.vector_store);
  EXPECT_TRUE(fours.vector_store);
  EXPECT_EQ(fours.b, lower::MatmulRead::mn_major);
  EXPECT_EQ(odd.local_x, 32);
}

/// Rows of a that are read by single narrow elements are read once a group, and rows of words that many lanes share;
/// narrow vec4s by each invocation.
TEST(MatmulOuterSchedule, shares_rows_of_single_narrow_elements_and_of_words) {
  const auto is_shared = [](StorageType storage, int64_t k, int64_t n, int64_t batches = 1, int64_t m = 16068) {
    const auto matrix = [&](StorageType type, int64_t rows, int64_t columns) {
      return Strided{nullptr, type, layout::contiguous({batches, rows, columns})};
    };
    MatmulKernel kernel{{batches}, m, n, k, matrix(storage, m, k), matrix(storage, k, n), {}, {}};
    const lower::Contraction product = lower::products_of(kernel, matrix(StorageType::f32, m, n)).front();
    const lower::MatmulShader shader = lower::shader_for(gpu_of(132), product, true);
    return shader.form == lower::MatmulForm::outer && shader.a_in_shared;
  };
  EXPECT_TRUE(is_shared(StorageType::f16, 18, 63253));
  EXPECT_TRUE(is_shared(StorageType::bf16, 5, 4099));
  EXPECT_FALSE(is_shared(StorageType::f16, 4, 4099)) << "as few elements as two vec4s";
  EXPECT_FALSE(is_shared(StorageType::f16, 20, 63253)) << "vec4s";
  EXPECT_TRUE(is_shared(StorageType::f32, 9, 4099));
  EXPECT_TRUE(is_shared(StorageType::f32, 16, 25)) << "of vec4s";
  EXPECT_FALSE(is_shared(StorageType::f32, 8, 12)) << "three lanes";
  EXPECT_FALSE(is_shared(StorageType::f32, 2, 25)) << "less than a vec4";
  EXPECT_FALSE(is_shared(StorageType::f16, 31, 9)) << "rows for more shared memory than three groups have";
  EXPECT_TRUE(is_shared(StorageType::bf16, 23, 29, 120, 256)) << "half as many rows a group";
}

/// Where b's elements of many steps leave a multiprocessor one group, more rows of it are fewer loads of b.
TEST(MatmulOuterSchedule, many_steps_take_many_rows) {
  const auto rows_of = [](int64_t k) {
    const auto matrix = [](int64_t rows, int64_t columns) {
      return Strided{nullptr, StorageType::f16, layout::contiguous({rows, columns})};
    };
    const MatmulKernel kernel{{}, 4096, 1547, k, matrix(4096, k), matrix(k, 1547), {}, {}};
    const lower::Contraction product = lower::products_of(kernel, matrix(4096, 1547)).front();
    return lower::shader_for(gpu_of(132), product, true).rows;
  };
  EXPECT_EQ(rows_of(31), 16);
  EXPECT_EQ(rows_of(12), 4) << "all groups run at once";
}

TEST(MatmulOuterSchedule, is_for_short_sums_of_many_results) {
  const auto is_outer = [](const lower::MatmulShader& shader) { return shader.form == lower::MatmulForm::outer; };
  EXPECT_TRUE(is_outer(chosen_for(132, 16060, 5419, 6)));
  EXPECT_TRUE(is_outer(chosen_for(132, 49626, 7393, 3)));
  EXPECT_TRUE(is_outer(chosen_for(132, 4096, 4096, 16)));
  EXPECT_FALSE(is_outer(chosen_for(132, 16060, 5419, 17))) << "multiplications take longer than the writes";
  EXPECT_TRUE(is_outer(chosen_for(132, 1000000, 40, 6)));
  EXPECT_TRUE(is_outer(chosen_for(132, 1000000, 9, 6)));
  EXPECT_FALSE(is_outer(chosen_for(132, 1000000, 8, 6))) << "few columns";
  EXPECT_FALSE(is_outer(chosen_for(132, 100000, 20000, 20)));
  const auto of_batches = [](StorageType storage, int64_t m) {
    const auto matrices = [](StorageType type, int64_t rows, int64_t columns) {
      return Strided{nullptr, type, layout::contiguous({1000, rows, columns})};
    };
    MatmulKernel kernel{{1000}, m, 40, 6, matrices(storage, m, 6), matrices(storage, 6, 40), {}, {}};
    return lower::products_of(kernel, matrices(StorageType::f32, m, 40)).front();
  };
  EXPECT_TRUE(is_outer(lower::shader_for(gpu_of(132), of_batches(StorageType::f32, 32), true)));
  EXPECT_TRUE(is_outer(lower::shader_for(gpu_of(132), of_batches(StorageType::bf16, 128), true)));
  EXPECT_FALSE(is_outer(lower::shader_for(gpu_of(132), of_batches(StorageType::bf16, 127), true)))
      << "a group waits for b longer than it writes";
  EXPECT_FALSE(is_outer(chosen_for(132, 100, 100, 6))) << "groups for few multiprocessors";
}

}  // namespace
}  // namespace eglantine::test
