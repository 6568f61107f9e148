#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "backend/buffer.hpp"
#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/plan.hpp"
#include "support/custom_ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Custom, CustomElementwise);
EG_ON_EACH_DEVICE(Custom, CustomFusion);

constexpr Tolerance loose{64, 1e-5, 1e-6};

Array swished(const Array& x) {
  return naive::map(x, DType::f32, [](double v) { return swish(v); });
}

/// The number of kernels that compute x.
int64_t kernels_of(const Tensor& x) {
  const int64_t before = statistics(x.device()).kernels;
  x.eval();
  return statistics(x.device()).kernels - before;
}

int64_t programs_of(const Tensor& x) {
  const int64_t before = statistics(x.device()).programs;
  x.eval();
  return statistics(x.device()).programs - before;
}

Tensor held(const Dims& shape, uint64_t seed = 1) { return upload(random_array(DType::f32, shape, seed)); }

/// A unary operation: `scale` times its operand.
ElementwiseOp scaled(const std::string& name, const std::string& glsl, float scale) {
  return {name, 1, glsl, [scale](std::span<const float> x) { return scale * x[0]; }};
}

EG_TEST(CustomElementwise, every_view) {
  check_over_views(
      DType::f32, {{5, 13, 37}, {1025}}, [](const Tensor& x) { return elementwise(swish(), {x}); }, swished, loose);
}

EG_TEST(CustomElementwise, every_shape) {
  for (const Dims& shape : every_shape()) {
    const Array x = random_array(DType::f32, shape);
    EXPECT_TRUE(matches(elementwise(swish(), {upload(x)}), swished(x), loose)) << text(shape);
  }
}

EG_TEST(CustomElementwise, three_operands_that_broadcast_have_the_bits_of_the_verbs) {
  for (const auto& [a, b, c] : {std::tuple{Dims{13, 1}, Dims{37}, Dims{}},
                                {Dims{5, 1, 7}, Dims{13, 1}, Dims{1, 1, 1}},
                                {Dims{0, 3}, Dims{1, 3}, Dims{3}}}) {
    const Tensor x = held(a, 1), y = held(b, 2), z = held(c, 3);
    EXPECT_TRUE(same_bits(elementwise(multiply_add(), {x, y, z}), x * y + z)) << text(a);
  }
}

EG_TEST(CustomElementwise, eight_operands_in_order) {
  const ElementwiseOp op{"eight", 8,
                         "x0 + 2.0 * (x1 + 2.0 * (x2 + 2.0 * (x3 + 2.0 * (x4 + 2.0 * (x5 + 2.0 * (x6 + 2.0 * x7))))))",
                         [](std::span<const float> x) {
                           float total = 0;
                           for (size_t i = x.size(); i-- > 0;) total = x[i] + 2 * total;
                           return total;
                         }};
  std::vector<Tensor> tensors;
  for (int i = 0; i < 8; ++i) tensors.push_back(full({3}, i % 3 == 0 ? 1 : 0));
  EXPECT_EQ(elementwise(op, tensors).to_vector<float>(), std::vector<float>(3, 1 + 8 + 64));
}

EG_TEST(CustomElementwise, infinities_and_nan_reach_it) {
  const ElementwiseOp op{"which", 1, "isnan(x0) ? 1.0 : isinf(x0) ? 2.0 : 3.0", [](std::span<const float> x) {
                           return std::isnan(x[0]) ? 1.0F : std::isinf(x[0]) ? 2.0F : 3.0F;
                         }};
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(elementwise(op, {Tensor::from({inf, -inf, 0.0F}, {3})}).to_vector<float>(), (std::vector<float>{2, 2, 3}));
}

