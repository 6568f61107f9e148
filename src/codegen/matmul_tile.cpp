#include "codegen/matmul_text.hpp"

namespace eglantine::codegen {

namespace {

/// One operand on its way from memory into a tile in shared memory, and from there into registers. Its lines are rows
/// of a, or columns of b. A tile holds vec4s of four neighbouring lines (`across`), in the order [k][line / 4], or of
/// four neighbouring k, in the order [line][k / 4]. There the quads of every few lines trade places by an exclusive or,
/// so that the quads that eight invocations read or write at a time lie in different banks.
struct Operand {
  const MatmulShader& shader;
  std::string name;  ///< "a" or "b"
  std::string block;
  MatmulRead read;
  bool across;
  int lines;                                                    ///< of an invocation
  int line_lanes;                                               ///< invocations side by side along the lines
  std::string length, line_stride, k_stride, tile_start, lane;  ///< GLSL

  int tile_lines() const { return lines * line_lanes; }
  int quads() const { return shader.depth / 4; }
  /// Lines whose quads fill all banks: the next ones trade places.
  int lines_a_swap() const { return 8 / quads(); }
  int slots() const { return tile_lines() * quads(); }
  int fetches() const { return slots() / shader.group_size(); }
  std::string vector() const { return std::string(value_type(shader.dtype, 4)); }

  std::string swap_of(const std::string& line) const {
    return "(((" + line + ") / " + number(lines_a_swap()) + "u) & " + number(quads() - 1) + "u)";
  }

  // ---- memory to registers to the tile ----

  std::string declare_fetches() const {
    std::string text;
    for (int v = 0; v < fetches(); ++v) {
      const std::string id = name + number(v), e = "(thread + " + number(v * shader.group_size()) + "u)";
      const std::string line =
          across ? "4u * (" + e + " % " + number(tile_lines() / 4) + "u)" : "(" + e + " / " + number(quads()) + "u)";
      const std::string quad = "(" + e + " % " + number(quads()) + "u)";
      text += vector() + " next_" + id + "; ";
      text += "uint k_" + id + " = " + (across ? e + " / " + number(tile_lines() / 4) + "u" : "4u * " + quad) + "; ";
      text += "uint slot_" + id + " = " +
              (across ? e : "(" + e + " - " + quad + ") + (" + quad + " ^ " + swap_of(line) + ")") + "; ";
      const bool four_lines = across && read == MatmulRead::single;
      for (int i = 0; i < (four_lines ? 4 : 1); ++i) {
        const std::string last = length + " - " + (read == MatmulRead::across ? "4u" : "1u");
        text += "uint from_" + id + "_" + number(i) + " = eg_" + name + "_base + min(" + tile_start + " + " + line +
                " + " + number(i) + "u, " + last + ") * " + line_stride + "; ";
      }
    }
    return text;
  }

  /// What lies past the last k counts as 0.
  std::string fetch() const {
    std::string text;
    for (int v = 0; v < fetches(); ++v) {
      const std::string id = name + number(v), k = "(first) + k_" + id;
      text += "next_" + id + " = " + vector() + "(0); ";
      if (read != MatmulRead::single) {
        text += "if (" + k + " < depth) next_" + id + " = " +
                vector_of(block, "from_" + id + "_0 + (" + k + ") * " + k_stride) + "; ";
        continue;
      }
      for (int i = 0; i < 4; ++i) {
        const std::string at = across ? k : k + " + " + number(i) + "u";
        const std::string from = "from_" + id + "_" + number(across ? i : 0);
        text += "if (" + at + " < depth) next_" + id + "." + matmul_components[i] + " = " + block + "[" + from +
                " + (" + at + ") * " + k_stride + "]; ";
      }
    }
    return text;
  }

  std::string keep(const std::string& base) const {
    std::string text;
    for (int v = 0; v < fetches(); ++v) {
      const std::string id = name + number(v);
      text += "eg_tile[" + base + " + slot_" + id + "] = next_" + id + "; ";
    }
    return text;
  }

