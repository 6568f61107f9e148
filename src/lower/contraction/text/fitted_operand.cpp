#include "lower/contraction/text/fitted_operand.hpp"

#include "layout/divide.hpp"

namespace eglantine::lower {

int FittedOperand::units() const {
  return static_cast<int>(ceil_divide(int64_t{shader.matrices} * quads() * steps(), shader.group_size()));
}

/// Its place among the units of a step, whether there is one, its first line, its matrix, first k and slot. Units of
/// neighbouring invocations follow each other in memory.
std::string FittedOperand::declare_unit(int unit) const {
  const std::string v = id(unit), e = "(thread + " + number(unit * shader.group_size()) + "u)",
                    all = number(shader.matrices * quads()) + "u", each = number(quads()) + "u";
  const std::string quad = "quad_" + v, k = "k_" + v;
  const std::string place = along_k ? "uint " + quad + " = " + e + " / " + number(steps()) + "u, " + k + " = " +
                                          (fours_of_k() ? "4u * (" : "(") + e + " % " + number(steps()) +
                                          "u); bool on_" + v + " = " + quad + " < " + all + "; "
                                    : "uint " + quad + " = " + e + " % " + all + ", " + k + " = " + e + " / " + all +
                                          "; bool on_" + v + " = " + k + " < EG_DEPTH; ";
  return place + "uint line_" + v + " = " + first_line + " + 4u * (" + quad + " % " + each + "), slot_" + v + " = " +
         base + " + " + quad + " / " + each + " * " + number(pitch * shader.depth) + "u + " + k + " * " +
         number(pitch) + "u + 4u * (" + quad + " % " + each + "); uint matrix_" + v + " = min(" + quad + " / " + each +
         ", count - 1u), now_" + v + "; ";
}

/// Lines past the last repeat it, and matrices past the group's last one.
std::string FittedOperand::declare_addresses(int unit) const {
  const std::string v = id(unit), matrix = "eg_" + name + "_base + matrix_" + v + " * " + batch_stride + " + ";
  const auto at = [&](int line, const std::string& most) {
    return matrix + "min(line_" + v + " + " + number(line) + "u, " + most + ") * " + line_stride;
  };
  const std::string most = length + " - 1u";
  std::string text;
  for (int i = 0; i < parts(); ++i)
    text += "uint " + address(unit, i) + " = " +
            at(i, read == MatmulRead::mn_major && !anywhere ? "((" + most + ") & ~3u)" : most) + "; ";
  if (read == MatmulRead::mn_major && anywhere) text += "uint " + last(unit) + " = " + at(3, most) + "; ";
  return text;
}

std::string FittedOperand::declare() const {
  const bool narrow = is_narrow(bindings.at(block).storage);
  const std::string type = read != MatmulRead::single ? bindings.vector_type(block)
                           : narrow                   ? "uint"
                                                      : std::string(codegen::value_type(shader.dtype, 1));
  std::string text;
  for (int unit = 0; unit < units(); ++unit) {
    text += declare_unit(unit) + declare_addresses(unit);
    for (int i = 0; i < parts(); ++i)
      text += type + " " + loaded(unit, i) + "; " + (anywhere ? type + " " + loaded(unit, i) + "_high; " : "");
  }
  return text;
}

std::string FittedOperand::fetch_part(int unit, int part) const {
  const std::string k = "now_" + id(unit), at = address(unit, part) + " + " + k, to = loaded(unit, part);
  if (read == MatmulRead::single) {
    const bool narrow = is_narrow(bindings.at(block).storage);
    return to + " = " + (narrow ? bindings.word(block, at) : bindings.read(block, at)) + "; ";
  }
  const auto whole = [&](const std::string& element) { return bindings.whole(block, "(" + element + ") >> 2"); };
  if (!anywhere) return to + " = " + whole(at) + "; ";
  return to + " = " + whole(at) + "; " + to + "_high = " + whole(last(unit) + " + " + k) + "; ";
}

/// What lies past the last k is any value: it is not multiplied.
std::string FittedOperand::fetch() const {
  std::string text;
  for (int unit = 0; unit < units(); ++unit) {
    const std::string k = "first_k + k_" + id(unit), most = fours_of_k() ? "((depth - 1u) & ~3u)" : "depth - 1u";
    text += "now_" + id(unit) + " = min(" + k + ", " + most + ")" + (fours_of_k() ? "" : " * " + k_stride) + "; ";
    for (int i = 0; i < parts(); ++i) text += fetch_part(unit, i);
  }
  return text;
}

std::string FittedOperand::value(int unit, int part) const {
  const std::string x = loaded(unit, part), at = address(unit, part) + " + now_" + id(unit);
  const bool narrow = is_narrow(bindings.at(block).storage);
  if (read == MatmulRead::single) return narrow ? bindings.of_word(block, x, at) : x;
  return anywhere ? bindings.joined(block, x, x + "_high", at) : bindings.widened(block, x);
}

/// Four lines of a k lie side by side in shared memory.
std::string FittedOperand::keep_unit(int unit) const {
  const std::string type(codegen::value_type(shader.dtype, read == MatmulRead::single ? 1 : 4));
  std::string text;
  for (int i = 0; i < parts(); ++i) text += type + " x" + number(i) + " = " + value(unit, i) + "; ";
  for (int k = 0; k < (fours_of_k() ? 4 : 1); ++k)
    for (int line = 0; line < 4; ++line) {
      const std::string x = read == MatmulRead::single ? "x" + number(line)
                            : fours_of_k()             ? "x" + number(line) + "." + matmul_components[k]
                                                       : std::string("x0.") + matmul_components[line];
      text += "eg_tiles[slot_" + id(unit) + " + " + number(k * pitch + line) + "u] = " + x + "; ";
    }
  return "if (on_" + id(unit) + ") { " + text + "} ";
}

std::string FittedOperand::keep() const {
  std::string text;
  for (int unit = 0; unit < units(); ++unit) text += keep_unit(unit);
  return text;
}

}  // namespace eglantine::lower
