#include "lower/contraction/text/tile_operand.hpp"

/// Memory to registers to the tile, by vec4s of the tile.
namespace eglantine::lower {

/// Fetch v: its vec4's (first) line, its first k and its slot in the tile.
void TileOperand::declare_place(std::string& text, int v) const {
  const std::string id = name + number(v), e = "(thread + " + number(v * shader.group_size()) + "u)";
  const std::string fours = number(tile_lines() / 4) + "u", depth = number(quads()) + "u", quad = e + " % " + depth;
  const std::string line = "line_" + id, k = "k_" + id;
  if (along_k) {
    text += "uint " + line + " = " + e + " / " + number(shader.depth) + "u, " + k + " = " + e + " % " +
            number(shader.depth) + "u, slot_" + id + " = " + k + " * " + fours + " + (" + line + " ^ ((" + k +
            " % 4u * 2u + " + k + " / 4u % 2u) & " + number(most_swap()) + "u)); ";
    return;
  }
  // In the same words where fetches share their lines, whose addresses are then computed once.
  const std::string across = shader.group_size() % (tile_lines() / 4) == 0 ? "thread" : e;
  text += "uint " + line + " = " +
          (mn_major ? number(4 / (spread() ? 4 : 1)) + "u * (" + across + " % " + fours + ")" : e + " / " + depth) +
          "; ";
  text += "uint k_" + id + " = " + (mn_major ? e + " / " + fours : "4u * (" + quad + ")") + "; ";
  text += "uint slot_" + id + " = " +
          (mn_major ? e : line + " * " + depth + " + ((" + quad + ") ^ " + swizzle(line) + ")") + "; ";
}

/// Lines past the edge repeat the last one, or the last four, which may pass it.
std::string TileOperand::address_of(int v, int line) const {
  const std::string id = name + number(v);
  const std::string last = read == MatmulRead::mn_major ? "((" + length + " - 1u) & ~3u)" : length + " - 1u";
  return "eg_" + name + "_base + min(" + tile_start + " + line_" + id + " + " + number(line * line_step()) + "u, " +
         last + ") * " + line_stride + " + k_" + id + " * " + k_stride;
}

/// An address, or a difference of two, which may be negative, in elements of the storage block.
std::string TileOperand::block_address(const std::string& elements) const {
  return read == MatmulRead::single ? elements : "uint(int(" + elements + ") >> 2)";
}

std::string TileOperand::declare_fetches() const {
  if (read == MatmulRead::staged) return declare_staged();
  std::string text = "uint step_" + name + " = " + block_address(number(shader.depth) + "u * " + k_stride) + "; ";
  for (int v = 0; v < fetches(); ++v) {
    const std::string id = name + number(v);
    text += vector() + " next_" + id + "; ";
    declare_place(text, v);
    for (int i = 0; i < addresses(); ++i)
      text += "uint " + from(id, i) + " = " + block_address(address_of(v, i)) + "; ";
  }
  return text;
}

std::string TileOperand::fetch(const std::string& head) const {
  if (read == MatmulRead::staged) return fetch_staged(head);
  const std::string step = head.empty() ? "step_" + name : block_address(head + " * " + k_stride);
  std::string text;
  for (int v = 0; v < fetches(); ++v) {
    const std::string id = name + number(v), next = "next_" + id;
    if (!head.empty()) text += next + " = " + vector() + "(0); ";
    text += where_had(v, read == MatmulRead::single
                             ? fetch_singles(id, head)
                             : guard("k_" + id, head) + next + " = " + bindings.read(block, from(id, 0)) + "; ");
    for (int i = 0; i < addresses(); ++i) text += from(id, i) + " += " + step + "; ";
  }
  return text;
}

std::string TileOperand::fetch_singles(const std::string& id, const std::string& head) const {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    const std::string k = mn_major ? "" : " + " + number(i) + "u";
    const std::string place = mn_major ? from(id, i) : from(id, 0) + k + " * " + k_stride;
    text += guard("k_" + id + k, head) + "next_" + id + "." + matmul_components[i] + " = " +
            bindings.read(block, place) + "; ";
  }
  return text;
}

std::string TileOperand::store_tile(const std::string& base, bool whole) const {
  std::string text;
  for (int v = 0; v < fetches(); ++v)
    text += where_had(v, "eg_tile[" + base + " + slot_" + id(v) +
                             "] = " + (whole && staged.defers ? kept(v) : "next_" + id(v)) + "; ");
  return text;
}

}  // namespace eglantine::lower
