#include "lower/contraction/matmul_cases.hpp"
#include "lower/expressions.hpp"
#include "support/narrow_storages.hpp"

/// Products of many small matrices, whose tiles software drivers number together, and of which a GPU's groups have
/// several in shared memory, on any device.
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

using MatmulOnSoftware = MatmulTogether;

TEST_F(MatmulOnSoftware, copies_operands_of_odd_lengths_that_several_tiles_read) {
  AsTarget odd = software(), multiples = software(), few = software();
  meets_the_bound(odd, {1, 70, 405, 601, 1, Order::rows, Order::rows, 1});
  EXPECT_EQ(odd.dispatches, 2) << "a is turned; rows of b are only moved, without a dispatch";
  meets_the_bound(multiples, {1, 68, 404, 612, 1});
  EXPECT_EQ(multiples.dispatches, 1) << "read by vec4s as they are";
  meets_the_bound(few, {1, 70, 405, 57, 1});
  EXPECT_EQ(few.dispatches, 1) << "too little work";
}

/// The structure that the schedule chooses on this device.
lower::MatmulShader chosen(const lower::Target& target, int64_t batches, int64_t m, int64_t n, int64_t k) {
  const Strided a{nullptr, StorageType::f32, layout::contiguous({batches, m, k})},
      b{nullptr, StorageType::f32, layout::contiguous({batches, k, n})},
      out{nullptr, StorageType::f32, layout::contiguous({batches, m, n})};
  const MatmulKernel kernel{{batches}, m, n, k, a, b, lower::accumulator_over({batches, m, n}, DType::f32), out};
  return lower::shader_for(target, lower::products_of(kernel, out)[0], true);
}

/// Whether a product's tiles are numbered together on a software device.
bool goes_together(int64_t batches, int64_t m, int64_t n, int64_t k) {
  lower::Target target;
  target.software = true;
  return chosen(target, batches, m, n, k).batches_together;
}

TEST(MatmulSchedule, many_small_matrices_share_groups) {
  EXPECT_TRUE(goes_together(18732, 5, 5, 27));
  EXPECT_TRUE(goes_together(1000, 17, 17, 17));
  EXPECT_TRUE(goes_together(1000, 32, 32, 32));
  EXPECT_FALSE(goes_together(1, 5, 5, 27));
  EXPECT_FALSE(goes_together(1000, 64, 64, 64));
  EXPECT_FALSE(goes_together(100, 256, 256, 256));
}

/// Of a GPU: whether groups have several matrices in shared memory.
bool shares_memory(const lower::Target& target, const MatmulCase& c) {
  return chosen(target, c.batch, c.m, c.n, c.k).form == lower::MatmulForm::matrices;
}

class MatmulMatrices : public MatmulForms {
 protected:
  /// Results against sums in double of what lies in the operands' memory.
  void expect_products(const MatmulKernel& x) {
    const auto words = [&](const Strided& at) {
      const int64_t bytes = at.layout.shape.elements() * bytes_of(at.storage);
      return download(*device_, at.buffer->storage(), static_cast<size_t>((bytes + 3) / 4));
    };
    const Words a = words(x.a), b = words(x.b), found = words(x.out);
    const auto at = [](const Layout& layout, int64_t batch, int64_t i, int64_t j) {
      return batch * layout.strides[0] + i * layout.strides[1] + j * layout.strides[2];
    };
    for (int64_t batch = 0; batch < x.batch[0]; ++batch)
      for (int64_t i = 0; i < x.m; ++i)
        for (int64_t j = 0; j < x.n; ++j) {
          double sum = 0, size = 0;
          for (int64_t k = 0; k < x.k; ++k) {
            const double product = element_at(a, x.a.storage, at(x.a.layout, batch, i, k)) *
                                   element_at(b, x.b.storage, at(x.b.layout, batch, k, j));
            sum += product;
            size += std::abs(product);
          }
          ASSERT_NEAR(element_at(found, StorageType::f32, at(x.out.layout, batch, i, j)), sum, size * 0x1p-19)
              << batch << " " << i << " " << j;
        }
  }
};

