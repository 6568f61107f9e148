#pragma once

#include <algorithm>
#include <string>

#include "lower/contraction/text_parts.hpp"

namespace eglantine::lower {

/// The GLSL variables of a staged operand: those of a line, and those of a step along k. table: the steps' are computed
/// once for all lines and kept in shared memory, four words a quad.
struct StagedVariables {
  std::vector<std::string> line, step;
  bool table = false;
  int step_quads() const { return (static_cast<int>(step.size()) + 3) / 4; }
};

/// One operand on its way from memory to a tile in shared memory, and to registers. Its lines are rows of a, or columns
/// of b. A tile has vec4s of four lines (`mn_major`), in the order [k][line / 4], or of four neighbouring k, in the
/// order [line][k / 4]. The four lines are neighbours, or where they are read one by one a quarter of the tile apart,
/// so that neighbouring invocations read neighbouring elements. In the order [line][k / 4] the quads (vec4s) of a line
/// are swizzled by an exclusive or, so that the quads that eight invocations access at a time lie in different banks.
struct TileOperand {
  const MatmulShader& shader;
  std::string name;  ///< "a" or "b"
  const codegen::Bindings& bindings;
  int block;
  MatmulRead read;
  bool mn_major;
  int lines;                                              ///< of an invocation
  int line_lanes;                                         ///< invocations side by side along the lines
  int patch;                                              ///< and those of the 32 that share a patch of the tile
  std::string length, line_stride, k_stride, tile_start;  ///< GLSL
  std::string patch_number, lane;                         ///< GLSL: the patch along the lines, and the position in it
  StagedVariables staged;

  int tile_lines() const { return lines * line_lanes; }
  int quads() const { return shader.depth / 4; }
  /// Lines whose quads together fill all banks (eight quads) share one swizzle.
  int swizzle_step() const { return std::max(1, 8 / quads()); }
  int slots() const { return tile_lines() * quads(); }
  int fetches() const { return slots() / shader.group_size(); }
  bool spread() const { return mn_major && one_by_one(read); }
  /// From one line of a vec4 to the next.
  int line_step() const { return spread() ? tile_lines() / 4 : 1; }
  std::string vector() const { return std::string(codegen::value_type(shader.dtype, 4)); }

  // ---- memory to registers to the tile ----

  /// Fetch v: its vec4's (first) line, its first k and its slot in the tile.
  void declare_place(std::string& text, int v) const {
    const std::string id = name + number(v), e = "(thread + " + number(v * shader.group_size()) + "u)";
    const std::string fours = number(tile_lines() / 4) + "u", depth = number(quads()) + "u", quad = e + " % " + depth;
    const std::string line = "line_" + id;
    text += "uint " + line + " = " +
            (mn_major ? number(4 / (spread() ? 4 : 1)) + "u * (" + e + " % " + fours + ")" : e + " / " + depth) + "; ";
    text += "uint k_" + id + " = " + (mn_major ? e + " / " + fours : "4u * (" + quad + ")") + "; ";
    text += "uint slot_" + id + " = " +
            (mn_major ? e : line + " * " + depth + " + ((" + quad + ") ^ " + swizzle(line) + ")") + "; ";
  }

  /// The exclusive or of a line's quads.
  std::string swizzle(const std::string& line) const {
    return "((" + line + " / " + number(swizzle_step()) + "u) & " + number(quads() - 1) + "u)";
  }

  /// Lines past the edge repeat the last one.
  std::string address_of(int v, int line) const {
    const std::string id = name + number(v), last = read == MatmulRead::mn_major ? "4u" : "1u";
    return "eg_" + name + "_base + min(" + tile_start + " + line_" + id + " + " + number(line * line_step()) + "u, " +
           length + " - " + last + ") * " + line_stride + " + k_" + id + " * " + k_stride;
  }

  /// Addresses that a fetch reads from. They advance with k, which took 1 % less time than computing them from k.
  int addresses() const { return one_by_one(read) && mn_major ? 4 : 1; }
  std::string from(const std::string& id, int i) const { return "from_" + id + "_" + number(i); }
  /// An address, or a difference of two, which may be negative, in elements of the storage block.
  std::string block_address(const std::string& elements) const {
    return read == MatmulRead::single ? elements : "uint(int(" + elements + ") >> 2)";
  }

