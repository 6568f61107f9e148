#include "lower/expressions.hpp"
#include "lower/matmul_cases.hpp"
#include "support/narrow_storages.hpp"

/// Products of many small matrices, whose tiles software drivers number together, on any device.
namespace eglantine::test {
namespace {

using Order = MatrixOrder;

class MatmulTogether : public MatmulForms {
 protected:
  AsTarget software() {
    AsTarget target(*device_, device_->target());
    target.plan_for().software = true;
    target.plan_for().tuning = nullptr;
    return target;
  }
};

MatmulCase of_storage(MatmulCase c, StorageType storage, int64_t start) {
  c.of_a = c.of_b = storage;
  c.start = start;
  return c;
}

/// One tile a matrix and several, whole and with edges, by vec4s and one by one, plain and with epilogues.
const MatmulCase products_together[] = {{100, 5, 5, 27, 1},
                                        {33, 1, 2, 3, 1},
                                        {40, 8, 8, 8, 1},
                                        {40, 4, 12, 8, 1, Order::columns, Order::rows},
                                        {65, 7, 12, 9, 1, Order::columns, Order::columns, 1},
                                        {70, 12, 20, 16, 1, Order::rows, Order::columns, 9},
                                        {50, 17, 19, 23, 1},
                                        {20, 31, 29, 13, 1, Order::columns, Order::one_row, 1},
                                        {600, 3, 4, 4, 1, Order::rows, Order::rows, 3}};

TEST_F(MatmulTogether, meet_the_bound) {
  for (const MatmulCase& c : products_together) {
    AsTarget target = software();
    meets_the_bound(target, c);
  }
}

TEST_F(MatmulTogether, of_narrow_elements) {
  Draw draw = draw_one_of(2);
  for (const StorageType storage : {f16, bf16})
    for (const MatmulCase& c : products_together)
      if (draw.next()) {
        AsTarget target = software();
        meets_the_bound(target, of_storage(c, storage, c.k % 3));
      }
}

/// Several dispatches by the limits on groups and on what a binding covers.
TEST_F(MatmulTogether, in_several_dispatches) {
  AsTarget few = software();
  few.plan_for().max_groups = 2;
  meets_the_bound(few, {100, 5, 5, 27, 1});
  EXPECT_GT(few.dispatches, 3);
  AsTarget blocks = software();
  blocks.plan_for().max_block_bytes = 4096;
  meets_the_bound(blocks, {100, 5, 5, 27, 1});
  EXPECT_GT(blocks.dispatches, 10);
}

/// Whether a product's tiles are numbered together on a software device.
bool goes_together(int64_t batches, int64_t m, int64_t n, int64_t k) {
  lower::Target target;
  target.software = true;
  const Strided a{nullptr, StorageType::f32, layout::contiguous({batches, m, k})},
      b{nullptr, StorageType::f32, layout::contiguous({batches, k, n})},
      out{nullptr, StorageType::f32, layout::contiguous({batches, m, n})};
  const MatmulKernel kernel{{batches}, m, n, k, a, b, lower::accumulator_over({batches, m, n}, DType::f32), out};
  return lower::shader_for(target, lower::products_of(kernel, out)[0], true).batches_together;
}

TEST(MatmulSchedule, many_small_matrices_share_groups) {
  EXPECT_TRUE(goes_together(18732, 5, 5, 27));
  EXPECT_TRUE(goes_together(1000, 17, 17, 17));
  EXPECT_TRUE(goes_together(1000, 32, 32, 32));
  EXPECT_FALSE(goes_together(1, 5, 5, 27));
  EXPECT_FALSE(goes_together(1000, 64, 64, 64));
  EXPECT_FALSE(goes_together(100, 256, 256, 256));
}

}  // namespace
}  // namespace eglantine::test
