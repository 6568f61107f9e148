#include "support/op_rows.hpp"

#include <algorithm>
#include <map>

#include "element_types.hpp"
#include "graph/op/op_info.hpp"
#include "support/shapes.hpp"

namespace eglantine::test {

const std::vector<OpRow>& elementwise_rows() {
  static const std::vector<OpRow> rows = {
#define EG_ELEMENTWISE(name, arity, types, result, glsl, cpp, low, high, ulp, doc) \
  {#name, arity, #types, #result, low, high, ulp, doc},
#define EG_REDUCTION(...)
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
  };
  return rows;
}

const std::vector<AbsoluteRow>& absolute_rows() {
  static const std::vector<AbsoluteRow> rows = {
#define EG_ELEMENTWISE(...)
#define EG_REDUCTION(...)
#define EG_ABSOLUTE(name, low, high, error) {#name, low, high, error},
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
#undef EG_ABSOLUTE
  };
  return rows;
}

const std::vector<ReductionRow>& reduction_rows() {
  static const std::vector<ReductionRow> rows = {
#define EG_ELEMENTWISE(...)
#define EG_REDUCTION(name, types, result, accumulator, glsl, cpp, identity, tolerance, doc) {#name, tolerance, doc},
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
  };
  return rows;
}

std::vector<DType> dtypes_of(const OpRow& row) {
  static const std::map<std::string, Types> names = {
      {"real", Types::real},       {"numeric", Types::numeric}, {"integer", Types::integer}, {"word", Types::word},
      {"logical", Types::logical}, {"any", Types::any},         {"where", Types::where}};
  std::vector<DType> dtypes;
  for (DType dtype : every_dtype)
    if (takes(names.at(row.types), dtype) && !(is_narrow(dtype) && is_internal(row))) dtypes.push_back(dtype);
  return dtypes;
}

DType operand_type(const OpRow& row, DType dtype) {
  if (row.name == "div_f16" || row.name == "reciprocal_f16") return DType::f16;
  return row.name == "div_bf16" || row.name == "reciprocal_bf16" ? DType::bf16 : dtype;
}

bool is_internal(const OpRow& row) {
  const std::vector<std::string> names = {
      "copy",          "uniform_from_bits", "multiply_high", "float_of_fixed", "odd_of_fixed",
      "exp2_of_fixed", "normal_quantile",   "order_key",     "from_order_key", "round_f16",
      "round_bf16",    "multiply_add",      "exp_near",      "expm1_near",     "log_near",
      "log2_near",     "log10_near",        "log1p_near",    "tanh_near",      "sigmoid_near",
      "softplus_near", "sin_near",          "cos_near",      "wrap_i8",        "wrap_u8",
      "saturate_i8",   "saturate_u8",       "pow_half",      "pow_minus_half", "pow_three_halves",
      "gelu_slope",    "div_f16",           "div_bf16",      "reciprocal_f16", "reciprocal_bf16"};
  return row.name.starts_with("philox") || std::find(names.begin(), names.end(), row.name) != names.end();
}

}  // namespace eglantine::test
