#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"
#include "support/shapes.hpp"
#include "support/verb_table.hpp"

/// Operands of two dtypes: each verb gives what it gives of both converted to the dtype in which they meet.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Mixed, MixedTypes);

struct Meeting {
  DType a, b, both;
};

const std::vector<Meeting> meetings = {{DType::f32, DType::i32, DType::f32},
                                       {DType::f32, DType::u32, DType::f32},
                                       {DType::f32, DType::boolean, DType::f32},
                                       {DType::i32, DType::boolean, DType::i32},
                                       {DType::u32, DType::boolean, DType::u32}};

const std::vector<std::string> arithmetic = {"add", "sub", "mul", "div", "pow", "remainder", "maximum", "minimum",
                                             "eq",  "ne",  "lt",  "le",  "gt",  "ge",        "atan2"};

Array some(DType dtype) { return dtype == DType::f32 ? random_reals({3, 37}, -5, 5) : random_array(dtype, {3, 37}); }

TEST_P(MixedTypes, meet_in_one) {
  for (DType dtype : every_dtype) EXPECT_EQ(result_type(dtype, dtype), dtype);
  for (const auto& [a, b, both] : meetings) {
    EXPECT_EQ(result_type(a, b), both);
    EXPECT_EQ(result_type(b, a), both);
  }
  EXPECT_ERROR(result_type(DType::i32, DType::u32), DTypeError,
               "[result_type] no dtype holds both i32 and u32; convert one with astype");
}

TEST_P(MixedTypes, of_every_verb_of_two) {
  for (const auto& [a, b, both] : meetings)
    for (const std::string& name : arithmetic) {
      const auto call = find_verb(name)->call;
      const Tensor x = upload(some(a)), y = upload(some(b));
      SCOPED_TRACE(name + " of " + std::string(name_of(a)) + " and " + std::string(name_of(b)));
      EXPECT_TRUE(same_bits(call({x, y}), call({x.astype(both), y.astype(both)})));
      EXPECT_TRUE(same_bits(call({y, x}), call({y.astype(both), x.astype(both)})));
    }
}

TEST_P(MixedTypes, of_bits) {
  for (DType dtype : {DType::i32, DType::u32})
    for (const char* name : {"bit_and", "bit_or", "bit_xor", "shift_left", "shift_right"}) {
      const auto call = find_verb(name)->call;
      const Tensor x = upload(some(dtype)), y = upload(some(DType::boolean));
      EXPECT_TRUE(same_bits(call({x, y}), call({x, y.astype(dtype)}))) << name;
    }
}

TEST_P(MixedTypes, of_two_booleans_are_logical) {
  const Tensor x = Tensor::from({true, true, false, false}, {4}), y = Tensor::from({true, false, true, false}, {4});
  for (const char* name : {"add", "maximum", "bit_or"})
    EXPECT_TRUE(same_bits(find_verb(name)->call({x, y}), logical_or(x, y))) << name;
  for (const char* name : {"mul", "minimum", "bit_and"})
    EXPECT_TRUE(same_bits(find_verb(name)->call({x, y}), logical_and(x, y))) << name;
  EXPECT_TRUE(same_bits(bit_xor(x, y), logical_xor(x, y)));
  EXPECT_TRUE(same_bits(bit_not(x), logical_not(x)));
}

TEST_P(MixedTypes, of_real_valued_functions_are_f32) {
  for (DType dtype : {DType::i32, DType::u32, DType::boolean}) {
    SCOPED_TRACE(name_of(dtype));
    const Tensor x = upload(some(dtype)), real = x.astype(DType::f32);
    for (const char* name :
         {"exp", "log", "sqrt", "reciprocal", "sin", "tanh", "sigmoid", "gelu", "erf", "isnan", "isinf", "isfinite"})
      EXPECT_TRUE(same_bits(find_verb(name)->call({x}), find_verb(name)->call({real}))) << name;
    EXPECT_TRUE(same_bits(mean(x, 1), mean(real, 1)));
    EXPECT_TRUE(same_bits(var(x, 1), var(real, 1)));
    EXPECT_TRUE(same_bits(logsumexp(x, 1), logsumexp(real, 1)));
    EXPECT_TRUE(same_bits(softmax(x, 1), softmax(real, 1)));
    EXPECT_TRUE(same_bits(log_softmax(x, 1), log_softmax(real, 1)));
  }
}

TEST_P(MixedTypes, of_other_verbs) {
  const Tensor f = upload(some(DType::f32)), i = upload(some(DType::i32)), b = upload(some(DType::boolean));
  const Tensor g = i.astype(DType::f32);
  EXPECT_TRUE(same_bits(where(b, f, i), where(b, f, g)));
  EXPECT_TRUE(same_bits(clip(i, f, 3), clip(g, f, 3.0F)));
  EXPECT_TRUE(same_bits(matmul(i.transpose(0, 1), f), matmul(g.transpose(0, 1), f)));
  EXPECT_TRUE(same_bits(dot(i.reshape({-1}), f.reshape({-1})), dot(g.reshape({-1}), f.reshape({-1}))));
  EXPECT_TRUE(same_bits(multiply_sum(f, i, 0), multiply_sum(f, g, 0)));
  EXPECT_TRUE(same_bits(concatenate({b, i, f}, 0), concatenate({b.astype(DType::f32), g, f}, 0)));
  EXPECT_TRUE(same_bits(stack({i, b}, 0), stack({i, b.astype(DType::i32)}, 0)));
  const Tensor places = Tensor::from({2, 0, 1}, {3, 1}).expand({3, 37});
  EXPECT_TRUE(same_bits(scatter(f, 0, places, i), scatter(f, 0, places, g)));
  EXPECT_TRUE(same_bits(scatter_add(f, 0, places, i), scatter_add(f, 0, places, g)));
}

}  // namespace
}  // namespace eglantine::test
