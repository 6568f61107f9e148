#include "codegen/matmul_text.hpp"

namespace eglantine::codegen {

namespace {

/// One operand on its way from memory into a tile in shared memory, and from there into registers. Its lines are rows
/// of a, or columns of b. A tile holds vec4s of four lines (`across`), in the order [k][line / 4], or of four
/// neighbouring k, in the order [line][k / 4]. The four lines are neighbours, or where they are read one by one a
/// quarter of the tile apart, so that neighbouring invocations read neighbouring elements. There the quads of every few
/// lines trade places by an exclusive or, so that the quads that eight invocations read or write at a time lie in
/// different banks.
struct Operand {
  const MatmulShader& shader;
  std::string name;  ///< "a" or "b"
  std::string block;
  MatmulRead read;
  bool across;
  int lines;                                              ///< of an invocation
  int line_lanes;                                         ///< invocations side by side along the lines
  int patch;                                              ///< and those of 32 that work on one part of the tile
  std::string length, line_stride, k_stride, tile_start;  ///< GLSL
  std::string patch_number, lane;                         ///< GLSL: which patch along the lines, and where in it

  int tile_lines() const { return lines * line_lanes; }
  int quads() const { return shader.depth / 4; }
  /// Places of a row of eight quads that fill all banks, to be shared out among the quads of a line.
  int swap_step() const { return 8 / quads(); }
  int slots() const { return tile_lines() * quads(); }
  int fetches() const { return slots() / shader.group_size(); }
  bool spread() const { return across && read == MatmulRead::single; }
  /// From one line of a vec4 to the next.
  int line_step() const { return spread() ? tile_lines() / 4 : 1; }
  std::string vector() const { return std::string(value_type(shader.dtype, 4)); }

  // ---- memory to registers to the tile ----

  /// The vec4 of fetch v: its (first) line, its first k and its slot in the tile.
  void declare_place(std::string& text, int v) const {
    const std::string id = name + number(v), e = "(thread + " + number(v * shader.group_size()) + "u)";
    const std::string fours = number(tile_lines() / 4) + "u", depth = number(quads()) + "u", quad = e + " % " + depth;
    const std::string line = "line_" + id;
    text += "uint " + line + " = " +
            (across ? number(4 / (spread() ? 4 : 1)) + "u * (" + e + " % " + fours + ")" : e + " / " + depth) + "; ";
    text += "uint k_" + id + " = " + (across ? e + " / " + fours : "4u * (" + quad + ")") + "; ";
    text += "uint slot_" + id + " = " +
            (across ? e : line + " * " + depth + " + ((" + quad + ") ^ " + swap_of(line) + ")") + "; ";
  }

  /// What the exclusive or does to the quads of a line.
  std::string swap_of(const std::string& line) const {
    return "((" + line + " / " + number(swap_step()) + "u) & " + number(quads() - 1) + "u)";
  }

  /// Past the edge the last line is read again.
  std::string address_of(int v, int line) const {
    const std::string id = name + number(v), last = read == MatmulRead::across ? "4u" : "1u";
    return "eg_" + name + "_base + min(" + tile_start + " + line_" + id + " + " + number(line * line_step()) + "u, " +
           length + " - " + last + ") * " + line_stride + " + k_" + id + " * " + k_stride;
  }

  std::string declare_fetches() const {
    std::string text;
    for (int v = 0; v < fetches(); ++v) {
      const std::string id = name + number(v);
      text += vector() + " next_" + id + "; ";
      declare_place(text, v);
      for (int i = 0; i < (read == MatmulRead::single && across ? 4 : 1); ++i)
        text += "uint from_" + id + "_" + number(i) + " = " + address_of(v, i) + "; ";
    }
    return text;
  }