/// Batches of b lie between the elements of its matrices: a copy puts each matrix by itself. Of few elements it would
/// take as long as it saves.
TEST_F(MatmulMatrices, of_interleaved_operands_are_copied) {
  for (const bool wide : {true, false}) {
    const auto dispatches = [&](int64_t batches) {
      const StorageType type = wide ? StorageType::f32 : StorageType::bf16;
      AsHardware target = hardware();
      MatmulKernel kernel{{batches}, 9, 5, 15, {}, {}, {}, {}};
      const auto memory = [&](StorageType storage, const Shape& shape) {
        const Array x = random_elements(storage, {shape.elements()}, 3);
        return Strided{buffer_of(*device_, words_of(x, storage)), storage, layout::contiguous(shape)};
      };
      kernel.a = memory(type, {batches, 9, 15});
      kernel.b = memory(type, {5, 15, batches});
      kernel.b.layout = {{batches, 15, 5}, {1, batches, 15 * batches}, 0};
      kernel.out = memory(StorageType::f32, {batches, 9, 5});
      kernel.epilogue = lower::accumulator_over({batches, 9, 5}, DType::f32);
      target.run(kernel);
      expect_products(kernel);
      return target.dispatches;
    };
    EXPECT_EQ(dispatches(4000), 2) << wide;
    EXPECT_EQ(dispatches(100), 1) << wide;
  }
}

/// One tile a matrix and several, more than a group has invocations, in either order, with epilogues of each kind, and
/// a last group with fewer matrices.
const MatmulCase small_matrices[] = {{100, 5, 5, 27, 1},
                                     {301, 2, 3, 4, 1},
                                     {65, 7, 21, 17, 1},
                                     {65, 7, 12, 9, 1, Order::columns, Order::columns, 1},
                                     {70, 12, 20, 16, 1, Order::rows, Order::columns, 9},
                                     {50, 17, 19, 23, 1, Order::columns, Order::rows, 3},
                                     {31, 21, 9, 33, 1, Order::columns, Order::one_row, 1},
                                     {9, 9, 270, 11, 1}};

TEST_F(MatmulMatrices, meet_the_bound) {
  for (const MatmulCase& c : small_matrices) {
    AsHardware target = hardware();
    EXPECT_TRUE(shares_memory(target.plan_for(), c)) << text_of(c);
    meets_the_bound(target, c);
    EXPECT_EQ(target.dispatches, 1) << text_of(c);
  }
}

/// Where a device holds fewer groups than there are, each loads its next matrices while it multiplies.
TEST_F(MatmulMatrices, load_the_next_ones_while_they_multiply) {
  for (MatmulCase c : small_matrices) {
    c.batch *= 8;
    AsHardware target = hardware();
    target.plan_for().resident_invocations = 256;
    EXPECT_TRUE(chosen(target.plan_for(), c.batch, c.m, c.n, c.k).loads_ahead) << text_of(c);
    meets_the_bound(target, c);
    EXPECT_EQ(target.dispatches, 1) << text_of(c);
  }
}

TEST_F(MatmulMatrices, of_narrow_elements) {
  Draw draw = draw_one_of(2);
  for (const StorageType storage : {f16, bf16})
    for (MatmulCase c : small_matrices)
      if (draw.next()) {
        AsHardware target = hardware();
        if (c.epilogue == 0) c.of_out = storage;
        meets_the_bound(target, of_storage(c, storage, c.k % 3));
      }
}

/// Results of rows of whole vec4s are stored as words by the product itself.
TEST_F(MatmulMatrices, of_narrow_results_in_whole_words) {
  for (const StorageType storage : {f16, bf16})
    for (const MatmulCase& c : {MatmulCase{40, 9, 20, 13, 1}, MatmulCase{33, 71, 32, 13, 1},
                                MatmulCase{50, 12, 24, 5, 1, Order::columns, Order::columns}}) {
      MatmulCase narrow = of_storage(c, storage, 3);
      narrow.of_out = storage;
      AsHardware target = hardware();
      meets_the_bound(target, narrow);
      EXPECT_EQ(target.dispatches, 1) << text_of(narrow) << target.names;
    }
}

