#include <algorithm>

#include "codegen/value_text.hpp"
#include "lower/row/text/text.hpp"
#include "lower/row/text/writer.hpp"

/// One step in the text: the call that gives its value, its addresses, the variables of what is read of a row before
/// anything is computed, and the loop over a lane's elements.
namespace eglantine::lower {

using What = RowStep::What;

bool RowWriter::is_read(const RowStep& x) const {
  if (plan_.staged) return x.staged;
  if (plan_.across.contains(static_cast<size_t>(&x - chain_.steps.data()))) return true;
  if (!plan_.register_resident || x.pass > 0) return false;
  return x.what == What::row_value || (x.what == What::keep && x.expr.code.size() == 1);
}

std::string RowWriter::parameters(const std::string& direction) const {
  std::string text;
  for_each_read([&](size_t i) {
    const int n = step(i).value;
    text += ", " + direction + type_of(n) + " " + (step(i).of_row ? row_value(n) : kept(n) + "[EG_VECTORS]");
  });
  return text;
}

std::string RowWriter::arguments(const std::string& prefix) const {
  std::string text;
  for_each_read(
      [&](size_t i) { text += ", " + prefix + (step(i).of_row ? row_value(step(i).value) : kept(step(i).value)); });
  return text;
}

std::string RowWriter::declarations(const std::string& prefix) const {
  std::string text;
  for_each_read([&](size_t i) {
    const int n = step(i).value;
    text += "  " + type_of(n) + " " + prefix + (step(i).of_row ? row_value(n) : kept(n) + "[EG_VECTORS]") + ";\n";
  });
  return text;
}

std::string RowWriter::call(size_t i, const std::string& index) const {
  std::string text = name_of_step(i) + "(" + index;
  for (const Instruction& used : codegen::accumulators_of(step(i).expr)) {
    const int n = used.args[0];
    text += ", " + (chain_.values[static_cast<size_t>(n)].of_row ? row_value(n)
                    : plan_.staged                               ? kept(n)
                                                                 : kept(n) + "[u]");
  }
  return text + ")";
}

/// Of a step of elements: those that no lane has are nothing to load or to compute.
std::string RowWriter::elements(size_t i) const {
  const std::string value = plan_.across.contains(i) ? element_across(i) : call(i, "step");
  return plan_.last_elements < vector_width ? "eg_had(u, " + value + ")" : value;
}

std::string RowWriter::addresses(bool of_read) const {
  std::string text;
  for (size_t i = 0; i < chain_.steps.size(); ++i) {
    if (step(i).of_row || is_read(step(i)) != of_read || plan_.across.contains(i)) continue;
    text += "  " + name_of_step(i) + "_address(at);\n";
    if (step(i).what == What::store && !plan_.staged && !plan_.put_across.contains(i))
      text += "  " + name_of_store(i) + "_address(at);\n";
  }
  return text;
}

std::string RowWriter::step_number() const { return plan_.register_resident ? "eg_step(u)" : "eg_step(round, u)"; }

std::string RowWriter::for_steps(const std::string& body) const {
  const std::string last = "min(" + step_number() + ", EG_STEPS - 1u)";
  const std::string inside =
      (plan_.has_inner()
           ? "    eg_inner = u + 1u < uint(EG_VECTORS);\n    uint step = eg_inner ? " + step_number() + " : " + last
           : "    uint step = " + (plan_.whole ? step_number() : last)) +
      ";\n" + body + "  }\n";
  if (!plan_.unrolled()) return "  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {\n" + inside;
  std::string text;
  for (int64_t u = 0; u < plan_.vectors; ++u) text += "  {\n    const uint u = " + std::to_string(u) + "u;\n" + inside;
  return text;
}

}  // namespace eglantine::lower