EG_TEST(CustomElementwise, a_name_may_be_used_twice) {
  const Tensor x = held({127}), twice = elementwise(scaled("scale", "2.0 * x0", 2), {x}),
               thrice = elementwise(scaled("scale", "3.0 * x0", 3), {x});
  EXPECT_TRUE(same_bits(twice, x * 2.0F));
  EXPECT_TRUE(same_bits(thrice, x * 3.0F));
  EXPECT_TRUE(
      same_bits(elementwise(scaled("scale", "2.0 * x0", 2), {x}) + elementwise(scaled("scale", "3.0 * x0", 3), {x}),
                x * 2.0F + x * 3.0F));
}

EG_TEST(CustomElementwise, the_same_text_under_another_name_or_scalar_compiles_nothing) {
  const Tensor x = held({127});
  elementwise(scaled("first", "4.0 * x0", 4), {x * 0.5F}).eval();
  EXPECT_EQ(programs_of(elementwise(scaled("second", "4.0 * x0", 4), {x * 0.25F})), 0);
}

EG_TEST(CustomElementwise, text_of_several_lines_that_ends_in_a_comment) {
  for (const char* glsl : {"2.0 * // twice\n  x0 // what it is", "/* twice; } */ 2.0 * x0", "2.0\n\n*\r\n\tx0\n",
                           "(vec2(x0, 1.0) * 2.0).x"})
    EXPECT_EQ(elementwise(scaled("twice", glsl, 2), {ones({5})}).to_vector<float>(), std::vector<float>(5, 2)) << glsl;
}

EG_TEST(CustomElementwise, what_its_function_throws_reaches_the_reader) {
  if (on_gl()) {  // never calls it
    const ElementwiseOp op{"calm", 1, "x0", [](std::span<const float>) -> float { throw std::out_of_range("never"); }};
    EXPECT_EQ(elementwise(op, {ones({3})}).to_vector<float>(), std::vector<float>(3, 1));
    return;
  }
  const ElementwiseOp op{"angry", 1, "x0", [](std::span<const float> x) -> float {
                           if (x[0] == 70000) throw std::out_of_range("no 70000, please");
                           return x[0];
                         }};
  const Tensor x = arange(0, 100003), y = elementwise(op, {x}) + 1.0F;
  EXPECT_ERROR(y.to_vector<float>(), std::out_of_range, "no 70000, please");
  EXPECT_ERROR((y * 2.0F).to_vector<float>(), std::out_of_range, "no 70000, please");
  EXPECT_NO_THROW(device().synchronize());
  EXPECT_EQ(elementwise(op, {ones({3})}).to_vector<float>(), std::vector<float>(3, 1));
}

EG_TEST(CustomElementwise, eight_threads_call_one_operation) {
  const ElementwiseOp op = multiply_add();
  const Array data = random_array(DType::f32, {37, 41});
  const Array expected = download(upload(data) * upload(data) + upload(data));
  std::vector<Array> results(8);
  std::vector<std::thread> threads;
  for (Array& result : results)
    threads.emplace_back([&] {
      const Tensor x = upload(data, device());
      for (int round = 0; round < 5; ++round) result = download(elementwise(op, {x, x, x}));
    });
  for (std::thread& thread : threads) thread.join();
  for (const Array& result : results) EXPECT_TRUE(matches(result, expected, bitwise));
}

EG_TEST(CustomFusion, with_what_it_reads_and_what_reads_it) {
  const Tensor a = held({13, 37}, 1), b = held({13, 37}, 2);
  const Tensor y = elementwise(swish(), {a * b}) + 1.0F;
  const Array products = download(a * b);
  EXPECT_EQ(kernels_of(y), 1);
  EXPECT_TRUE(matches(y, naive::map(products, DType::f32, [](double v) { return swish(v) + 1; }), loose));
}

EG_TEST(CustomFusion, one_inside_another_and_twice) {
  const Tensor x = held({127});
  const Tensor once = elementwise(swish(), {x});
  const Tensor y = elementwise(multiply_add(), {elementwise(swish(), {once}), x, once});
  EXPECT_EQ(kernels_of(y), 1);
  const Array expected = naive::map(download(x), DType::f32, [](double v) { return swish(swish(v)) * v + swish(v); });
  EXPECT_TRUE(matches(y, expected, loose));
}

