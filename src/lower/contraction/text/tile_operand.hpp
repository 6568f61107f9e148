#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lower/contraction/text/parts.hpp"

namespace eglantine::lower {

/// The GLSL variables of a staged operand: those of a line, and those of a step along k. table: the steps' are computed
/// once for all lines and kept in shared memory, four words a quad.
struct StagedVariables {
  std::vector<std::string> line, step;
  bool table = false;
  bool defers = false;  ///< what is loaded waits in registers as it lies in memory
  int step_quads() const { return (static_cast<int>(step.size()) + 3) / 4; }
};

/// Writes variables to a shared table of uvec4s, as many for each entry as they take, and reads them back.
std::string put_in_table(const std::vector<std::string>& words, const std::string& table, const std::string& entry);
std::string take_from_table(const std::vector<std::string>& words, const std::string& table, const std::string& entry,
                            const std::string& id);

/// One operand on its way from memory to a tile in shared memory, and to registers. Its lines are rows of a, or columns
/// of b. A tile has vec4s of four lines (`mn_major`), in the order [k][line / 4], or of four neighbouring k, in the
/// order [line][k / 4]. The four lines are neighbours, or where they are read one by one, and not of one buffer
/// (BufferOperand), a quarter of the tile apart, so that neighbouring invocations read neighbouring elements. In the
/// order [line][k / 4] the quads (vec4s) of a line are swizzled by an exclusive or, so that the quads that eight
/// invocations access at a time lie in different banks.
///
/// Neighbouring invocations fetch vec4s of neighbouring lines, or of neighbouring k (`along_k`: of lines that are
/// staged and lie along k; vec4s of four k would have 32 invocations read 16 lines at a time, a word or two of each).
/// The vec4s of each k are then permuted by an exclusive or, so that those of eight k lie in different banks.
struct TileOperand {
  const MatmulShader& shader;
  std::string name;  ///< "a" or "b"
  const codegen::Bindings& bindings;
  int block;
  MatmulRead read;
  bool mn_major;
  bool along_k;
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
  bool spread() const { return mn_major && one_by_one(read) && shader.buffers > 1; }
  /// From one line of a vec4 to the next.
  int line_step() const { return spread() ? tile_lines() / 4 : 1; }
  std::string vector() const { return std::string(codegen::value_type(shader.dtype, 4)); }

  // ---- memory to registers to the tile ----

  int fetches() const { return (slots() + shader.group_size() - 1) / shader.group_size(); }
  /// What invocations do with their vec4 of fetch v: of the last one, not all may have one.
  std::string where_had(int v, const std::string& text) const {
    const int left = slots() - v * shader.group_size();
    return left < shader.group_size() ? "if (thread < " + number(left) + "u) { " + text + "} " : text;
  }
  std::string declare_fetches() const;
  /// Fetches the next step. `head`: the number of k of a step that may be short, whose missing elements count as 0; "":
  /// a whole step.
  std::string fetch(const std::string& head) const;
  /// whole: what was fetched of a whole step.
  std::string store_tile(const std::string& base, bool whole) const;

  bool has_table() const { return staged.table; }
  std::string table() const { return "eg_steps_" + name; }
  /// Quads of the table of one step of the tile; there are two tables.
  int table_quads() const { return shader.depth * staged.step_quads(); }
  int64_t table_bytes() const { return has_table() ? int64_t{16} * 2 * table_quads() : 0; }
  /// The table that goes with the tile at `half_at`.
  std::string this_table() const { return "(half_at == 0u ? 0u : " + number(table_quads()) + "u)"; }
  /// Fills the table at `at` with `depth` steps from k on.
  std::string fill_table(const std::string& at, const std::string& k) const;

  // ---- the tile to registers ----

  /// The invocation's first line, or the first vec4 where those are of four lines.
  std::string declare_first() const {
    return "uint " + first() + " = " + patch_number + " * " + number(patch * lines / (mn_major ? 4 : 1)) + "u + " +
           lane + "; ";
  }
  /// The addresses of the invocation's quads in a pair of tiles, before the loop: in the loop the driver folds
  /// constants into the loads, and computing the addresses anew each step took 4 % more time. base: the start of the
  /// operand's tile.
  std::string declare_quads(int base) const;
  /// Four k of one line.
  std::string line_quad(int q, int line) const { return slot(at(q, swizzle_constant(line)), line * patch * quads()); }
  /// Four lines at one k.
  std::string four_lines(int q, int four, int k) const {
    return slot(at(q, low_swap(k)), k * tile_lines() / 4 + (four * patch ^ high_swap(k)));
  }
  /// The line of the result for an invocation's line (a GLSL expression).
  std::string line_at(const std::string& line) const;

  std::string from(const std::string& id, int i) const { return "from_" + id + "_" + number(i); }

 private:
  std::string id(int v) const { return name + number(v); }
  std::string first() const { return "first_" + name; }
  std::string at(int q, int swap) const { return "at_" + name + number(q) + "_" + number(swap); }
  std::string slot(const std::string& at, int more) const {
    return "eg_tile[half_at + " + at + " + " + number(more) + "u]";
  }
  /// The exclusive or of a line's quads.
  std::string swizzle(const std::string& line) const {
    return "((" + line + " / " + number(swizzle_step()) + "u) & " + number(quads() - 1) + "u)";
  }
  // Every 32 invocations have neighbouring lines. An invocation's lines are a constant apart, and for the driver to
  // fold their addresses into the loads those must be so too: a line's swizzle is split into that of the first line,
  // which is computed, and a constant.
  int swizzle_constant(int line) const { return line * patch / swizzle_step() & (quads() - 1); }
  // Of `along_k`, vec4s at k are permuted by an exclusive or with 2 * (k % 4) + k / 4 % 2, or its low bits where a tile
  // has fewer vec4s at a k. The second term is computed with the quad's address. The first is known: its bits within a
  // patch are in that address, too, and those above, where the invocation's first line has zeros, in the constant that
  // the driver folds into the load.
  int most_swap() const { return std::min(8, tile_lines() / 4) - 1; }
  int swap(int k) const { return along_k ? 2 * k & most_swap() : 0; }
  int low_swap(int k) const { return swap(k) & (lines == 4 ? 7 : patch - 1); }
  int high_swap(int k) const { return swap(k) - low_swap(k); }
  std::string quad(int q) const;
  std::string declare_quad(int q, int base) const;
  std::string declare_steps(int q, int base) const;

  /// Addresses that a fetch reads from. They advance with k, which took 1 % less time than computing them from k.
  int addresses() const { return one_by_one(read) && mn_major ? 4 : 1; }
  std::string address_of(int v, int line) const;
  std::string block_address(const std::string& elements) const;
  void declare_place(std::string& text, int v) const;
  std::string fetch_singles(const std::string& id, const std::string& head) const;
  static std::string guard(const std::string& k, const std::string& head) {
    return head.empty() ? "" : "if (" + k + " < " + head + ") ";
  }

  int table_thread() const;
  std::string recall_step(const std::string& id) const;
  std::string next_step(const std::string& id, const std::string& head) const;
  std::string address_line(const std::string& line) const;
  std::string table_at(const std::string& head) const;
  std::string declare_staged() const;
  std::string read_lines(int v, const std::string& head) const;
  std::string fetch_staged(const std::string& head) const;

  std::string staged_line(int v, int i) const { return "line_" + id(v) + " + " + number(i * line_step()) + "u"; }
  std::string word(int v, int i) const { return "word_" + id(v) + "_" + number(i); }
  std::string kept(int v) const;
};

}  // namespace eglantine::lower