  /// From k = `first` on; `head` names how many k there are in a step that may be shorter, and "" says it is whole.
  /// What lies past its end counts as 0.
  std::string fetch(const std::string& head) const {
    std::string text;
    for (int v = 0; v < fetches(); ++v) {
      const std::string id = name + number(v), next = "next_" + id;
      if (!head.empty()) text += next + " = " + vector() + "(0); ";
      if (read == MatmulRead::single)
        text += fetch_singles(id, head);
      else
        text += guard("k_" + id, head) + next + " = " + vector_of(block, "from_" + id + "_0 + (first) * " + k_stride) +
                "; ";
    }
    return text;
  }

  static std::string guard(const std::string& k, const std::string& head) {
    return head.empty() ? "" : "if (" + k + " < " + head + ") ";
  }

  std::string fetch_singles(const std::string& id, const std::string& head) const {
    std::string text;
    for (int i = 0; i < 4; ++i) {
      const std::string step = across ? "" : " + " + number(i) + "u";
      text += guard("k_" + id + step, head) + "next_" + id + "." + matmul_components[i] + " = " + block + "[from_" +
              id + "_" + number(across ? i : 0) + " + ((first)" + step + ") * " + k_stride + "]; ";
    }
    return text;
  }

  std::string keep(const std::string& base) const {
    std::string text;
    for (int v = 0; v < fetches(); ++v)
      text += "eg_tile[" + base + " + slot_" + name + number(v) + "] = next_" + name + number(v) + "; ";
    return text;
  }

  // ---- the tile to registers ----

  std::string quad(int q) const {
    return shader.slices == 1 ? number(q) + "u"
                              : "(slice * " + number(quads() / shader.slices) + "u + " + number(q) + "u)";
  }
  // Every 32 invocations have a stretch of neighbouring lines. An invocation's lines are a constant apart in it, and so
  // must be their addresses, for the driver to fold them into the loads: what an exclusive or does to a line is split
  // into what it does to the first line, which is computed, and a constant.

  int swap_constant(int line) const { return line * patch / swap_step() & (quads() - 1); }

  std::string first() const { return "first_" + name; }
  /// The invocation's first line, or where vec4s are of four lines, the first vec4.
  std::string declare_first() const {
    return "uint " + first() + " = " + patch_number + " * " + number(patch * lines / (across ? 4 : 1)) + "u + " + lane +
           "; ";
  }

  /// Where the invocation's quads begin in a pair of tiles, computed before the loop: within it the driver folds
  /// constants into the loads, and computing these again each step took 4 % more time. `base` is where the operand's
  /// tile begins.
  std::string declare_quads(int base) const {
    std::string text;
    for (int q = 0; q < quads() / shader.slices; ++q) text += across ? declare_steps(q, base) : declare_quad(q, base);
    return text;
  }

  /// The slots of one quad of the first line, for each exclusive or that occurs among the lines.
  std::string declare_quad(int q, int base) const {
    std::string text;
    int declared = 0;
    for (int line = 0; line < lines; ++line) {
      const int swap = swap_constant(line);
      if ((declared >> swap & 1) != 0) continue;
      declared |= 1 << swap;
      text += "uint " + at(q, swap) + " = " + number(base) + "u + " + first() + " * " + number(quads()) + "u + ((" +
              quad(q) + " ^ ((" + first() + " / " + number(swap_step()) + "u) & " + number(quads() - 1) + "u)) ^ " +
              number(swap) + "u); ";
    }
    return text;
  }
  std::string at(int q, int swap) const { return "at_" + name + number(q) + "_" + number(swap); }
  std::string slot(const std::string& at, int more) const {
    return "eg_tile[half_at + " + at + " + " + number(more) + "u]";
  }
  /// Four k of one line.
  std::string line_quad(int q, int line) const { return slot(at(q, swap_constant(line)), line * patch * quads()); }

  /// The slot of the first four lines at the quad's first step.
  std::string declare_steps(int q, int base) const {
    return "uint " + at(q, 0) + " = " + number(base) + "u + " + quad(q) + " * " + number(tile_lines()) + "u + " +
           first() + "; ";
  }
  /// Four lines at one k.
  std::string four_lines(int q, int four, int k) const { return slot(at(q, 0), k * tile_lines() / 4 + four * patch); }

