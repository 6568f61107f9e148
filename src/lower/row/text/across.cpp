#include "layout/divide.hpp"
#include "lower/row/text/text.hpp"
#include "lower/row/text/writer.hpp"

/// Operands that lie across the rows of a group, which it reads four rows a vec4 and exchanges through shared memory:
/// eg_tile<n> has the rows of value n one behind the other, w<n>_<u> is an invocation's u-th vector of it.
namespace eglantine::lower {
namespace {

std::string unsigned_text(int64_t n) { return std::to_string(n) + "u"; }

}  // namespace

std::string RowWriter::element_across(size_t i) const { return "eg_across" + std::to_string(step(i).value) + "(step)"; }

std::string RowWriter::tiles() const {
  std::string text;
  const std::string there = plan_.has_inner() ? "(eg_inner ? i : min(i, EG_LENGTH - 1u))" : "min(i, EG_LENGTH - 1u)";
  for (const size_t i : plan_.across) {
    const std::string n = std::to_string(step(i).value), apart = unsigned_text(plan_.apart);
    text += "shared float eg_tile" + n + "[" + std::to_string(plan_.items_at_once() * plan_.tile_pitch()) +
            "];\nfloat eg_at" + n + "(uint i) { return eg_tile" + n + "[eg_place * " +
            unsigned_text(plan_.tile_pitch()) + " + " + there + "]; }\nvec4 eg_across" + n +
            "(uint step) {\n  uint i = step / " + apart + " * " + unsigned_text(4 * plan_.apart) + " + step % " +
            apart + ";\n  return vec4(eg_at" + n + "(i), eg_at" + n + "(i + " + apart + "), eg_at" + n + "(i + " +
            unsigned_text(2 * plan_.apart) + "), eg_at" + n + "(i + " + unsigned_text(3 * plan_.apart) + "));\n}\n";
  }
  return text;
}

std::string RowWriter::loads_across() const {
  if (plan_.across.empty()) return "";
  const std::string quads = unsigned_text(plan_.items_at_once() / 4);
  std::string text = "  uint me = eg_place * uint(EG_LANES) + eg_lane, first = me / " + quads + ", quad = me % " +
                     quads + ", four = min((item - eg_place) / 4u + quad, (EG_ITEMS - 1u) / 4u);\n";
  for (const size_t i : plan_.across) {
    text += "  " + name_of_step(i) + "_address(four);\n";
    for (int64_t u = 0; u < ceil_divide(plan_.length, 4 * plan_.lanes); ++u)
      text += "  vec4 w" + std::to_string(step(i).value) + "_" + std::to_string(u) + " = " + name_of_step(i) +
              "(min(first + " + unsigned_text(u * 4 * plan_.lanes) + ", EG_LENGTH - 1u));\n";
  }
  return text;
}

std::string RowWriter::exchange_across() const {
  if (plan_.across.empty()) return "";
  const std::string pitch = unsigned_text(plan_.tile_pitch());
  // The rows of the round before are still read.
  std::string text = plan_.alone ? "" : "  memoryBarrierShared();\n  barrier();\n";
  for (int64_t u = 0; u < ceil_divide(plan_.length, 4 * plan_.lanes); ++u) {
    const std::string element = "first + " + unsigned_text(u * 4 * plan_.lanes);
    text += "  if (" + element + " < EG_LENGTH) {\n    uint to = quad * 4u * " + pitch + " + " + element + ";\n";
    for (const size_t i : plan_.across) {
      const std::string n = std::to_string(step(i).value), w = "w" + n + "_" + std::to_string(u);
      for (int64_t j = 0; j < 4; ++j)
        text += "    eg_tile" + n + "[to + " + unsigned_text(j * plan_.tile_pitch()) + "] = " + w + "." +
                codegen::components_of_vec4[static_cast<size_t>(j)] + ";\n";
    }
    text += "  }\n";
  }
  return text + "  memoryBarrierShared();\n  barrier();\n";
}

std::string RowWriter::tiles_put() const {
  std::string text;
  for (const size_t i : plan_.put_across) {
    const std::string n = std::to_string(i), apart = unsigned_text(plan_.apart);
    text += "shared float eg_out" + n + "[" + std::to_string(plan_.items_at_once() * plan_.tile_pitch()) +
            "];\nvoid eg_put" + n + "(uint step, vec4 v) {\n  uint i = step / " + apart + " * " +
            unsigned_text(4 * plan_.apart) + " + step % " + apart + ", to = eg_place * " +
            unsigned_text(plan_.tile_pitch()) + " + i;\n";
    for (int64_t j = 0; j < 4; ++j) {
      const std::string at = " + " + unsigned_text(j * plan_.apart);
      text += "  if (i" + at + " < EG_LENGTH) eg_out" + n + "[to" + at + "] = v." +
              codegen::components_of_vec4[static_cast<size_t>(j)] + ";\n";
    }
    text += "}\n";
  }
  return text;
}

std::string RowWriter::words_put(int pass) const {
  const std::string rows = unsigned_text(plan_.items_at_once());
  std::string text;
  for (const size_t i : plan_.put_across) {
    if (step(i).pass != pass) continue;
    text += "    " + name_of_store(i) + "_address(line);\n    for (uint e = me / " + rows +
            "; e < EG_LENGTH; e += uint(EG_LANES)) " + name_of_store(i) + "(e, eg_out" + std::to_string(i) + "[me % " +
            rows + " * " + unsigned_text(plan_.tile_pitch()) + " + e]);\n";
  }
  if (text.empty()) return "";
  // The next round's elements take the place of these.
  return "  memoryBarrierShared();\n  barrier();\n  {\n    uint me = eg_place * uint(EG_LANES) + eg_lane, line = item "
         "- "
         "eg_place + me % " +
         rows + ";\n    if (line < EG_ITEMS) {\n" + text + "    }\n  }\n" +
         (plan_.alone ? "" : "  memoryBarrierShared();\n  barrier();\n");
}

}  // namespace eglantine::lower
