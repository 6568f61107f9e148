#pragma once

#include <string_view>
#include <vector>

#include "graph/op.hpp"

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
/// The row of a reduction other than Reduction::custom.
const ReductionInfo& info_of(Reduction reduction);
std::string_view name_of(Op op);
std::string_view name_of(Reduction reduction);

/// Every row, in the table's order.
const std::vector<OpInfo>& all_operations();
const std::vector<ReductionInfo>& all_reductions();

/// Whether a reduction's accumulators are pairs, as those of argmax and argmin are.
bool is_arg(Reduction reduction);
/// Whether a reduction combines truth values.
bool is_logical(Reduction reduction);
/// Whether a reduction's identity is -0.0, as that of adding floats is.
bool starts_at_negative_zero(Reduction reduction, DType dtype);
/// The bits of what a reduction over nothing gives, and an exclusive scan starts with: the identity, but 0.0 for -0.0.
/// For a row of the table.
uint32_t over_nothing(Reduction reduction, DType dtype);

bool takes(Types types, DType dtype);
/// The result's dtype for arguments of `dtype`.
DType result_of(Result result, DType dtype);

}  // namespace eglantine
