#include <algorithm>
#include <set>

#include "codegen/value_text.hpp"
#include "lower/row/text/text.hpp"
#include "lower/row/text/writer.hpp"

/// Rows in shared memory, each one invocation's (glsl/row/row_short.comp). What is computed of elements in the order of
/// memory is there before the first pass, and results go back in that order after the last.
namespace eglantine::lower {

namespace {

using What = RowStep::What;

constexpr const char* declared = R"(
uint eg_row, eg_item, eg_rows;
void eg_stage_rows(uint slot, uint quad, uint e, vec4 value);
void eg_stage(uint slot, uint vector, vec4 value);
vec4 eg_staged(uint slot, uint vector);
vec4 eg_kept(uint slot, uint step);
void eg_keep(uint slot, uint step, vec4 value);
)";

constexpr const char* declared_of_fours = R"(
void eg_stage(uint slot, uint vector, vec4 value);
vec4 eg_staged(uint slot, uint vector);
vec4 eg_taken(uint slot, uint vector);
void eg_give(uint slot, uint vector, vec4 value);
)";

std::string number(int n) { return std::to_string(n) + "u"; }

bool is_first_of(const Strided& one, const Strided& all, int kept_rank) {
  const Layout &a = one.layout, &b = all.layout;
  return one.buffer == all.buffer && one.storage == all.storage && a.offset == b.offset &&
         std::equal(a.strides.begin(), a.strides.begin() + kept_rank, b.strides.begin());
}

/// Whether `one`, of the row, is what `all` is of its first element.
bool is_first_of(const Expr& one, const Expr& all, int kept_rank) {
  const auto same = [](const Instruction& a, const Instruction& b) {
    return a.op == b.op && a.dtype == b.dtype && a.args == b.args;
  };
  const auto bits = [](const Parameter& x) { return x.bits; };
  if (!std::ranges::equal(one.code, all.code, same)) return false;
  if (!std::ranges::equal(one.parameters, all.parameters, {}, bits, bits)) return false;
  return std::ranges::equal(one.operands, all.operands,
                            [&](const Strided& a, const Strided& b) { return is_first_of(a, b, kept_rank); });
}

}  // namespace

std::string RowWriter::staged_text() const {
  return (plan_.fours ? declared_of_fours : declared) + staged_read() + make("") + staged_write();
}

int RowWriter::slot_of_first(const RowStep& x) const {
  if (!plan_.staged || x.what != What::row_value) return -1;
  for (const RowStep& other : chain_.steps)
    if (other.staged && x.pass == 0 && is_first_of(x.expr, other.expr, plan_.kept_rank))
      return slots_.of_values[static_cast<size_t>(other.value)];
  return -1;
}

/// Neighbouring lanes have neighbouring fours of rows; the last four rows again past the end.
std::string RowWriter::read_side_by_side() const {
  const std::string quads = number(static_cast<int>(plan_.items_at_once() / 4));
  std::string loads, stores;
  for (int u = 0; u < plan_.vectors; ++u) {
    const std::string n = std::to_string(u), quad = "q" + n, e = "e" + n;
    std::string of_vector;
    for_each_read([&](size_t i) {
      if (!reads_side_by_side(step(i), plan_.kept_rank)) return;
      const std::string name = kept(step(i).value) + "_" + n;
      const int slot = slots_.of_values[static_cast<size_t>(step(i).value)];
      of_vector += "    " + name_of_step(i) + "_address(min(eg_item / 4u + " + quad + ", (EG_ITEMS - 1u) / 4u));\n" +
                   "    vec4 " + name + " = " + name_of_step(i) + "(min(" + e + ", EG_LENGTH - 1u));\n";
      stores += "    if (" + e + " < EG_LENGTH && " + quad + " * 4u < eg_rows) eg_stage_rows(" + number(slot) + ", " +
                quad + ", " + e + ", " + name + ");\n";
    });
    if (of_vector.empty()) return "";
    loads += "    uint k" + n + " = k + " + n + "u * uint(EG_GROUP_SIZE), " + e + " = k" + n + " / " + quads + ", " +
             quad + " = k" + n + " % " + quads + ";\n" + of_vector;
  }
  return "  for (uint k = eg_lane; k < " + quads + " * EG_LENGTH; k += uint(EG_VECTORS * EG_GROUP_SIZE)) {\n" + loads +
         stores + "  }\n";
}

/// All loads of an invocation's EG_VECTORS vectors stand before the first is stored; past the end it is the last vector
/// again.
std::string RowWriter::staged_read() const {
  std::string loads, stores;
  for (int u = 0; u < plan_.vectors; ++u) {
    const std::string n = std::to_string(u), at = "v" + n;
    loads += "    uint " + at + " = vector + " + n + "u * uint(EG_GROUP_SIZE);\n";
    for_each_read([&](size_t i) {
      if (reads_side_by_side(step(i), plan_.kept_rank)) return;
      const std::string name = kept(step(i).value) + "_" + n;
      const int slot = slots_.of_values[static_cast<size_t>(step(i).value)];
      loads += "    vec4 " + name + " = " + name_of_step(i) + "(first + min(" + at + ", vectors - 1u));\n";
      stores += "    if (" + at + " < vectors) eg_stage(" + number(slot) + ", " + at + ", " + name + ");\n";
    });
  }
  if (plan_.fours)
    return "void eg_read(uint first, uint vectors) {\n  uint vector = eg_lane;\n" + loads + stores + "}\n";
  const std::string side_by_side = read_side_by_side();
  if (stores.empty()) return "void eg_read(uint first, uint vectors) {\n" + side_by_side + "}\n";
  return "void eg_read(uint first, uint vectors) {\n" + side_by_side +
         "  for (uint vector = eg_lane; vector < vectors; vector += uint(EG_VECTORS * EG_GROUP_SIZE)) {\n" + loads +
         stores + "  }\n}\n";
}

