#include "lower/contraction/text/fitted_operand.hpp"

/// Text over an invocation's results of matrices that fit its group (glsl/contraction/matmul_fitted.comp).
namespace eglantine::lower {
namespace {

using namespace codegen;

/// Four lines of one k, from shared memory.
std::string four_of(const MatmulShader& shader, const std::string& name, const std::string& at, int group) {
  std::string text = std::string(value_type(shader.dtype, 4)) + " " + name + number(group) + " = " +
                     std::string(value_type(shader.dtype, 4)) + "(";
  for (int i = 0; i < 4; ++i)
    text += std::string(i > 0 ? ", " : "") + "eg_tiles[" + at + " + " + number(4 * group + i) + "u]";
  return text + "); ";
}

/// The products of k number `k` of a step.
std::string step_of(const MatmulShader& shader, const std::string& k) {
  std::string text = "{ ";
  for (int i = 0; i < shader.rows / 4; ++i) text += four_of(shader, "left", "at_a + " + k + " * EG_A_LINES", i);
  for (int i = 0; i < shader.columns / 4; ++i) text += four_of(shader, "right", "at_b + " + k + " * EG_B_LINES", i);
  for (int row = 0; row < shader.rows; ++row)
    for (int group = 0; group < shader.columns / 4; ++group)
      text += add_product(shader, accumulator(row, group), "left" + number(row / 4) + "." + matmul_components[row % 4],
                          "right" + number(group));
  return text + "} ";
}

std::string multiply(const MatmulShader& shader) {
  std::string text;
  for (int k = 0; k < shader.depth; ++k) text += step_of(shader, number(k) + "u");
  return text;
}

std::string element(int row, int column) { return accumulator(row, column / 4) + "." + matmul_components[column % 4]; }

/// Of rows of whole vectors, which no part ends within.
std::string store_vectors(const MatmulShader& shader, int row) {
  std::string text;
  for (int group = 0; group < shader.columns / 4; ++group)
    text += "if (first_column + column + " + number(4 * group) + "u < n) eg_put4(first_row + row + " + number(row) +
            "u, first_column + column + " + number(4 * group) + "u, " + accumulator(row, group) + "); ";
  return text;
}

std::string store_singles(const MatmulShader& shader, int row) {
  std::string text;
  for (int j = 0; j < shader.columns; ++j)
    text += "if (first_column + column + " + number(j) + "u < n) eg_put(first_row + row + " + number(row) +
            "u, first_column + column + " + number(j) + "u, " + element(row, j) + "); ";
  return text;
}

/// To shared memory, what lies in the window.
std::string store_in_order(const MatmulShader& shader, int row) {
  std::string text = "uint at = to + " + number(row) + "u * n; ";
  for (int j = 0; j < shader.columns; ++j)
    text += "if (column + " + number(j) + "u < n && at + " + number(j) + "u < EG_WINDOW) eg_tiles[at + " + number(j) +
            "u] = " + element(row, j) + "; ";
  return text;
}

std::string store_fitted(const MatmulShader& shader) {
  std::string text;
  for (int row = 0; row < shader.rows; ++row)
    text += "if (row + " + number(row) + "u < m - first_row) { " +
            (shader.results_in_order ? store_in_order(shader, row)
             : shader.vector_store   ? store_vectors(shader, row)
                                     : store_singles(shader, row)) +
            "} ";
  return text;
}

/// Of results that are stored in their order.
void define_windows(std::string& text, const MatmulShader& shader) {
  define(text, "EG_IN_ORDER", "");
  define(text, "EG_WINDOW", number(shader.shared_elements / 4 * 4) + "u");
  define(text, "EG_WIDTH", shader.vector_store ? "4u" : "1u");
  const std::string vector =
      std::string(value_type(shader.dtype, 4)) + "(eg_tiles[i], eg_tiles[i + 1u], eg_tiles[i + 2u], eg_tiles[i + 3u])";
  define(text, "EG_DELIVER(number, i)",
         shader.vector_store ? "eg_result((number) >> 2, " + vector + ");" : "eg_result(number, eg_tiles[i]);");
}

/// The axis along which groups have several matrices.
int innermost_batch(const MatmulShader& shader) { return u_batch_axes + 4 * (shader.batch_rank - 1); }

FittedOperand operand_a(const MatmulShader& shader, const MatmulBlocks& blocks, const Bindings& bindings) {
  return {shader,
          "a",
          bindings,
          blocks.a,
          shader.a,
          shader.a_anywhere,
          shader.a_along_k,
          shader.tile_rows(),
          shader.a_lines,
          "m",
          "first_row",
          u(u_a_m),
          u(u_a_k),
          "EG_A_BATCH",
          "0u"};
}

FittedOperand operand_b(const MatmulShader& shader, const MatmulBlocks& blocks, const Bindings& bindings) {
  return {shader,
          "b",
          bindings,
          blocks.b,
          shader.b,
          shader.b_anywhere,
          shader.b_along_k,
          shader.tile_columns(),
          shader.b_lines,
          "n",
          "first_column",
          u(u_b_n),
          u(u_b_k),
          "EG_B_BATCH",
          "EG_TOGETHER * EG_A_LINES * EG_DEPTH"};
}

}  // namespace

void define_fitted(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks,
                   const Bindings& bindings) {
  const FittedOperand a = operand_a(shader, blocks, bindings), b = operand_b(shader, blocks, bindings);
  define(text, "EG_T", std::string(value_type(shader.dtype, 1)));
  define(text, "EG_GROUP_SIZE", number(shader.group_size()));
  define(text, "EG_ROWS", number(shader.rows) + "u");
  define(text, "EG_COLUMNS", number(shader.columns) + "u");
  define(text, "EG_DOWN", number(shader.local_y) + "u");
  define(text, "EG_ACROSS", number(shader.local_x) + "u");
  define(text, "EG_TILE_M", number(shader.tile_rows()) + "u");
  define(text, "EG_TILE_N", number(shader.tile_columns()) + "u");
  define(text, "EG_TOGETHER", number(shader.matrices) + "u");
  define(text, "EG_DEPTH", number(shader.depth) + "u");
  define(text, "EG_A_LINES", number(shader.a_lines) + "u");
  define(text, "EG_B_LINES", number(shader.b_lines) + "u");
  define(text, "EG_SHARED", number(shader.shared_elements));
  define(text, "EG_SYNC", "memoryBarrierShared(); barrier();");
  define(text, "EG_BATCHES", u(innermost_batch(shader)));
  define(text, "EG_A_BATCH", u(innermost_batch(shader) + 1));
  define(text, "EG_B_BATCH", u(innermost_batch(shader) + 2));
  define(text, "EG_DECLARE", declare_accumulators(shader) + a.declare() + b.declare());
  define(text, "EG_FETCH", a.fetch() + b.fetch());
  define(text, "EG_KEEP", a.keep() + b.keep());
  define(text, "EG_STEP(k)", step_of(shader, "(k)"));
  define(text, "EG_MULTIPLY", multiply(shader));
  define(text, "EG_STORE", store_fitted(shader));
  if (shader.results_in_order) define_windows(text, shader);
}

}  // namespace eglantine::lower
