#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/verb_table.hpp"

/// The ways arguments can be wrong, and exactly what is said about it.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(BadInput, Elementwise);
EG_ON_EACH_DEVICE(BadInput, Movement);
EG_ON_EACH_DEVICE(BadInput, Shape);
EG_ON_EACH_DEVICE(BadInput, Contraction);

Tensor of(eglantine::Shape shape, DType dtype = DType::f32) { return ones(shape, dtype); }

TEST_P(Elementwise, dtypes_that_differ) {
  for (const Verb& verb : verbs()) {
    if (verb.arity != 2) continue;
    EXPECT_ERROR(verb.call({of({3}, DType::i32), of({3}, DType::u32)}), DTypeError,
                 "[" + verb.name + "] dtypes differ: i32 and u32; convert one with astype");
  }
  EXPECT_ERROR(where(of({3}, DType::boolean), of({3}), of({3}, DType::i32)), DTypeError,
               "[where] dtypes differ: f32 and i32; convert one with astype");
  EXPECT_ERROR(clip(of({3}), of({3}), of({3}, DType::i32)), DTypeError,
               "[clip] dtypes differ: f32 and i32; convert one with astype");
}

TEST_P(Elementwise, shapes_that_do_not_broadcast) {
  for (const Verb& verb : verbs()) {
    if (verb.arity != 2) continue;
    const DType dtype = verb.name.starts_with("bit_") || verb.name.starts_with("shift_") ? DType::i32 : DType::f32;
    EXPECT_ERROR(verb.call({of({2, 3}, dtype), of({4}, dtype)}), ShapeError,
                 "[" + verb.name + "] shapes do not broadcast: (2, 3) and (4,)");
  }
  EXPECT_ERROR(where(of({2}, DType::boolean), of({3}), 1), ShapeError,
               "[where] shapes do not broadcast: (2,) and (3,)");
  EXPECT_ERROR(clip(of({2}), of({3}), 1), ShapeError, "[clip] shapes do not broadcast: (2,) and (3,)");
  EXPECT_ERROR(broadcast_shapes({2, 3}, {4}), ShapeError, "[broadcast_shapes] cannot broadcast (2, 3) with (4,)");
}

TEST_P(Elementwise, functions_with_real_values_take_f32_only) {
  for (const char* name :
       {"exp", "exp2", "log",  "log2",    "log1p", "expm1", "sqrt", "rsqrt", "reciprocal", "sin",
        "cos", "tan",  "tanh", "sigmoid", "gelu",  "silu",  "erf",  "isnan", "isinf",      "isfinite"})
    EXPECT_ERROR(find_verb(name)->call({of({3}, DType::i32)}), DTypeError,
                 "[" + std::string(name) + "] takes f32, got i32; convert with astype");
  EXPECT_ERROR(atan2(of({3}, DType::u32), 1), DTypeError, "[atan2] takes f32, got u32; convert with astype");
}

TEST_P(Elementwise, arithmetic_takes_no_boolean) {
  const Tensor b = of({3}, DType::boolean);
  for (const char* name : {"neg", "abs", "sign", "square", "relu", "floor", "ceil", "round", "trunc"})
    EXPECT_ERROR(find_verb(name)->call({b}), DTypeError,
                 "[" + std::string(name) + "] takes f32, i32 or u32, got boolean; convert with astype");
  for (const char* name : {"add", "sub", "mul", "div", "pow", "remainder", "maximum", "minimum"})
    EXPECT_ERROR(find_verb(name)->call({b, b}), DTypeError,
                 "[" + std::string(name) + "] takes f32, i32 or u32, got boolean; convert with astype");
  EXPECT_ERROR(clip(b, false, true), DTypeError, "[clip] takes f32, i32 or u32, got boolean; convert with astype");
}

TEST_P(Elementwise, bits_are_of_integers) {
  for (const char* name : {"bit_and", "bit_or", "bit_xor", "shift_left", "shift_right"})
    EXPECT_ERROR(find_verb(name)->call({of({3}), of({3})}), DTypeError,
                 "[" + std::string(name) + "] takes i32 or u32, got f32; convert with astype");
}