  // ---- the tile to registers ----

  /// What an exclusive or does to the quads of an invocation's line `line`, beyond what it does to its first one.
  int swap_constant(int line) const { return line * line_lanes / lines_a_swap() & (quads() - 1); }

  /// The slots of one quad for each exclusive or that occurs among the lines.
  std::string declare_quad(int q, const std::string& base) const {
    if (across) return "";
    std::string text;
    int declared = 0;
    for (int line = 0; line < lines; ++line) {
      const int swap = swap_constant(line);
      if ((declared >> swap & 1) != 0) continue;
      declared |= 1 << swap;
      text += "uint at_" + name + number(q) + "_" + number(swap) + " = " + base + " + " + lane + " * " +
              number(quads()) + "u + ((" + quad(q) + " ^ " + swap_of(lane) + ") ^ " + number(swap) + "u); ";
    }
    return text;
  }

  std::string quad(int q) const {
    return shader.slices == 1 ? number(q) + "u"
                              : "(slice * " + number(quads() / shader.slices) + "u + " + number(q) + "u)";
  }

  /// Four k of one line.
  std::string line_quad(int line, int q) const {
    return "eg_tile[at_" + name + number(q) + "_" + number(swap_constant(line)) + " + " +
           number(line * line_lanes * quads()) + "u]";
  }
  /// Four lines at one k.
  std::string four_lines(int four, int q, int k, const std::string& base) const {
    const int pitch = tile_lines() / 4;
    return "eg_tile[" + base + " + " + quad(q) + " * " + number(4 * pitch) + "u + " +
           number(k * pitch + four * line_lanes) + "u + " + lane + "]";
  }