EG_TEST(CustomFusion, into_a_reduction) {
  const Array x = random_array(DType::f32, {13, 127});
  for (const std::vector<int64_t>& axes : {std::vector<int64_t>{0}, {1}}) {
    const Tensor y = sum(elementwise(swish(), {upload(x)}), axes);
    EXPECT_EQ(kernels_of(y), 1);
    EXPECT_TRUE(matches(y, naive::sum(swished(x), axes), {0, 1e-5, 1e-5}));
    const Tensor after = elementwise(swish(), {sum(upload(x), axes)});
    EXPECT_EQ(kernels_of(after), 1);
    EXPECT_TRUE(matches(after, swished(naive::sum(x, axes)), {0, 1e-5, 1e-5}));
  }
}

EG_TEST(CustomFusion, into_a_product_that_it_reads) {
  const Array a = random_array(DType::f32, {13, 37}, 1), b = random_array(DType::f32, {37, 11}, 2);
  const Tensor y = elementwise(swish(), {matmul(upload(a), upload(b))});
  EXPECT_EQ(kernels_of(y), 1);
  EXPECT_TRUE(matches(y, swished(naive::matmul(a, b)), {0, 1e-4, 1e-4}));
}

EG_TEST(CustomFusion, through_views_and_pieces) {
  const Array x = random_array(DType::f32, {13, 37});
  const Tensor viewed = elementwise(swish(), {upload(x)}).transpose(0, 1).flip({0}) * 2.0F;
  EXPECT_EQ(kernels_of(viewed), 1);
  const Array expected = naive::flip(naive::transpose(swished(x), 0, 1), {0});
  EXPECT_TRUE(matches(viewed, naive::map(expected, DType::f32, [](double v) { return 2 * v; }), loose));
  const Tensor joined = concatenate({elementwise(swish(), {upload(x)}), upload(x)}, 0);
  EXPECT_EQ(kernels_of(joined), 1);
  EXPECT_TRUE(matches(joined, naive::concatenate({swished(x), x}, 0), loose));
}

EG_TEST(CustomFusion, more_operands_than_a_device_binds_are_refused) {
  const auto kernels_with_four_bindings = [](const Tensor& x) {
    const auto pretend = [](int64_t bytes) { return std::make_shared<Buffer>(nullptr, bytes); };
    const GraphLock lock;
    return plan({x.node()}, {.max_bindings = 4}, pretend).kernels.size();
  };
  const ElementwiseOp four{"four", 4, "x0 + x1 + x2 + x3", [](std::span<const float> x) { return x[0]; }};
  const Tensor a = held({13}, 1), b = held({13}, 2), c = held({13}, 3), d = held({13}, 4);
  EXPECT_EQ(kernels_with_four_bindings(elementwise(multiply_add(), {a * d, b, c})), 2U);
  EXPECT_EQ(kernels_with_four_bindings(elementwise(four, {a, b, c, a})), 1U);
  EXPECT_ERROR(kernels_with_four_bindings(elementwise(four, {a, b, c, d * 2.0F})), DeviceError,
               "[eval] this device binds too few storage buffers for a single operation");
}

EG_TEST(CustomFusion, explain_names_it) {
  const std::string text = explain(sum(elementwise(swish(), {held({13, 37})}), {1}));
  EXPECT_NE(text.find("reduce sum f32 (37,) for each of (13,) (row tree): swish of 1 operand"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("x0 / (1.0 + exp(-x0))\n") != std::string::npos, on_gl()) << text;
}

EG_TEST(CustomFusion, a_loop_that_never_reads_stays_bounded) {
  Tensor x = ones({13});
  for (int i = 0; i < 2000; ++i) x = elementwise(scaled("same", "1.0 * x0", 1), {x});
  EXPECT_EQ(x.to_vector<float>(), std::vector<float>(13, 1));
}

}  // namespace
}  // namespace eglantine::test
