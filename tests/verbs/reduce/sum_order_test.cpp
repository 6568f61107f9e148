#include <cmath>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/tree_simulation.hpp"
#include "support/views.hpp"

/// Sums of floats have the bits of the tree in docs/reduction-tree.md, on every device.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Reduce, SumOrder);

using AxisList = std::vector<int64_t>;

/// Numbers of all magnitudes between 2^-12 and 2^12: another order changes the last bits.
Array mixed(const Dims& shape, uint64_t seed = 1) {
  Random random(seed);
  return generate(DType::f32, shape, [&](const Dims&) {
    const double magnitude = std::exp2(random.real(-12, 12));
    return as_element(DType::f32, random.integer(0, 1) == 0 ? magnitude : -magnitude);
  });
}

EG_TEST(SumOrder, rows_around_the_edges_of_lanes_and_blocks) {
  for (int64_t n : {1,   2,   3,   4,   5,   7,    8,    63,   64,   65,   127,  252,   255,
                    256, 257, 260, 511, 513, 1023, 1025, 4095, 8191, 8192, 8193, 16384, 16385}) {
    const Array x = mixed({3, n}, static_cast<uint64_t>(n));
    EXPECT_TRUE(matches(sum(upload(x), {1}), simulate_sum(x, {1}, row_tree_sum), bitwise)) << n;
  }
}

EG_TEST(SumOrder, one_long_run_of_several_blocks) {
  for (int64_t n : {24581, 100003, 1000003}) {
    const Array x = mixed({n}, static_cast<uint64_t>(n));
    EXPECT_TRUE(matches(sum(upload(x)), simulate_sum(x, {0}, row_tree_sum), bitwise)) << n;
  }
}

EG_TEST(SumOrder, columns_around_the_edges_of_accumulators_and_blocks) {
  for (int64_t n : {1, 2, 3, 5, 7, 8, 9, 15, 17, 64, 127, 128, 129, 255, 257, 1000, 1025})
    for (int64_t width : {2, 5, 37}) {
      const Array x = mixed({n, width}, static_cast<uint64_t>(n));
      EXPECT_TRUE(matches(sum(upload(x), {0}), simulate_sum(x, {0}, column_tree_sum), bitwise)) << n << " x " << width;
    }
}

EG_TEST(SumOrder, long_columns_of_three_levels) {
  for (const Dims& shape : {Dims{16385, 3}, Dims{40009, 2}, Dims{2000, 300}}) {
    const Array x = mixed(shape);
    EXPECT_TRUE(matches(sum(upload(x), {0}), simulate_sum(x, {0}, column_tree_sum), bitwise)) << text(shape);
  }
}

EG_TEST(SumOrder, many_short_rows_and_wide_columns) {
  const Array x = mixed({3001, 5});
  EXPECT_TRUE(matches(sum(upload(x), {1}), simulate_sum(x, {1}, row_tree_sum), bitwise));
  const Array y = mixed({5, 3001});
  EXPECT_TRUE(matches(sum(upload(y), {0}), simulate_sum(y, {0}, column_tree_sum), bitwise));
}

EG_TEST(SumOrder, several_axes_are_walked_as_memory_lies) {
  const Array x = mixed({7, 11, 13, 17});
  const Tensor held = upload(x);
  for (const AxisList& axes : {AxisList{0, 1, 2, 3}, AxisList{0, 3}, AxisList{1, 3}, AxisList{0, 1, 3}})
    EXPECT_TRUE(matches(sum(held, axes), simulate_sum(x, axes, row_tree_sum), bitwise)) << text(axes);
  for (const AxisList& axes : {AxisList{0, 1}, AxisList{0, 2}, AxisList{1}, AxisList{0, 1, 2}})
    EXPECT_TRUE(matches(sum(held, axes), simulate_sum(x, axes, column_tree_sum), bitwise)) << text(axes);
}

EG_TEST(SumOrder, transposed_views_add_in_the_order_of_memory) {
  const Array x = mixed({127, 300});
  for (const char* name : {"permuted", "pending_permuted"}) {
    const Sample view_of = view(name).hold(x);
    EXPECT_TRUE(matches(sum(view_of.tensor, {0}), simulate_sum(x, {0}, row_tree_sum), bitwise)) << name;
    EXPECT_TRUE(matches(sum(view_of.tensor, {1}), simulate_sum(x, {1}, column_tree_sum), bitwise)) << name;
    EXPECT_TRUE(matches(sum(view_of.tensor), simulate_sum(x, {1, 0}, row_tree_sum), bitwise)) << name;
  }
}