/// GLSL: what slot `slot` has of step `index`.
std::string RowWriter::in_register(int slot, const std::string& index) const {
  return plan_.keeps_rows() ? "h" + std::to_string(slot) + "_" + index : "eg_kept(" + number(slot) + ", " + index + ")";
}

std::string RowWriter::keep_in_register(int slot, const std::string& index, const std::string& value) const {
  if (plan_.keeps_rows()) return "    " + in_register(slot, index) + " = " + value + ";\n";
  return "    eg_keep(" + number(slot) + ", " + index + ", " + value + ");\n";
}

/// The registers of a row's slots, with what is staged.
std::string RowWriter::take_row() const {
  if (plan_.fours) return take_fours();
  if (!plan_.keeps_rows()) return "";
  std::vector<bool> is_staged(static_cast<size_t>(slots_.count));
  for_each_read(
      [&](size_t i) { is_staged[static_cast<size_t>(slots_.of_values[static_cast<size_t>(step(i).value)])] = true; });
  std::string text;
  for (int slot = 0; slot < slots_.count; ++slot)
    for (int64_t u = 0; u < plan_.steps(); ++u) {
      const std::string index = std::to_string(u) + "u";
      text += "  vec4 " + in_register(slot, index);
      if (is_staged[static_cast<size_t>(slot)]) text += " = eg_kept(" + number(slot) + ", " + index + ")";
      text += ";\n";
    }
  return text;
}

/// What is stored of a row, from registers to shared memory.
std::string RowWriter::give_row() const {
  std::string text;
  if (plan_.fours) return give_fours();
  if (!plan_.keeps_rows()) return text;
  for (const int slot : slots_.of_stores)
    for (int64_t u = 0; slot >= 0 && u < plan_.steps(); ++u) {
      const std::string index = std::to_string(u) + "u";
      text += "  eg_keep(" + number(slot) + ", " + index + ", " + in_register(slot, index) + ");\n";
    }
  return text;
}

std::string RowWriter::staged_elements_of(int pass) const {
  std::string text, reported;
  for_each_of_elements(pass, [&](size_t i) {
    if (step(i).what != What::fold) return;
    text += start_of(i);
    reported += reported_of(i);
  });
  if (!plan_.keeps_rows()) {
    const std::string body = staged_step_of(pass, "step");
    if (!body.empty()) text += "  for (uint step = 0u; step < EG_STEPS; ++step) {\n" + body + "  }\n";
    return text + reported;
  }
  for (int64_t u = 0; u < plan_.steps(); ++u) {
    const std::string body = staged_step_of(pass, std::to_string(u) + "u");
    if (!body.empty()) text += "  {\n" + body + "  }\n";
  }
  return text + reported;
}

std::string RowWriter::staged_step_of(int pass, const std::string& index) const {
  std::string loads, body;
  std::set<int> known;
  for_each_of_elements(pass, [&](size_t i) {
    const std::string n = std::to_string(step(i).value), value = call(i, index);
    for (const Instruction& used : codegen::accumulators_of(step(i).expr)) {
      const int kept_value = used.args[0], slot = slots_.of_values[static_cast<size_t>(kept_value)];
      if (slot >= 0 && known.insert(kept_value).second)
        loads += "    vec4 " + kept(kept_value) + " = " + in_register(slot, index) + ";\n";
    }
    if (step(i).what == What::fold) {
      body +=
          combined(i, share(step(i).value), "eg_within(" + index + ", " + value + ", " + identity_of(step(i)) + ")");
    } else if (step(i).what == What::keep) {
      known.insert(step(i).value);
      body += "    vec4 k" + n + " = " + value + ";\n" +
              keep_in_register(slots_.of_values[static_cast<size_t>(step(i).value)], index, "k" + n);
    } else {
      body += keep_in_register(slots_.of_stores[i], index, value);
    }
  });
  return body.empty() ? "" : loads + body;
}

std::string RowWriter::staged_write() const {
  if (plan_.fours) return write_fours();
  std::string stores;
  for (size_t i = 0; i < chain_.steps.size(); ++i)
    if (slots_.of_stores[i] >= 0)
      stores +=
          "    " + name_of_store(i) + "(first + vector, eg_staged(" + number(slots_.of_stores[i]) + ", vector));\n";
  return "void eg_write(uint first, uint vectors) {\n" +
         (stores.empty() ? ""
                         : "  for (uint vector = eg_lane; vector < vectors; vector += uint(EG_GROUP_SIZE)) {\n" +
                               stores + "  }\n") +
         "}\n";
}

}  // namespace eglantine::lower