TEST_P(Elementwise, numbers_that_do_not_fit) {
  const std::string advice = "; convert the tensor with astype";
  EXPECT_ERROR(of({3}, DType::i32) + 0.5, DTypeError, "[add] the number 0.5 does not fit i32" + advice);
  EXPECT_ERROR(mul(-1, of({3}, DType::u32)), DTypeError, "[mul] the number -1 does not fit u32" + advice);
  EXPECT_ERROR(of({3}) - 16777217, DTypeError, "[sub] the number 16777217 does not fit f32" + advice);
  EXPECT_ERROR(of({3}) / 1e39, DTypeError, "[div] the number 1e+39 does not fit f32" + advice);
  EXPECT_ERROR(eq(of({3}, DType::boolean), 2), DTypeError, "[eq] the number 2 does not fit boolean" + advice);
  EXPECT_ERROR(clip(of({3}, DType::i32), 0, 4294967296), DTypeError,
               "[clip] the number 4294967296 does not fit i32" + advice);
}

TEST_P(Elementwise, where_wants_a_condition_and_a_dtype) {
  EXPECT_ERROR(where(of({3}), of({3}), 1), DTypeError, "[where] takes boolean, got f32; convert with astype");
  EXPECT_ERROR(
      where(of({3}, DType::boolean), 1, 2), DTypeError,
      "[where] two numbers leave the dtype open; make one of them a tensor, for example full({}, value, dtype)");
}

TEST_P(Movement, reshape) {
  const Tensor x = of({2, 3});
  EXPECT_ERROR(x.reshape({4, 5}), ShapeError, "[reshape] cannot make (4, 5) of 20 elements from (2, 3): 6 elements");
  EXPECT_ERROR(x.reshape({-1, 4}), ShapeError, "[reshape] cannot infer -1 in (-1, 4) from (2, 3): 6 elements");
  EXPECT_ERROR(x.reshape({-1, -1}), ShapeError, "[reshape] two lengths of (-1, -1) are -1: only one can be inferred");
  EXPECT_ERROR(x.reshape({-2, 3}), ShapeError,
               "[reshape] length -2 in (-2, 3): lengths are not negative; one may be -1");
  EXPECT_ERROR(of({0}).reshape({-1, 0}), ShapeError, "[reshape] cannot infer -1 in (-1, 0) from (0,): 0 elements");
  EXPECT_ERROR(x.reshape({1, 1, 1, 1, 1, 1, 1, 2, 3}), ShapeError,
               "[Shape] got 9 values, but a tensor has at most 8 axes");
}

