#pragma once

#include "support/array.hpp"

/// Random expressions over random views, with what they should come to.
namespace eglantine::test {

/// A tensor, the value it should have, and how far each element may be off.
struct Value {
  Tensor tensor;
  Array array;
  Array error;
};

/// A few verbs over leaves of rank 3 held in random views, with movements and perhaps a sum among them, on the current
/// device. `structure` draws which verbs, in which order, and with them the kernels; `draw` the shapes, views and
/// elements. Of floats within the error; of integers, which wrap, and of booleans exact.
Value random_float_program(uint64_t structure, uint64_t draw);
Value random_integer_program(uint64_t structure, uint64_t draw);
Value random_boolean_program(uint64_t structure, uint64_t draw);

}  // namespace eglantine::test
