#include "codegen/matmul.hpp"

#include "codegen/glsl_type.hpp"
#include "codegen/templates.hpp"
#include "codegen/uniforms.hpp"

namespace eglantine::codegen {

namespace {

constexpr const char* components[] = {"x", "y", "z", "w"};

std::string number(int value) { return std::to_string(value); }
std::string u(int slot) { return uniform_at(slot); }

void define(std::string& out, const std::string& name, const std::string& value) {
  out += "#define " + name + " " + value + "\n";
}

/// One operand as the generated text reads it: `at` names its row (or column) addresses, `step` the stride along k.
struct Reader {
  const char* name;  ///< "a" or "b"
  MatmulRead read;
  int lines;  ///< rows of a, or columns of b, that an invocation holds
  std::string step;

  bool vectors() const { return read != MatmulRead::single; }
  /// Element at an address, whatever the form of the buffer.
  std::string element(const std::string& address) const {
    const std::string block = std::string("eg_") + name;
    return vectors() ? block + "[(" + address + ") >> 2][(" + address + ") & 3u]" : block + "[" + address + "]";
  }
  std::string line_at(int line) const { return std::string(name) + "_at" + number(line); }
  /// The value of line `line` at step `k` of a run of four, after load4().
  std::string value(int line, int k) const {
    if (read == MatmulRead::along_k) return std::string(name) + number(line) + "." + components[k];
    if (read == MatmulRead::across)
      return std::string(name) + number(k) + "_" + number(line / 4) + "." + components[line % 4];
    return std::string(name) + number(k) + "_" + number(line);
  }
  /// Four neighbouring lines from `line` on, as a vector.
  std::string values4(int line, int k, const std::string& vector) const {
    if (read == MatmulRead::across) return std::string(name) + number(k) + "_" + number(line / 4);
    return vector + "(" + value(line, k) + ", " + value(line + 1, k) + ", " + value(line + 2, k) + ", " +
           value(line + 3, k) + ")";
  }
  /// Loads steps k to k + 3 of every line.
  std::string load4(const std::string& vector, const std::string& scalar) const {
    std::string text;
    const std::string block = std::string("eg_") + name;
    for (int line = 0; read == MatmulRead::along_k && line < lines; ++line)
      text += vector + " " + name + number(line) + " = " + block + "[(" + line_at(line) + " + (k)) >> 2]; ";
    for (int k = 0; read != MatmulRead::along_k && k < 4; ++k) {
      const std::string where = " + ((k) + " + number(k) + "u) * " + step;
      for (int line = 0; line < lines; line += read == MatmulRead::across ? 4 : 1) {
        const std::string address = line_at(line) + where;
        if (read == MatmulRead::across)
          text +=
              vector + " " + name + number(k) + "_" + number(line / 4) + " = " + block + "[(" + address + ") >> 2]; ";
        else
          text += scalar + " " + name + number(k) + "_" + number(line) + " = " + element(address) + "; ";
      }
    }
    return text;
  }
  std::string load1(const std::string& scalar) const {
    std::string text;
    for (int line = 0; line < lines; ++line) {
      const std::string address = line_at(line) + " + (k) * " + step;
      text += scalar + " " + name + number(line) + " = " + element(address) + "; ";
    }
    return text;
  }
};

std::string accumulator(int row, int group) { return "c" + number(row) + "_" + number(group); }

std::string declare_accumulators(const MatmulShader& shader, const std::string& vector) {
  std::string text;
  for (int row = 0; row < shader.rows; ++row)
    for (int group = 0; group < shader.columns / 4; ++group)
      text += vector + " " + accumulator(row, group) + " = " + vector + "(0); ";
  return text;
}

/// Addresses of the tile's rows of a and columns of b. Past the edge the last one is read again; its results are not
/// stored. A vec4 across the edge moves back whole: the length is a multiple of four where vec4s are read.
std::string declare_lines(const Reader& reader, const char* base, const char* first, const char* length,
                          const std::string& stride) {
  std::string text;
  const bool across = reader.read == MatmulRead::across;
  for (int line = 0; line < reader.lines; line += across ? 4 : 1) {
    text += "uint " + reader.line_at(line) + " = " + base + " + min(" + first + " + " + number(line) + "u, " + length +
            " - " + (across ? "4u" : "1u") + ") * " + stride + "; ";
    for (int next = 1; across && next < 4; ++next)
      text += "uint " + reader.line_at(line + next) + " = " + reader.line_at(line) + " + " + number(next) + "u; ";
  }
  return text;
}

std::string multiply4(const MatmulShader& shader, const Reader& a, const Reader& b, const std::string& vector) {
  std::string text;
  for (int k = 0; k < 4; ++k)
    for (int group = 0; group < shader.columns / 4; ++group) {
      const std::string right = b.values4(4 * group, k, vector);
      text += "{ " + vector + " right = " + right + "; ";
      for (int row = 0; row < shader.rows; ++row)
        text += accumulator(row, group) + " += " + a.value(row, k) + " * right; ";
      text += "} ";
    }
  return text;
}

std::string multiply1(const MatmulShader& shader) {
  std::string text;
  for (int row = 0; row < shader.rows; ++row)
    for (int column = 0; column < shader.columns; ++column)
      text += accumulator(row, column / 4) + "." + components[column % 4] + " += a" + number(row) + " * b" +
              number(column) + "; ";
  return text;
}

/// Stores the tile: whole vec4s, or element by element. u_accumulate: adds to what is there, for the later parts of a
/// cut k.
std::string store(const MatmulShader& shader) {
  std::string text;
  for (int row = 0; row < shader.rows; ++row) {
    text += "if (row + " + number(row) + "u < m) { uint at = eg_out_base + (row + " + number(row) + "u) * " +
            u(u_out_m) + " + column; ";
    for (int group = 0; group < shader.columns / 4; ++group) {
      const std::string sum = accumulator(row, group);
      if (shader.vector_store) {
        const std::string place = "eg_out[(at >> 2) + " + number(group) + "u]";
        text += "if (column + " + number(4 * group) + "u < n) " + place + " = " + u(u_accumulate) + " != 0u ? " +
                place + " + " + sum + " : " + sum + "; ";
        continue;
      }
      for (int i = 0; i < 4; ++i) {
        const int column = 4 * group + i;
        const std::string place = "eg_out[at + " + number(column) + "u]", value = sum + "." + components[i];
        text += "if (column + " + number(column) + "u < n) " + place + " = " + u(u_accumulate) + " != 0u ? " + place +
                " + " + value + " : " + value + "; ";
      }
    }
    text += "} ";
  }
  return text;
}

/// eg_batch: the bases of one batch, from its number.
std::string batch_function(int rank) {
  std::string text = "uint eg_a_base, eg_b_base, eg_out_base;\nvoid eg_batch(uint batch) {\n  eg_a_base = " + u(u_a) +
                     ";\n  eg_b_base = " + u(u_b) + ";\n  eg_out_base = " + u(u_out) + ";\n";
  for (int axis = rank - 1; axis >= 0; --axis) {
    const int slot = u_batch_axes + 4 * axis;
    text += "  { uint i = batch % " + u(slot) + "; batch /= " + u(slot) + ";\n    eg_a_base += i * " + u(slot + 1) +
            "; eg_b_base += i * " + u(slot + 2) + "; eg_out_base += i * " + u(slot + 3) + "; }\n";
  }
  return text + "}\n";
}

std::string block(int binding, const char* name, DType dtype, bool vectors, bool written) {
  return "layout(std430, binding = " + number(binding) + ") " + (written ? "" : "readonly ") + "buffer eg_block" +
         number(binding) + " { " + std::string(stored_type(dtype, vectors ? 4 : 1)) + " eg_" + name + "[]; };\n";
}

void define_register_tile(std::string& text, const MatmulShader& shader, const std::string& vector,
                          const std::string& scalar) {
  const Reader a{"a", shader.a, shader.rows, u(u_a_k)}, b{"b", shader.b, shader.columns, u(u_b_k)};
  define(text, "EG_DECLARE",
         declare_lines(a, "eg_a_base", "row", "m", u(u_a_m)) + declare_lines(b, "eg_b_base", "column", "n", u(u_b_n)) +
             declare_accumulators(shader, vector));
  define(text, "EG_STEP4(k)", a.load4(vector, scalar) + b.load4(vector, scalar) + multiply4(shader, a, b, vector));
  define(text, "EG_STEP1(k)", a.load1(scalar) + b.load1(scalar) + multiply1(shader));
}

void define_shared_tile(std::string& text, const MatmulShader& shader, const std::string& vector,
                        const std::string& scalar) {
  const Reader a{"a", shader.a, shader.rows, u(u_a_k)}, b{"b", shader.b, shader.columns, u(u_b_k)};
  define(text, "EG_T", scalar);
  define(text, "EG_T4", vector);
  define(text, "EG_TILE_M", number(shader.rows * shader.local_y) + "u");
  define(text, "EG_TILE_N", number(shader.columns * shader.local_x) + "u");
  define(text, "EG_DEPTH", number(shader.depth) + "u");
  define(text, "EG_A_K_FIRST", shader.a == MatmulRead::across ? "0" : "1");
  define(text, "EG_B_K_FIRST", shader.b == MatmulRead::along_k ? "1" : "0");
  text += scalar + " eg_a_at(uint row, uint k) { uint at = eg_a_base + row * " + u(u_a_m) + " + k * " + u(u_a_k) +
          "; return " + a.element("at") + "; }\n";
  text += scalar + " eg_b_at(uint k, uint column) { uint at = eg_b_base + k * " + u(u_b_k) + " + column * " + u(u_b_n) +
          "; return " + b.element("at") + "; }\n";
  define(text, "EG_DECLARE", declare_accumulators(shader, vector));
  std::string step;
  for (int group = 0; group < shader.columns / 4; ++group)
    step += vector + " right" + number(group) + " = eg_tile_b[b_at + " + number(group) + "u]; ";
  for (int four = 0; four < shader.rows / 4; ++four) {
    step += "{ " + vector + " left = eg_tile_a[a_at + " + number(four) + "u]; ";
    for (int i = 0; i < 4; ++i)
      for (int group = 0; group < shader.columns / 4; ++group)
        step += accumulator(4 * four + i, group) + " += left." + components[i] + " * right" + number(group) + "; ";
    step += "} ";
  }
  define(text, "EG_STEP", step);
}

}  // namespace

std::string matmul_key(const MatmulShader& s) {
  return std::string("matmul") + (s.shared ? 's' : 'r') + letter_of(s.dtype) + static_cast<char>(s.a) +
         static_cast<char>(s.b) + (s.vector_store ? 'v' : '1') + number(s.batch_rank) + '/' + number(s.rows) + 'x' +
         number(s.columns) + '/' + number(s.local_x) + 'x' + number(s.local_y) + '/' + number(s.depth);
}

std::string matmul_source(const MatmulShader& shader) {
  const std::string vector(value_type(shader.dtype, 4)), scalar(value_type(shader.dtype, 1));
  std::string text = "// " + matmul_key(shader) + "\n";
  text += block(0, "a", shader.dtype, shader.a != MatmulRead::single, false) +
          block(1, "b", shader.dtype, shader.b != MatmulRead::single, false);
  text += block(2, "out", shader.dtype, shader.vector_store, true);
  text += "layout(location = 0) uniform uint eg_u[" + number(u_batch_axes + 4 * shader.batch_rank) + "];\n" +
          batch_function(shader.batch_rank);
  define(text, "EG_ROWS", number(shader.rows) + "u");
  define(text, "EG_COLUMNS", number(shader.columns) + "u");
  define(text, "EG_LOCAL_X", number(shader.local_x));
  define(text, "EG_LOCAL_Y", number(shader.local_y));
  if (shader.shared)
    define_shared_tile(text, shader, vector, scalar);
  else
    define_register_tile(text, shader, vector, scalar);
  define(text, "EG_STORE", store(shader));
  const std::string_view body = template_text(shader.shared ? "matmul_shared.comp" : "matmul_register.comp");
  return text + std::string(body.substr(body.find('\n') + 1));
}

}  // namespace eglantine::codegen
