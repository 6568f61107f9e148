#include "lower/contraction/text/parts.hpp"
#include "lower/contraction/text/tile_operand.hpp"

/// Text over an invocation's columns of all rows of a block (glsl/contraction/matmul_columns.comp).
namespace eglantine::lower {
namespace {

using namespace codegen;

struct ColumnsText {
  const MatmulShader& shader;
  const MatmulBlocks& blocks;
  const MatmulStore& store;
  const Bindings& bindings;
  int quads_of_step = (static_cast<int>(store.b->step_state().size()) + 3) / 4;
  /// Whether what steps add to b's addresses is in shared memory, too.
  bool table = store.b->steps_divide() && int64_t{16} * shader.depth * quads_of_step <= shader.table_bytes;

  int quads() const { return (shader.rows + 3) / 4; }
  std::string scalar() const { return std::string(value_type(shader.dtype, 1)); }
  std::string vector() const { return std::string(value_type(shader.dtype, 4)); }
  std::string k_of(const std::string& k) const { return (shader.splits_k ? "eg_first_k + first + " : "first + ") + k; }
  std::string column(int i) const { return "tile_column + thread + " + number(i * shader.local_x) + "u"; }
  static std::string b_at(int i) { return "b_at" + number(i); }
  static std::string id(int step, int i) { return number(step) + "_" + number(i); }

  std::string declare() const {
    std::string text = declare_accumulators(shader);
    for (int i = 0; i < shader.columns; ++i)
      text += "eg_b_address(eg_b_base + min(" + column(i) + ", n - 1u)); " + keep_line(store.b->state(), b_at(i));
    return text;
  }
  /// Four rows' elements of a, from row `line` on.
  std::string rows_of_a() const {
    std::string text = vector() + " four; ";
    for (int i = 0; i < 4; ++i) {
      const std::string row = "min(tile_row + line + " + number(i) + "u, m - 1u)";
      text += store.a ? "eg_a_address(eg_a_base + " + row + "); eg_a_step(" + k_of("k") + "); " : "";
      text += std::string("four.") + matmul_components[i] + " = " +
              (store.a ? "eg_a()" : bindings.read(blocks.a, a_address(row))) + "; ";
    }
    return text;
  }
  static std::string a_address(const std::string& row) {
    return "eg_a_base + " + row + " * " + u(u_a_m) + " + (first + k) * " + u(u_a_k);
  }
  /// Neighbouring invocations read neighbouring k of a row.
  std::string share() const {
    const std::string depth = number(shader.depth) + "u", all = number(shader.depth * quads()) + "u";
    std::string text = "for (uint e = thread; e < " + all + "; e += " + number(shader.group_size()) +
                       "u) { uint k = e % " + depth + ", line = e / " + depth + " * 4u; if (k < steps) { " +
                       rows_of_a() + "eg_rows[k * " + number(quads()) + "u + line / 4u] = four; } } ";
    if (table)
      text += "if (thread < steps) { eg_b_step(" + k_of("thread") + "); " +
              put_in_table(store.b->step_state(), "eg_steps_b", "thread") + "} ";
    return text;
  }
  /// What each column has of b at a step, number `step` of those that are unrolled.
  std::string load(int step, const std::string& k) const {
    std::string text = table ? take_from_table(store.b->step_state(), "eg_steps_b", k, "steps" + number(step))
                             : "eg_b_step(" + k_of(k) + "); ";
    for (int i = 0; i < shader.columns; ++i)
      text += recall_line(store.b->state(), b_at(i)) + scalar() + " b" + id(step, i) + " = eg_b(); ";
    return text;
  }
  std::string multiply(int step, const std::string& k) const {
    const bool fours = shader.columns == 4;
    std::string text = "{ ";
    if (fours)
      text += vector() + " right = " + vector() + "(b" + id(step, 0) + ", b" + id(step, 1) + ", b" + id(step, 2) +
              ", b" + id(step, 3) + "); ";
    for (int quad = 0; quad < quads(); ++quad)
      text += vector() + " a" + number(quad) + " = eg_rows[(" + k + ") * " + number(quads()) + "u + " + number(quad) +
              "u]; ";
    for (int row = 0; row < shader.rows; ++row) {
      const std::string left = "a" + number(row / 4) + "." + matmul_components[row % 4];
      if (fours) text += add_product(shader, accumulator(row, 0), left, "right");
      for (int i = 0; !fours && i < shader.columns; ++i)
        text += add_single_product(shader, sum(row, i), left, "b" + id(step, i));
    }
    return text + "} ";
  }
  static std::string sum(int row, int i) { return accumulator(row, 0) + "." + matmul_components[i]; }
  std::string step(int count) const {
    std::string loads, products;
    for (int i = 0; i < count; ++i) {
      const std::string k = i == 0 ? "k" : "k + " + number(i) + "u";
      loads += load(i, k);
      products += multiply(i, k);
    }
    return "{ " + loads + products + "} ";
  }
  /// A row's addresses once for its columns, and what a column adds to them once for all rows.
  std::string store_all() const {
    const std::vector<std::string> state = store.store->step_state();
    std::string text;
    for (int i = 0; i < shader.columns && !state.empty(); ++i)
      text += "eg_store_step(" + column(i) + "); " + keep_line(state, "column_" + number(i));
    for (int row = 0; row < shader.rows; ++row) {
      const std::string at = "tile_row + " + number(row) + "u";
      text += "if (" + at + " < m) { " + (shader.results_in_rows ? "eg_row(" + at + "); " : "");
      for (int i = 0; i < shader.columns; ++i)
        text += "if (" + column(i) + " < n) { " + recall_line(state, "column_" + number(i)) + "eg_put(" + at + ", " +
                column(i) + ", " + sum(row, i) + "); } ";
      text += "} ";
    }
    return text;
  }
};

}  // namespace

void define_columns(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks, const MatmulStore& store,
                    const Bindings& bindings) {
  // Loads of eight elements are on their way together.
  constexpr int at_once = 8, most_unrolled = 4;
  const ColumnsText columns{shader, blocks, store, bindings};
  const int unrolled = std::min(most_unrolled, at_once / shader.columns);
  define(text, "EG_T4", columns.vector());
  define(text, "EG_SYNC", shader.bare_barrier ? "barrier();" : "memoryBarrierShared(); barrier();");
  define(text, "EG_GROUP_SIZE", number(shader.group_size()));
  define(text, "EG_ROWS", number(shader.rows) + "u");
  define(text, "EG_COLUMNS", number(shader.columns) + "u");
  define(text, "EG_DEPTH", number(shader.depth) + "u");
  define(text, "EG_SHARED", number(shader.depth * columns.quads()));
  if (columns.table) define(text, "EG_STEP_TABLE", "eg_steps_b[" + number(shader.depth * columns.quads_of_step) + "]");
  define(text, "EG_DECLARE", columns.declare());
  define(text, "EG_SHARE", columns.share());
  define(text, "EG_UNROLLED", number(unrolled) + "u");
  define(text, "EG_STEPS(k)", columns.step(unrolled));
  define(text, "EG_STEP(k)", columns.step(1));
  define(text, "EG_STORE", columns.store_all());
}

}  // namespace eglantine::lower
