#include "lower/matmul_cases.hpp"

/// Products in the forms for hardware, on any device.
namespace eglantine::test {
namespace {

using Order = MatrixOrder;

TEST_P(MatmulForms, meet_the_bound) { meets_the_bound(GetParam()); }

// Sizes and core counts that take each tile, whole and with edges, read by vec4 along either axis and one by one, with
// k whole and split, in slices of one step, plain, with a short epilogue and with a long one.
INSTANTIATE_TEST_SUITE_P(
    Codegen, MatmulForms,
    testing::Values(MatmulCase{1, 128, 256, 20, 1, Order::columns, Order::rows},
                    MatmulCase{1, 132, 260, 28, 1, Order::columns, Order::columns}, MatmulCase{1, 129, 131, 19, 1},
                    MatmulCase{1, 128, 256, 48, 2, Order::rows, Order::columns, 9}, MatmulCase{1, 130, 256, 44, 1},
                    MatmulCase{1, 130, 256, 44, 1, Order::rows, Order::one_row},
                    MatmulCase{1, 100, 140, 1040, 4, Order::columns, Order::rows}, MatmulCase{3, 64, 64, 64, 3},
                    MatmulCase{5, 33, 65, 17, 5, Order::columns, Order::columns, 1},
                    MatmulCase{1, 30, 62, 1001, 16, Order::columns, Order::rows},
                    MatmulCase{1, 64, 68, 1024, 16, Order::columns, Order::columns},
                    MatmulCase{1, 61, 67, 577, 16, Order::rows, Order::columns}, MatmulCase{1, 61, 128, 516, 16},
                    MatmulCase{3, 33, 40, 50, 8, Order::rows, Order::rows, 9},
                    MatmulCase{2, 100, 140, 1024, 8, Order::rows, Order::rows, 9},
                    MatmulCase{1, 128, 256, 48, 2, Order::rows, Order::columns, 1},
                    MatmulCase{1, 130, 256, 44, 1, Order::rows, Order::rows, 3},
                    MatmulCase{1, 1024, 1024, 24, 4, Order::rows, Order::rows, 1},
                    MatmulCase{2, 100, 140, 1024, 8, Order::rows, Order::rows, 1}));

// k so long that it is cut in chunks: of one length, and with a shorter last one; a k-major b of so many rows that it
// is copied first.
INSTANTIATE_TEST_SUITE_P(CodegenChunks, MatmulForms,
                         testing::Values(MatmulCase{1, 64, 68, 8192, 16, Order::columns, Order::rows, 0, false, 2},
                                         MatmulCase{1, 61, 67, 8203, 16, Order::rows, Order::rows, 0, false, 2},
                                         MatmulCase{2, 60, 36, 16384, 32, Order::rows, Order::rows, 0, false, 2},
                                         MatmulCase{1, 64, 64, 9999, 12, Order::rows, Order::columns, 0, false, 2},
                                         MatmulCase{1, 4100, 524, 532, 132, Order::rows, Order::columns, 0, false, 2}));

// Operands of odd lengths are copied to where vec4s can be read, of one matrix or of several.
INSTANTIATE_TEST_SUITE_P(CodegenCopies, MatmulForms,
                         testing::Values(MatmulCase{1, 4101, 523, 531, 132, Order::rows, Order::rows, 0, false, 3},
                                         MatmulCase{1, 4101, 527, 533, 132, Order::columns, Order::columns, 1},
                                         MatmulCase{2, 4101, 523, 531, 132, Order::rows, Order::columns, 0, false, 3}));

// A row more than whole rounds of a tile's groups runs beside them.
INSTANTIATE_TEST_SUITE_P(CodegenRounds, MatmulForms,
                         testing::Values(MatmulCase{1, 257, 128, 1024, 1, Order::rows, Order::rows, 0, false, 2},
                                         MatmulCase{1, 257, 128, 1024, 1, Order::rows, Order::rows, 1}));

// More chunks than one dispatch adds up, and a shorter one.
INSTANTIATE_TEST_SUITE_P(CodegenManyChunks, MatmulForms,
                         testing::Values(MatmulCase{
                             .batch = 1, .m = 53, .n = 17, .k = 60'011, .cores = 132, .integers = true}));

// A long epilogue takes a pass of its own for so many results, a short one none.
INSTANTIATE_TEST_SUITE_P(CodegenApart, MatmulForms,
                         testing::Values(MatmulCase{1, 2049, 1024, 17, 1, Order::rows, Order::rows, 1, true},
                                         MatmulCase{1, 2049, 1024, 17, 1, Order::rows, Order::rows, 9, true}));

/// (m, k) x (k, n) in row-major order, without memory.
lower::Contraction rows_times_rows(int64_t m, int64_t n, int64_t k) {
  const auto matrix = [](int64_t rows, int64_t columns) {
    return Strided{nullptr, StorageType::f32, layout::contiguous({rows, columns})};
  };
  MatmulKernel kernel;
  kernel.m = m;
  kernel.n = n;
  kernel.k = k;
  kernel.a = matrix(m, k);
  kernel.b = matrix(k, n);
  return lower::products_of(kernel, matrix(m, n)).front();
}

TEST(NarrowProducts, of_long_sums_give_each_multiprocessor_several_groups_of_small_tiles) {
  constexpr int64_t multiprocessors = 132;
  lower::Target gpu;
  gpu.max_invocations = 1024;
  gpu.max_shared_bytes = 49152;
  gpu.resident_invocations = multiprocessors * 2048;
  Random random(7);
  for (int i = 0; i < 30; ++i) {
    const int64_t m = random.integer(2, 64), n = random.integer(2, 32), k = random.integer(2'000'000, 9'000'000);
    const lower::Contraction product = rows_times_rows(m, n, k);
    SCOPED_TRACE(text({m, n, k}));
    const lower::MatmulShader shader = lower::shader_for(gpu, product, true);
    EXPECT_GE(lower::splits_of_k(gpu, product, shader), 2 * multiprocessors);
    EXPECT_LE(shader.tile_rows() * shader.tile_columns(), 64 * 32);
  }
}

TEST_P(MatmulTiles, that_tuning_can_choose_meet_the_bound) { meet_the_bound(GetParam(), draw_one_of(1)); }

// Read by vec4s and one by one, with edges and a short step of k.
INSTANTIATE_TEST_SUITE_P(Codegen, MatmulTiles,
                         testing::Values(MatmulCase{1, 72, 140, 44, 1},
                                         MatmulCase{1, 71, 141, 41, 1, Order::columns, Order::rows}));

}  // namespace
}  // namespace eglantine::test