/// A group has little more shared memory than it fills: how many groups a multiprocessor has is bounded by that.
TEST(MatmulSchedule, groups_take_as_much_shared_memory_as_they_fill) {
  lower::Target gpu;
  gpu.max_invocations = 1024;
  gpu.max_shared_bytes = 49152;
  gpu.resident_invocations = int64_t{132} * 2048;
  const lower::MatmulShader shader = chosen(gpu, 100'000, 9, 94, 22);
  ASSERT_EQ(shader.form, lower::MatmulForm::matrices);
  EXPECT_EQ(shader.matrices, 1);
  EXPECT_EQ(shader.shared_elements, 2560) << "of 22 x (9 + 94)";
}

TEST_F(MatmulMatrices, in_several_dispatches) {
  AsHardware few = hardware();
  few.plan_for().max_groups = 2;
  meets_the_bound(few, {100, 5, 5, 27, 1});
  EXPECT_GT(few.dispatches, 3);
  AsHardware blocks = hardware();
  blocks.plan_for().max_block_bytes = 4096;
  meets_the_bound(blocks, {100, 5, 5, 27, 1});
  EXPECT_GT(blocks.dispatches, 10);
}

/// (outer, inner, m, k) x (outer, inner, k, n), where a's rows of all inner matrices lie side by side, as those of
/// heads.
TEST_F(MatmulMatrices, of_two_batch_axes) {
  constexpr int64_t outer = 9, inner = 5, m = 6, n = 7, k = 10;
  const Array left = random_array(DType::f32, {outer, m, inner, k}),
              right = random_array(DType::f32, {outer, inner, k, n}, 2);
  const Strided a{buffer_of(*device_, words_of(left, StorageType::f32)),
                  StorageType::f32,
                  {{outer, inner, m, k}, {m * inner * k, k, inner * k, 1}, 0}},
      b{buffer_of(*device_, words_of(right, StorageType::f32)), StorageType::f32,
        layout::contiguous({outer, inner, k, n})},
      out{buffer_of(*device_, Words(static_cast<size_t>(outer * inner * m * n), 0)), StorageType::f32,
          layout::contiguous({outer, inner, m, n})};
  const MatmulKernel kernel{{outer, inner}, m, n, k, a, b, lower::accumulator_over(out.layout.shape, DType::f32), out};
  AsHardware target = hardware();
  const lower::Contraction product = lower::products_of(kernel, out)[0];
  ASSERT_EQ(product.batch_rank, 2);
  EXPECT_EQ(lower::shader_for(target.target(), product, true).form, lower::MatmulForm::matrices);
  target.run(kernel);
  const Words found = download(*device_, out.buffer->storage(), outer * inner * m * n);
  for_each_index({outer, inner, m, n}, [&](const Dims& at) {
    double sum = 0;
    for (int64_t i = 0; i < k; ++i)
      sum += left.values[static_cast<size_t>(((at[0] * m + at[2]) * inner + at[1]) * k + i)] *
             right.values[static_cast<size_t>(((at[0] * inner + at[1]) * k + i) * n + at[3])];
    const int64_t place = ((at[0] * inner + at[1]) * m + at[2]) * n + at[3];
    ASSERT_NEAR(element_at(found, StorageType::f32, place), sum, 1e-5) << text(at);
  });
}

TEST(MatmulSchedule, many_small_matrices_share_a_gpus_memory) {
  lower::Target gpu;
  gpu.max_invocations = 1024;
  gpu.max_shared_bytes = 49152;
  gpu.resident_invocations = int64_t{132} * 2048;
  EXPECT_TRUE(shares_memory(gpu, {100'410, 7, 21, 17, 1}));
  EXPECT_TRUE(shares_memory(gpu, {1'000'000, 3, 3, 3, 1}));
  EXPECT_TRUE(shares_memory(gpu, {20'000, 16, 15, 16, 1}));
  EXPECT_FALSE(shares_memory(gpu, {1, 7, 21, 17, 1}));
  EXPECT_FALSE(shares_memory(gpu, {1000, 64, 64, 64, 1}));
  EXPECT_FALSE(shares_memory(gpu, {1000, 128, 128, 16, 1}));
}

}  // namespace
}  // namespace eglantine::test