/// The tree follows from the operand itself, whether or not it was computed before.
EG_TEST(SumOrder, numbers_made_of_places_add_as_if_they_were_stored) {
  const Tensor x = uniform({300, 127}, 5), stored = upload(download(x));
  Draw draw = draw_programs_one_of(3);
  for (const AxisList& axes : {AxisList{}, AxisList{0}, AxisList{1}}) {
    if (!draw.next()) continue;
    EXPECT_TRUE(same_bits(sum(uniform({300, 127}, 5), axes), sum(stored, axes))) << text(axes);
    EXPECT_TRUE(same_bits(sum(x.transpose(0, 1), axes), sum(stored.transpose(0, 1), axes))) << text(axes);
    // Of two operands that reach as far, the one in memory decides.
    const Tensor y = stored.transpose(0, 1);
    EXPECT_TRUE(same_bits(sum(ones({127, 300}) * (uniform({127, 300}, 5) * 0.0F + y), axes), sum(y, axes)))
        << text(axes);
  }
}

EG_TEST(SumOrder, an_operand_that_was_computed_adds_as_before) {
  const Tensor a = upload(mixed({300, 127}));
  for (const char* way : {"transposed", "sliced", "broadcast", "sliced when computed"}) {
    const std::string_view named(way);
    const auto operand = [&](bool early) {
      Tensor x = a.transpose(0, 1) * 1.1F;
      if (named == "sliced") x = x.slice(0, 1, 100, 3);
      if (named == "broadcast") x = (a.slice(1, 0, 1).expand({300, 127}) + 0.5F).transpose(0, 1);
      if (early) x.eval();
      if (named == "sliced when computed") x = x.slice(1, 5, 200).eval();
      return x;
    };
    for (const AxisList& axes : {AxisList{}, AxisList{0}, AxisList{1}}) {
      const Tensor late = sum(operand(false), axes), early = sum(operand(true), axes);
      EXPECT_TRUE(same_bits(late, early)) << way << text(axes);
      const Tensor x = operand(false), before = sum(x, axes);
      x.eval();
      EXPECT_TRUE(same_bits(sum(x, axes), before)) << way << text(axes);
      if (axes.empty()) continue;
      EXPECT_TRUE(same_bits(logsumexp(operand(false), axes), logsumexp(operand(true), axes))) << way << text(axes);
      EXPECT_TRUE(same_bits(var(operand(false), axes), var(operand(true), axes))) << way << text(axes);
    }
  }
}

/// Of enough elements that their functions and sums are computed in the order of memory, on some devices.
EG_TEST(SumOrder, results_of_a_large_transposed_operand_count_as_stored_row_major) {
  const Tensor stored = upload(mixed({70, 64, 80}));
  Draw draw = draw_programs_one_of(4);
  for (const AxisList& order : {AxisList{2, 1, 0}, AxisList{1, 2, 0}, AxisList{2, 0, 1}, AxisList{0, 2, 1}}) {
    const Tensor x = stored.permute(order), alike = upload(download(x - max(x, {1}, true)));
    const auto less = [&] { return x - max(x, {1}, true); };
    for (const AxisList& axes :
         {AxisList{0}, AxisList{1}, AxisList{2}, AxisList{0, 1}, AxisList{0, 2}, AxisList{1, 2}}) {
      if (!draw.next()) continue;
      const std::string where = text(order) + text(axes);
      const Tensor sums = sum(x, axes), again = upload(download(sums));
      for (int axis = 0; axis < sums.rank(); ++axis)
        EXPECT_TRUE(same_bits(sum(sum(x, axes), {axis}), sum(again, {axis}))) << where << axis;
      EXPECT_TRUE(same_bits(sum(sum(x, axes)), sum(again))) << where;
      EXPECT_TRUE(same_bits(sum(x, axes, true).reshape(sums.shape()), again)) << where;
      EXPECT_TRUE(same_bits(max(less(), axes), max(alike, axes))) << where;
      EXPECT_TRUE(same_bits(any(less() > -3.0F, axes, true), any(alike > -3.0F, axes, true))) << where;
      if (axes.size() != 1) continue;
      const auto axis = static_cast<int>(axes[0]);
      EXPECT_TRUE(same_bits(argmax(less(), axis), argmax(alike, axis))) << where;
    }
  }
}

EG_TEST(SumOrder, a_large_transposed_operand_adds_alike_while_it_is_differentiated) {
  const Tensor stored = upload(mixed({70, 64, 80}));
  for (const AxisList& axes : {AxisList{0}, AxisList{1}, AxisList{2}}) {
    const auto of = [&](const Tensor& x) { return sum(sum(x.permute({2, 1, 0}), axes), {1}); };
    Tensor within;
    const auto f = [&](const Tensors& at) {
      within = stop_gradient(of(at[0]));
      return sum(at[0]);
    };
    grad(f, {stored})[0].eval();
    EXPECT_TRUE(same_bits(of(stored), within)) << text(axes);
  }
}

