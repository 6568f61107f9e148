#include "lower/contraction/text/tile_operand.hpp"

/// Operands that are read through an expression over groups of axes.
namespace eglantine::lower {

namespace {

std::string place_in(const std::string& table, const std::string& entry, size_t word, size_t words) {
  return table + "[(" + entry + ") * " + number(static_cast<int>((words + 3) / 4)) + "u + " +
         number(static_cast<int>(word / 4)) + "u]";
}

}  // namespace

std::string put_in_table(const std::vector<std::string>& words, const std::string& table, const std::string& entry) {
  std::string text;
  for (size_t first = 0; first < words.size(); first += 4) {
    text += place_in(table, entry, first, words.size()) + " = uvec4(";
    for (size_t i = first; i < first + 4; ++i) text += (i > first ? ", " : "") + (i < words.size() ? words[i] : "0u");
    text += "); ";
  }
  return text;
}

std::string take_from_table(const std::vector<std::string>& words, const std::string& table, const std::string& entry,
                            const std::string& id) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string quad = id + "_" + number(static_cast<int>(i / 4));
    if (i % 4 == 0) text += "uvec4 " + quad + " = " + place_in(table, entry, i, words.size()) + "; ";
    text += words[i] + " = " + quad + "." + matmul_components[i % 4] + "; ";
  }
  return text;
}

/// The first group of 32 invocations computes a's, another one b's where there is one.
int TileOperand::table_thread() const { return name == "b" && shader.group_size() >= 64 ? 32 : 0; }

std::string TileOperand::fill_table(const std::string& at, const std::string& k) const {
  const std::string own = "thread - " + number(table_thread()) + "u";
  return "if (" + own + " < " + number(shader.depth) + "u) { eg_" + name + "_step(" + k + " + " + own + "); " +
         put_in_table(staged.step, table(), at + " + " + own) + "} ";
}

/// Sets the variables of step k_<id> of the tile.
std::string TileOperand::recall_step(const std::string& id) const {
  if (!has_table()) return "eg_" + name + "_step(from_" + id + "); ";
  return take_from_table(staged.step, table(), "table_at_" + name + " + k_" + id, "steps_" + id);
}

std::string TileOperand::next_step(const std::string& id, const std::string& head) const {
  return has_table() ? "" : "from_" + id + " += " + (head.empty() ? number(shader.depth) + "u" : head) + "; ";
}

/// Sets the variables of a line of the tile. Lines past the edge repeat the last one.
std::string TileOperand::address_line(const std::string& line) const {
  return "eg_" + name + "_address(eg_" + name + "_base + min(" + tile_start + " + " + line + ", " + length +
         " - 1u)); ";
}

/// The states of the lines, and the k to read next.
std::string TileOperand::declare_staged() const {
  std::string text;
  for (int v = 0; v < fetches(); ++v) {
    text += vector() + " next_" + id(v) + "; ";
    declare_place(text, v);
    if (!has_table())
      text += "uint from_" + id(v) + " = " + (shader.splits_k ? "eg_first_k + " : "") + "k_" + id(v) + "; ";
    for (int i = 0; i < addresses(); ++i) {
      text += address_line(staged_line(v, i)) + keep_line(staged.line, from(id(v), i));
      if (staged.defers) text += "uint " + word(v, i) + "; ";
    }
  }
  return text;
}

/// `table_at_<name>`: where the steps of a fetch are.
std::string TileOperand::table_at(const std::string& head) const {
  if (!has_table()) return "";
  return "uint table_at_" + name + " = " + (head.empty() ? this_table() : number(table_quads()) + "u") + "; ";
}

/// The elements of a vec4 that were only read.
std::string TileOperand::kept(int v) const {
  std::string text = vector() + "(";
  for (int i = 0; i < 4; ++i)
    text += std::string(i > 0 ? ", " : "") + "eg_" + name + "_kept(next_" + id(v) + "." + matmul_components[i] + ", " +
            word(v, i) + ")";
  return text + ")";
}

/// Of a whole step what is read is not looked at, if it need not be, until it is stored: an invocation would wait for
/// it before it multiplies.
std::string TileOperand::read_lines(int v, const std::string& head) const {
  const bool waits = staged.defers && head.empty();
  std::string text;
  for (int i = 0; i < 4; ++i) {
    text += recall_line(staged.line, from(id(v), i)) + guard("k_" + id(v), head) + "next_" + id(v) + "." +
            matmul_components[i] + " = eg_" + name + (waits ? "_read(); " : "(); ");
    if (waits) text += word(v, i) + " = eg_" + name + "_word; ";
  }
  return text;
}

/// Along k an invocation has one k for all of its lines.
std::string TileOperand::fetch_staged(const std::string& head) const {
  std::string text = "{ " + table_at(head);
  for (int v = 0; v < fetches(); ++v) {
    const bool new_step = v == 0 || !along_k;
    if (!head.empty()) text += "next_" + id(v) + " = " + vector() + "(0); ";
    text += where_had(v, (new_step ? recall_step(id(v)) : "") + read_lines(v, head));
    if (new_step) text += next_step(id(v), head);
  }
  return text + "} ";
}

}  // namespace eglantine::lower
