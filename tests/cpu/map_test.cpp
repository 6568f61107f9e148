#include <gtest/gtest.h>

#include <algorithm>

#include "cpu/kernels.hpp"

namespace eglantine::test {
namespace {

// x + y over two layouts of one shape, against a loop over the elements.
void check_add(const Layout& x, const Layout& y) {
  const auto size = [](const Layout& l) { return layout::reach(l).last + 1; };
  const std::vector<float> a = random_floats(size(x), 1), b = random_floats(size(y), 2);
  const Strided left{buffer_of(bits_of(a)), StorageType::f32, x}, right{buffer_of(bits_of(b)), StorageType::f32, y};
  const Bits result = run_map(binary(Op::add, DType::f32, left, right));
  for (int64_t i = 0; i < x.size(); ++i) {
    const float expected = a[static_cast<size_t>(place(x, i))] + b[static_cast<size_t>(place(y, i))];
    ASSERT_EQ(result[static_cast<size_t>(i)], bits_of(expected)) << "element " << i << " of " << x.shape;
  }
}

TEST(CpuMap, adds_contiguous_operands_of_every_length) {
  for (const int64_t n : {1, 2, 13, 127, 1023, 1024, 1025, 16384, 16385, 300000})
    check_add(layout::contiguous({n}), layout::contiguous({n}, 3));
}

TEST(CpuMap, adds_over_views) {
  const Shape shape{37, 600};
  const Layout plain = layout::contiguous(shape);
  check_add(plain, layout::permute(layout::contiguous({600, 37}), {1, 0}));
  check_add(plain, layout::expand(layout::contiguous({600}, 5), shape));
  check_add(plain, layout::expand(layout::contiguous({37, 1}), shape));
  check_add(plain, layout::expand(layout::contiguous({1}), shape));
  check_add(plain, layout::flip(layout::flip(plain, 0), 1));
  check_add(layout::slice(layout::contiguous({37, 1300}), 1, 7, 600, 2), layout::slice(plain, 0, 36, 37, -1));
}

TEST(CpuMap, adds_over_views_with_short_rows) {
  const Shape shape{5, 4, 3, 2, 7};
  const Layout plain = layout::contiguous(shape);
  check_add(plain, layout::permute(layout::contiguous({7, 2, 3, 4, 5}), {4, 3, 2, 1, 0}));
  check_add(layout::flip(plain, 2), layout::expand(layout::contiguous({4, 1, 2, 1}), shape));
  check_add(layout::permute(layout::contiguous({3, 100000}), {1, 0}), layout::contiguous({100000, 3}));
}

// Large enough to be tiled; with partial tiles at both edges, and with none.
TEST(CpuMap, adds_over_large_transposed_views) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{320, 256}, {333, 500}, {32, 4099}, {5000, 33}}) {
    const Layout plain = layout::contiguous({rows, columns});
    const Layout turned = layout::permute(layout::contiguous({columns, rows}), {1, 0});
    check_add(plain, turned);
    check_add(layout::flip(turned, 1), layout::expand(layout::contiguous({rows, 1}), {rows, columns}));
  }
  const Layout cube = layout::contiguous({50, 60, 70});
  check_add(cube, layout::permute(layout::contiguous({70, 60, 50}), {2, 1, 0}));
  check_add(layout::permute(layout::contiguous({60, 50, 70}), {1, 0, 2}),
            layout::permute(layout::contiguous({50, 70, 60}), {0, 2, 1}));
}

TEST(CpuMap, writes_a_large_transposed_output) {
  const Shape domain{300, 400};
  const Layout number = layout::contiguous(domain), turned = layout::permute(layout::contiguous({400, 300}), {1, 0});
  const BufferPtr buffer = garbage(300 * 400);
  backend().run(
      MapKernel{{domain, {}, {number}, {}, {{Op::iota, DType::u32, {0, -1, -1}}}}, {buffer, StorageType::u32, turned}});
  const Bits result = contents(*buffer);
  for (int64_t i = 0; i < domain.elements(); ++i)
    ASSERT_EQ(result[static_cast<size_t>(place(turned, i))], static_cast<uint32_t>(i));
}

TEST(CpuMap, copies_in_place_operands_and_single_elements) {
  const Bits values = random_words(5000, 3);
  const BufferPtr buffer = buffer_of(values);
  EXPECT_EQ(run_map(load_of({buffer, StorageType::u32, layout::contiguous({5000})})), values);
  const Layout one = layout::expand(layout::contiguous({1}, 42), {3000});
  EXPECT_EQ(run_map(load_of({buffer, StorageType::u32, one})), Bits(3000, values[42]));
}

TEST(CpuMap, writes_a_strided_output_and_nothing_else) {
  const Bits values = random_words(40 * 500, 4);
  const Strided x{buffer_of(values), StorageType::i32, layout::contiguous({40, 500})};
  Layout columns = layout::slice(layout::contiguous({40, 1200}), 1, 3, 500, 2);
  Layout rows = layout::slice(layout::contiguous({40, 1200}), 1, 100, 500, 1);
  Layout turned = layout::permute(layout::contiguous({1200, 40}), {1, 0});
  turned = layout::slice(turned, 1, 9, 500, 1);
  for (const Layout& out : {columns, rows, turned}) {
    const BufferPtr buffer = garbage(40 * 1200);
    Bits expected = contents(*buffer);
    for (int64_t i = 0; i < 40 * 500; ++i)
      expected[static_cast<size_t>(place(out, i))] = values[static_cast<size_t>(i)];
    backend().run(MapKernel{load_of(x), {buffer, StorageType::i32, out}});
    EXPECT_EQ(contents(*buffer), expected);
  }
}

