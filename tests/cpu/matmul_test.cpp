#include <gtest/gtest.h>

#include "cpu/kernels.hpp"

namespace eglantine::test {
namespace {

struct Sizes {
  Shape batch;
  int64_t m, n, k;
};

Shape with(const Shape& batch, int64_t rows, int64_t columns) {
  Shape shape = batch;
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

int64_t words(const Layout& x) { return layout::reach(x).last + 1; }

Bits run(const Sizes& s, const Strided& a, const Strided& b) {
  const Strided out = contiguous_output(a.dtype(), with(s.batch, s.m, s.n));
  backend().run(MatmulKernel{s.batch, s.m, s.n, s.k, a, b, accumulator_of(a.dtype(), out.layout.shape), out});
  return contents(*out.buffer);
}

// Calls check(result, address of a, address of b) for element `i` of the product; the addresses are functions of k.
template <class Check>
void for_results(const Sizes& s, const Layout& a, const Layout& b, Check check) {
  for (int64_t i = 0; i < s.batch.elements() * s.m * s.n; ++i) {
    const int64_t batch = i / (s.m * s.n), row = i / s.n % s.m, column = i % s.n;
    check(
        static_cast<size_t>(i), [&](int64_t k) { return static_cast<size_t>(place(a, (batch * s.m + row) * s.k + k)); },
        [&](int64_t k) { return static_cast<size_t>(place(b, (batch * s.k + k) * s.n + column)); });
  }
}

// f32 within K eps of the sum of the absolute products, computed in double.
void check_floats(const Sizes& s, const Layout& a, const Layout& b) {
  const std::vector<float> x = random_floats(words(a), 1), y = random_floats(words(b), 2);
  const Bits result =
      run(s, {buffer_of(bits_of(x)), StorageType::f32, a}, {buffer_of(bits_of(y)), StorageType::f32, b});
  for_results(s, a, b, [&](size_t i, auto left, auto right) {
    double sum = 0, size = 0;
    for (int64_t k = 0; k < s.k; ++k) {
      const double product = static_cast<double>(x[left(k)]) * static_cast<double>(y[right(k)]);
      sum += product;
      size += std::abs(product);
    }
    const double bound = std::min(static_cast<double>(s.k), 4 * (std::sqrt(static_cast<double>(s.k)) + 4)) * 0x1p-23;
    ASSERT_NEAR(static_cast<double>(float_of(result[i])), sum, bound * size) << "element " << i;
  });
}

void check_integers(const Sizes& s, const Layout& a, const Layout& b) {
  const Bits x = random_words(words(a), 3), y = random_words(words(b), 4);
  for (const DType dtype : {DType::i32, DType::u32}) {
    const Bits result = run(s, {buffer_of(x), word_storage(dtype), a}, {buffer_of(y), word_storage(dtype), b});
    for_results(s, a, b, [&](size_t i, auto left, auto right) {
      uint32_t sum = 0;
      for (int64_t k = 0; k < s.k; ++k) sum += x[left(k)] * y[right(k)];
      ASSERT_EQ(result[i], sum) << "element " << i;
    });
  }
}

void check(const Sizes& s, const Layout& a, const Layout& b) {
  check_floats(s, a, b);
  check_integers(s, a, b);
}

void check(const Sizes& s) {
  check(s, layout::contiguous(with(s.batch, s.m, s.k)), layout::contiguous(with(s.batch, s.k, s.n)));
}

Layout turned(int64_t rows, int64_t columns) { return layout::permute(layout::contiguous({columns, rows}), {1, 0}); }

TEST(CpuMatmul, of_odd_sizes) {
  for (const int64_t m : {1, 3, 13, 127})
    for (const int64_t n : {1, 5, 13, 129})
      for (const int64_t k : {1, 2, 13, 257}) check({{}, m, n, k});
}

TEST(CpuMatmul, of_sizes_that_are_shared_out) {
  check({{}, 300, 200, 257});
  check({{}, 1, 2000, 700});
  check({{}, 2000, 1, 700});
  check({{}, 1, 1, 1000003});
}

TEST(CpuMatmul, of_transposed_operands) {
  const int64_t m = 65, n = 33, k = 129;
  check({{}, m, n, k}, turned(m, k), layout::contiguous({k, n}));
  check({{}, m, n, k}, layout::contiguous({m, k}), turned(k, n));
  check({{}, m, n, k}, turned(m, k), turned(k, n));
  check({{}, 1, n, k}, turned(1, k), turned(k, n));
}

TEST(CpuMatmul, of_sliced_flipped_and_broadcast_operands) {
  const int64_t m = 41, n = 37, k = 53;
  const Layout a = layout::contiguous({m, k}), b = layout::contiguous({k, n});
  check({{}, m, n, k}, layout::slice(layout::contiguous({m, 2 * k}, 5), 1, 3, k, 1), b);
  check({{}, m, n, k}, layout::slice(layout::contiguous({m, 2 * k}), 1, 1, k, 2), layout::slice(b, 0, k - 1, k, -1));
  check({{}, m, n, k}, layout::flip(a, 1), layout::flip(b, 1));
  check({{}, m, n, k}, layout::expand(layout::contiguous({k}), {m, k}),
        layout::expand(layout::contiguous({k, 1}), {k, n}));
  check({{}, m, n, k}, {{m, k}, {1, 1}, 0}, {{k, n}, {2, 3}, 0});
  check({{}, m, n, k}, {{m, k}, {0, 0}, 7}, b);
}

TEST(CpuMatmul, of_batches) {
  check({{3}, 13, 17, 19});
  check({{2, 3}, 5, 7, 1});
  check({{300}, 4, 5, 6});
  check({{3}, 130, 140, 150});
}

TEST(CpuMatmul, of_broadcast_batches) {
  const Sizes s{{4, 3}, 9, 8, 7};
  const Layout a = layout::contiguous({4, 3, 9, 7}), b = layout::contiguous({4, 3, 7, 8});
  check(s, a, layout::expand(layout::contiguous({7, 8}), b.shape));
  check(s, layout::expand(layout::contiguous({9, 7}), a.shape), b);
  check(s, layout::expand(layout::contiguous({3, 9, 7}), a.shape),
        layout::expand(layout::contiguous({4, 1, 7, 8}), b.shape));
  check(s, layout::permute(layout::contiguous({3, 4, 9, 7}), {1, 0, 2, 3}),
        layout::expand(layout::contiguous({7, 8}), b.shape));
  check({{6}, 1, 8, 7}, layout::expand(layout::contiguous({1, 1, 7}), {6, 1, 7}),
        layout::expand(layout::contiguous({7, 8}), {6, 7, 8}));
  check({{6}, 1, 8, 7}, layout::flip(layout::contiguous({6, 1, 7}), 0),
        layout::expand(layout::contiguous({7, 8}), {6, 7, 8}));
}

/// A layout of `shape` with axes in one of eight orders, of which some are flipped, some broadcast, some with gaps.
Layout any_layout(Numbers& random, const Shape& shape) {
  Layout x{shape, std::vector<int64_t>(static_cast<size_t>(shape.rank())), 0};
  int64_t next = 1 + random.below(2);
  const int64_t first = random.below(shape.rank()), step = random.below(2) == 0 ? 1 : shape.rank() - 1;
  for (int64_t turn = 0; turn < shape.rank(); ++turn) {
    const int64_t axis = (first + turn * step) % shape.rank();
    const auto i = static_cast<size_t>(axis);
    x.strides[i] = random.below(6) == 0 ? 0 : next;
    const int64_t reach = (shape[static_cast<int>(axis)] - 1) * x.strides[i];
    next += reach + random.below(2) * random.below(5);
    if (random.below(4) == 0) x.offset += reach, x.strides[i] = -x.strides[i];
  }
  return x;
}

TEST(CpuMatmul, of_many_small_matrices) {
  Numbers random(5);
  for (int i = 0; i < 40; ++i) {
    const auto length = [&] { return 1 + random.below(33); };
    const Sizes s{{1 + random.below(3), 1 + random.below(12)}, length(), length(), length()};
    check(s, any_layout(random, with(s.batch, s.m, s.k)), any_layout(random, with(s.batch, s.k, s.n)));
  }
}

TEST(CpuMatmul, of_no_products_is_0) {
  const Strided a{buffer_of({}), StorageType::f32, layout::contiguous({3, 0})};
  const Strided b{buffer_of({}), StorageType::f32, layout::contiguous({0, 5})};
  EXPECT_EQ(run({{}, 3, 5, 0}, a, b), Bits(15, 0));
}

// The output starts as NaN in every test; NaN and infinity of the operands must reach their results and no others.
TEST(CpuMatmul, nan_and_infinity_pass_through_zeros) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{3, 4}, {1, 4}, {3, 1}, {1, 1}}) {
    std::vector<float> a(static_cast<size_t>(m * 2), 0.0f), b(static_cast<size_t>(2 * n), 1.0f);
    b[0] = NAN;
    b[static_cast<size_t>(2 * n - 1)] = INFINITY;
    const Bits result = run({{}, m, n, 2}, {buffer_of(bits_of(a)), StorageType::f32, layout::contiguous({m, 2})},
                            {buffer_of(bits_of(b)), StorageType::f32, layout::contiguous({2, n})});
    for (int64_t i = 0; i < m * n; ++i) {
      const int64_t column = i % n;
      EXPECT_EQ(is_nan(result[static_cast<size_t>(i)]), column == 0 || column == n - 1) << m << " x " << n << ": " << i;
    }
  }
}

