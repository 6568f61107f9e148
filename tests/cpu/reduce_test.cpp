#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "cpu/kernels.hpp"
#include "support/random/draw.hpp"
#include "support/reference/tree_simulation.hpp"

namespace eglantine::test {
namespace {

using layout::ReduceTree;

float tree_sum(ReduceTree tree, std::vector<float> run) {
  return tree == ReduceTree::row ? row_tree_sum(std::move(run)) : column_tree_sum(std::move(run));
}

// The elements of each kept coordinate of a layout whose first kept_rank axes are kept.
std::vector<std::vector<float>> runs_of(const std::vector<float>& values, const Layout& x, int64_t kept) {
  const int64_t length = x.size() / kept;
  std::vector<std::vector<float>> runs(static_cast<size_t>(kept));
  for (int64_t i = 0; i < x.size(); ++i)
    runs[static_cast<size_t>(i / length)].push_back(values[static_cast<size_t>(place(x, i))]);
  return runs;
}

// Sums have the bits of the reference tree.
void check_sum(const Layout& x, int kept_rank, ReduceTree tree) {
  int64_t kept = 1;
  for (int axis = 0; axis < kept_rank; ++axis) kept *= x.shape[axis];
  const std::vector<float> values = random_floats(layout::reach(x).last + 1, 9);
  const Bits result =
      run_reduce(load_of({buffer_of(bits_of(values)), StorageType::f32, x}), kept_rank, Reduction::sum, tree);
  const std::vector<std::vector<float>> runs = runs_of(values, x, kept);
  for (size_t i = 0; i < runs.size(); ++i)
    ASSERT_EQ(result[i], bits_of(tree_sum(tree, runs[i]))) << "result " << i << " of " << x.shape;
}

// A (kept, length) matrix in the memory order of the tree.
Layout matrix(int64_t kept, int64_t length, ReduceTree tree) {
  if (tree == ReduceTree::row) return layout::contiguous({kept, length});
  return layout::permute(layout::contiguous({length, kept}), {1, 0});
}

TEST(CpuReduce, row_tree_of_one_run) {
  for (const int64_t n : {1, 2, 3, 4, 5, 13, 127, 128, 129, 255, 256, 257, 1025, 8191, 8192, 8193, 70000, 1000003})
    check_sum(layout::contiguous({n}), 0, ReduceTree::row);
}

TEST(CpuReduce, row_tree_of_several_levels) {
  const int64_t block = layout::row_block;
  check_sum(layout::contiguous({block * block / 8 + 5}), 0, ReduceTree::row);
  check_sum(layout::expand(layout::contiguous({1}), {block * block + block + 1}), 0, ReduceTree::row);
}

TEST(CpuReduce, row_tree_of_many_rows) {
  Draw draw = draw_one_of(4);
  for (const int64_t n : {1, 2, 3, 5, 10, 16, 31, 32, 33, 64, 511, 513, 784, 1025, 9000})
    for (const int64_t kept : {1, 3, 16, 127, 2100})
      if (draw.next()) check_sum(matrix(kept, n, ReduceTree::row), 1, ReduceTree::row);
}

TEST(CpuReduce, column_tree_of_every_height) {
  Draw draw = draw_one_of(4);
  for (const int64_t n : {1, 2, 3, 7, 8, 9, 15, 17, 127, 128, 129, 257, 16383, 16384, 16385, 20000})
    for (const int64_t kept : {1, 2, 3, 37})
      if (draw.next()) check_sum(matrix(kept, n, ReduceTree::column), 1, ReduceTree::column);
}

TEST(CpuReduce, column_tree_of_every_width) {
  Draw draw = draw_one_of(4);
  for (const int64_t kept : {1, 13, 127, 128, 1023, 1024, 1025, 2500, 20000})
    for (const int64_t n : {1, 9, 130, 300})
      if (draw.next()) check_sum(matrix(kept, n, ReduceTree::column), 1, ReduceTree::column);
}

TEST(CpuReduce, column_tree_of_three_levels) {
  const int64_t block = layout::column_block;
  check_sum(matrix(2, block * block * 3 + block + 1, ReduceTree::column), 1, ReduceTree::column);
}

TEST(CpuReduce, both_trees_over_views) {
  for (const ReduceTree tree : {ReduceTree::row, ReduceTree::column}) {
    const Layout plain = layout::contiguous({6, 50, 7, 300});
    check_sum(plain, 2, tree);
    check_sum(layout::permute(plain, {2, 0, 3, 1}), 2, tree);
    check_sum(layout::flip(layout::slice(plain, 3, 1, 140, 2), 1), 1, tree);
    check_sum(layout::expand(layout::contiguous({6, 1, 7, 1}), {6, 50, 7, 300}), 2, tree);
    check_sum(layout::expand(layout::contiguous({50, 1, 300}), {6, 50, 7, 300}), 3, tree);
  }
}

TEST(CpuReduce, sum_of_a_fused_product_then_a_consumer) {
  for (const ReduceTree tree : {ReduceTree::row, ReduceTree::column}) {
    const Layout x = matrix(333, 400, tree), y = layout::expand(layout::contiguous({400}), {333, 400});
    const std::vector<float> a = random_floats(333 * 400, 1), b = random_floats(400, 2), c = random_floats(333, 3);
    const Expr product = binary(Op::mul, DType::f32, {buffer_of(bits_of(a)), StorageType::f32, x},
                                {buffer_of(bits_of(b)), StorageType::f32, y});
    Expr epilogue = load_of({buffer_of(bits_of(c)), StorageType::f32, layout::flip(layout::contiguous({333}), 0)});
    epilogue.code.push_back({Op::accumulator, DType::f32, {-1, -1, -1}});
    epilogue.code.push_back({Op::add, DType::f32, {0, 1, -1}});
    const Strided out = contiguous_output(DType::f32, {333});
    backend().run(ReduceKernel{product, 1, Reduction::sum, tree, epilogue, out});
    const Bits result = contents(*out.buffer);
    for (int64_t i = 0; i < 333; ++i) {
      std::vector<float> run;
      for (int64_t j = 0; j < 400; ++j)
        run.push_back(a[static_cast<size_t>(place(x, i * 400 + j))] * b[static_cast<size_t>(j)]);
      const float expected = c[static_cast<size_t>(332 - i)] + tree_sum(tree, run);
      ASSERT_EQ(result[static_cast<size_t>(i)], bits_of(expected)) << "result " << i;
    }
  }
}

TEST(CpuReduce, consumer_may_read_any_view_of_many_results) {
  const int64_t rows = 700, columns = 300;
  const std::vector<float> a = random_floats(rows * columns * 2, 1), c = random_floats(rows * columns, 2);
  const Expr prologue = load_of({buffer_of(bits_of(a)), StorageType::f32, layout::contiguous({rows * columns, 2})});
  const Layout turned = layout::permute(layout::contiguous({columns, rows}), {1, 0});
  Expr epilogue = load_of({buffer_of(bits_of(c)), StorageType::f32, turned});
  epilogue.code.push_back({Op::accumulator, DType::f32, {-1, -1, -1}});
  epilogue.code.push_back({Op::gt, DType::boolean, {0, 1, -1}});
  const Strided out = contiguous_output(DType::boolean, {rows, columns});
  backend().run(ReduceKernel{prologue, 1, Reduction::sum, ReduceTree::row, epilogue, out});
  const Bits result = contents(*out.buffer);
  for (int64_t i = 0; i < rows * columns; ++i) {
    const float sum = a[static_cast<size_t>(2 * i)] + a[static_cast<size_t>(2 * i + 1)];
    ASSERT_EQ(result[static_cast<size_t>(i)], c[static_cast<size_t>(place(turned, i))] > sum ? 1u : 0u);
  }
}

TEST(CpuReduce, sum_of_minus_zeros_is_minus_zero) {
  for (const ReduceTree tree : {ReduceTree::row, ReduceTree::column})
    for (const int64_t n : {1, 3, 257, 20000}) {
      const Layout x = layout::expand(layout::contiguous({1}), {2, n});
      const Expr prologue = load_of({buffer_of({bits_of(-0.0f)}), StorageType::f32, x});
      EXPECT_EQ(run_reduce(prologue, 1, Reduction::sum, tree), Bits(2, bits_of(-0.0f)));
    }
}

// Reductions whose results are independent of the order.
void check_exact(Reduction reduction, DType dtype, const Bits& values, int64_t kept, uint32_t identity,
                 const std::function<uint32_t(uint32_t, uint32_t)>& combine) {
  const int64_t length = static_cast<int64_t>(values.size()) / kept;
  for (const ReduceTree tree : {ReduceTree::row, ReduceTree::column}) {
    const Layout x = matrix(kept, length, tree);
    const Bits result = run_reduce(load_of({buffer_of(values), word_storage(dtype), x}), 1, reduction, tree, dtype);
    for (int64_t i = 0; i < kept; ++i) {
      uint32_t expected = identity;
      for (int64_t j = 0; j < length; ++j)
        expected = combine(expected, values[static_cast<size_t>(place(x, i * length + j))]);
      ASSERT_TRUE(same_element(dtype, result[static_cast<size_t>(i)], expected)) << "result " << i;
    }
  }
}

TEST(CpuReduce, integers_wrap) {
  for (const int64_t length : {1, 13, 1025, 30000}) {
    const Bits values = random_words(20 * length, 10);
    for (const DType dtype : {DType::i32, DType::u32}) {
      check_exact(Reduction::sum, dtype, values, 20, 0, [](uint32_t a, uint32_t b) { return a + b; });
      check_exact(Reduction::prod, dtype, values, 20, 1, [](uint32_t a, uint32_t b) { return a * b; });
    }
  }
}

TEST(CpuReduce, largest_and_smallest_know_signs) {
  const auto as_int = [](uint32_t a) { return static_cast<int32_t>(a); };
  for (const int64_t length : {1, 13, 1025, 30000}) {
    const Bits values = random_words(20 * length, 11);
    check_exact(Reduction::max, DType::u32, values, 20, 0, [](uint32_t a, uint32_t b) { return std::max(a, b); });
    check_exact(Reduction::min, DType::u32, values, 20, ~0u, [](uint32_t a, uint32_t b) { return std::min(a, b); });
    check_exact(Reduction::max, DType::i32, values, 20, 0x80000000u,
                [&](uint32_t a, uint32_t b) { return as_int(a) > as_int(b) ? a : b; });
    check_exact(Reduction::min, DType::i32, values, 20, 0x7fffffffu,
                [&](uint32_t a, uint32_t b) { return as_int(a) < as_int(b) ? a : b; });
  }
}

TEST(CpuReduce, nan_wins_wherever_it_stands) {
  for (const int64_t length : {1, 2, 13, 1025, 30000})
    for (const int64_t where : {int64_t{0}, length / 2, length - 1}) {
      std::vector<float> values = random_floats(3 * length, 12);
      values[static_cast<size_t>(length + where)] = NAN;
      const auto larger = [](uint32_t a, uint32_t b) {
        return is_nan(a) || (!is_nan(b) && float_of(a) > float_of(b)) ? a : b;
      };
      const auto smaller = [](uint32_t a, uint32_t b) {
        return is_nan(a) || (!is_nan(b) && float_of(a) < float_of(b)) ? a : b;
      };
      check_exact(Reduction::max, DType::f32, bits_of(values), 3, bits_of(-INFINITY), larger);
      check_exact(Reduction::min, DType::f32, bits_of(values), 3, bits_of(INFINITY), smaller);
    }
}

/// Runs of the nearest axis between those of other results, as memory has them: whole rows and parts of blocks.
TEST(CpuReduce, short_runs_between_those_of_other_results) {
  for (const Shape& shape : {Shape{31, 3000, 3}, Shape{400, 40, 7}, Shape{9, 3, 1001, 5}, Shape{70, 1000, 33}}) {
    const int last = shape.rank() - 1;
    const Layout x = layout::contiguous(shape);
    Axes order{last - 1};
    for (int axis = 0; axis <= last; ++axis)
      if (axis != last - 1) order.push_back(axis);
    const Layout kept_first = layout::permute(x, order);
    const std::vector<float> values = random_floats(x.size(), 9);
    const auto runs = runs_of(values, kept_first, shape[last - 1]);
    const Expr load = load_of({buffer_of(bits_of(values)), StorageType::f32, kept_first});
    const Bits largest = run_reduce(load, 1, Reduction::max, ReduceTree::row);
    for (size_t i = 0; i < runs.size(); ++i)
      ASSERT_EQ(largest[i], bits_of(*std::max_element(runs[i].begin(), runs[i].end()))) << i << " of " << shape;
  }
  const Layout sums = layout::permute(layout::contiguous({400, 40, 7}), {1, 0, 2});
  check_sum(sums, 1, ReduceTree::row);
}

TEST(CpuReduce, any_and_all) {
  for (const int64_t length : {1, 13, 1025, 30000}) {
    Bits values(static_cast<size_t>(4 * length), 0);
    std::fill_n(values.begin(), length, 1u);
    values[static_cast<size_t>(2 * length - 1)] = 1;
    check_exact(Reduction::any, DType::boolean, values, 4, 0, [](uint32_t a, uint32_t b) { return a | b; });
    check_exact(Reduction::all, DType::boolean, values, 4, 1, [](uint32_t a, uint32_t b) { return a & b; });
  }
}

}  // namespace
}  // namespace eglantine::test
