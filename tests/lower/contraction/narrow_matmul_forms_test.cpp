#include "lower/contraction/matmul_cases.hpp"
#include "support/narrow_storages.hpp"

/// Products of elements that share words in the forms for hardware and in registers, on any device.
namespace eglantine::test {
namespace {

using Order = MatrixOrder;

MatmulCase with_storages(MatmulCase c, StorageType a, StorageType b, StorageType out, int64_t start = 0) {
  c.of_a = a;
  c.of_b = b;
  c.of_out = out;
  c.start = start;
  return c;
}

class NarrowMatmulForms : public MatmulForms {
 protected:
  using MatmulForms::MatmulForms;

  /// By one invocation for a block of results. texels: operands are read as texels, which GLES does not.
  void meets_the_bound_in_registers(const MatmulCase& c, bool texels) {
    AsTarget software(*device_, device_->target());
    software.plan_for().software = true;
    software.plan_for().texel_reads = texels;
    meets_the_bound(software, c);
  }
};

TEST_P(NarrowMatmulForms, meet_the_bound) { meets_the_bound(GetParam()); }

// Whole tiles and edges, four elements at a time along either axis and one by one, from inside a word, k odd.
INSTANTIATE_TEST_SUITE_P(
    Codegen, NarrowMatmulForms,
    testing::Values(with_storages({1, 128, 256, 20, 1, Order::columns, Order::rows}, f16, f16, f32),
                    with_storages({1, 132, 260, 28, 1, Order::columns, Order::columns}, bf16, bf16, f32),
                    with_storages({1, 129, 131, 19, 1}, f16, f16, f32, 1029),
                    with_storages({1, 129, 131, 19, 1}, bf16, bf16, bf16, 1031),
                    with_storages({1, 128, 256, 48, 2, Order::rows, Order::columns, 9}, f16, f16, f16),
                    with_storages({1, 130, 256, 44, 1}, f16, f32, f32, 1028),
                    with_storages({1, 130, 256, 44, 1}, f32, bf16, bf16, 4),
                    with_storages({1, 130, 256, 44, 1, Order::rows, Order::one_row}, f16, bf16, f32),
                    with_storages({3, 64, 64, 64, 3}, f16, f16, f16),
                    with_storages({3, 33, 41, 51, 8}, f16, f16, f16, 1),
                    with_storages({5, 33, 65, 17, 5, Order::columns, Order::columns, 1}, bf16, f16, f32),
                    with_storages({1, 61, 67, 577, 16, Order::rows, Order::columns}, f16, f16, f16),
                    with_storages({2, 100, 140, 1024, 8, Order::rows, Order::rows, 9}, bf16, bf16, f32)));

MatmulCase of_integers(MatmulCase c) {
  c.integers = true;
  return c;
}

// One chunk of k behind the other, and a shorter one, which may begin and end inside a word.
INSTANTIATE_TEST_SUITE_P(
    CodegenChunks, NarrowMatmulForms,
    testing::Values(
        of_integers(with_storages({1, 64, 68, 8192, 16, Order::columns, Order::rows, 0, false, 2}, f16, f16, f32)),
        of_integers(with_storages({1, 61, 67, 8203, 16, Order::rows, Order::rows, 0, false, 2}, f16, f16, f16)),
        of_integers(with_storages({1, 64, 64, 9999, 12, Order::rows, Order::columns, 0, false, 2}, bf16, bf16, f32,
                                  1))));

// The results are rounded in a pass of their own.
INSTANTIATE_TEST_SUITE_P(
    CodegenApart, NarrowMatmulForms,
    testing::Values(with_storages({1, 70, 133, 37, 4, Order::rows, Order::rows, 1, false, 2}, f16, f16, f16),
                    with_storages({1, 2049, 1026, 33, 1, Order::rows, Order::rows, 1, true, 2}, f16, f16, f16)));

// Both operands are copied as words first, in lines of vec4s, or the slower one alone.
INSTANTIATE_TEST_SUITE_P(
    CodegenCopies, NarrowMatmulForms,
    testing::Values(with_storages({1, 4101, 523, 531, 132, Order::rows, Order::rows, 0, false, 3}, f16, f16, f32, 1),
                    with_storages({1, 4100, 524, 532, 132, Order::rows, Order::columns, 0, false, 2}, bf16, bf16, f32),
                    with_storages({2, 4101, 524, 532, 132, Order::rows, Order::rows, 0, false, 2}, f16, f32, f32)));

class NarrowMatmulTiles : public MatmulTiles {};

TEST_P(NarrowMatmulTiles, that_tuning_can_choose_meet_the_bound) { meet_the_bound(GetParam(), draw_one_of(3)); }

INSTANTIATE_TEST_SUITE_P(Codegen, NarrowMatmulTiles,
                         testing::Values(with_storages({1, 72, 140, 44, 1}, f16, f16, f32),
                                         with_storages({1, 71, 141, 41, 1, Order::columns, Order::rows}, bf16, f16, f32,
                                                       1)));

TEST_F(NarrowMatmulForms, in_registers) {
  Draw draw = draw_one_of(2);
  for (const auto& [a, b, out] : {std::tuple{f16, f16, f16}, {bf16, bf16, f32}, {f16, f32, f32}, {f32, bf16, bf16}})
    for (const MatmulCase& c :
         {MatmulCase{1, 32, 128, 36, 1}, {2, 33, 131, 37, 1}, {3, 5, 9, 19, 1, Order::columns, Order::columns}})
      for (const bool texels : {false, true})
        if (draw.next()) meets_the_bound_in_registers(with_storages(c, a, b, out, 1028 + c.k % 4), texels);
}

/// By tiles' lanes, which have four neighbours each; results that share words take a pass of their own.
TEST_F(NarrowMatmulForms, of_rows_of_whole_words_are_stored_at_once) {
  for (const StorageType storage : {f16, bf16})
    for (const auto& [n, order, dispatches] :
         {std::tuple{64, Order::rows, 1}, {62, Order::rows, 2}, {63, Order::rows, 2}, {64, Order::columns, 2}}) {
      AsHardware target = hardware();
      meets_the_bound(target, with_storages({1, 68, n, 72, 1, Order::rows, order}, storage, storage, storage));
      EXPECT_EQ(target.dispatches, dispatches) << n;
    }
}

/// Results cannot wait for a long epilogue as narrow ones, where the product would find them rounded.
TEST_F(NarrowMatmulForms, of_whole_words_with_epilogues) {
  Draw draw = draw_one_of(2);
  for (const StorageType storage : {f16, bf16})
    for (const int epilogue : {1, 3, 5})
      if (draw.next()) {
        AsHardware target = hardware();
        meets_the_bound(
            target, with_storages({2, 68, 64, 72, 1, Order::rows, Order::rows, epilogue}, storage, storage, storage));
        EXPECT_EQ(target.dispatches, epilogue == 5 ? 2 : 1) << epilogue;
      }
}

TEST_F(NarrowMatmulForms, in_windows_of_a_small_block) {
  for (const bool software : {false, true})
    for (const MatmulCase& c : {with_storages({2, 67, 133, 203, 1}, f16, f16, f32, 1),
                                with_storages({1, 68, 132, 204, 1}, bf16, bf16, bf16)}) {
      AsHardware target(*device_, 2048);
      target.plan_for().software = software;
      target.plan_for().max_block_bytes = 16384;
      meets_the_bound(target, c);
      EXPECT_GT(target.dispatches, 4);
    }
}

class NarrowGlesMatmulForms : public NarrowMatmulForms {
 protected:
  NarrowGlesMatmulForms() : NarrowMatmulForms(true) {}
};

TEST_F(NarrowGlesMatmulForms, in_tiles_and_in_registers) {
  for (const StorageType storage : {f16, bf16}) {
    const MatmulCase c = with_storages({2, 37, 70, 19, 1}, storage, storage, storage, 1);
    meets_the_bound(c);
    meets_the_bound_in_registers(c, false);
  }
}

}  // namespace
}  // namespace eglantine::test
