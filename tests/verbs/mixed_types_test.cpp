#include <algorithm>

#include "eglantine/ops.hpp"
#include "element_types.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/op_rows.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"
#include "support/shapes.hpp"
#include "support/verb_table.hpp"

/// Operands of two dtypes: each verb gives what it gives of both converted to the dtype in which they meet.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Mixed, MixedTypes);

struct Meeting {
  DType a, b, both;
};

/// All pairs but those that do not meet.
const std::vector<Meeting> meetings = [] {
  std::vector<Meeting> all = {{DType::f16, DType::bf16, DType::f32}, {DType::u8, DType::i8, DType::i32},
                              {DType::u8, DType::i32, DType::i32},   {DType::i8, DType::i32, DType::i32},
                              {DType::u8, DType::u32, DType::u32},   {DType::f32, DType::f16, DType::f32},
                              {DType::f32, DType::bf16, DType::f32}};
  for (DType integer : {DType::i32, DType::u32, DType::i8, DType::u8})
    for (DType real : {DType::f32, DType::f16, DType::bf16}) all.push_back({real, integer, real});
  for (DType dtype : numeric_dtypes) all.push_back({dtype, DType::boolean, dtype});
  return all;
}();

const std::vector<std::string> arithmetic = {"add", "sub", "mul", "div", "pow", "remainder", "maximum", "minimum",
                                             "eq",  "ne",  "lt",  "le",  "gt",  "ge",        "atan2"};

Array some(DType dtype) { return dtype == DType::f32 ? random_reals({3, 37}, -5, 5) : random_array(dtype, {3, 37}); }

EG_TEST(MixedTypes, meet_in_one) {
  for (DType dtype : every_dtype) EXPECT_EQ(result_type(dtype, dtype), dtype);
  for (const auto& [a, b, both] : meetings) {
    EXPECT_EQ(result_type(a, b), both);
    EXPECT_EQ(result_type(b, a), both);
  }
  EXPECT_EQ(meetings.size(), std::size(every_dtype) * (std::size(every_dtype) - 1) / 2 - 2);
  EXPECT_ERROR(result_type(DType::i32, DType::u32), DTypeError,
               "[result_type] no dtype holds both i32 and u32; convert one with astype");
  EXPECT_ERROR(result_type(DType::u32, DType::i8), DTypeError,
               "[result_type] no dtype holds both u32 and i8; convert one with astype");
}

/// What runs is what would run of operands that the caller converted. Computing both would compare a program with
/// itself.
void expect_same_work(const Tensor& mixed, const Tensor& converted) {
  EXPECT_EQ(mixed.dtype(), converted.dtype());
  EXPECT_EQ(explain(mixed), explain(converted));
}

const OpRow& row_of(const std::string& name) {
  const std::vector<OpRow>& rows = elementwise_rows();
  return *std::find_if(rows.begin(), rows.end(), [&](const OpRow& row) { return row.name == name; });
}

DType result_of(const OpRow& row, DType dtype) {
  return row.result == "boolean" ? DType::boolean : row.types == "real" && !is_float(dtype) ? DType::f32 : dtype;
}

EG_TEST(MixedTypes, of_every_verb_of_two) {
  for (const auto& [a, b, both] : meetings)
    for (const std::string& name : arithmetic) {
      const auto call = find_verb(name)->call;
      const Tensor x = upload(some(a)), y = upload(some(b));
      SCOPED_TRACE(name + " of " + std::string(name_of(a)) + " and " + std::string(name_of(b)));
      expect_same_work(call({x, y}), call({x.astype(both), y.astype(both)}));
      expect_same_work(call({y, x}), call({y.astype(both), x.astype(both)}));
    }
}

EG_TEST(MixedTypes, have_the_values_of_both_converted) {
  Draw draw = draw_programs_one_of(24);
  for (const auto& [a, b, both] : meetings)
    for (const std::string& name : arithmetic) {
      if (!draw.next()) continue;
      SCOPED_TRACE(name + " of " + std::string(name_of(a)) + " and " + std::string(name_of(b)));
      const OpRow& row = row_of(name);
      const DType computed = row.types == "real" && !is_float(both) ? DType::f32 : both, result = result_of(row, both);
      const Array x = some(a), y = some(b);
      const auto value = [&](double p, double q) {
        const double exact = reference_of(row, computed, {p, q});
        return is_float(result) ? exact : as_element(result, exact);
      };
      EXPECT_TRUE(matches(find_verb(name)->call({upload(y), upload(x)}),
                          naive::map(naive::cast(y, computed), naive::cast(x, computed), result, value), {row.ulp}));
    }
}

EG_TEST(MixedTypes, of_bits) {
  for (DType dtype : {DType::i32, DType::u32, DType::i8, DType::u8})
    for (const char* name : {"bit_and", "bit_or", "bit_xor", "shift_left", "shift_right"}) {
      SCOPED_TRACE(name);
      const auto call = find_verb(name)->call;
      const Tensor x = upload(some(dtype)), y = upload(some(DType::boolean));
      expect_same_work(call({x, y}), call({x, y.astype(dtype)}));
    }
}

