#include "lower/contraction/text/buffer_operand.hpp"
#include "lower/contraction/text/joined_chunks.hpp"
#include "lower/contraction/text/tile_operand.hpp"
#include "lower/contraction/text/tile_store.hpp"

namespace eglantine::lower {
namespace {

using namespace codegen;

const char* base_a = "half_at";
std::string base_b(const TileOperand& a) { return "(half_at + " + number(a.slots()) + "u)"; }

/// r<k>_<j>: four columns of b at step k of a quad.
std::string load_right(const TileOperand& b, int q) {
  std::string text;
  for (int line = 0; !b.mn_major && line < b.lines; ++line)
    text += b.vector() + " s" + number(line) + " = " + b.line_quad(q, line) + "; ";
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < b.lines / 4; ++j) {
      const auto line = [&](int i) { return "s" + number(4 * j + i) + "." + matmul_components[k]; };
      text += b.vector() + " r" + number(k) + "_" + number(j) + " = " +
              (b.mn_major ? b.four_lines(q, j, k)
                          : b.vector() + "(" + line(0) + ", " + line(1) + ", " + line(2) + ", " + line(3) + ")") +
              "; ";
    }
  return text;
}

/// The order of multiplications changes how the driver assigns registers, by no rule that was found. With slices every
/// other row takes its k backwards; not in the tile of 8 x 8 results, 64 lanes and two slices, where that took 13 %
/// more time.
bool serpentine_rows(const MatmulShader& shader) {
  const bool plain = shader.in_row_major() && shader.rows == 8 && shader.slices == 2;
  return shader.slices > 1 && !(plain && shader.local_x * shader.local_y == 64);
}

/// Serpentine order through b's columns: most tiles took 1 to 12 % more time with both operands in row-major order, but
/// 8 x 8 results of 64 lanes in four slices a quarter less.
bool serpentine_columns(const MatmulShader& shader) {
  const bool gains = shader.rows == 8 && shader.slices == 4 && shader.local_x * shader.local_y == 64;
  return shader.slices > 1 && (gains || !shader.in_row_major());
}

std::string multiply_row(const TileOperand& b, int row, const std::string& left, int k) {
  const int fours = b.lines / 4;
  const bool back = serpentine_columns(b.shader) && k % 2 == 1;
  std::string text;
  for (int j = back ? fours - 1 : 0; j >= 0 && j < fours; j += back ? -1 : 1)
    text += add_product(b.shader, accumulator(row, j), left, "r" + number(k) + "_" + number(j));
  return text;
}

std::string multiply_quad(const TileOperand& a, const TileOperand& b, int q) {
  std::string text = "{ " + load_right(b, q);
  for (int row = 0; !a.mn_major && row < a.lines; ++row) {
    text += "{ " + a.vector() + " left = " + a.line_quad(q, row) + "; ";
    for (int i = 0; i < 4; ++i) {
      const int k = serpentine_rows(a.shader) && row % 2 == 1 ? 3 - i : i;
      text += multiply_row(b, row, std::string("left.") + matmul_components[k], k);
    }
    text += "} ";
  }
  for (int k = 0; a.mn_major && k < 4; ++k)
    for (int four = 0; four < a.lines / 4; ++four) {
      text += "{ " + a.vector() + " left = " + a.four_lines(q, four, k) + "; ";
      for (int i = 0; i < 4; ++i) text += multiply_row(b, 4 * four + i, std::string("left.") + matmul_components[i], k);
      text += "} ";
    }
  return text + "} ";
}

std::string declare_quads(const TileOperand& a, const TileOperand& b) {
  return a.declare_quads(0) + b.declare_quads(a.slots());
}

std::string multiply_unrolled(const TileOperand& a, const TileOperand& b) {
  std::string text;
  for (int q = 0; q < a.quads() / a.shader.slices; ++q) text += multiply_quad(a, b, q);
  return text;
}

/// A program that executes its text once waits for the text: unrolled, one step of 64 took 1.6 us more.
std::string multiply_in_a_loop(const TileOperand& a, const TileOperand& b) {
  return "for (uint quad = 0u; quad < " + number(a.quads()) + "u; ++quad) { " + declare_quads(a, b) +
         multiply_quad(a, b, 0) + "} ";
}

/// Spills the invocation's place in the tile until results are stored, which frees registers in the loop.
const char* spill = "eg_spilled[thread] = first_a << 16 | first_b; ";
const char* reload = "first_a = eg_spilled[thread] >> 16; first_b = eg_spilled[thread] & 65535u; ";

/// The head of the loop over whole steps.
std::string steps(const MatmulShader& shader, const TileOperand& b) {
  if (!shader.saves_registers) return "for (uint first = head; first < depth; first += EG_DEPTH)";
  const std::string at = b.from("b0", 0);
  return "uint last_b = " + at + " + (depth - head) / EG_DEPTH * step_b; while (" + at + " != last_b)";
}

const std::string sync = "EG_SYNC ";

/// Adds up the slices' sums: for each slice a part of the rows, which the other slices write to shared memory.
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

/// Whether what a step loads may wait in registers. An invocation with more results, or with 64 where operands lie
/// along k, has too few registers for it: it took 5 to 13 % more time.
bool has_registers_to_wait(const MatmulShader& shader) {
  constexpr int few_results = 32, most_results = 64;
  const int results = shader.rows * shader.columns;
  if (shader.in_one_step()) return false;
  return results <= few_results ||
         (results <= most_results && shader.slices == 1 && !shader.a_along_k && !shader.b_along_k);
}

StagedVariables staged_operand(const MatmulShader& shader, const std::optional<LoadStage>& stage) {
  if (!stage) return {};
  StagedVariables staged{stage->state(), stage->step_state()};
  staged.table = !shader.in_one_step() && stage->steps_divide();
  staged.defers = has_registers_to_wait(shader) && stage->defers();
  return staged;
}

/// Leaves out the tables of steps where shared memory has no room for them.
void fit_tables(TileOperand& a, TileOperand& b) {
  if (a.table_bytes() + b.table_bytes() > a.shader.table_bytes) a.staged.table = b.staged.table = false;
}

/// The tables of steps, which are filled while the tile before is multiplied.
void define_step_tables(std::string& text, const MatmulShader& shader, const TileOperand& a, const TileOperand& b) {
  std::string shared, first, next;
  for (const TileOperand* x : {&a, &b}) {
    if (!x->has_table()) continue;
    shared += "shared uvec4 " + x->table() + "[" + number(2 * x->table_quads()) + "]; ";
    first += x->fill_table(number(x->table_quads()) + "u", "next_k");
    next += x->fill_table(x->this_table(), "next_k");
  }
  define(text, "EG_STEP_TABLES", shared);
  define(text, "EG_FIRST_STEPS",
         std::string("uint next_k = ") + (shader.splits_k ? "eg_first_k" : "0u") + "; " + first + sync +
             "next_k += head; ");
  define(text, "EG_NEXT_STEPS", next + "next_k += EG_DEPTH; ");
}

/// The holes that a tile of one buffer has otherwise (one_buffer.cpp).
void define_two_buffers(std::string& text, const MatmulShader& shader, const TileOperand& a, const TileOperand& b) {
  define(text, "EG_SLOTS", number(a.slots() + b.slots()) + "u");
  define(text, "EG_SHARED", number(shader.shared_slots()));
  define(text, "EG_DECLARE",
         a.declare_first() + b.declare_first() + (shader.saves_registers ? spill : "") +
             (shader.in_one_step() ? "" : declare_quads(a, b)) + declare_accumulators(shader) + a.declare_fetches() +
             b.declare_fetches());
  if (a.has_table() || b.has_table()) define_step_tables(text, shader, a, b);
  define(text, "EG_FETCH_HEAD(head)", a.fetch("head") + b.fetch("head"));
  define(text, "EG_FETCH", a.fetch("") + b.fetch(""));
  define(text, "EG_STEPS", steps(shader, b));
  define(text, "EG_STORE_HEAD", a.store_tile(base_a, false) + b.store_tile(base_b(a), false));
  define(text, "EG_STORE_TILE", a.store_tile(base_a, true) + b.store_tile(base_b(a), true));
  define(text, "EG_MULTIPLY", shader.in_one_step() ? multiply_in_a_loop(a, b) : multiply_unrolled(a, b));
}

}  // namespace

