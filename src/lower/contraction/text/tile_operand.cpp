#include "lower/contraction/text/tile_operand.hpp"

/// A tile in shared memory, on its way to registers.
namespace eglantine::lower {

std::string TileOperand::quad(int q) const {
  if (shader.in_one_step()) return "quad";
  return shader.slices == 1 ? number(q) + "u"
                            : "(slice * " + number(quads() / shader.slices) + "u + " + number(q) + "u)";
}

std::string TileOperand::declare_quads(int base) const {
  std::string text;
  const int count = shader.in_one_step() ? 1 : quads() / shader.slices;
  for (int q = 0; q < count; ++q) text += mn_major ? declare_steps(q, base) : declare_quad(q, base);
  return text;
}

/// The slots of one quad of the first line, for each swizzle that occurs among the lines.
std::string TileOperand::declare_quad(int q, int base) const {
  std::string text;
  int declared = 0;
  for (int line = 0; line < lines; ++line) {
    const int swap = swizzle_constant(line);
    if ((declared >> swap & 1) != 0) continue;
    declared |= 1 << swap;
    text += "uint " + at(q, swap) + " = " + number(base) + "u + " + first() + " * " + number(quads()) + "u + ((" +
            quad(q) + " ^ " + swizzle(first()) + ") ^ " + number(swap) + "u); ";
  }
  return text;
}

/// The slots of the first four lines at the quad's first step, for each exclusive or of lanes that occurs.
std::string TileOperand::declare_steps(int q, int base) const {
  const std::string from = number(base) + "u + " + quad(q) + " * " + number(tile_lines()) + "u + ";
  if (!along_k) return "uint " + at(q, 0) + " = " + from + first() + "; ";
  std::string text;
  for (int k = 0; k < 4 && (k == 0 || low_swap(k) != 0); ++k)
    text += "uint " + at(q, low_swap(k)) + " = " + from + "(" + first() + " ^ (" + number(low_swap(k)) + "u | (" +
            quad(q) + " & 1u))); ";
  return text;
}

std::string TileOperand::line_at(const std::string& line) const {
  const std::string step = number(patch) + "u";
  if (!mn_major) return tile_start + " + " + line + " * " + step + " + " + first();
  const std::string four = "(" + line + " / 4u * " + step + " + " + first() + ")";
  if (!spread()) return tile_start + " + 4u * " + four + " + " + line + " % 4u";
  return tile_start + " + " + four + " + " + line + " % 4u * " + number(line_step()) + "u";
}

}  // namespace eglantine::lower