EG_TEST(MixedTypes, of_two_booleans_are_logical) {
  const Tensor x = Tensor::from({true, true, false, false}, {4}), y = Tensor::from({true, false, true, false}, {4});
  for (const char* name : {"add", "maximum", "bit_or"})
    EXPECT_TRUE(same_bits(find_verb(name)->call({x, y}), logical_or(x, y))) << name;
  for (const char* name : {"mul", "minimum", "bit_and"})
    EXPECT_TRUE(same_bits(find_verb(name)->call({x, y}), logical_and(x, y))) << name;
  EXPECT_TRUE(same_bits(bit_xor(x, y), logical_xor(x, y)));
  EXPECT_TRUE(same_bits(bit_not(x), logical_not(x)));
}

EG_TEST(MixedTypes, of_real_valued_functions_are_f32) {
  Draw draw = draw_programs_one_of(8);
  for (DType dtype : {DType::i32, DType::u32, DType::boolean, DType::i8, DType::u8}) {
    const Array array = some(dtype);
    const Tensor x = upload(array), real = x.astype(DType::f32);
    for (const char* name :
         {"exp", "log", "sqrt", "reciprocal", "sin", "tanh", "sigmoid", "gelu", "erf", "isnan", "isinf", "isfinite"}) {
      SCOPED_TRACE(std::string(name) + " of " + std::string(name_of(dtype)));
      const OpRow& row = row_of(name);
      // Whether an integer is a number is no matter of its value: there they run something else.
      if (row.result != "boolean") expect_same_work(find_verb(name)->call({x}), find_verb(name)->call({real}));
      if (!draw.next()) continue;
      const auto value = [&](double v) { return reference_of(row, DType::f32, {v}); };
      const Array expected = naive::map(naive::cast(array, DType::f32), result_of(row, DType::f32), value);
      EXPECT_TRUE(matches(find_verb(name)->call({x}), expected, {row.ulp, 0, 1e-6}));
    }
    expect_same_work(mean(x, 1), mean(real, 1));
    expect_same_work(var(x, 1), var(real, 1));
    expect_same_work(logsumexp(x, 1), logsumexp(real, 1));
    expect_same_work(softmax(x, 1), softmax(real, 1));
    expect_same_work(log_softmax(x, 1), log_softmax(real, 1));
  }
}

EG_TEST(MixedTypes, of_other_verbs) {
  const Tensor f = upload(some(DType::f32)), i = upload(some(DType::i32)), b = upload(some(DType::boolean));
  const Tensor g = i.astype(DType::f32);
  expect_same_work(where(b, f, i), where(b, f, g));
  expect_same_work(matmul(i.transpose(0, 1), f), matmul(i.transpose(0, 1).astype(DType::f32), f));
  expect_same_work(dot(i.reshape({-1}), f.reshape({-1})), dot(g.reshape({-1}), f.reshape({-1})));
  expect_same_work(multiply_sum(f, i, 0), multiply_sum(f, g, 0));
  expect_same_work(concatenate({b, i, f}, 0), concatenate({b.astype(DType::f32), g, f}, 0));
  expect_same_work(stack({i, b}, 0), stack({i, b.astype(DType::i32)}, 0));
  const Tensor places = Tensor::from({2, 0, 1}, {3, 1}).expand({3, 37});
  expect_same_work(scatter(f, 0, places, i), scatter(f, 0, places, g));
  expect_same_work(scatter_add(f, 0, places, i), scatter_add(f, 0, places, g));
}

/// Of each family of kernels one, by values.
EG_TEST(MixedTypes, of_other_verbs_have_the_values_of_both_converted) {
  const Array f = some(DType::f32), i = some(DType::i32), g = naive::cast(i, DType::f32);
  const Array places =
      generate(DType::i32, {3, 37}, [](const Dims& at) { return static_cast<double>((at[0] + 2) % 3); });
  EXPECT_TRUE(matches(matmul(upload(i).transpose(0, 1), upload(f)), naive::matmul(naive::transpose(g, 0, 1), f),
                      {0, 1e-5, 1e-3}));
  EXPECT_TRUE(matches(concatenate({upload(i), upload(f)}, 0), naive::concatenate({g, f}, 0)));
  EXPECT_TRUE(matches(scatter(upload(f), 0, upload(places), upload(i)), naive::scatter(f, 0, places, g)));
  EXPECT_TRUE(matches(clip(upload(i), upload(f), 3), naive::map(g, f, DType::f32, [](double x, double low) {
                        return std::min(std::max(x, low), 3.0);
                      })));
  EXPECT_TRUE(matches(mean(upload(i), 1), naive::mean(g, {1}), {0, 1e-5, 1e-5}));
}

}  // namespace
}  // namespace eglantine::test