/// Of equal strides, and of nothing that is read: the axes' own order decides.
EG_TEST(SumOrder, large_repeated_values_add_alike_in_any_order_of_axes) {
  const Tensor row = upload(mixed({90})), plane = upload(mixed({64, 80}));
  const auto of = [&] {
    return (row.reshape({1, 1, 90}).expand({64, 80, 90}) + plane.unsqueeze(2)).permute({2, 1, 0});
  };
  const Tensor computed = of().eval();
  for (const AxisList& axes : {AxisList{0}, AxisList{1, 2}, AxisList{0, 2}})
    EXPECT_TRUE(same_bits(sum(of(), axes), sum(computed, axes))) << text(axes);
  const Tensor same = exp(full({1024, 512}, 0.1F)), transposed = same.transpose(0, 1);
  EXPECT_TRUE(same_bits(sum(transposed, {1}), sum(exp(full({512, 1024}, 0.1F)), {1})));
}

EG_TEST(SumOrder, other_views_add_as_their_contiguous_copy) {
  const Array x = mixed({127, 300});
  for (const char* name : {"cropped", "flipped", "stepped", "backwards", "offset", "pending"}) {
    const Sample view_of = view(name).hold(x);
    EXPECT_TRUE(matches(sum(view_of.tensor, {1}), simulate_sum(x, {1}, row_tree_sum), bitwise)) << name;
    EXPECT_TRUE(matches(sum(view_of.tensor, {0}), simulate_sum(x, {0}, column_tree_sum), bitwise)) << name;
    EXPECT_TRUE(matches(sum(view_of.tensor), simulate_sum(x, {0, 1}, row_tree_sum), bitwise)) << name;
  }
}

EG_TEST(SumOrder, a_broadcast_axis_is_walked_innermost) {
  const Sample x = view("broadcast").hold(mixed({130, 37}));
  EXPECT_TRUE(matches(sum(x.tensor, {0}), simulate_sum(x.array, {0}, column_tree_sum), bitwise));
  EXPECT_TRUE(matches(sum(x.tensor, {1}), simulate_sum(x.array, {1}, row_tree_sum), bitwise));
  EXPECT_TRUE(matches(sum(x.tensor), simulate_sum(x.array, {1, 0}, row_tree_sum), bitwise));
}

EG_TEST(SumOrder, fused_sums_and_products_have_the_same_bits) {
  const Array a = mixed({37, 1025}, 1);
  const Array b = mixed({1025}, 2);
  const Array terms = naive::map(a, b, DType::f32, [](double x, double y) {
    const auto p = static_cast<float>(x);
    const auto q = static_cast<float>(y);
    const float product = p * q;
    return static_cast<double>(product - p);
  });
  const Tensor fused = upload(a) * upload(b) - upload(a);
  EXPECT_TRUE(matches(sum(fused, {1}), simulate_sum(terms, {1}, row_tree_sum), bitwise));
  EXPECT_TRUE(matches(sum(fused, {0}), simulate_sum(terms, {0}, column_tree_sum), bitwise));
  EXPECT_TRUE(matches(sum(fused), simulate_sum(terms, {0, 1}, row_tree_sum), bitwise));
}

EG_TEST(SumOrder, multiply_sum_and_dot_have_the_bits_of_the_products) {
  const Array a = mixed({20011}, 1);
  const Array b = mixed({20011}, 2);
  const Array products = naive::map(a, b, DType::f32, [](double x, double y) { return as_element(DType::f32, x * y); });
  EXPECT_TRUE(matches(multiply_sum(upload(a), upload(b), {0}), simulate_sum(products, {0}, row_tree_sum), bitwise));
  EXPECT_TRUE(matches(dot(upload(a), upload(b)), simulate_sum(products, {0}, row_tree_sum), bitwise));
}

EG_TEST(SumOrder, negative_zeros_alone_sum_to_negative_zero) {
  const Array x = generate(DType::f32, {5, 37}, [](const Dims&) { return -0.0; });
  for (const AxisList& axes : {AxisList{}, AxisList{0}, AxisList{1}})
    for (double v : download(sum(upload(x), axes)).values) EXPECT_TRUE(v == 0 && std::signbit(v)) << text(axes);
}

EG_TEST(SumOrder, repeats_its_bits) {
  const Tensor x = upload(mixed({300, 1025}));
  for (const AxisList& axes : {AxisList{}, AxisList{0}, AxisList{1}})
    EXPECT_TRUE(same_bits(sum(x, axes), sum(x, axes)));
}

}  // namespace
}  // namespace eglantine::test