void define_shared_tile(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks,
                        const MatmulStore& store, const codegen::Bindings& bindings) {
  TileOperand a{shader,
                "a",
                bindings,
                blocks.a,
                shader.a,
                shader.a_mn_major,
                shader.a_along_k,
                shader.rows,
                shader.local_y,
                4,
                "m",
                u(u_a_m),
                u(u_a_k),
                "tile_row",
                "patch_row",
                "lane_row",
                staged_operand(shader, store.a)};
  TileOperand b{shader,
                "b",
                bindings,
                blocks.b,
                shader.b,
                shader.b_mn_major,
                shader.b_along_k,
                shader.columns,
                shader.local_x,
                8,
                "n",
                u(u_b_n),
                u(u_b_k),
                "tile_column",
                "patch_column",
                "lane_column",
                staged_operand(shader, store.b)};
  fit_tables(a, b);
  define(text, "EG_T4", a.vector());
  if (shader.exchanges) define(text, "EG_EXCHANGES", std::string(value_type(shader.dtype, 1)));
  define(text, "EG_SYNC", shader.bare_barrier ? "barrier();" : "memoryBarrierShared(); barrier();");
  define(text, "EG_GROUP_SIZE", number(shader.group_size()));
  define(text, "EG_TILE_M", number(shader.tile_rows()) + "u");
  define(text, "EG_TILE_N", number(shader.tile_columns()) + "u");
  define(text, "EG_DEPTH", number(shader.depth) + "u");
  if (shader.in_one_step()) define(text, "EG_ONE_STEP", "");
  if (shader.saves_registers) define(text, "EG_SAVE_REGISTERS", "");
  if (shader.buffers == 1)
    define_one_buffer(text, shader, a, b);
  else
    define_two_buffers(text, shader, a, b);
  if (shader.slices > 1) define(text, "EG_ADD_SLICES", add_slices(shader));
  if (shader.joins_chunks) define_joined_chunks(text, shader, blocks);
  define(text, "EG_STORE", (shader.saves_registers ? reload : "") + store_results(shader, a, b, store));
}

}  // namespace eglantine::lower
