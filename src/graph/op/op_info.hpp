#pragma once

#include <string_view>
#include <vector>

#include "graph/op/op.hpp"

namespace eglantine {

/// Which dtypes an operation's row says it takes. The meaning of each stands at the head of ops.def.
enum class Types : uint8_t { real, numeric, integer, any, logical, where, word };
/// The dtype of an operation's result: that of its (last) argument, or a fixed one.
enum class Result : uint8_t { same, boolean, f32, i32, u32 };
/// What a reduction combines: values, or pairs of a value and its index, of which the index is the result.
enum class Accumulator : uint8_t { value, pair };

/// A row of the operation table.
struct OpInfo {
  std::string_view name;
  Types types;
  Result result;
  std::string_view glsl;
  double ulp;
};

struct ReductionInfo {
  std::string_view name;
  Types types;
  Result result;
  Accumulator accumulator;
  std::string_view glsl;
  uint32_t (*identity)(DType dtype);  ///< its bits
};

/// The row of an element-wise operation; `op` is none of the structural ones (cast, load, ...).
const OpInfo& info_of(Op op);
const ReductionInfo& info_of(Reduction reduction);  ///< of all but Reduction::custom
std::string_view name_of(Op op);
std::string_view name_of(Reduction reduction);

const std::vector<OpInfo>& all_operations();  ///< in the table's order
const std::vector<ReductionInfo>& all_reductions();

bool is_arg(Reduction reduction);  ///< argmax and argmin: accumulators are pairs
/// Whether it gives one of its arguments, whatever their grouping.
constexpr bool is_selection(Reduction reduction) {
  return reduction == Reduction::max || reduction == Reduction::min || reduction == Reduction::nanmax ||
         reduction == Reduction::nanmin;
}
bool is_logical(Reduction reduction);  ///< combines truth values
/// Whether an element counts the same once and often.
inline bool is_idempotent(Reduction reduction) { return is_selection(reduction) || is_logical(reduction); }
bool starts_at_negative_zero(Reduction reduction, DType dtype);  ///< its identity is -0.0: adding floats
/// A reduction over nothing, an exclusive scan's first element: the identity's bits, but 0.0 for -0.0. Not of custom.
uint32_t over_nothing(Reduction reduction, DType dtype);

/// Whether computing `op` of such arguments takes longer than reading a value: rounded functions, and EG_MANY_STEPS.
bool has_many_steps(Op op, DType dtype);

/// The GLSL of a vector of four neighbours (EG_FOUR); empty where there is none.
std::string_view glsl_of_four(Op op);

bool takes(Types types, DType dtype);
DType result_of(Result result, DType dtype);  ///< for arguments of `dtype`

}  // namespace eglantine
