#include <algorithm>

#include "eglantine/ops.hpp"
#include "eglantine/verbs/products.hpp"
#include "element_types.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_einsum.hpp"

/// tensordot, kron and cross.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Contraction, Tensordot);
EG_ON_EACH_DEVICE(Contraction, Kron);
EG_ON_EACH_DEVICE(Contraction, Cross);

using AxesList = std::vector<int64_t>;

/// Axes as labels: a's are letters, b's capitals but for those that are summed with a's.
Array tensordot_reference(const Array& a, const Array& b, const AxesList& of_a, const AxesList& of_b) {
  std::string x, y, output;
  for (int i = 0; i < a.rank(); ++i) x += static_cast<char>('a' + i);
  for (int i = 0; i < b.rank(); ++i) y += static_cast<char>('A' + i);
  for (size_t i = 0; i < of_a.size(); ++i) {
    const auto at_a = static_cast<size_t>(of_a[i] < 0 ? of_a[i] + a.rank() : of_a[i]);
    y[static_cast<size_t>(of_b[i] < 0 ? of_b[i] + b.rank() : of_b[i])] = x[at_a];
  }
  for (const char label : x + y)
    if (std::count(y.begin(), y.end(), label) + std::count(x.begin(), x.end(), label) == 1) output += label;
  return naive::einsum({x, y}, output, {a, b});
}

void check_tensordot(const Dims& a_shape, const Dims& b_shape, const AxesList& of_a, const AxesList& of_b,
                     DType dtype) {
  SCOPED_TRACE(std::string(name_of(dtype)) + " " + text(a_shape) + " and " + text(b_shape));
  const Array a = random_array(dtype, a_shape, 1), b = random_array(dtype, b_shape, 2);
  const Tolerance tolerance{0, 0, dtype == DType::f32 ? 1e-5 : 0};
  EXPECT_TRUE(matches(tensordot(upload(a), upload(b), of_a, of_b), tensordot_reference(a, b, of_a, of_b), tolerance));
}

EG_TEST(Tensordot, over_any_axes) {
  for (DType dtype : {DType::f32, DType::i32}) {
    check_tensordot({3, 5}, {5, 4}, {1}, {0}, dtype);
    check_tensordot({3, 4, 5}, {4, 3, 7}, {1, 0}, {0, 1}, dtype);
    check_tensordot({3, 4, 5}, {4, 3, 7}, {0, 1}, {1, 0}, dtype);
    check_tensordot({3, 4, 5}, {5, 7}, {-1}, {-2}, dtype);
    check_tensordot({13}, {13}, {0}, {0}, dtype);
    check_tensordot({3, 4}, {3, 4}, {0, 1}, {0, 1}, dtype);
    check_tensordot({2, 3}, {4, 5}, {}, {}, dtype);
    check_tensordot({}, {4}, {}, {}, dtype);
    check_tensordot({3, 1}, {1, 4}, {1}, {0}, dtype);
    check_tensordot({3, 0}, {0, 4}, {1}, {0}, dtype);
    check_tensordot({0, 3}, {3, 4}, {1}, {0}, dtype);
  }
}

EG_TEST(Tensordot, every_view) {
  const Array b = random_array(DType::i32, {7, 5, 3}, 2);
  check_over_views(
      DType::i32, {{5, 2, 7}},
      [&](const Tensor& x) {
        return tensordot(x, upload(b), {0, 2}, {1, 0});
      },
      [&](const Array& x) {
        return tensordot_reference(x, b, {0, 2}, {1, 0});
      });
}

EG_TEST(Tensordot, of_narrow_and_mixed_types) {
  const Tensor h = upload(random_array(DType::f16, {3, 5}, 1)), b = upload(random_array(DType::i8, {5, 4}, 2));
  EXPECT_TRUE(same_bits(tensordot(h, b, 1, 0), matmul(h, b)));
  EXPECT_TRUE(same_bits(tensordot(b, b, 1, 1), matmul(b, b.transpose(0, 1))));
  EXPECT_EQ(tensordot(b, b, {}, {}).dtype(), DType::i32);
}

/// Aligned at the last axis: element r of an axis is a[r / n] * b[r % n].
Array kron_reference(Array a, Array b) {
  while (a.rank() < b.rank()) a.shape.insert(a.shape.begin(), 1);
  while (b.rank() < a.rank()) b.shape.insert(b.shape.begin(), 1);
  Dims shape = a.shape;
  for (size_t i = 0; i < shape.size(); ++i) shape[i] *= b.shape[i];
  return generate(a.dtype, shape, [&](const Dims& where) {
    Dims of_a = where, of_b = where;
    for (size_t i = 0; i < where.size(); ++i) {
      of_a[i] = where[i] / b.shape[i];
      of_b[i] = where[i] % b.shape[i];
    }
    return naive::product(a.dtype, a.at(of_a), b.at(of_b));
  });
}

EG_TEST(Kron, of_any_ranks) {
  const std::vector<std::pair<Dims, Dims>> shapes{{{2, 3}, {4, 5}},
                                                  {{3}, {2, 4}},
                                                  {{2, 1, 3}, {4, 1}},
                                                  {{}, {3}},
                                                  {{}, {}},
                                                  {{0, 2}, {3}},
                                                  {{2, 3, 2, 2}, {3, 2, 2, 2}},
                                                  {{2, 2, 2, 2, 3}, {3, 2, 2, 2, 2}},
                                                  {{2, 1, 2, 1, 2, 1, 2, 1}, {1, 3, 1, 2, 1, 2, 1, 2}}};
  for (const auto& [a_shape, b_shape] : shapes) {
    SCOPED_TRACE(text(a_shape) + " and " + text(b_shape));
    const Array a = random_array(DType::i32, a_shape, 1), b = random_array(DType::i32, b_shape, 2);
    EXPECT_TRUE(matches(kron(upload(a), upload(b)), kron_reference(a, b)));
  }
}

