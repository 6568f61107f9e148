#include "lower/as_subgroups.hpp"
#include "lower/contraction/gpu_products.hpp"
#include "lower/contraction/joined_chunks.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/contraction/step_chunks.hpp"
#include "support/random/draw.hpp"

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
                         testing::Values(MatmulCase{1, 257, 192, 1024, 1, Order::rows, Order::rows, 0, false, 2},
                                         MatmulCase{1, 257, 192, 1024, 1, Order::rows, Order::rows, 1}));

// More chunks than one dispatch adds up, and a shorter one.
INSTANTIATE_TEST_SUITE_P(CodegenManyChunks, MatmulForms,
                         testing::Values(MatmulCase{
                             .batch = 1, .m = 53, .n = 17, .k = 60'011, .cores = 132, .integers = true}));

// A long epilogue takes a pass of its own for so many results, a short one none.
INSTANTIATE_TEST_SUITE_P(CodegenApart, MatmulForms,
                         testing::Values(MatmulCase{1, 2049, 1024, 17, 1, Order::rows, Order::rows, 1, true},
                                         MatmulCase{1, 2049, 1024, 17, 1, Order::rows, Order::rows, 9, true}));

constexpr int64_t all_multiprocessors = 132;

class MatmulExchanges : public MatmulForms {};

/// Neighbouring invocations store neighbours where rows are no multiple of four, though b is read by vec4s.
TEST_F(MatmulExchanges, of_odd_rows_meet_the_bound) {
  // Compiling takes long where an invocation has many results: that with fewest, of one slice, but two vec4s of a row.
  const lower::MatmulTile tile{lower::MatmulForm::tile, 8, 8, 16, 4, 1, 8};
  Draw draw = draw_one_of(3);
  for (const MatmulCase& c :
       {MatmulCase{.batch = 2, .m = 71, .n = 141, .k = 259, .cores = 1, .behind = 3},
        MatmulCase{
            .batch = 1, .m = 70, .n = 133, .k = 264, .cores = 1, .a = Order::columns, .epilogue = 3, .behind = 3},
        MatmulCase{.batch = 1, .m = 70, .n = 131, .k = 257, .cores = 1, .epilogue = 9, .behind = 1}}) {
    if (!draw.next()) continue;
    AsSubgroups subgroups(*device_, 2048);
    subgroups.plan_for().tuning = only(tile, c);
    meets_the_bound(subgroups, c);
  }
}

/// Of one buffer however b is read: its columns are neighbours in shared memory.
TEST_F(MatmulExchanges, of_one_buffer_meet_the_bound) {
  const lower::MatmulTile tile{lower::MatmulForm::tile, 8, 8, 16, 8, 1, 8, 1};
  Draw draw = draw_one_of(2);
  for (const MatmulCase& c :
       {MatmulCase{.batch = 1, .m = 71, .n = 141, .k = 259, .cores = 1},
        MatmulCase{.batch = 1, .m = 70, .n = 133, .k = 260, .cores = 1, .b = Order::columns, .epilogue = 3},
        MatmulCase{.batch = 1, .m = 70, .n = 131, .k = 257, .cores = 1, .a = Order::columns, .behind = 1}}) {
    if (!draw.next()) continue;
    AsSubgroups subgroups(*device_, 2048);
    subgroups.plan_for().tuning = only(tile, c);
    EXPECT_TRUE(shader_of(subgroups, c).exchanges) << text_of(c);
    meets_the_bound(subgroups, c);
  }
}

TEST(OddRows, are_exchanged_by_lanes_of_subgroups) {
  lower::Target gpu = gpu_of(all_multiprocessors);
  gpu.subgroup = 32;
  const auto shader_of = [&](int64_t n, int64_t k = 257) {
    lower::Contraction product = product_of(2048, n, k);
    product.b.layout.strides = {0, 1, (n + 3) / 4 * 4};
    return lower::shader_for(gpu, product, true);
  };
  const lower::MatmulShader odd = shader_of(1001), fours = shader_of(1004);
  EXPECT_EQ(odd.b, lower::MatmulRead::mn_major);
  EXPECT_TRUE(odd.exchanges);
  EXPECT_FALSE(odd.vector_store);
  EXPECT_FALSE(fours.exchanges);
  EXPECT_TRUE(fours.vector_store);
  EXPECT_EQ(shader_of(1001, 256).b, lower::MatmulRead::single) << "a short sum stores neighbours as it reads them";
  EXPECT_EQ(shader_of(1004, 256).b, lower::MatmulRead::mn_major);
  gpu.subgroup = 0;
  EXPECT_FALSE(shader_of(1001).exchanges);
}

TEST(NarrowProducts, of_long_sums_give_each_multiprocessor_several_groups_of_small_tiles) {
  const lower::Target gpu = gpu_of(all_multiprocessors);
  Random random(7);
  for (int i = 0; i < 30; ++i) {
    const int64_t m = random.integer(2, 64), n = random.integer(2, 32), k = random.integer(2'000'000, 9'000'000);
    const lower::Contraction product = product_of(m, n, k);
    SCOPED_TRACE(text({m, n, k}));
    const lower::MatmulShader shader = lower::shader_for(gpu, product, true);
    EXPECT_GE(lower::splits_of_k(gpu, product, shader), 2 * all_multiprocessors);
    EXPECT_LE(shader.tile_rows() * shader.tile_columns(), 64 * 32);
  }
}

/// Large tiles whose last round is half empty give way to those of one buffer, half as large; square products of
/// thousands fill rounds.
TEST(RowMajorProducts, of_rounds_that_are_half_empty_take_one_buffer) {
  const lower::Target gpu = gpu_of(all_multiprocessors);
  constexpr int64_t large_groups = 2 * all_multiprocessors;
  Random random(9);
  for (int i = 0; i < 20; ++i) {
    const int64_t across = random.integer(2, 6), k = 4 * random.integer(100, 500);
    const int64_t down = large_groups * random.integer(138, 152) / 100 / across;
    const lower::Contraction tall = product_of(128 * down, 128 * across, k),
                             square = product_of(4096, 4096, 16 * random.integer(64, 256));
    SCOPED_TRACE(to_string(tall.domain) + " and " + to_string(square.domain));
    EXPECT_EQ(lower::shader_for(gpu, square, true).buffers, 2);
    const lower::MatmulShader of_tall = lower::shader_for(gpu, tall, true);
    EXPECT_EQ(of_tall.buffers, 1);
    EXPECT_EQ(of_tall.slices, 1);
    EXPECT_TRUE(of_tall.a_turned);
    EXPECT_FALSE(of_tall.b_turned);
  }
}

/// Each known tile has a speed, and none of one buffer is taken for staged operands, also where tuning names it.
TEST(KnownTiles, have_speeds_and_read_what_they_can) {
  const std::vector<lower::MatmulTile>& tiles = lower::known_tiles(false);
  EXPECT_EQ(tiles.size(), std::tuple_size_v<lower::TileSpeeds>);
  lower::Target gpu = gpu_of(all_multiprocessors);
  const lower::Contraction product = product_of(512, 512, 512);
  const lower::MatmulReads staged{lower::MatmulRead::staged, lower::MatmulRead::single};
  for (const lower::MatmulTile& tile : tiles) {
    auto tuning = std::make_shared<lower::Tuning>();
    const lower::MatmulShader shader{.dtype = DType::f32, .a = staged.a, .b = staged.b};
    tuning->tiles.emplace(lower::class_of(product, shader), tile);
    gpu.tuning = tuning;
    EXPECT_EQ(lower::MatmulTile::of(lower::shader_for(gpu, product, staged)) == tile, tile.buffers > 1)
        << text_of(tile);
  }
}

/// Whether invocations have 8 x 8 results, and nobody else a part of the same k.
bool has_large_results(const lower::MatmulShader& shader) {
  return shader.rows == 8 && shader.columns == 8 && shader.slices == 1;
}

TEST(TransposedProducts, take_large_results_whole_and_few_in_chunks) {
  const lower::Target gpu = gpu_of(all_multiprocessors);
  Random random(8);
  for (int i = 0; i < 20; ++i) {
    const int64_t n = 4 * random.integer(128, 400), k = 4 * random.integer(512, 2048);
    const lower::Contraction large = product_of(4 * random.integer(8000, 16000), n, k, Order::columns),
                             small = product_of(4 * random.integer(64, 256), n, 8 * k, Order::columns);
    SCOPED_TRACE(to_string(large.domain) + " and " + to_string(small.domain));
    const lower::MatmulShader of_large = lower::shader_for(gpu, large, true),
                              of_small = lower::shader_for(gpu, small, true);
    EXPECT_TRUE(has_large_results(of_large));
    EXPECT_EQ(lower::splits_of_k(gpu, large, of_large), 1);
    EXPECT_GT(lower::splits_of_k(gpu, small, of_small), 1);
  }
}

/// Of two tiles of the same size, whole products take results of 8 x 8 in two slices, not of 16 x 8 in four. Where k is
/// cut, groups mostly join its chunks.
TEST(RowMajorProducts, of_few_groups_have_fewer_slices_where_they_are_whole) {
  const lower::Target gpu = gpu_of(all_multiprocessors);
  const lower::MatmulTile two{lower::MatmulForm::tile, 8, 8, 8, 8, 2, 16},
      four{lower::MatmulForm::tile, 16, 8, 8, 4, 4, 16};
  Random random(9);
  int64_t whole = 0, joined = 0;
  for (int i = 0; i < 1000; ++i) {
    const int64_t m = random.integer(200, 2500), n = 4 * random.integer(50, 600), k = 4 * random.integer(30, 2500);
    const int64_t tiles = ceil_divide(m, two.m()) * ceil_divide(n, two.n());
    if (tiles > 2 * all_multiprocessors) continue;
    const lower::Contraction product = product_of(m, n, k);
    const lower::MatmulShader shader = lower::shader_for(gpu, product, true);
    const lower::MatmulTile tile = lower::MatmulTile::of(shader);
    const int64_t splits = lower::splits_of_k(gpu, product, shader);
    SCOPED_TRACE(text({m, n, k}) + " in " + std::to_string(splits) + ": " + text_of(tile));
    whole += splits == 1 && tile == two ? 1 : 0;
    joined += lower::may_join(tile, lower::tiles_of(product, tile), splits) ? 1 : 0;
    EXPECT_FALSE(splits == 1 && tile == four);
    if (splits == 1 || tiles * splits > 2 * all_multiprocessors) continue;
    EXPECT_NE(tile, two);
    const lower::Contraction parts = lower::in_chunks_of_k(product, product.out, {0, k, ceil_divide(k, splits)});
    EXPECT_NE(lower::MatmulTile::of(lower::shader_for(gpu, parts, true)), two);
  }
  EXPECT_GT(whole, 10);
  EXPECT_GT(joined, 100);
}

/// So that invocations side by side read neighbours.
TEST(ReversedOperands, are_read_along_their_lines) {
  const lower::Target gpu = gpu_of(all_multiprocessors);
  lower::Contraction product = product_of(333, 444, 555, Order::columns);
  product.a.layout = layout::flip(product.a.layout, product.m_axis());
  product.b.layout = layout::flip(product.b.layout, product.n_axis());
  const lower::MatmulShader shader = lower::shader_for(gpu, product, true);
  EXPECT_TRUE(shader.a_mn_major && shader.b_mn_major);
  product = product_of(333, 444, 555);
  product.a.layout = layout::flip(product.a.layout, product.k_axis());
  EXPECT_FALSE(lower::shader_for(gpu, product, true).a_mn_major);
}

TEST_P(MatmulTiles, that_tuning_can_choose_meet_the_bound) { meet_the_bound(GetParam(), draw_one_of(3)); }

// Read by vec4s and one by one, with edges and a short step of k.
INSTANTIATE_TEST_SUITE_P(Codegen, MatmulTiles,
                         testing::Values(MatmulCase{1, 72, 140, 44, 1},
                                         MatmulCase{1, 71, 141, 41, 1, Order::columns, Order::rows}));

}  // namespace
}  // namespace eglantine::test
