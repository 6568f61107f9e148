#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "codegen/value_text.hpp"
#include "lower/reduce/program/accumulator_text.hpp"
#include "lower/reduce/program/at_once_text.hpp"
#include "lower/reduce/program/nans_apart.hpp"
#include "lower/reduce/program/program_text.hpp"

namespace eglantine::lower {
namespace {

/// Elements of a row that are as far apart as a subgroup has lanes; past its end the last.
std::string apart_function(Reduction reduction) {
  return "EG_ACCUMULATORS eg_apart(uint e) {\n  uvec4 at = min(uvec4(e) + uvec4(0u, 32u, 64u, 96u), uvec4(" +
         codegen::uniform_at(row_length_slot) + " - 1u));\n  return " +
         accumulator_from(reduction, "vec4(eg_load(at.x), eg_load(at.y), eg_load(at.z), eg_load(at.w))", "uvec4(e)") +
         ";\n}\n";
}

/// Elements e to e + 3 of a row, of which there may be none before the first, or past the last.
std::string within_function(const Combined& combined) {
  const std::string length = codegen::uniform_at(row_length_slot);
  const auto kept = [&](const std::string& member, const std::string& none) {
    std::string text;
    for (int j = 0; j < 4; ++j) {
      const std::string c = member + "." + "xyzw"[j];
      text += (j > 0 ? ", e + " + codegen::literal(static_cast<uint64_t>(j)) : std::string("e")) + " < " + length +
              " ? a" + c + " : " + none;
    }
    return text;
  };
  const std::string head = "EG_ACCUMULATORS eg_within(EG_ACCUMULATORS a, uint e) {\n";
  if (!is_arg(combined.reduction)) return head + "  return EG_ACCUMULATORS(" + kept("", "eg_identity()") + ");\n}\n";
  return head + "  EgPair none = eg_identity();\n  a.index = uvec4(" + kept(".index", "none.index") +
         ");\n  a.value = " + std::string(codegen::value_type(combined.dtype, 4)) + "(" + kept(".value", "none.value") +
         ");\n  return a;\n}\n";
}

/// Four rows of a column, of which the last line may have fewer.
std::string line_function(const Combined& combined, int64_t lanes, int length_slot) {
  const auto apart = [&](int64_t j) { return codegen::literal(static_cast<uint64_t>(j * lanes)); };
  const std::string values(codegen::value_type(combined.dtype, 4)), last = codegen::uniform_at(length_slot) + " - 1u";
  return "EG_ACCUMULATORS eg_elements(uint line) {\n  uint r = line / " + apart(1) + " * " + apart(4) + " + line % " +
         apart(1) + ", last = " + last + ";\n  uvec4 rows = uvec4(r, r + " + apart(1) + ", r + " + apart(2) + ", r + " +
         apart(3) + "), at = min(rows, uvec4(last));\n  " + values + " x = " + values +
         "(eg_load(at.x), eg_load(at.y), eg_load(at.z), eg_load(at.w));\n  EG_ACCUMULATORS a = " +
         accumulator_from(combined.reduction, "x", "rows") +
         ";\n  if (rows.w <= last) return a;\n  return eg_mask(a, (last - r) / " + apart(1) + " + 1u);\n}\n";
}

/// A vector of a row, or of neighbouring columns.
std::string vector_function(bool row, Reduction reduction, bool loads_indices) {
  const std::string number = row ? "vector" : "r";
  const std::string indices = loads_indices ? "eg_load_index(" + number + ")"
                              : row         ? "uvec4(e) + uvec4(0u, 1u, 2u, 3u)"
                                            : "uvec4(r)";
  return std::string("EG_ACCUMULATORS eg_elements(") + (row ? "uint vector, uint e" : "uint r") + ") { return " +
         accumulator_from(reduction, "eg_load(" + number + ")", indices) + "; }\n";
}

std::string address_function(const GroupPlan& plan, bool indices) {
  return std::string("void eg_address(uint number) {\n  eg_load_address(number);\n") +
         (indices ? "  eg_load_index_address(number);\n" : "") +
         (by_each_row(plan.pattern) ? "  eg_load_keep();\n" : "") + "}\n";
}

}  // namespace

std::string element_functions(const GroupPlan& plan, const Combined& combined, bool indices, int length_slot) {
  const Reduction reduction = combined.reduction;
  if (plan.pattern == ReducePattern::row_staged)
    return "EG_ACCUMULATORS eg_elements(uint vector) { return " +
           accumulator_from(reduction, "eg_load(vector)", "uvec4(0u)") + "; }\n";
  if (plan.pattern == ReducePattern::row_fours) return at_once_functions(plan.pattern, combined);
  const std::string text = address_function(plan, indices);
  if (plan.pattern == ReducePattern::column_short) return text + at_once_functions(plan.pattern, combined);
  if (plan.pattern == ReducePattern::row_eights && has_nans_apart(plan.pattern, combined))
    return text + "EG_ACCUMULATORS eg_elements(uint vector, uint e) { return eg_elements(eg_load(vector), e); }\n";
  if (has_nans_apart(plan.pattern, combined)) return text;
  if (by_each_row(plan.pattern))
    return text + "EG_ACCUMULATORS eg_elements(vec4 x, uint e) { return " +
           accumulator_from(reduction, "x", "uvec4(e) + uvec4(0u, 1u, 2u, 3u)") + "; }\n";
  if (plan.pattern == ReducePattern::row_serial_together) return text;
  if (plan.at_once > 1) return text + columns_text(plan.at_once);
  if (plan.lanes_singly > 0) return text + line_function(combined, plan.lanes_singly, length_slot);
  if (plan.apart) return text + apart_function(reduction);
  return text + vector_function(plan.is_row(), reduction, indices) +
         (plan.of_memory || plan.pattern == ReducePattern::row_eights ? within_function(combined) : "");
}

}  // namespace eglantine::lower