  /// The line of the result that an invocation's line (a GLSL expression) is.
  std::string line_at(const std::string& line) const {
    const std::string step = number(patch) + "u";
    if (!across) return tile_start + " + " + line + " * " + step + " + " + first();
    const std::string four = "(" + line + " / 4u * " + step + " + " + first() + ")";
    if (!spread()) return tile_start + " + 4u * " + four + " + " + line + " % 4u";
    return tile_start + " + " + four + " + " + line + " % 4u * " + number(line_step()) + "u";
  }
};

const char* base_a = "half_at";
std::string base_b(const Operand& a) { return "(half_at + " + number(a.slots()) + "u)"; }

/// r<k>_<j>: four columns of b at step k of a quad.
std::string load_right(const Operand& b, int q) {
  std::string text;
  for (int line = 0; !b.across && line < b.lines; ++line)
    text += b.vector() + " s" + number(line) + " = " + b.line_quad(q, line) + "; ";
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < b.lines / 4; ++j) {
      const auto line = [&](int i) { return "s" + number(4 * j + i) + "." + matmul_components[k]; };
      text += b.vector() + " r" + number(k) + "_" + number(j) + " = " +
              (b.across ? b.four_lines(q, j, k)
                        : b.vector() + "(" + line(0) + ", " + line(1) + ", " + line(2) + ", " + line(3) + ")") +
              "; ";
    }
  return text;
}

/// With slices, there and back through b's columns: that took 5 % less time, and without slices 3 % more.
std::string multiply_row(const Operand& b, int row, const std::string& left, int k) {
  const int fours = b.lines / 4;
  const bool back = b.shader.slices > 1 && k % 2 == 1;
  std::string text;
  for (int j = back ? fours - 1 : 0; j >= 0 && j < fours; j += back ? -1 : 1)
    text += accumulator(row, j) + " += " + left + " * r" + number(k) + "_" + number(j) + "; ";
  return text;
}

std::string multiply_quad(const Operand& a, const Operand& b, int q) {
  std::string text = "{ " + load_right(b, q);
  for (int row = 0; !a.across && row < a.lines; ++row) {
    text += "{ " + a.vector() + " left = " + a.line_quad(q, row) + "; ";
    for (int i = 0; i < 4; ++i) {
      const int k = a.shader.slices > 1 && row % 2 == 1 ? 3 - i : i;
      text += multiply_row(b, row, std::string("left.") + matmul_components[k], k);
    }
    text += "} ";
  }
  for (int k = 0; a.across && k < 4; ++k)
    for (int four = 0; four < a.lines / 4; ++four) {
      text += "{ " + a.vector() + " left = " + a.four_lines(q, four, k) + "; ";
      for (int i = 0; i < 4; ++i) text += multiply_row(b, 4 * four + i, std::string("left.") + matmul_components[i], k);
      text += "} ";
    }
  return text + "} ";
}

std::string store_rows(const MatmulShader& shader, const Operand& a, const Operand& b, int first, int count,
                       const std::string& put) {
  std::string text;
  for (int row = first; row < first + count; ++row) {
    text += "{ uint row = " + a.line_at(number(row) + "u") + "; if (row < m) { ";
    for (int line = 0; line < b.lines; line += shader.vector_store ? 4 : 1) {
      const std::string sum = accumulator(row, line / 4);
      text += "{ uint column = " + b.line_at(number(line) + "u") + "; if (column < n) " +
              (shader.vector_store ? put + "4(row, column, " + sum
                                   : put + "(row, column, " + sum + "." + matmul_components[line % 4]) +
              "); } ";
    }
    text += "} } ";
  }
  return text;
}

const std::string sync = "EG_SYNC ";

/// Slices hold parts of the same sums: each in turn adds up a part of the rows, the others having put theirs into
/// shared memory.
std::string add_slices(const MatmulShader& shader) {
  const int part = shader.rows / shader.slices, groups = shader.columns / 4, lanes = shader.local_x * shader.local_y;
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
    text += "} ";
  }
  return text;
}