TEST_P(Movement, permute_and_transpose) {
  const Tensor x = of({2, 3});
  EXPECT_ERROR(x.permute({0, 0}), ShapeError, "[permute] (0, 0) is no permutation of the 2 axes of (2, 3)");
  EXPECT_ERROR(x.permute({0}), ShapeError, "[permute] (0,) is no permutation of the 2 axes of (2, 3)");
  EXPECT_ERROR(x.permute({}), ShapeError, "[permute] () is no permutation of the 2 axes of (2, 3)");
  EXPECT_ERROR(x.permute({0, 2}), ShapeError,
               "[permute] axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  EXPECT_ERROR(x.transpose(0, -3), ShapeError,
               "[transpose] axis -3 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  EXPECT_ERROR(of({}).transpose(0, 0), ShapeError, "[transpose] axis 0 of a scalar, which has no axes");
}

TEST_P(Movement, expand_squeeze_and_unsqueeze) {
  const std::string advice = ": only axes of length 1 grow, and new axes come in front";
  EXPECT_ERROR(of({2, 3}).expand({4, 3}), ShapeError, "[expand] cannot repeat (2, 3) to (4, 3)" + advice);
  EXPECT_ERROR(of({2, 3}).expand({3}), ShapeError, "[expand] cannot repeat (2, 3) to (3,)" + advice);
  EXPECT_ERROR(of({3}).expand({3, 4}), ShapeError, "[expand] cannot repeat (3,) to (3, 4)" + advice);
  EXPECT_ERROR(of({1, 3}).expand({-1, 3}), ShapeError, "[expand] (-1, 3) has a negative length");
  EXPECT_ERROR(of({2, 1}).squeeze({0}), ShapeError, "[squeeze] axis 0 of (2, 1) has length 2, not 1");
  EXPECT_ERROR(of({2, 1}).squeeze({2}), ShapeError,
               "[squeeze] axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  EXPECT_ERROR(of({1, 1}).squeeze({1, -1}), ShapeError, "[squeeze] axis -1 is named twice in (1, -1) for shape (1, 1)");
  EXPECT_ERROR(of({2}).unsqueeze(2), ShapeError,
               "[unsqueeze] axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  EXPECT_ERROR(of({1, 1, 1, 1, 1, 1, 1, 1}).unsqueeze(0), ShapeError,
               "[unsqueeze] (1, 1, 1, 1, 1, 1, 1, 1) has the largest rank already, 8");
}

TEST_P(Movement, flip_and_crop) {
  const Tensor x = of({2, 3});
  EXPECT_ERROR(x.flip({2}), ShapeError, "[flip] axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  EXPECT_ERROR(x.flip({0, -2}), ShapeError, "[flip] axis -2 is named twice in (0, -2) for shape (2, 3)");
  EXPECT_ERROR(x.crop({{0, 1}}), ShapeError, "[crop] wants a pair for each of the 2 axes of (2, 3), got 1");
  EXPECT_ERROR(x.crop({{0, 1}, {2, 4}}), IndexError, "[crop] [2, 4) of axis 1 is not within [0, 3) of (2, 3)");
  EXPECT_ERROR(x.crop({{-1, 1}, {0, 3}}), IndexError, "[crop] [-1, 1) of axis 0 is not within [0, 2) of (2, 3)");
  EXPECT_ERROR(x.crop({{1, 0}, {0, 3}}), IndexError, "[crop] [1, 0) of axis 0 is not within [0, 2) of (2, 3)");
}

TEST_P(Movement, slice) {
  const Tensor x = of({2, 3});
  const std::string axis = " for an axis of length 3 of (2, 3)";
  EXPECT_ERROR(x.slice(1, 4), IndexError, "[slice] start 4 is outside [-3, 3]" + axis);
  EXPECT_ERROR(x.slice(1, -4), IndexError, "[slice] start -4 is outside [-3, 3]" + axis);
  EXPECT_ERROR(x.slice(1, 0, 4), IndexError, "[slice] stop 4 is outside [-3, 3]" + axis);
  EXPECT_ERROR(x.slice(1, 0, -4), IndexError, "[slice] stop -4 is outside [-3, 3]" + axis);
  EXPECT_ERROR(x.slice(1, -1, -5, -1), IndexError, "[slice] stop -5 is outside [-4, 3]" + axis);
  EXPECT_ERROR(x.slice(1, 0, 3, 0), IndexError, "[slice] a step of 0 goes nowhere");
  EXPECT_ERROR(x.slice(2, 0), ShapeError,
               "[slice] axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  EXPECT_ERROR(of({}).slice(0, 0), ShapeError, "[slice] axis 0 of a scalar, which has no axes");
}

TEST_P(Movement, pad) {
  const Tensor x = of({2, 3});
  EXPECT_ERROR(x.pad({{1, 1}}), ShapeError, "[pad] wants a pair for each of the 2 axes of (2, 3), got 1");
  EXPECT_ERROR(x.pad({{1, 1}, {-1, 0}}), ShapeError, "[pad] (-1, 0) on axis 1: counts are not negative; crop cuts");
  EXPECT_ERROR(x.astype(DType::i32).pad({{1, 1}, {0, 0}}, 0.5F), DTypeError,
               "[pad] the number 0.5 does not fit i32; convert the tensor with astype");
  EXPECT_ERROR(x.pad({{INT64_MAX, 0}, {0, 0}}), ShapeError, "[pad] axis 0 would be longer than 2^63 - 1");
}

TEST_P(Shape, concatenate) {
  const std::string advice = ": all other lengths must be equal";
  EXPECT_ERROR(concatenate({}, 0), ShapeError, "[concatenate] got no tensors");
  EXPECT_ERROR(concatenate({of({2, 3}), of({2, 4})}, 0), ShapeError,
               "[concatenate] cannot join (2, 3) and (2, 4) along axis 0" + advice);
  EXPECT_ERROR(concatenate({of({2, 3}), of({3})}, 0), ShapeError,
               "[concatenate] cannot join (2, 3) and (3,) along axis 0" + advice);
  EXPECT_ERROR(concatenate({of({2}), of({2}, DType::i32)}, 0), DTypeError,
               "[concatenate] dtypes differ: f32 and i32; convert one with astype");
  EXPECT_ERROR(concatenate({of({2})}, 1), ShapeError,
               "[concatenate] axis 1 is out of range for a tensor of rank 1: it must lie in [-1, 0]");
  EXPECT_ERROR(concatenate({of({}), of({})}, 0), ShapeError, "[concatenate] axis 0 of a scalar, which has no axes");
}

TEST_P(Shape, stack_and_split) {
  EXPECT_ERROR(stack({}, 0), ShapeError, "[stack] got no tensors");
  EXPECT_ERROR(stack({of({2}), of({3})}, 0), ShapeError,
               "[stack] cannot join (2,) and (3,): all lengths must be equal");
  EXPECT_ERROR(stack({of({2})}, 2), ShapeError,
               "[stack] axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  EXPECT_ERROR(stack({of({2}), of({2}, DType::u32)}, 0), DTypeError,
               "[stack] dtypes differ: f32 and u32; convert one with astype");
  EXPECT_ERROR(split(of({7, 2}), 2, 0), ShapeError, "[split] cannot cut axis 0 of (7, 2) into 2 equal parts");
  EXPECT_ERROR(split(of({6}), 0, 0), ShapeError, "[split] cannot cut axis 0 of (6,) into 0 equal parts");
  EXPECT_ERROR(split(of({6}), -2, -1), ShapeError, "[split] cannot cut axis 0 of (6,) into -2 equal parts");
  EXPECT_ERROR(split(of({6}), 2, 1), ShapeError,
               "[split] axis 1 is out of range for a tensor of rank 1: it must lie in [-1, 0]");
}

TEST_P(Contraction, matmul) {
  EXPECT_ERROR(matmul(of({3, 4}), of({5, 6})), ShapeError, "[matmul] inner sizes differ: (3, 4) and (5, 6)");
  EXPECT_ERROR(matmul(of({3}), of({4})), ShapeError, "[matmul] inner sizes differ: (3,) and (4,)");
  EXPECT_ERROR(matmul(of({}), of({4})), ShapeError, "[matmul] takes no scalars, got () and (4,); use mul");
  EXPECT_ERROR(matmul(of({3, 4, 5}), of({2, 5, 6})), ShapeError,
               "[matmul] batches do not broadcast: (3, 4, 5) and (2, 5, 6)");
  EXPECT_ERROR(matmul(of({3, 4}), of({4, 3}, DType::i32)), DTypeError,
               "[matmul] dtypes differ: f32 and i32; convert one with astype");
  EXPECT_ERROR(matmul(of({3, 4}, DType::boolean), of({4, 3}, DType::boolean)), DTypeError,
               "[matmul] takes f32, i32 or u32, got boolean; convert with astype");
}

TEST_P(Contraction, dot) {
  const std::string wanted = "[dot] takes two tensors of rank 1 and one length, got ";
  EXPECT_ERROR(dot(of({3}), of({4})), ShapeError, wanted + "(3,) and (4,); matmul multiplies matrices");
  EXPECT_ERROR(dot(of({2, 2}), of({2, 2})), ShapeError, wanted + "(2, 2) and (2, 2); matmul multiplies matrices");
  EXPECT_ERROR(dot(of({3}), of({3}, DType::u32)), DTypeError,
               "[dot] dtypes differ: f32 and u32; convert one with astype");
  EXPECT_ERROR(dot(of({3}, DType::boolean), of({3}, DType::boolean)), DTypeError,
               "[dot] takes f32, i32 or u32, got boolean; convert with astype");
}

}  // namespace
}  // namespace eglantine::test
