#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "codegen/value_text.hpp"
#include "lower/reduce/program/accumulator_text.hpp"
#include "lower/reduce/program/program_text.hpp"

namespace eglantine::lower {
namespace {

/// The number of a vector's column j.
std::string column_text(const GroupPlan& plan, int64_t j) {
  return "vector * " + std::to_string(plan.columns_at_once) + "u + " + std::to_string(j) + "u";
}

/// A result at such a number, which the epilogue computes of the accumulator, a GLSL expression; "" where it reads
/// none.
std::string stored_at(const std::string& number, const std::string& accumulator) {
  return "  eg_store(" + number + ", eg_epilogue(" + number + (accumulator.empty() ? "" : ", " + accumulator) + "));\n";
}

}  // namespace

std::string epilogue_finish(const GroupPlan& plan, const Combined& combined, bool reads_accumulator) {
  const bool row = plan.is_row() && plan.pattern != ReducePattern::row_fours;
  const int width = row || plan.at_once > 1 || plan.lanes_singly > 0 ? 1 : 4;
  const std::string result = loads_all_at_once(plan.pattern) ? "eg_reported(result)" : "result";
  const std::string accumulator = reads_accumulator ? accumulator_of(combined.reduction, width, result) : "";
  const auto stored = [&](const std::string& number) { return stored_at(number, accumulator) + "}\n"; };
  if (!row && plan.at_once > 1) {
    std::string text = "void eg_finish(uint vector, uint block, EG_ACCUMULATORS result) {\n";
    for (int64_t j = 0; j < plan.at_once; ++j)
      text += stored_at(column_text(plan, j), reads_accumulator ? accumulator + "." + "xyzw"[j] : "");
    return text + "}\n";
  }
  if (plan.lanes_singly > 0)
    return "void eg_finish(uint vector, uint block, EG_ACCUMULATOR result) {\n" + stored("vector");
  if (plan.pattern == ReducePattern::row_single_pass)
    return "void eg_deliver(EG_ACCUMULATOR result) {\n" + stored("0u");
  return row ? "void eg_finish(uint row, uint block, EG_ACCUMULATOR result) {\n" + stored("row")
             : "void eg_finish(uint vector, uint block, EG_ACCUMULATORS result) {\n" + stored("vector");
}

std::string partial_finish(const GroupPlan& plan, const Combined& combined, int pitch_slot) {
  const std::string pitch = codegen::uniform_at(pitch_slot);
  if (plan.is_row())
    return "void eg_finish(uint row, uint block, EG_ACCUMULATOR result) {\n  eg_store_partial(row * " + pitch +
           " + block, result);\n}\n";
  std::string text = "void eg_finish(uint vector, uint block, EG_ACCUMULATORS result) {\n";
  for (int64_t j = 0; j < plan.columns_at_once; ++j) {
    const std::string place = column_text(plan, j);
    text += "  if (" + place + " < " + pitch + ") eg_store_partial(block * " + pitch + " + " + place + ", " +
            component_of(combined.reduction, "result", "xyzw"[j]) + ");\n";
  }
  return text + "}\n";
}

std::string exchange_functions(const Combined& combined, int binding) {
  const std::string block = codegen::block_name(binding);
  const std::string place = block + "[" + std::to_string(exchange_counters) + "u + number]";
  const DType dtype = codegen::combined_as(combined.dtype);
  return "uint eg_arrive(uint counter, uint count) { return atomicAdd(" + block + "[counter], count); }\n" +
         "void eg_reset(uint counter) { " + block + "[counter] = 0u; }\n" +
         "EG_ACCUMULATOR eg_read_partial(uint number) { return " + codegen::from_bits(dtype, place) + "; }\n" +
         "void eg_finish(uint row, uint number, EG_ACCUMULATOR result) { " + place + " = " +
         codegen::to_bits(dtype, "result") + "; }\n";
}

}  // namespace eglantine::lower
