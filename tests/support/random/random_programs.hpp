#pragma once

#include "support/array.hpp"

/// Random expressions over random views, with their expected results.
namespace eglantine::test {

/// A tensor, its expected value, and the allowed error of each element.
struct Value {
  Tensor tensor;
  Array array;
  Array error;
};

/// A few verbs over leaves of rank 3 in random views, with movements and possibly a sum, on the current device.
/// `structure` draws the verbs, their order, the views and the axes of length 1, and thus the kernels; `draw` the other
/// lengths and the elements. Floats within the error; integers, which wrap, and booleans exact.
using Program = Value (*)(uint64_t structure, uint64_t draw);
Value random_float_program(uint64_t structure, uint64_t draw);
Value random_f16_program(uint64_t structure, uint64_t draw);
Value random_bf16_program(uint64_t structure, uint64_t draw);
Value random_integer_program(uint64_t structure, uint64_t draw);
Value random_i8_program(uint64_t structure, uint64_t draw);
Value random_u8_program(uint64_t structure, uint64_t draw);
Value random_boolean_program(uint64_t structure, uint64_t draw);
/// The same of products, convolutions, attention, rows and conversions: of f32, f16 and bf16, some from bytes; and of
/// products, convolutions, sums and conversions of i32, i8, u8 and booleans.
Value random_mixed_floats_program(uint64_t structure, uint64_t draw);
Value random_mixed_integers_program(uint64_t structure, uint64_t draw);

/// The leaves of random_float_program(structure, draw), and the program of others in their place.
std::vector<Value> leaves_of_float_program(uint64_t structure, uint64_t draw);
Value float_program_of(const std::vector<Value>& leaves, uint64_t structure, uint64_t draw);

}  // namespace eglantine::test
