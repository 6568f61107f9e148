#pragma once

#include <string_view>
#include <vector>

#include "graph/op.hpp"

namespace eglantine {

/// Which dtypes an operation's row says it takes. The meaning of each stands at the head of ops.def.
enum class Types : uint8_t { real, numeric, integer, any, logical, where, word };
/// The dtype of an operation's result: that of its (last) argument, or a fixed one.
enum class Result : uint8_t { same, boolean, f32, i32, u32 };

/// A row of the operation table.
struct OpInfo {
  std::string_view name;
  int arity;
  Types types;
  Result result;
  std::string_view glsl;
  double domain_low, domain_high;
  double ulp;
  std::string_view documentation;
};

struct ReductionInfo {
  std::string_view name;
  Types types;
  Result result;
  std::string_view glsl;
  double tolerance;
  std::string_view documentation;
};

/// The row of an element-wise operation; `op` is none of the structural ones (cast, load, ...).
const OpInfo& info_of(Op op);
const ReductionInfo& info_of(Reduction reduction);
std::string_view name_of(Op op);
std::string_view name_of(Reduction reduction);

/// Every row, in the table's order.
const std::vector<OpInfo>& all_operations();
const std::vector<ReductionInfo>& all_reductions();

bool takes(Types types, DType dtype);
/// The result's dtype for arguments of `dtype`.
DType result_of(Result result, DType dtype);

}  // namespace eglantine