TEST(CpuMatmul, consumer_reads_the_product_in_place) {
  const int64_t m = 100, n = 300, k = 20;
  const std::vector<float> a = random_floats(m * k, 1), b = random_floats(k * n, 2), bias = random_floats(n, 3);
  const Strided left{buffer_of(bits_of(a)), StorageType::f32, layout::contiguous({m, k})};
  const Strided right{buffer_of(bits_of(b)), StorageType::f32, layout::contiguous({k, n})};
  const Bits product = run({{}, m, n, k}, left, right);
  Expr epilogue =
      load_of({buffer_of(bits_of(bias)), StorageType::f32, layout::expand(layout::contiguous({n}), {m, n})});
  epilogue.code.push_back({Op::accumulator, DType::f32, {-1, -1, -1}});
  epilogue.code.push_back({Op::add, DType::f32, {1, 0, -1}});
  epilogue.code.push_back({Op::relu, DType::f32, {2, -1, -1}});
  const Strided out = contiguous_output(DType::f32, {m, n});
  backend().run(MatmulKernel{{}, m, n, k, left, right, epilogue, out});
  const Bits result = contents(*out.buffer);
  for (size_t i = 0; i < result.size(); ++i)
    ASSERT_EQ(float_of(result[i]), std::max(0.0f, float_of(product[i]) + bias[i % static_cast<size_t>(n)]));
}

TEST(CpuMatmul, repeats_its_bits) {
  const Sizes s{{}, 257, 255, 511};
  const Strided a{buffer_of(bits_of(random_floats(257 * 511, 1))), StorageType::f32, layout::contiguous({257, 511})};
  const Strided b{buffer_of(bits_of(random_floats(511 * 255, 2))), StorageType::f32, layout::contiguous({511, 255})};
  const Bits first = run(s, a, b);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(run(s, a, b), first);
}

}  // namespace
}  // namespace eglantine::test
