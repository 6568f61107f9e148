#include <map>

#include "codegen/value_text.hpp"
#include "lower/row/text/text.hpp"
#include "lower/row/text/writer.hpp"

/// Four short rows an invocation (glsl/row/row_fours.comp): registers h<slot>_<element> have an element of each of the
/// four, and w<slot>_<vector> four neighbours in memory.
namespace eglantine::lower {
namespace {

std::string component(int64_t j) { return std::string(".") + codegen::components_of_vec4[static_cast<size_t>(j)]; }

std::string place(int slot, int64_t vector) { return std::to_string(slot) + "u, " + std::to_string(vector) + "u"; }

}  // namespace

std::string RowWriter::taken_fours(int slot) const {
  const int64_t length = plan_.length;
  const std::string name = "w" + std::to_string(slot) + "_";
  std::string text;
  for (int64_t v = 0; v < length; ++v)
    text += "  vec4 " + name + std::to_string(v) + " = eg_taken(" + place(slot, v) + ");\n";
  for (int64_t e = 0; e < length; ++e) {
    std::string four;
    for (int64_t at = e; at < 4 * length; at += length)
      four += (four.empty() ? "" : ", ") + name + std::to_string(at / 4) + component(at % 4);
    text += "  vec4 " + in_register(slot, std::to_string(e) + "u") + " = vec4(" + four + ");\n";
  }
  return text;
}

/// What lies side by side in four rows, straight to registers.
std::string RowWriter::loaded_fours(size_t i) const {
  const int slot = slots_.of_values[static_cast<size_t>(step(i).value)];
  std::string text = "  " + name_of_step(i) + "_address(at);\n";
  for (int64_t e = 0; e < plan_.length; ++e) {
    const std::string index = std::to_string(e) + "u";
    text += "  vec4 " + in_register(slot, index) + " = " + name_of_step(i) + "(" + index + ");\n";
  }
  return text;
}

std::string RowWriter::take_fours() const {
  std::map<int, size_t> staged;  // the step that a slot is of first
  for_each_read([&](size_t i) { staged[slots_.of_values[static_cast<size_t>(step(i).value)]] = i; });
  std::string text;
  for (int slot = 0; slot < slots_.count; ++slot) {
    if (const auto found = staged.find(slot); found != staged.end()) {
      text +=
          reads_side_by_side(step(found->second), plan_.kept_rank) ? loaded_fours(found->second) : taken_fours(slot);
      continue;
    }
    for (int64_t e = 0; e < plan_.length; ++e) text += "  vec4 " + in_register(slot, std::to_string(e) + "u") + ";\n";
  }
  return text;
}

std::string RowWriter::give_fours() const {
  std::string text;
  for (const int slot : slots_.of_stores)
    for (int64_t v = 0; slot >= 0 && v < plan_.length; ++v) {
      std::string four;
      for (int64_t at = 4 * v; at < 4 * (v + 1); ++at)
        four += (four.empty() ? "" : ", ") + in_register(slot, std::to_string(at % plan_.length) + "u") +
                component(at / plan_.length);
      text += "  eg_give(" + place(slot, v) + ", vec4(" + four + "));\n";
    }
  return text;
}

std::string RowWriter::write_fours() const {
  std::string stores;
  for (int64_t v = 0; v < plan_.length; ++v) {
    const std::string at = "eg_lane + " + std::to_string(v) + "u * uint(EG_GROUP_SIZE)";
    for (size_t i = 0; i < chain_.steps.size(); ++i)
      if (const int slot = slots_.of_stores[i]; slot >= 0)
        stores += "  if (" + at + " < vectors) " + name_of_store(i) + "(first + " + at + ", eg_staged(" +
                  std::to_string(slot) + "u, " + at + "));\n";
  }
  return "void eg_write(uint first, uint vectors) {\n" + stores + "}\n";
}

}  // namespace eglantine::lower
