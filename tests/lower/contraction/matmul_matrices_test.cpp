#include "lower/contraction/matmul_cases.hpp"
#include "lower/expressions.hpp"
#include "support/narrow_storages.hpp"

/// Small matrices in shared memory that lie backwards, and results that are stored in their order, on any device.
namespace eglantine::test {
namespace {

using Order = MatrixOrder;

class MatmulInShared : public MatmulForms {
 protected:
  /// Uploaded, from its end along the axes that `flipped` has a bit for.
  Strided operand(const Array& x, int flipped) {
    Layout layout = layout::contiguous(x.shape);
    for (int axis = 0; axis < 3; ++axis)
      if ((flipped >> axis & 1) != 0) {
        int64_t& step = layout.strides[static_cast<size_t>(axis)];
        layout.offset += (x.shape[axis] - 1) * step;
        step = -step;
      }
    return {buffer_of(*device_, words_of(x, StorageType::f32)), StorageType::f32, layout};
  }

  static double at(const Array& x, const Strided& where, int64_t batch, int64_t i, int64_t j) {
    const std::vector<int64_t>& steps = where.layout.strides;
    return x.values[static_cast<size_t>(where.layout.offset + batch * steps[0] + i * steps[1] + j * steps[2])];
  }
};

MatmulKernel batches_of_matrices(const Strided& a, const Strided& b, const BufferPtr& out) {
  const int64_t batch = a.layout.shape[0], m = a.layout.shape[1], n = b.layout.shape[2];
  const Shape results{batch, m, n};
  return {{batch},
          m,
          n,
          a.layout.shape[2],
          a,
          b,
          lower::accumulator_over(results, DType::f32),
          {out, StorageType::f32, layout::contiguous(results)}};
}

lower::MatmulShader shader_of_matrices(const lower::Target& target, const MatmulKernel& kernel) {
  return lower::shader_for(target, lower::products_of(kernel, kernel.out)[0], true);
}

TEST_F(MatmulInShared, matrices_that_lie_backwards_along_any_axes) {
  constexpr int64_t batch = 65, m = 7, n = 10, k = 17;
  const Array left = random_array(DType::f32, {batch, m, k}), right = random_array(DType::f32, {batch, k, n}, 2);
  for (const auto& [of_a, of_b] : {std::pair{0, 4}, {1, 0}, {2, 5}, {4, 3}, {7, 7}}) {
    SCOPED_TRACE(std::to_string(of_a) + " " + std::to_string(of_b));
    const MatmulKernel kernel =
        batches_of_matrices(operand(left, of_a), operand(right, of_b), buffer_of(*device_, Words(batch * m * n)));
    AsHardware target = hardware();
    ASSERT_EQ(shader_of_matrices(target.target(), kernel).form, lower::MatmulForm::matrices);
    target.run(kernel);
    const Words found = download(*device_, kernel.out.buffer->storage(), batch * m * n);
    for_each_index({batch, m, n}, [&](const Dims& place) {
      double sum = 0;
      for (int64_t i = 0; i < k; ++i)
        sum += at(left, kernel.a, place[0], place[1], i) * at(right, kernel.b, place[0], i, place[2]);
      ASSERT_NEAR(element_at(found, StorageType::f32, (place[0] * m + place[1]) * n + place[2]), sum, 1e-5)
          << text(place);
    });
  }
}

/// A group's results where its operands lay, and behind them; whole vectors and not; that a group of few matrices ends;
/// and with epilogues of each kind.
const MatmulCase ordered_matrices[] = {{100, 5, 5, 27, 1},
                                       {9, 21, 33, 60, 1},
                                       {65, 7, 21, 17, 1, Order::rows, Order::rows, 1},
                                       {65, 7, 21, 17, 1, Order::columns, Order::columns, 9},
                                       {301, 2, 3, 4, 1}};

TEST_F(MatmulInShared, results_in_order_of_words) {
  for (const MatmulCase& c : ordered_matrices) {
    AsHardware target = hardware();
    EXPECT_TRUE(shader_of(target, c).results_in_order) << text_of(c);
    meets_the_bound(target, c);
    EXPECT_EQ(target.dispatches, 1) << text_of(c) << target.names;
  }
}

/// Narrow ones are stored by words; where a group has too few for whole vectors, wide, and narrowed by another pass.
TEST_F(MatmulInShared, narrow_results_in_order) {
  for (const StorageType storage : {f16, bf16})
    for (MatmulCase c :
         {ordered_matrices[0], ordered_matrices[1], ordered_matrices[4], MatmulCase{20, 10, 258, 5, 1}}) {
      c.of_a = c.of_b = c.of_out = storage;
      c.start = 1;
      AsHardware target = hardware();
      meets_the_bound(target, c);
      const bool odd = c.m * c.n % 2 != 0 && c.k * (c.m + c.n) > 2048;
      EXPECT_EQ(target.dispatches, odd ? 2 : 1) << text_of(c) << target.names;
    }
}

/// Of a GPU: what is short of a subgroup is in order, and in place of the operands where an invocation has one tile.
TEST(MatmulSchedule, results_of_short_rows_are_stored_in_order) {
  lower::Target gpu;
  gpu.max_invocations = 1024;
  gpu.max_shared_bytes = 49152;
  gpu.resident_invocations = int64_t{132} * 2048;
  const auto shader = [&](int64_t m, int64_t n, int64_t k) {
    const Strided a{nullptr, StorageType::f32, layout::contiguous({261'234, m, k})},
        b{nullptr, StorageType::f32, layout::contiguous({261'234, k, n})};
    return shader_of_matrices(gpu, batches_of_matrices(a, b, nullptr));
  };
  const lower::MatmulShader odd = shader(41, 7, 5), fours = shader(41, 8, 5), rows = shader(9, 270, 11);
  EXPECT_TRUE(odd.results_in_order && odd.over_operands && odd.ordered_vectors);
  EXPECT_TRUE(fours.results_in_order && fours.ordered_vectors);
  EXPECT_FALSE(rows.results_in_order) << "a subgroup stores neighbours";
  EXPECT_EQ(odd.matrices, 8) << "of twelve tiles each for 128 invocations";
}

/// Whole vectors of both, in registers of invocations that share a cache; odd, long and large ones not.
TEST(MatmulSchedule, small_matrices_of_whole_vectors_are_read_through_the_cache) {
  lower::Target gpu;
  gpu.max_invocations = 1024;
  gpu.max_shared_bytes = 49152;
  gpu.resident_invocations = int64_t{132} * 2048;
  const auto in_registers = [&](int64_t m, int64_t n, int64_t k, int64_t batches = 80'000) {
    const Strided a{nullptr, StorageType::f32, layout::contiguous({batches, m, k})},
        b{nullptr, StorageType::f32, layout::contiguous({batches, k, n})};
    return shader_of_matrices(gpu, batches_of_matrices(a, b, nullptr)).form == lower::MatmulForm::registers;
  };
  EXPECT_TRUE(in_registers(16, 16, 16));
  EXPECT_TRUE(in_registers(4, 4, 4));
  EXPECT_FALSE(in_registers(16, 16, 16, 140)) << "five groups";
  EXPECT_FALSE(in_registers(16, 15, 16));
  EXPECT_FALSE(in_registers(4, 64, 36)) << "rows of b are read for four results alone";
  EXPECT_FALSE(in_registers(16, 64, 64)) << "20 KiB";
}

TEST_F(MatmulInShared, matrices_of_whole_vectors_in_registers) {
  for (const StorageType storage : {f32, f16, bf16})
    for (MatmulCase c : {MatmulCase{300, 16, 16, 16, 1}, MatmulCase{600, 4, 4, 4, 1},
                         MatmulCase{100, 19, 24, 36, 1, Order::rows, Order::rows, 1}}) {
      c.of_a = c.of_b = c.of_out = storage;
      AsHardware target = hardware();
      EXPECT_EQ(shader_of(target, c).form, lower::MatmulForm::registers) << text_of(c);
      meets_the_bound(target, c);
      EXPECT_EQ(target.dispatches, 1) << text_of(c) << target.names;
    }
}

}  // namespace
}  // namespace eglantine::test
