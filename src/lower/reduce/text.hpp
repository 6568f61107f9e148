#pragma once

#include <string>

#include "graph/kernel.hpp"
#include "graph/op_info.hpp"

/// The GLSL around accumulators. A reduction's accumulator is a value, or for argmax and argmin a pair of a value and
/// its index; EG_ACCUMULATORS are four of them. `dtype` is that of the values combined; booleans are accumulated in
/// uint.
namespace eglantine::lower {

/// #define EG_ACCUMULATOR and EG_ACCUMULATORS.
std::string accumulator_defines(Reduction reduction, DType dtype);
/// #define EG_EACH_ACCUMULATOR and EG_FOLD for `count` (a power of two) accumulators.
std::string accumulator_macros(int count);

/// eg_identity, eg_identities, eg_combine, eg_combine4, eg_follow4 (where all of b comes after all of a), eg_fold,
/// eg_mask. `own` as in combine_text.hpp.
std::string accumulator_functions(Reduction reduction, DType dtype, const ReduceOpPtr& custom = nullptr);

/// The accumulators of four values and, for argmax and argmin, four indices (GLSL expressions).
std::string accumulator_from(Reduction reduction, const std::string& values, const std::string& indices);

/// The reduction's value from an accumulator (GLSL expression): the index of a pair as i32. width 4: from four.
std::string accumulator_of(Reduction reduction, int width, const std::string& accumulator);

/// `void eg_store_partial(uint place, ACCUMULATOR a)`: partial result `place` of buffer block `block`; base_slot is the
/// uniform with place 0's address there. A pair takes two words: the value's bits and the index.
std::string partial_function(Reduction reduction, DType dtype, const std::string& block, int base_slot);

/// The accumulator of component j (x, y, z, w) of four.
std::string component_of(Reduction reduction, const std::string& accumulators, char component);

}  // namespace eglantine::lower
