#pragma once

#include <string>

#include "graph/kernel/kernel.hpp"
#include "graph/op/op_info.hpp"

/// The GLSL of accumulators. An accumulator is a value, or for argmax and argmin a pair of a value and its index;
/// EG_ACCUMULATORS are four. dtype: that of the values combined; booleans accumulate in uint.
namespace eglantine::lower {

/// #define EG_ACCUMULATOR and EG_ACCUMULATORS.
std::string accumulator_defines(Reduction reduction, DType dtype);
/// #define EG_EACH_ITEM and EG_EACH_LOAD of `items` and of `vectors` of each, by turns of `lanes` lanes, 1 or 2.
std::string subgroup_macros(int64_t items, int64_t vectors, int64_t lanes);
/// #define EG_SHUFFLED(a, apart): the accumulator of the invocation whose number in the subgroup differs by a bit.
std::string shuffle_define(Reduction reduction);
/// #define EG_EACH_ACCUMULATOR and EG_FOLD for `count` (a power of two) accumulators.
std::string accumulator_macros(int count);
/// #define EG_EACH_ROW, EG_LOADED and EG_TOGETHER for `count` rows at once.
std::string row_macros(int64_t count);
/// `eg_elements(r)` of `count` columns at once, 2 to 4, loaded by `eg_load(r, x0, x1, ...)`: the last ones repeat.
std::string columns_text(int64_t count);

/// eg_identity, eg_identities, eg_combine, eg_combine4, eg_follow4 (all of b comes after all of a), eg_fold, and
/// eg_mask (identities from element `count` on). custom: as in codegen/combine_text.hpp.
std::string accumulator_functions(Reduction reduction, DType dtype, const ReduceOpPtr& custom = nullptr);

/// Of pairs, whose EG_BETTER(b, a) says which value is better: eg_beats, and eg_combine. NaN beats all numbers, and the
/// lower index wins a tie.
std::string pair_combination(DType dtype);

/// The accumulators of four values and, for argmax and argmin, four indices (GLSL expressions).
std::string accumulator_from(Reduction reduction, const std::string& values, const std::string& indices);

/// The reduction's value in an accumulator (GLSL expression): a pair's index as i32. width 4: of four.
std::string accumulator_of(Reduction reduction, int width, const std::string& accumulator);

/// `void eg_store_partial(uint place, ACCUMULATOR a)` stores partial result `place` to buffer block `block`; base_slot:
/// the uniform with the address of the first. A pair takes two words: the value's bits and the index.
std::string partial_function(Reduction reduction, DType dtype, const std::string& block, int base_slot);

/// The accumulator of component j (x, y, z, w) of four.
std::string component_of(Reduction reduction, const std::string& accumulators, char component);

}  // namespace eglantine::lower