TEST(CpuMap, index_is_affine_modulo_2_to_the_32) {
  const Shape domain{70, 300};
  const Layout affine{domain, {int64_t{1} << 33, -3}, (int64_t{1} << 32) + 5};
  const Bits result = run_map({domain, {}, {affine}, {}, {{Op::iota, DType::u32, {0, -1, -1}}}});
  for (int64_t i = 0; i < domain.elements(); ++i)
    ASSERT_EQ(result[static_cast<size_t>(i)], static_cast<uint32_t>(place(affine, i)));
}

TEST(CpuMap, parameters_are_scalars_of_their_dtype) {
  const std::vector<float> values = random_floats(2000, 5);
  const Strided x{buffer_of(bits_of(values)), StorageType::f32, layout::contiguous({2000})};
  const Expr value{{2000},
                   {x},
                   {},
                   {{bits_of(2.5f)}, {bits_of(-1.0f)}},
                   {{Op::load, DType::f32, {0, -1, -1}},
                    {Op::parameter, DType::f32, {0, -1, -1}},
                    {Op::parameter, DType::f32, {1, -1, -1}},
                    {Op::mul, DType::f32, {0, 1, -1}},
                    {Op::add, DType::f32, {3, 2, -1}}}};
  const Bits result = run_map(value);
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(float_of(result[i]), values[i] * 2.5f + -1.0f);
}

TEST(CpuMap, comparisons_give_0_and_1_and_where_chooses) {
  const std::vector<float> a = random_floats(3000, 6), b = random_floats(3000, 7);
  const Strided x{buffer_of(bits_of(a)), StorageType::f32, layout::contiguous({3000})};
  const Strided y{buffer_of(bits_of(b)), StorageType::f32, layout::contiguous({3000})};
  Expr value = binary(Op::lt, DType::boolean, x, y);
  const Bits less = run_map(value);
  value.code.push_back({Op::where, DType::f32, {2, 0, 1}});
  const Bits smaller = run_map(value);
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(less[i], a[i] < b[i] ? 1u : 0u);
    ASSERT_EQ(float_of(smaller[i]), std::min(a[i], b[i]));
  }
}

Bits cast(DType from, DType to, const Bits& values) {
  const Strided x{buffer_of(values), word_storage(from), layout::contiguous({static_cast<int64_t>(values.size())})};
  Expr value = load_of(x);
  value.code.push_back({Op::cast, to, {0, -1, -1}});
  return run_map(value);
}

TEST(CpuMap, casts_of_floats_saturate_and_nan_is_0) {
  const float inf = INFINITY, nan = NAN;
  const Bits floats = bits_of(std::vector<float>{0.0f, -0.0f, 1.9f, -1.9f, 3e9f, -3e9f, 5e9f, inf, -inf, nan});
  EXPECT_EQ(cast(DType::f32, DType::i32, floats),
            (Bits{0, 0, 1, 0xffffffffu, 0x7fffffff, 0x80000000u, 0x7fffffff, 0x7fffffff, 0x80000000u, 0}));
  EXPECT_EQ(cast(DType::f32, DType::u32, floats), (Bits{0, 0, 1, 0, 3000000000u, 0, 0xffffffffu, 0xffffffffu, 0, 0}));
  EXPECT_EQ(cast(DType::f32, DType::boolean, floats), (Bits{0, 0, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(CpuMap, casts_of_integers_keep_the_bits_or_the_value) {
  const Bits words{0, 1, 0x80000000u, 0xffffffffu, 16777217};
  EXPECT_EQ(cast(DType::i32, DType::u32, words), words);
  EXPECT_EQ(cast(DType::u32, DType::i32, words), words);
  EXPECT_EQ(cast(DType::i32, DType::boolean, words), (Bits{0, 1, 1, 1, 1}));
  EXPECT_EQ(cast(DType::i32, DType::f32, words), bits_of(std::vector<float>{0, 1, -0x1p31f, -1, 16777216}));
  EXPECT_EQ(cast(DType::u32, DType::f32, words), bits_of(std::vector<float>{0, 1, 0x1p31f, 0x1p32f, 16777216}));
  EXPECT_EQ(cast(DType::boolean, DType::f32, {0, 1}), bits_of(std::vector<float>{0, 1}));
}

// Instructions share registers once values are dead; a value that is used late must survive.
TEST(CpuMap, long_expressions_keep_early_values) {
  const std::vector<float> values = random_floats(3000, 8);
  Expr value = load_of(
      {buffer_of(bits_of(values)), StorageType::f32, layout::slice(layout::contiguous({3000}), 0, 2999, 3000, -1)});
  value.code.push_back({Op::neg, DType::f32, {0, -1, -1}});
  for (int32_t i = 2; i < 40; ++i) value.code.push_back({Op::add, DType::f32, {i - 1, i % 3 == 0 ? 1 : 0, -1}});
  const Bits result = run_map(value);
  for (size_t i = 0; i < values.size(); ++i) {
    const float x = values[values.size() - 1 - i];
    float expected = -x;
    for (int32_t k = 2; k < 40; ++k) expected += k % 3 == 0 ? -x : x;
    ASSERT_EQ(float_of(result[i]), expected);
  }
}

TEST(CpuMap, of_nothing_writes_nothing) {
  const BufferPtr buffer = garbage(4);
  const Strided x{buffer_of({}), StorageType::f32, layout::contiguous({0, 3})};
  backend().run(MapKernel{load_of(x), {buffer, StorageType::f32, layout::contiguous({0, 3})}});
  EXPECT_EQ(contents(*buffer), Bits(4, 0x7fc0dead));
}

}  // namespace
}  // namespace eglantine::test
