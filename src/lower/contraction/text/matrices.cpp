#include "lower/contraction/text/parts.hpp"

/// Text over an invocation's results of small matrices in shared memory (glsl/contraction/matmul_matrices.comp).
namespace eglantine::lower {
namespace {

using namespace codegen;

std::string sum_at(int row, int column) { return "c" + number(row) + "_" + number(column); }

/// The row, or column, of the invocation's i-th: those are as far apart as the matrix has tiles, or neighbours.
std::string row_at(int i) { return "(row + " + number(i) + "u * down)"; }
std::string column_at(const MatmulShader& shader, int i) {
  if (shader.columns_together) return "(column * EG_COLUMNS + " + number(i) + "u)";
  return "(column + " + number(i) + "u * across)";
}

/// Lines past the last repeat it, and their results are not stored.
std::string declare_results(const MatmulShader& shader) {
  const std::string scalar(value_type(shader.dtype, 1));
  std::string text;
  for (int i = 0; i < shader.rows; ++i)
    text += "uint a_at" + number(i) + " = at_a + min(" + row_at(i) + ", m - 1u) * " + u(u_a_m) + "; ";
  for (int i = 0; i < shader.columns; ++i)
    text += "uint b_at" + number(i) + " = at_b + min(" + column_at(shader, i) + ", n - 1u) * " + u(u_b_n) + "; ";
  for (int i = 0; i < shader.rows; ++i)
    for (int j = 0; j < shader.columns; ++j) text += scalar + " " + sum_at(i, j) + " = " + scalar + "(0); ";
  return text;
}

std::string step_of(const MatmulShader& shader) {
  const std::string scalar(value_type(shader.dtype, 1));
  const auto load = [&](const char* name, int i) {
    return scalar + " " + name + number(i) + " = eg_matrices[" + name + "_at" + number(i) + " + k" + name + "]; ";
  };
  std::string text;
  for (int i = 0; i < shader.rows; ++i) text += load("a", i);
  for (int j = 0; j < shader.columns; ++j) text += load("b", j);
  for (int i = 0; i < shader.rows; ++i)
    for (int j = 0; j < shader.columns; ++j)
      text += add_single_product(shader, sum_at(i, j), "a" + number(i), "b" + number(j));
  return text;
}

/// All columns of rows of whole vec4s.
std::string store_vectors(const MatmulShader& shader) {
  std::string text;
  for (int i = 0; i < shader.rows; ++i)
    text += "if (" + row_at(i) + " < m) eg_put4(" + row_at(i) + ", " + column_at(shader, 0) + ", " +
            std::string(value_type(shader.dtype, 4)) + "(" + sum_at(i, 0) + ", " + sum_at(i, 1) + ", " + sum_at(i, 2) +
            ", " + sum_at(i, 3) + ")); ";
  return text;
}

std::string put(const MatmulShader& shader, const std::string& row, const std::string& column, const std::string& sum) {
  if (shader.results_in_order) return "eg_matrices[at + " + row + " * n + " + column + "] = " + sum + "; ";
  return "eg_put(" + row + ", " + column + ", " + sum + "); ";
}

std::string store_results(const MatmulShader& shader) {
  if (shader.vector_store && !shader.results_in_order) return store_vectors(shader);
  std::string text;
  for (int i = 0; i < shader.rows; ++i) {
    text += "if (" + row_at(i) + " < m) { ";
    for (int j = 0; j < shader.columns; ++j)
      text += "if (" + column_at(shader, j) + " < n) " + put(shader, row_at(i), column_at(shader, j), sum_at(i, j));
    text += "} ";
  }
  return text;
}

/// All loads before the first one is stored.
void define_copy(std::string& text, const MatmulShader& shader) {
  std::string vectors, fetch, keep;
  const auto add = [&](const std::string& read, const std::string& name, const std::string& to, int count) {
    const std::string span = ", span_" + name + ") ";
    for (int i = 0; i < count; ++i) {
      const std::string x = name + number(i) + ", " + number(i) + "u";
      vectors += "EG_VECTOR " + name + number(i) + "; ";
      fetch += "EG_FETCH(" + read + ", " + x + ", from_" + name + span;
      keep += "EG_KEEP_VECTOR(" + x + ", " + to + span;
    }
  };
  add("EG_READ_A", "a", "0u", shader.vectors_of_a);
  add("EG_READ_B", "b", "span_a", shader.vectors_of_b);
  define(text, "EG_VECTORS", vectors);
  define(text, "EG_LOAD", fetch);
  define(text, "EG_KEEP", keep);
}

/// Of results that are stored in their order.
void define_order(std::string& text, const MatmulShader& shader) {
  define(text, "EG_IN_ORDER", "");
  if (shader.over_operands) define(text, "EG_OVER_OPERANDS", "");
  define(text, "EG_WIDTH", shader.vector_store ? "4u" : "1u");
  define(text, "EG_DELIVER(number, i)",
         shader.vector_store ? "uint at = i; eg_result((number) >> 2, EG_VECTOR(eg_matrices[at], eg_matrices[at + 1u], "
                               "eg_matrices[at + 2u], eg_matrices[at + 3u]));"
                             : "eg_result(number, eg_matrices[i]);");
}

}  // namespace

void define_matrices(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks,
                     const Bindings& bindings) {
  define(text, "EG_T", std::string(value_type(shader.dtype, 1)));
  define(text, "EG_VECTOR", std::string(value_type(shader.dtype, 4)));
  define(text, "EG_GROUP_SIZE", number(shader.group_size()));
  define(text, "EG_TOGETHER", number(shader.matrices) + "u");
  define(text, "EG_SHARED", number(shader.shared_elements));
  define(text, "EG_SYNC", shader.bare_barrier ? "barrier();" : "memoryBarrierShared(); barrier();");
  define(text, "EG_ROWS", number(shader.rows) + "u");
  define(text, "EG_COLUMNS", number(shader.columns) + "u");
  const int innermost = u_batch_axes + 4 * (shader.batch_rank - 1);
  define(text, "EG_BATCHES", u(innermost));
  define(text, "EG_A_BATCH", u(innermost + 1));
  define(text, "EG_B_BATCH", u(innermost + 2));
  define(text, "EG_READ_A(i)", bindings.read(blocks.a, "i"));
  define(text, "EG_READ_B(i)", bindings.read(blocks.b, "i"));
  define_copy(text, shader);
  if (shader.loads_ahead) define(text, "EG_AHEAD", "");
  define(text, "EG_DECLARE", declare_results(shader));
  define(text, "EG_STEP", step_of(shader));
  if (shader.four_steps) define(text, "EG_FOUR_STEPS", "");
  define(text, "EG_STORE", store_results(shader));
  if (shader.results_in_order) define_order(text, shader);
}

}  // namespace eglantine::lower