  std::string declare_fetches() const {
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

  bool has_table() const { return staged.table; }
  std::string table() const { return "eg_steps_" + name; }
  /// Quads of the table of one step of the tile; there are two tables.
  int table_quads() const { return shader.depth * staged.step_quads(); }
  /// The first group of 32 invocations computes a's, another one b's where there is one.
  int table_thread() const { return name == "b" && shader.group_size() >= 64 ? 32 : 0; }
  /// Fills the table at `at` with `depth` steps from k on.
  std::string fill_table(const std::string& at, const std::string& k) const {
    const std::string first = number(table_thread()) + "u", quads = number(staged.step_quads()) + "u";
    std::string text = "if (thread - " + first + " < " + number(shader.depth) + "u) { eg_" + name + "_step(" + k +
                       " + thread - " + first + "); ";
    for (int q = 0; q < staged.step_quads(); ++q) {
      text += table() + "[" + at + " + (thread - " + first + ") * " + quads + " + " + number(q) + "u] = uvec4(";
      for (int i = 0; i < 4; ++i) {
        const size_t word = 4 * static_cast<size_t>(q) + static_cast<size_t>(i);
        text += (i > 0 ? ", " : "") + (word < staged.step.size() ? staged.step[word] : "0u");
      }
      text += "); ";
    }
    return text + "} ";
  }
  /// Sets the variables of step `k_<id> + i`.
  std::string recall_step(const std::string& id, int i, const std::string& at) const {
    if (!has_table()) return "eg_" + name + "_step(from_" + id + " + " + number(i) + "u); ";
    std::string text;
    for (int q = 0; q < staged.step_quads(); ++q) {
      const std::string quad = "steps_" + id + "_" + number(i) + "_" + number(q);
      text += "uvec4 " + quad + " = " + table() + "[" + at + " + (k_" + id + " + " + number(i) + "u) * " +
              number(staged.step_quads()) + "u + " + number(q) + "u]; ";
      for (int word = 4 * q; word < std::min(4 * q + 4, static_cast<int>(staged.step.size())); ++word)
        text += staged.step[static_cast<size_t>(word)] + " = " + quad + "." + matmul_components[word % 4] + "; ";
    }
    return text;
  }

  /// Staged: the states of the lines, and the k to read next.
  std::string declare_staged() const {
    std::string text;
    for (int v = 0; v < fetches(); ++v) {
      const std::string id = name + number(v);
      text += vector() + " next_" + id + "; ";
      declare_place(text, v);
      if (!has_table()) text += "uint from_" + id + " = " + (shader.splits_k ? "eg_first_k + " : "") + "k_" + id + "; ";
      for (int i = 0; i < addresses(); ++i)
        text += "eg_" + name + "_address(eg_" + name + "_base + min(" + tile_start + " + line_" + id + " + " +
                number(i * line_step()) + "u, " + length + " - 1u)); " + keep_line(staged.line, from(id, i));
    }
    return text;
  }

  std::string fetch_staged(const std::string& head) const {
    const std::string at = head.empty() ? "table_at_" + name : number(table_quads()) + "u";
    std::string text = has_table() && head.empty() ? "uint " + at + " = " + this_table() + "; " : "";
    for (int v = 0; v < fetches(); ++v) {
      const std::string id = name + number(v);
      text += "{ ";
      if (!head.empty()) text += "next_" + id + " = " + vector() + "(0); ";
      for (int i = 0; i < 4; ++i) {
        const std::string k = mn_major ? "" : " + " + number(i) + "u";
        if (mn_major || i == 0) text += recall_line(staged.line, from(id, i));
        if (!mn_major || i == 0) text += recall_step(id, i, at);
        text += guard("k_" + id + k, head) + "next_" + id + "." + matmul_components[i] + " = eg_" + name + "(); ";
      }
      text += "} ";
      if (!has_table()) text += "from_" + id + " += " + (head.empty() ? number(shader.depth) + "u" : head) + "; ";
    }
    return text;
  }
  /// The table that goes with the tile at `half_at`.
  std::string this_table() const { return "(half_at == 0u ? 0u : " + number(table_quads()) + "u)"; }

  /// Fetches the next step. `head`: the number of k of a step that may be short, whose missing elements count as 0; "":
  /// a whole step.
  std::string fetch(const std::string& head) const {
    if (read == MatmulRead::staged) return fetch_staged(head);
    const std::string step = head.empty() ? "step_" + name : block_address(head + " * " + k_stride);
    std::string text;
    for (int v = 0; v < fetches(); ++v) {
      const std::string id = name + number(v), next = "next_" + id;
      if (!head.empty()) text += next + " = " + vector() + "(0); ";
      text += read == MatmulRead::single
                  ? fetch_singles(id, head)
                  : guard("k_" + id, head) + next + " = " + bindings.read(block, from(id, 0)) + "; ";
      for (int i = 0; i < addresses(); ++i) text += from(id, i) + " += " + step + "; ";
    }
    return text;
  }

  static std::string guard(const std::string& k, const std::string& head) {
    return head.empty() ? "" : "if (" + k + " < " + head + ") ";
  }

  std::string fetch_singles(const std::string& id, const std::string& head) const {
    std::string text;
    for (int i = 0; i < 4; ++i) {
      const std::string k = mn_major ? "" : " + " + number(i) + "u";
      const std::string place = mn_major ? from(id, i) : from(id, 0) + k + " * " + k_stride;
      text += guard("k_" + id + k, head) + "next_" + id + "." + matmul_components[i] + " = " +
              bindings.read(block, place) + "; ";
    }
    return text;
  }

  std::string store_tile(const std::string& base) const {
    std::string text;
    for (int v = 0; v < fetches(); ++v)
      text += "eg_tile[" + base + " + slot_" + name + number(v) + "] = next_" + name + number(v) + "; ";
    return text;
  }

  // ---- the tile to registers ----

  std::string quad(int q) const {
    if (shader.in_one_step()) return "quad";
    return shader.slices == 1 ? number(q) + "u"
                              : "(slice * " + number(quads() / shader.slices) + "u + " + number(q) + "u)";
  }
  // Every 32 invocations have neighbouring lines. An invocation's lines are a constant apart, and for the driver to
  // fold their addresses into the loads those must be so too: a line's swizzle is split into that of the first line,
  // which is computed, and a constant.

  int swizzle_constant(int line) const { return line * patch / swizzle_step() & (quads() - 1); }

  std::string first() const { return "first_" + name; }
  /// The invocation's first line, or the first vec4 where those are of four lines.
  std::string declare_first() const {
    return "uint " + first() + " = " + patch_number + " * " + number(patch * lines / (mn_major ? 4 : 1)) + "u + " +
           lane + "; ";
  }

  /// The addresses of the invocation's quads in a pair of tiles, before the loop: in the loop the driver folds
  /// constants into the loads, and computing the addresses anew each step took 4 % more time. base: the start of the
  /// operand's tile.
  std::string declare_quads(int base) const {
    std::string text;
    const int count = shader.in_one_step() ? 1 : quads() / shader.slices;
    for (int q = 0; q < count; ++q) text += mn_major ? declare_steps(q, base) : declare_quad(q, base);
    return text;
  }

  /// The slots of one quad of the first line, for each swizzle that occurs among the lines.
  std::string declare_quad(int q, int base) const {
    std::string text;
    int declared = 0;
    for (int line = 0; line < lines; ++line) {
      const int swap = swizzle_constant(line);
      if ((declared >> swap & 1) != 0) continue;
      declared |= 1 << swap;
      text += "uint " + at(q, swap) + " = " + number(base) + "u + " + first() + " * " + number(quads()) + "u + ((" +
              quad(q) + " ^ ((" + first() + " / " + number(swizzle_step()) + "u) & " + number(quads() - 1) + "u)) ^ " +
              number(swap) + "u); ";
    }
    return text;
  }
  std::string at(int q, int swap) const { return "at_" + name + number(q) + "_" + number(swap); }
  std::string slot(const std::string& at, int more) const {
    return "eg_tile[half_at + " + at + " + " + number(more) + "u]";
  }
  /// Four k of one line.
  std::string line_quad(int q, int line) const { return slot(at(q, swizzle_constant(line)), line * patch * quads()); }

  /// The slot of the first four lines at the quad's first step.
  std::string declare_steps(int q, int base) const {
    return "uint " + at(q, 0) + " = " + number(base) + "u + " + quad(q) + " * " + number(tile_lines()) + "u + " +
           first() + "; ";
  }
  /// Four lines at one k.
  std::string four_lines(int q, int four, int k) const { return slot(at(q, 0), k * tile_lines() / 4 + four * patch); }

  /// The line of the result for an invocation's line (a GLSL expression).
  std::string line_at(const std::string& line) const {
    const std::string step = number(patch) + "u";
    if (!mn_major) return tile_start + " + " + line + " * " + step + " + " + first();
    const std::string four = "(" + line + " / 4u * " + step + " + " + first() + ")";
    if (!spread()) return tile_start + " + 4u * " + four + " + " + line + " % 4u";
    return tile_start + " + " + four + " + " + line + " % 4u * " + number(line_step()) + "u";
  }
};

}  // namespace eglantine::lower
