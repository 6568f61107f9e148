#include <cmath>
#include <limits>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/own.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

/// Scans with fused prologues and epilogues, of custom operations, and in windows.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Scan, ScanFusion);
EG_ON_EACH_DEVICE(Scan, CustomScan);
EG_ON_EACH_DEVICE(Windows, WindowedScan);

double times(double a, double b) { return as_element(DType::f32, a * b); }

Array fused_sum_bounds(const Array& terms, int axis) {
  return naive::map(naive::cumsum(naive::map(terms, DType::f32, [](double v) { return std::abs(v); }), axis),
                    DType::f32, [](double v) { return 145 * 0x1p-23 * v; });
}

EG_TEST(ScanFusion, a_product_and_its_scan_are_one_kernel) {
  const Array a = random_array(DType::f32, {3001, 5}, 1), b = random_array(DType::f32, {3001, 5}, 2);
  const Tensor result = cumsum(upload(a) * upload(b), 0);
  EXPECT_NE(explain(result).find("scan sum f32 (3001,) for each of (5,): mul of 2 operands"), std::string::npos)
      << explain(result);
  EXPECT_EQ(kernels_of(result), 1);
  const Array terms = naive::map(a, b, DType::f32, times);
  EXPECT_TRUE(within(result, naive::cumsum(terms, 0), fused_sum_bounds(terms, 0)));
}

EG_TEST(ScanFusion, what_is_made_of_a_scan_is_its_kernel_too) {
  const Array a = random_array(DType::i32, {13, 3001}, 1), b = random_array(DType::i32, {13, 3001}, 2);
  for (int axis : {0, 1}) {
    const Tensor result = neg(cumsum(upload(a), axis, true)) * upload(b);
    EXPECT_EQ(kernels_of(result), 1);
    EXPECT_TRUE(matches(result, naive::map(naive::cumsum(a, axis, {true, false}), b, DType::i32,
                                           [](double s, double v) { return -s * v; })));
  }
}

EG_TEST(ScanFusion, a_scan_read_through_views_and_by_others) {
  const Array x = random_array(DType::i32, {13, 127});
  const Tensor y = cumsum(upload(x), 1);
  const Array expected = naive::cumsum(x, 1);
  EXPECT_TRUE(matches(y.transpose(0, 1).flip({0}), naive::flip(naive::transpose(expected, 0, 1), {0})));
  EXPECT_TRUE(matches(cumsum(cumsum(upload(x), 0), 1), naive::cumsum(naive::cumsum(x, 0), 1)));
  EXPECT_TRUE(matches(sum(y, {0}), naive::sum(expected, {0})));
}

EG_TEST(ScanFusion, of_indices_and_constants) {
  EXPECT_TRUE(matches(cumsum(arange(0, 5003, 1, DType::i32), 0), naive::cumsum(iota(DType::i32, {5003}), 0)));
  EXPECT_TRUE(matches(cumsum(ones({7, 300}, DType::u32), 0),
                      naive::cumsum(generate(DType::u32, {7, 300}, [](const Dims&) { return 1; }), 0)));
}

const ReduceOp largest{"largest", -std::numeric_limits<float>::infinity(), "max(a, b)",
                       [](float a, float b) { return std::fmax(a, b); }};
// The last number that is not 0: associative, but not commutative.
const ReduceOp last{"last", 0, "b == 0.0 ? a : b", [](float a, float b) { return b == 0 ? a : b; }};
const ReduceOp log_add_exp{"log_add_exp", -1e30F, "max(a, b) + log(1.0 + exp(-abs(a - b)))",
                           [](float a, float b) { return std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b))); }};

double log_add_exp_of(double a, double b) { return std::fmax(a, b) + std::log1p(std::exp(-std::abs(a - b))); }

EG_TEST(CustomScan, an_operation_that_does_not_commute_keeps_its_order) {
  for (const auto& [shape, axis] : {std::pair{Dims{20011}, 0}, {Dims{100, 64}, 1}, {Dims{5003, 6}, 0}})
    for (bool exclusive : {false, true}) {
      Array x = random_array(DType::f32, shape);
      Random random(3);
      for (double& v : x.values)
        if (random.integer(0, 40) > 0) v = 0;
      const Array expected =
          naive::scan(x, axis, {exclusive, false}, DType::f32, 0, [](double a, double b) { return b == 0 ? a : b; });
      EXPECT_TRUE(matches(scan(upload(x), last, axis, exclusive), expected)) << text(shape);
    }
}