EG_TEST(Kron, of_every_dtype) {
  Draw draw = draw_programs_one_of(2);
  for (DType dtype : wide_dtypes) {
    if (!draw.next()) continue;
    const Array a = random_array(dtype, {3, 2}, 1), b = random_array(dtype, {2, 5}, 2);
    EXPECT_TRUE(matches(kron(upload(a), upload(b)), kron_reference(a, b))) << name_of(dtype);
  }
}

EG_TEST(Kron, every_view_in_one_kernel) {
  const Array b = random_array(DType::i32, {2, 3}, 2);
  check_over_views(
      DType::i32, {{5, 7}}, [&](const Tensor& x) { return kron(x, upload(b)); },
      [&](const Array& x) { return kron_reference(x, b); });
  const Tensor x = uniform({5, 7}, 1).eval(), y = uniform({2, 3}, 2).eval();
  EXPECT_EQ(kernels_of(kron(x, y)), 1);
  EXPECT_EQ(kernels_of(kron(x, y) + 1), plans_for_gpus(device()) ? 1 : 2) << "neither is repeated in memory";
}

EG_TEST(Kron, narrow_numbers_round_or_wrap) {
  for (DType dtype : {DType::f16, DType::i8}) {
    const Tensor x = upload(random_array(dtype, {3, 2}, 1)), y = upload(random_array(dtype, {2, 5}, 2));
    const auto wide = [](const Tensor& t) { return t.astype(is_float(t.dtype()) ? DType::f32 : DType::i32); };
    EXPECT_TRUE(same_bits(kron(x, y), kron(wide(x), wide(y)).astype(dtype)));
  }
}

/// Over the last axis, in the shape that both broadcast to.
Array cross_reference(const Array& a, const Array& b) {
  const Dims shape = naive::broadcast(a.shape, b.shape);
  const Array x = naive::expand(a, shape), y = naive::expand(b, shape);
  return generate(a.dtype, shape, [&](const Dims& where) {
    Dims next = where, after = where;
    next.back() = (where.back() + 1) % 3;
    after.back() = (where.back() + 2) % 3;
    const double left = naive::product(a.dtype, x.at(next), y.at(after)),
                 right = naive::product(a.dtype, x.at(after), y.at(next));
    return as_element(a.dtype, left - right);
  });
}

EG_TEST(Cross, of_vectors_that_broadcast) {
  const std::vector<std::pair<Dims, Dims>> shapes{
      {{3}, {3}}, {{5, 3}, {3}}, {{3}, {2, 1, 3}}, {{4, 1, 3}, {5, 3}}, {{0, 3}, {3}}};
  for (DType dtype : {DType::f32, DType::i32, DType::u32})
    for (const auto& [a_shape, b_shape] : shapes) {
      SCOPED_TRACE(std::string(name_of(dtype)) + " " + text(a_shape) + " and " + text(b_shape));
      const Array a = random_array(dtype, a_shape, 1), b = random_array(dtype, b_shape, 2);
      // Two products and a difference, each rounded, of numbers below 2.
      const Tolerance tolerance{0, 0, dtype == DType::f32 ? 1e-6 : 0};
      EXPECT_TRUE(matches(cross(upload(a), upload(b)), cross_reference(a, b), tolerance));
    }
}

EG_TEST(Cross, along_any_axis) {
  const Array a = random_array(DType::i32, {4, 3, 5}, 1), b = random_array(DType::i32, {3, 1}, 2);
  const Array expected = naive::transpose(cross_reference(naive::transpose(a, 1, 2), naive::transpose(b, 0, 1)), 1, 2);
  EXPECT_TRUE(matches(cross(upload(a), upload(b), 1), expected)) << "axis 1 of (4, 3, 5) is axis 0 of (3, 1)";
  EXPECT_TRUE(matches(cross(upload(a), upload(b), -2), expected));
}

EG_TEST(Cross, every_view_in_one_kernel) {
  const Array b = random_array(DType::i32, {3}, 2);
  check_over_views(
      DType::i32, {{5, 3}}, [&](const Tensor& x) { return cross(x, upload(b)) + 1; },
      [&](const Array& x) { return naive::map(cross_reference(x, b), DType::i32, [](double v) { return v + 1; }); });
  const Tensor x = ones({5, 3}).eval();
  EXPECT_EQ(kernels_of(cross(x, x.flip(0)) + 1), 1);
}

EG_TEST(Cross, narrow_numbers_round_or_wrap_once) {
  const Tensor h = upload(random_array(DType::f16, {5, 3}, 1)), g = upload(random_array(DType::f16, {5, 3}, 2));
  EXPECT_TRUE(same_bits(cross(h, g), cross(h.astype(DType::f32), g.astype(DType::f32)).astype(DType::f16)));
  const Tensor i = upload(random_array(DType::i8, {5, 3}, 3));
  EXPECT_TRUE(
      same_bits(cross(i, i.flip(0)), cross(i.astype(DType::i32), i.flip(0).astype(DType::i32)).astype(DType::i8)));
}

}  // namespace
}  // namespace eglantine::test