  std::string line_at(int line) const {
    if (!across) return tile_start + " + " + number(line * line_lanes) + "u + " + lane;
    return tile_start + " + 4u * (" + number(line / 4 * line_lanes) + "u + " + lane + ") + " + number(line % 4) + "u";
  }
};

const char* base_a = "half_at";
std::string base_b(const Operand& a) { return "(half_at + " + number(a.slots()) + "u)"; }

/// r<k>_<j>: four columns of b at step k of a quad.
std::string load_right(const Operand& b, int q, const std::string& base) {
  std::string text;
  for (int line = 0; !b.across && line < b.lines; ++line)
    text += b.vector() + " s" + number(line) + " = " + b.line_quad(line, q) + "; ";
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < b.lines / 4; ++j) {
      const auto line = [&](int i) { return "s" + number(4 * j + i) + "." + matmul_components[k]; };
      text += b.vector() + " r" + number(k) + "_" + number(j) + " = " +
              (b.across ? b.four_lines(j, q, k, base)
                        : b.vector() + "(" + line(0) + ", " + line(1) + ", " + line(2) + ", " + line(3) + ")") +
              "; ";
    }
  return text;
}

std::string multiply_row(const Operand& b, int row, const std::string& left, int k) {
  std::string text;
  for (int j = 0; j < b.lines / 4; ++j)
    text += accumulator(row, j) + " += " + left + " * r" + number(k) + "_" + number(j) + "; ";
  return text;
}

std::string multiply_quad(const Operand& a, const Operand& b, int q) {
  std::string text = "{ " + a.declare_quad(q, base_a) + b.declare_quad(q, base_b(a)) + load_right(b, q, base_b(a));
  for (int row = 0; !a.across && row < a.lines; ++row) {
    text += "{ " + a.vector() + " left = " + a.line_quad(row, q) + "; ";
    for (int k = 0; k < 4; ++k) text += multiply_row(b, row, std::string("left.") + matmul_components[k], k);
    text += "} ";
  }
  for (int k = 0; a.across && k < 4; ++k)
    for (int four = 0; four < a.lines / 4; ++four) {
      text += "{ " + a.vector() + " left = " + a.four_lines(four, q, k, base_a) + "; ";
      for (int i = 0; i < 4; ++i) text += multiply_row(b, 4 * four + i, std::string("left.") + matmul_components[i], k);
      text += "} ";
    }
  return text + "} ";
}

std::string store_rows(const MatmulShader& shader, const Operand& a, const Operand& b, int first, int count) {
  std::string text;
  for (int row = first; row < first + count; ++row) {
    text += "{ uint row = " + a.line_at(row) + "; if (row < m) { ";
    for (int line = 0; line < b.lines; line += shader.vector_store ? 4 : 1) {
      const std::string sum = accumulator(row, line / 4);
      text += "{ uint column = " + b.line_at(line) + "; if (column < n) " +
              (shader.vector_store ? "eg_put4(row, column, " + sum
                                   : "eg_put(row, column, " + sum + "." + matmul_components[line % 4]) +
              "); } ";
    }
    text += "} } ";
  }
  return text;
}

/// Slices hold parts of the same sums: each in turn adds up, and stores, a part of the rows, the others having put
/// theirs into shared memory.
std::string finish_slices(const MatmulShader& shader, const Operand& a, const Operand& b) {
  const int part = shader.rows / shader.slices, groups = shader.columns / 4, lanes = shader.local_x * shader.local_y;
  const std::string sync = "memoryBarrierShared(); barrier(); ";
  std::string text;
  for (int turn = 0; turn < shader.slices; ++turn) {
    text += sync + "if (slice != " + number(turn) + "u) { uint at = (slice > " + number(turn) +
            "u ? slice - 1u : slice) * " + number(part * groups * lanes) + "u + lane; ";
    for (int i = 0; i < part * groups; ++i)
      text += "eg_tile[at + " + number(i * lanes) + "u] = " + accumulator(turn * part + i / groups, i % groups) + "; ";
    text += "} " + sync + "if (slice == " + number(turn) + "u) { ";
    for (int other = 0; other < shader.slices - 1; ++other)
      for (int i = 0; i < part * groups; ++i)
        text += accumulator(turn * part + i / groups, i % groups) + " += eg_tile[lane + " +
                number((other * part * groups + i) * lanes) + "u]; ";
    text += store_rows(shader, a, b, turn * part, part) + "} ";
  }
  return text;
}

}  // namespace

void define_shared_tile(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks) {
  const Operand a{shader,          "a",         block_name(blocks.a), shader.a,
                  shader.a_across, shader.rows, shader.local_y,       "m",
                  u(u_a_m),        u(u_a_k),    "tile_row",           "lane_row"};
  const Operand b{
      shader,   "b",      block_name(blocks.b), shader.b,     shader.b_across, shader.columns, shader.local_x, "n",
      u(u_b_n), u(u_b_k), "tile_column",        "lane_column"};
  define(text, "EG_T4", a.vector());
  define(text, "EG_GROUP_SIZE", number(shader.group_size()));
  define(text, "EG_TILE_M", number(shader.tile_rows()) + "u");
  define(text, "EG_TILE_N", number(shader.tile_columns()) + "u");
  define(text, "EG_DEPTH", number(shader.depth) + "u");
  define(text, "EG_SLOTS", number(shader.tile_slots() / 2) + "u");
  define(text, "EG_DECLARE", declare_accumulators(shader) + a.declare_fetches() + b.declare_fetches());
  define(text, "EG_FETCH(first)", a.fetch() + b.fetch());
  define(text, "EG_KEEP", a.keep(base_a) + b.keep(base_b(a)));
  std::string multiply;
  for (int q = 0; q < a.quads() / shader.slices; ++q) multiply += multiply_quad(a, b, q);
  define(text, "EG_MULTIPLY", multiply);
  define(text, "EG_STORE", shader.slices == 1 ? store_rows(shader, a, b, 0, shader.rows) : finish_slices(shader, a, b));
}

}  // namespace eglantine::codegen