EG_TEST(CustomScan, log_add_exp) {
  const Array x = random_array(DType::f32, {7, 1500});
  EXPECT_TRUE(matches(scan(upload(x), log_add_exp, 1), naive::scan(x, 1, {}, DType::f32, -1e30, log_add_exp_of),
                      {0, 1e-5, 1e-5}));
  EXPECT_TRUE(matches(scan(upload(x), log_add_exp, 0, true),
                      naive::scan(x, 0, {true, false}, DType::f32, static_cast<double>(-1e30F), log_add_exp_of),
                      {0, 1e-5, 1e-5}));
}

EG_TEST(CustomScan, is_distinguished_by_its_text_and_fused) {
  const Array x = random_array(DType::f32, {3, 700});
  ReduceOp smallest{"largest", std::numeric_limits<float>::infinity(), "min(a, b)",
                    [](float a, float b) { return std::fmin(a, b); }};
  EXPECT_TRUE(matches(scan(upload(x), largest, 1), naive::cummax(x, 1)));
  EXPECT_TRUE(matches(scan(upload(x), smallest, 1), naive::cummin(x, 1)));
  const Tensor fused = neg(scan(neg(upload(x)), largest, 1));
  EXPECT_NE(explain(fused).find("scan largest f32 (700,) for each of (3,): neg of 1 operand, then neg"),
            std::string::npos)
      << explain(fused);
  EXPECT_EQ(kernels_of(fused), 1);
  EXPECT_TRUE(matches(fused, naive::cummin(x, 1)));
}

EG_TEST(CustomScan, one_element_none_and_wrong_arguments) {
  EXPECT_EQ(scan(full({1}, 5.0F), largest, 0).item<float>(), 5.0F);
  EXPECT_EQ(scan(full({1}, 5.0F), last, 0, true).item<float>(), 0.0F);
  EXPECT_EQ(scan(zeros({0, 3}), largest, 1).shape(), (Shape{0, 3}));
  EXPECT_ERROR(scan(ones({3}, DType::i32), largest, 0), DTypeError,
               "[scan] takes f32, f16 or bf16, got i32; convert with astype");
  EXPECT_ERROR(scan(ones({3}), largest, 1), ShapeError,
               "[scan] axis 1 is out of range for a tensor of rank 1: it must lie in [-1, 0]");
  EXPECT_ERROR(scan(ones({3}), {"half", 0, "a + b", nullptr}, 0), Error,
               "[scan] \"half\" has no cpu function; it must run on every device");
  EXPECT_ERROR(scan(ones({3}), {"half", 0, "", largest.cpu}, 0), Error,
               "[scan] the GLSL of \"half\" is empty: give one expression, such as \"max(a, b)\"");
}

void check_integers(const Sample& x, int axis, const std::vector<naive::ScanWay>& ways = {{}}) {
  for (naive::ScanWay way : ways)
    EXPECT_TRUE(matches(cumsum(x.tensor, axis, way.exclusive, way.reverse), naive::cumsum(x.array, axis, way)))
        << text(x.array.shape) << " along " << axis;
}

EG_TEST(WindowedScan, rows_and_columns_longer_than_a_window) {
  for (const auto& [shape, axis] : {std::pair{Dims{100003}, 0},
                                    {Dims{3, 50021}, 1},
                                    {Dims{50021, 3}, 0},
                                    {Dims{3, 20011, 2}, 1},
                                    {Dims{40, 9, 300}, 1},
                                    {Dims{2000, 64}, 1},
                                    {Dims{3, 30011}, 0},
                                    {Dims{130, 1025}, 0}}) {
    const Array x = random_bits(DType::u32, shape);
    check_integers({upload(x), x}, axis, {{false, false}, {true, true}});
  }
}

EG_TEST(WindowedScan, views_and_two_operands) {
  const Array x = random_bits(DType::u32, {311, 257});
  for (const View& view : every_view())
    for (int axis : {0, 1}) {
      SCOPED_TRACE(view.name);
      check_integers(view.hold(x), axis);
    }
  const Array row = random_bits(DType::u32, {257}, 2);
  EXPECT_TRUE(matches(
      cumsum(upload(x) + upload(row), 0) + upload(row),
      naive::map(
          naive::cumsum(
              naive::map(x, row, DType::u32, [](double a, double b) { return as_element(DType::u32, a + b); }), 0),
          row, DType::u32, [](double a, double b) { return as_element(DType::u32, a + b); })));
}

EG_TEST(WindowedScan, elements_further_apart_than_a_window) {
  const Array x = random_bits(DType::u32, {5, 20011});
  const Sample columns{upload(x).transpose(0, 1), naive::transpose(x, 0, 1)};
  check_integers(columns, 0);
  check_integers(columns, 1);
  const Array wide = random_bits(DType::u32, {40, 9973});
  check_integers({upload(wide), wide}, 0);
  check_integers({upload(wide).slice(1, 0, {}, 4000), naive::slice(wide, 1, 0, {}, 4000)}, 0);
}

}  // namespace
}  // namespace eglantine::test
