#include <algorithm>

#include "lower/contraction/text/parts.hpp"

namespace eglantine::lower {
namespace {

using namespace codegen;

/// One operand in the generated text: line_at names the addresses of its rows (of b: columns), `step` is the stride
/// along k.
struct RegisterOperand {
  const char* name;  ///< "a" or "b"
  const Bindings& bindings;
  int block;
  MatmulRead read;
  int lines;  ///< rows of a, or columns of b, in an invocation's registers
  std::string step;
  std::vector<std::string> state;  ///< where it is staged: of a line
  std::string first_k;             ///< there, before a step: what its number is counted from

  /// A scalar of that name with a line's element at step `k`.
  std::string staged(const std::string& scalar, const std::string& to, int line, const std::string& k) const {
    return recall_line(state, line_at(line)) + scalar + " " + to + " = eg_" + name + "(" + first_k + k + "); ";
  }
  std::string element(const std::string& address) const {
    if (read == MatmulRead::single) return bindings.read(block, address);
    return vector_at(address) + "[(" + address + ") & 3u]";
  }
  /// The vec4 at an address.
  std::string vector_at(const std::string& address) const { return bindings.read(block, "(" + address + ") >> 2"); }
  std::string line_at(int line) const { return std::string(name) + "_at" + number(line); }
  /// After load4(): the value of a line at step k of four.
  std::string value(int line, int k) const {
    if (read == MatmulRead::k_major) return std::string(name) + number(line) + "." + matmul_components[k];
    if (read == MatmulRead::mn_major)
      return std::string(name) + number(k) + "_" + number(line / 4) + "." + matmul_components[line % 4];
    return std::string(name) + number(k) + "_" + number(line);
  }
  /// After load4(): four neighbouring lines from `line` on, as a vector.
  std::string values4(int line, int k, const std::string& vector) const {
    if (read == MatmulRead::mn_major) return std::string(name) + number(k) + "_" + number(line / 4);
    return vector + "(" + value(line, k) + ", " + value(line + 1, k) + ", " + value(line + 2, k) + ", " +
           value(line + 3, k) + ")";
  }
  /// Loads steps k to k + 3 of every line.
  std::string load4(const std::string& vector, const std::string& scalar) const {
    std::string text;
    for (int line = 0; read == MatmulRead::k_major && line < lines; ++line)
      text += vector + " " + name + number(line) + " = " + vector_at(line_at(line) + " + (k)") + "; ";
    for (int k = 0; read != MatmulRead::k_major && k < 4; ++k) {
      const std::string where = " + ((k) + " + number(k) + "u) * " + step;
      for (int line = 0; line < lines; line += read == MatmulRead::mn_major ? 4 : 1) {
        const std::string address = line_at(line) + where;
        const std::string value = std::string(name) + number(k) + "_";
        if (read == MatmulRead::staged) {
          text += staged(scalar, value + number(line), line, "(k) + " + number(k) + "u");
          continue;
        }
        text += read == MatmulRead::mn_major
                    ? vector + " " + value + number(line / 4) + " = " + vector_at(address) + "; "
                    : scalar + " " + value + number(line) + " = " + element(address) + "; ";
      }
    }
    return text;
  }
  std::string load1(const std::string& scalar) const {
    std::string text;
    for (int line = 0; line < lines; ++line) {
      const std::string address = line_at(line) + " + (k) * " + step;
      text += read == MatmulRead::staged ? staged(scalar, name + number(line), line, "k")
                                         : scalar + " " + name + number(line) + " = " + element(address) + "; ";
    }
    return text;
  }
};

/// Addresses of the tile's rows of a and columns of b. Lines past the edge repeat the last one, and their results are
/// not stored. Lines that vec4s hold repeat the last vec4, which may pass the edge.
std::string declare_lines(const RegisterOperand& operand, const char* base, const char* first, const char* length,
                          const std::string& stride) {
  std::string text;
  const bool mn_major = operand.read == MatmulRead::mn_major;
  for (int line = 0; operand.read == MatmulRead::staged && line < operand.lines; ++line)
    text += std::string("eg_") + operand.name + "_address(" + base + " + min(" + first + " + " + number(line) + "u, " +
            length + " - 1u)); " + keep_line(operand.state, operand.line_at(line));
  if (operand.read == MatmulRead::staged) return text;
  for (int line = 0; line < operand.lines; line += mn_major ? 4 : 1) {
    const std::string last = mn_major ? std::string("((") + length + " - 1u) & ~3u)" : std::string(length) + " - 1u";
    text += "uint " + operand.line_at(line) + " = " + base + " + min(" + first + " + " + number(line) + "u, " + last +
            ") * " + stride + "; ";
    for (int next = 1; mn_major && next < 4; ++next)
      text += "uint " + operand.line_at(line + next) + " = " + operand.line_at(line) + " + " + number(next) + "u; ";
  }
  return text;
}

/// What a row's last vector has of the columns where those are no multiple of four.
std::string multiply_rest(const MatmulShader& shader, const RegisterOperand& a, const RegisterOperand& b, int k) {
  std::string text;
  for (int column = shader.columns / 4 * 4; column < shader.columns; ++column)
    for (int row = 0; row < shader.rows; ++row)
      text += add_single_product(shader, accumulator(row, column / 4) + "." + matmul_components[column % 4],
                                 a.value(row, k), b.value(column, k));
  return text;
}

/// Adds the products of a step, by a's values of step `of_a` of four; right(group): four of b's.
template <class Right>
std::string multiply_step(const MatmulShader& shader, const RegisterOperand& a, int of_a, const std::string& vector,
                          const Right& right) {
  std::string text;
  for (int group = 0; group < shader.columns / 4; ++group) {
    text += "{ " + vector + " right = " + right(group) + "; ";
    for (int row = 0; row < shader.rows; ++row)
      text += add_product(shader, accumulator(row, group), a.value(row, of_a), "right");
    text += "} ";
  }
  return text;
}

std::string multiply4(const MatmulShader& shader, const RegisterOperand& a, const RegisterOperand& b,
                      const std::string& vector) {
  std::string text;
  for (int k = 0; k < 4; ++k)
    text += multiply_step(shader, a, k, vector, [&](int group) { return b.values4(4 * group, k, vector); }) +
            multiply_rest(shader, a, b, k);
  return text;
}

/// Element `place` of those that one window of each of a run of neighbouring columns covers.
std::string in_windows(int window, int run, int place) {
  return "b" + number(window) + "_" + number(run) + "_" + number(place);
}

/// What the windows of each run of neighbouring columns have, element by element.
std::string load_windows(const MatmulShader& shader, const RegisterOperand& b, int window, const std::string& scalar) {
  std::string text;
  for (int run = 0; run < shader.columns / shader.window_columns; ++run)
    for (int i = 0; i < shader.window_columns + shader.window - 1; ++i) {
      const int line = std::min(i, shader.window_columns - 1), k = window * shader.window + i - line;
      text +=
          b.staged(scalar, in_windows(window, run, i), run * shader.window_columns + line, "(k) + " + number(k) + "u");
    }
  return text;
}

/// Steps of whole windows: columns side by side share most of what they read.
std::string multiply_windows(const MatmulShader& shader, const RegisterOperand& a, const RegisterOperand& b,
                             const std::string& vector, const std::string& scalar) {
  std::string text;
  for (int row = 0; row < shader.rows; ++row) text += vector + " a" + number(row) + "; ";
  for (int k = 0; k < MatmulShader::steps_of_windows; ++k) {
    const int window = k / shader.window, step = k % shader.window;
    if (step == 0) text += load_windows(shader, b, window, scalar);
    for (int row = 0; k % 4 == 0 && row < shader.rows; ++row)
      text += "a" + number(row) + " = " + a.vector_at(a.line_at(row) + " + (k) + " + number(k) + "u") + "; ";
    text += multiply_step(shader, a, k % 4, vector, [&](int group) {
      std::string values;
      for (int column = 4 * group; column < 4 * group + 4; ++column)
        values += (values.empty() ? "" : ", ") +
                  in_windows(window, column / shader.window_columns, column % shader.window_columns + step);
      return vector + "(" + values + ")";
    });
  }
  return text;
}

std::string multiply1(const MatmulShader& shader) {
  std::string text;
  for (int row = 0; row < shader.rows; ++row)
    for (int column = 0; column < shader.columns; ++column)
      text += accumulator(row, column / 4) + "." + matmul_components[column % 4] + " += a" + number(row) + " * b" +
              number(column) + "; ";
  return text;
}

/// llvmpipe executes a guarded store either way: guards on whole tiles took 45 us of 500.
std::string guard(const MatmulShader& shader, const std::string& place, const char* length) {
  return shader.whole_tiles ? "" : "if (" + place + " < " + length + ") ";
}

/// What a column adds to its results' addresses, in locals of that name.
std::string kept_column(int column) { return "column_" + number(column); }

/// Stores one row of the tile, whose place is `at`. column_state: what is kept of each column.
std::string store_row(const MatmulShader& shader, int row, const std::string& at,
                      const std::vector<std::string>& column_state) {
  std::string text = guard(shader, at, "m") + "{ " + (shader.results_in_rows ? "eg_row(" + at + "); " : "");
  for (int column = 0; column < shader.columns; column += shader.vector_store ? 4 : 1) {
    const std::string place = "column + " + number(column) + "u", sum = accumulator(row, column / 4);
    text += recall_line(column_state, kept_column(column)) + guard(shader, place, "n") +
            (shader.vector_store ? "eg_put4(" + at + ", " + place + ", " + sum
                                 : "eg_put(" + at + ", " + place + ", " + sum + "." + matmul_components[column % 4]) +
            "); ";
  }
  return text + "} ";
}

/// A loop in which the rows move up: an epilogue is compiled for one row, not for each (docs/performance-notes.md).
std::string store(const MatmulShader& shader, const std::vector<std::string>& column_state) {
  std::string text;
  for (int column = 0; !column_state.empty() && column < shader.columns; ++column)
    text += "eg_store_step(column + " + number(column) + "u); " + keep_line(column_state, kept_column(column));
  text += "for (uint r = 0u; r < EG_ROWS; ++r) { " + store_row(shader, 0, "row + r", column_state);
  for (int row = 1; row < shader.rows; ++row)
    for (int group = 0; group < accumulators_of_row(shader); ++group)
      text += accumulator(row - 1, group) + " = " + accumulator(row, group) + "; ";
  return text + "} ";
}

}  // namespace

void define_register_tile(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks,
                          const MatmulStore& sides, const Bindings& bindings) {
  const std::string vector(value_type(shader.dtype, 4)), scalar(value_type(shader.dtype, 1));
  const std::string first_k = shader.splits_k ? "eg_first_k + " : "";
  const RegisterOperand a{"a", bindings, blocks.a, shader.a, shader.rows, u(u_a_k), state_of(sides.a), first_k};
  const RegisterOperand b{"b", bindings, blocks.b, shader.b, shader.columns, u(u_b_k), state_of(sides.b), first_k};
  define(text, "EG_ROWS", number(shader.rows) + "u");
  define(text, "EG_COLUMNS", number(shader.columns) + "u");
  define(text, "EG_DECLARE",
         declare_lines(a, "eg_a_base", "row", "m", u(u_a_m)) + declare_lines(b, "eg_b_base", "column", "n", u(u_b_n)) +
             declare_accumulators(shader));
  define(text, "EG_STORE", store(shader, sides.store ? sides.store->step_state() : std::vector<std::string>{}));
  if (shader.window > 0) return define(text, "EG_STEP12(k)", multiply_windows(shader, a, b, vector, scalar));
  define(text, "EG_STEP4(k)", a.load4(vector, scalar) + b.load4(vector, scalar) + multiply4(shader, a, b, vector));
  define(text, "EG_STEP1(k)", a.load1(scalar) + b.load1(scalar) + multiply1(shader));
}

}  // namespace eglantine::lower
