#include "lower/contraction/text/parts.hpp"

/// Text of a sum of few outer products (glsl/contraction/matmul_outer.comp).
namespace eglantine::lower {
namespace {

using namespace codegen;

/// Columns of an invocation: a vec4 of neighbours, or elements a row of invocations apart.
struct OuterText {
  const MatmulShader& shader;
  const MatmulBlocks& blocks;
  const Bindings& bindings;

  bool vectors() const { return shader.vector_store; }
  int sums() const { return vectors() ? 1 : shader.columns; }
  std::string type() const { return std::string(value_type(shader.dtype, vectors() ? 4 : 1)); }
  std::string column(int i) const { return "column + " + number(i * (vectors() ? 1 : shader.local_x)) + "u"; }
  static std::string of_b(int i, int k) { return "b" + number(i) + "_" + number(k); }

  /// b's element of column i at step k; columns past the last repeat it.
  std::string element(int i, int k) const {
    const std::string at = i == 0 ? "column" : "min(" + column(i) + ", n - 1u)";
    return bindings.read(blocks.b, "eg_b_base + " + at + " * " + u(u_b_n) + " + " + number(k) + "u * " + u(u_b_k));
  }
  std::string element_of_sum(int i, int k) const {
    if (!vectors()) return element(i, k);
    if (shader.b == MatmulRead::mn_major)
      return bindings.read(blocks.b, "(eg_b_base + column + " + number(k) + "u * " + u(u_b_k) + ") >> 2");
    return type() + "(" + element(0, k) + ", " + element(1, k) + ", " + element(2, k) + ", " + element(3, k) + ")";
  }
  /// The same of a b that lies along k, of whole vectors.
  std::string fours_of_b() const {
    const std::string four(value_type(shader.dtype, 4));
    std::string text;
    for (int k = 0; k < shader.depth; k += 4) {
      const auto name = [&](int column) { return "four" + number(column) + "_" + number(k / 4); };
      for (int i = 0; i < (vectors() ? 4 : sums()); ++i) {
        const std::string at = i == 0 ? "column" : "min(" + column(i) + ", n - 1u)";
        text += four + " " + name(i) + " = " +
                bindings.read(blocks.b, "(eg_b_base + " + at + " * " + u(u_b_n) + " + " + number(k) + "u) >> 2") + "; ";
      }
      for (int j = 0; j < 4; ++j) {
        const std::string part = std::string(".") + matmul_components[j];
        const std::string all =
            type() + "(" + name(0) + part + ", " + name(1) + part + ", " + name(2) + part + ", " + name(3) + part + ")";
        for (int i = 0; i < sums(); ++i)
          text += type() + " " + of_b(i, k + j) + " = " + (vectors() ? all : name(i) + part) + "; ";
      }
    }
    return text;
  }
  int quads() const { return (shader.depth + 3) / 4; }
  /// From one row's elements of a to those of the next.
  std::string line() const { return shader.a_in_shared ? number(quads()) + "u" : u(u_a_m); }
  /// a's elements of the group's rows, by fours, in about the order of memory; behind the last, that one again.
  std::string share() const {
    const std::string rows = number(shader.tile_rows()) + "u", fours = number(quads()) + "u";
    const auto element = [&](int i) {
      const std::string k = i == 0 ? "k" : "min(k + " + number(i) + "u, " + number(shader.depth - 1) + "u)";
      return bindings.read(blocks.a, "at + " + k + " * " + u(u_a_k));
    };
    return "for (uint e = gl_LocalInvocationIndex; e < " + rows + " * " + fours +
           "; e += " + number(shader.group_size()) + "u) { bool along = " + u(u_a_k) +
           " == 1u; uint line = along ? e / " + fours + " : e % " + rows + ", k = 4u * (along ? e % " + fours +
           " : e / " + rows + "); uint at = eg_a_base + min(gl_WorkGroupID.y * " + rows + " + line, m - 1u) * " +
           u(u_a_m) + "; eg_rows[line * " + fours + " + k / 4u] = " +
           (shader.a == MatmulRead::k_major ? bindings.read(blocks.a, "(at + k) >> 2")
                                            : std::string(value_type(shader.dtype, 4)) + "(" + element(0) + ", " +
                                                  element(1) + ", " + element(2) + ", " + element(3) + ")") +
           "; } ";
  }
  std::string declare() const {
    const std::string start = shader.a_in_shared ? "gl_LocalInvocationID.y * " : "eg_a_base + row * ";
    std::string text = "uint at_a = " + start + line() + "; ";
    if (shader.b == MatmulRead::k_major) return text + fours_of_b();
    for (int k = 0; k < shader.depth; ++k)
      for (int i = 0; i < sums(); ++i) text += type() + " " + of_b(i, k) + " = " + element_of_sum(i, k) + "; ";
    return text;
  }
  static std::string of_a(int row, int k) { return std::string(row == 0 ? "a" : "next_a") + number(k); }
  std::string four_of_a(const std::string& at, const std::string& quad) const {
    if (shader.a_in_shared) return "eg_rows[" + at + " + " + quad + "]";
    return bindings.read(blocks.a, "(" + at + " >> 2) + " + quad);
  }
  /// a0, a1, ...: the elements of a row that begins at an address; next_a0, ...: those of the next one.
  std::string load_a(int row, const std::string& at) const {
    const std::string scalar(value_type(shader.dtype, 1)), four(value_type(shader.dtype, 4));
    const std::string name = row == 0 ? "fours" : "next_fours";
    const bool fours = shader.a == MatmulRead::k_major || shader.a_in_shared;
    std::string text;
    for (int k = 0; fours && k < shader.depth; k += 4)
      text += four + " " + name + number(k / 4) + " = " + four_of_a(at, number(k / 4) + "u") + "; ";
    for (int k = 0; k < shader.depth; ++k)
      text += scalar + " " + of_a(row, k) + " = " +
              (fours ? name + number(k / 4) + "." + matmul_components[k % 4]
                     : bindings.read(blocks.a, at + " + " + number(k) + "u * " + u(u_a_k))) +
              "; ";
    return text;
  }
  std::string sum(int row, int i) const {
    const auto product = vectors() ? add_product : add_single_product;
    std::string text = type() + " c = " + type() + "(0); ";
    for (int k = 0; k < shader.depth; ++k) text += product(shader, "c", of_a(row, k), of_b(i, k));
    return text;
  }
  std::string store(int row, const std::string& at) const {
    std::string text = shader.results_in_rows ? "eg_row(" + at + "); " : "";
    const std::string put = vectors() ? "eg_put4(" : "eg_put(";
    for (int i = 0; i < sums(); ++i)
      text +=
          (i == 0 ? "{ " : "if (" + column(i) + " < n) { ") + sum(row, i) + put + at + ", " + column(i) + ", c); } ";
    return text;
  }
  /// A second row past the last reads the first once more.
  std::string rows() const {
    if (shader.rows_at_once == 1) return load_a(0, "at_a") + store(0, "row");
    const std::string next = "row + " + number(shader.local_y) + "u";
    const std::string step = number(shader.local_y) + "u * " + line();
    return load_a(0, "at_a") + "uint at_next = " + next + " < end ? at_a + " + step + " : at_a; " +
           load_a(1, "at_next") + store(0, "row") + "if (" + next + " < end) { " + store(1, "(" + next + ")") + "} ";
  }
};

}  // namespace

void define_outer(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks, const Bindings& bindings) {
  const OuterText outer{shader, blocks, bindings};
  define(text, "EG_ROWS", number(shader.rows) + "u");
  define(text, "EG_TILE_M", number(shader.tile_rows()) + "u");
  define(text, "EG_TILE_N", number(shader.tile_columns()) + "u");
  define(text, "EG_FIRST_COLUMN(lane)", outer.vectors() ? "4u * lane" : "lane");
  if (shader.rows_anywhere) define(text, "EG_ROWS_ANYWHERE", "");
  define(text, "EG_DECLARE", outer.declare());
  if (shader.a_in_shared) {
    define(text, "EG_SHARED_ROWS",
           std::string(value_type(shader.dtype, 4)) + " eg_rows[" + number(shader.tile_rows() * outer.quads()) + "]");
    define(text, "EG_SHARE", outer.share());
  }
  define(text, "EG_A_STEP", number(shader.rows_at_once * shader.local_y) + "u * " + outer.line());
  define(text, "EG_STEP", number(shader.rows_at_once * shader.local_y) + "u");
  define(text, "EG_ROW", outer.rows());
}

}  // namespace eglantine::lower