/// The rows that an invocation stores, written out.
std::string store_unrolled(const MatmulShader& shader, const Operand& a, const Operand& b, const std::string& put) {
  const int part = shader.rows / shader.slices;
  std::string text;
  for (int slice = 0; slice < shader.slices; ++slice)
    text += (shader.slices > 1 ? "if (slice == " + number(slice) + "u) { " : "{ ") +
            store_rows(shader, a, b, slice * part, part, put) + "} ";
  return text;
}

/// The rows that an invocation stores, by way of the output: a loop fetches them back one after another, so that a
/// consumer occurs once, and the registers of the results are free by then: written out with its operands at hand, even
/// an addition slowed the product by two thirds (docs/performance.md).
std::string store_parked(const MatmulShader& shader, const Operand& a, const Operand& b) {
  const int part = shader.rows / shader.slices, step = shader.vector_store ? 4 : 1, places = shader.columns / step;
  const std::string put = shader.vector_store ? "eg_put4" : "eg_put", parked = shader.vector_store ? "4" : "";
  return store_unrolled(shader, a, b, "eg_park") + "for (uint i = 0u; i < " + number(part * places) +
         "u; ++i) { uint line_row = slice * " + number(part) + "u + i / " + number(places) + "u, line_column = i % " +
         number(places) + "u * " + number(step) + "u; uint row = " + a.line_at("line_row") +
         ", column = " + b.line_at("line_column") + "; if (row < m && column < n) " + put + "(row, column, eg_parked" +
         parked + "(row, column)); } ";
}

}  // namespace

void define_shared_tile(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks) {
  const Operand a{
      shader,   "a",      block_name(blocks.a), shader.a,    shader.a_across, shader.rows, shader.local_y, 4, "m",
      u(u_a_m), u(u_a_k), "tile_row",           "patch_row", "lane_row"};
  const Operand b{
      shader,   "b",      block_name(blocks.b), shader.b,       shader.b_across, shader.columns, shader.local_x, 8, "n",
      u(u_b_n), u(u_b_k), "tile_column",        "patch_column", "lane_column"};
  define(text, "EG_T4", a.vector());
  define(text, "EG_SYNC", shader.bare_barrier ? "barrier();" : "memoryBarrierShared(); barrier();");
  define(text, "EG_GROUP_SIZE", number(shader.group_size()));
  define(text, "EG_TILE_M", number(shader.tile_rows()) + "u");
  define(text, "EG_TILE_N", number(shader.tile_columns()) + "u");
  define(text, "EG_DEPTH", number(shader.depth) + "u");
  define(text, "EG_SLOTS", number(shader.tile_slots() / 2) + "u");
  define(text, "EG_SHARED", number(shader.shared_slots()));
  define(text, "EG_DECLARE",
         a.declare_first() + b.declare_first() + a.declare_quads(0) + b.declare_quads(a.slots()) +
             declare_accumulators(shader) + a.declare_fetches() + b.declare_fetches());
  define(text, "EG_FETCH_HEAD(first, head)", a.fetch("head") + b.fetch("head"));
  define(text, "EG_FETCH(first)", a.fetch("") + b.fetch(""));
  define(text, "EG_KEEP", a.keep(base_a) + b.keep(base_b(a)));
  std::string multiply;
  for (int q = 0; q < a.quads() / shader.slices; ++q) multiply += multiply_quad(a, b, q);
  define(text, "EG_MULTIPLY", multiply);
  define(text, "EG_STORE",
         (shader.slices > 1 ? add_slices(shader) : "") +
             (shader.parked ? store_parked(shader, a, b) : store_unrolled(shader, a, b, "eg_put")));
}

}  // namespace eglantine::codegen
