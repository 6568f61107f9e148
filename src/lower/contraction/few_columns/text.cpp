#include "lower/contraction/few_columns/text.hpp"

#include <algorithm>
#include <array>

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "lower/contraction/few_columns/lanes_text.hpp"

/// Names in the text: x<u>_<r> a vector of the matrix, in quad u of those loaded at once (runs one after the other): of
/// row r along k, of step r of four rows along rows; k<i>_<r> a part of row r's address; v a quad of a column; s<r>_<c>
/// a sum, along rows a vector s<c> of four rows'; of row r's run u, f<u>_<r> the factor and p<u>_<r> the sum that it
/// multiplies.
namespace eglantine::lower {
namespace {

constexpr std::array components{".x", ".y", ".z", ".w"};

std::string number(int64_t value) { return std::to_string(value); }
std::string pair(int64_t i, int64_t r) { return number(i) + "_" + number(r); }
std::string x_name(int64_t quad, int64_t r) { return "x" + pair(quad, r); }

/// Writes the macros for one shader.
class Writer {
 public:
  explicit Writer(const FewColumnsShader& shader) : shader_(shader), plan_(shader.plan) {}

  std::string declare() const {
    std::string text;
    for (int64_t r = 0; r < (by_vectors() ? 1 : plan_.rows_each); ++r) {
      const std::string apart = plan_.batches > 0 ? u(r) + " * each" : u(r * plan_.places());
      const std::string row =
          "eg_row(batch, row + " + (plan_.apart ? apart : u(r)) + ")" + (by_vectors() ? " >> 2" : "");
      text += "eg_matrix_address(" + row + "); ";
      if (shader_.factored) text += "eg_factor_address(" + row + "); ";
      for (size_t i = 0; i < kept_addresses(); ++i)
        text += "uint " + kept_address(i, r) + " = " + shader_.addresses[i] + "; ";
    }
    const std::string type = plan_.along_rows ? "EG_VECTOR " : "EG_VALUE ";
    for (const std::string& sum : sums()) text += type + sum + " = " + type + "(0); ";
    return text;
  }

  /// `count` runs, `lanes` apart, from (q) on; of the last quad what exists, where `tail`.
  std::string steps(int64_t count, bool tail) const {
    std::string text;
    for (int64_t run = 0; run < count; ++run) text += plan_.run > 1 ? load_run(run) : load(run, tail);
    for (int64_t quad = 0; quad < count * plan_.run; ++quad)
      text += shader_.across > 0 ? across(quad, tail) : along(quad, tail);
    if (shader_.factored) text += multiply_sums(count);
    return text;
  }

  /// Results of an invocation that has no lanes beside it.
  std::string store() const {
    std::string text;
    const int64_t width = shader_.vector_results ? 4 : 1, rows = plan_.rows_each, columns = shader_.columns,
                  step = plan_.apart ? plan_.places() : 1;
    for (int64_t i = 0; i < rows * columns; i += width) {
      const int64_t r = shader_.columns_first ? i % rows : i / columns,
                    c = shader_.columns_first ? i / rows : i % columns;
      if (!shader_.whole_blocks) text += "if (row + " + u(r * step) + " < EG_END_ROW) ";
      text += "eg_result(eg_number(chunk, batch, row + " + u(r * step) + ", " + u(c) + ")";
      text += width == 4 ? " >> 2, EG_VECTOR(" : ", ";
      for (int64_t j = 0; j < width; ++j) text += (j > 0 ? ", " : "") + result(i + j);
      text += width == 4 ? ")); " : "); ";
    }
    return text;
  }

  /// The sums, in the order of columns within rows.
  std::vector<std::string> sums() const {
    std::vector<std::string> names;
    for (int64_t r = 0; r < (plan_.along_rows ? 1 : plan_.rows_each); ++r)
      for (int64_t c = 0; c < shader_.columns; ++c) names.push_back(sum(r, c));
    return names;
  }

 private:
  static std::string kept_address(size_t i, int64_t r) {
    return "k" + number(static_cast<int64_t>(i)) + "_" + number(r);
  }

  /// Whether a load brings four neighbouring rows.
  bool by_vectors() const { return plan_.along_rows && !plan_.apart; }

  /// Of four neighbouring rows an invocation has one address.
  size_t kept_addresses() const { return by_vectors() ? 0 : shader_.addresses.size(); }

  /// What row r's address is made of, computed once: drivers do not take it out of the loop.
  std::string address(int64_t r) const {
    std::string text;
    for (size_t i = 0; i < kept_addresses(); ++i) text += shader_.addresses[i] + " = " + kept_address(i, r) + "; ";
    return text;
  }

  std::string sum(int64_t r, int64_t c) const {
    return plan_.along_rows ? "s" + number(c) : "s" + number(r) + "_" + number(c);
  }

  /// Result i of the invocation, in the order of results.
  std::string result(int64_t i) const {
    const int64_t r = shader_.columns_first ? i % plan_.rows_each : i / shader_.columns,
                  c = shader_.columns_first ? i / plan_.rows_each : i % shader_.columns;
    return sum(r, c) + (plan_.along_rows ? components[static_cast<size_t>(r)] : "");
  }

  std::string run_number(int64_t run) const { return "(q) + " + u(run * plan_.lanes); }
  std::string quad_number(int64_t quad) const {
    const std::string run = run_number(quad / plan_.run);
    return plan_.run == 1 ? run : "(" + run + ") * " + u(plan_.run) + " + " + u(quad % plan_.run);
  }

  std::string load_run(int64_t run) const {
    std::string text;
    for (int64_t r = 0; r < plan_.rows_each; ++r) {
      std::string names, arguments;
      for (int64_t part = 0; part < plan_.run; ++part) {
        const std::string name = x_name(run * plan_.run + part, r);
        names += (part > 0 ? ", " : "") + name;
        arguments += ", " + name;
      }
      text += address(r) + "EG_VECTOR " + names + "; eg_matrix(" + run_number(run) + arguments + "); ";
      if (shader_.factored)
        text += "EG_VALUE f" + pair(run, r) + " = eg_factor((" + run_number(run) + ") * " + u(4 * plan_.run) + "), p" +
                pair(run, r) + " = EG_VALUE(0); ";
    }
    return text;
  }

  std::string multiply_sums(int64_t runs) const {
    std::string text;
    for (int64_t run = 0; run < runs; ++run)
      for (int64_t r = 0; r < plan_.rows_each; ++r) text += add(sum(r, 0), "p" + pair(run, r), "f" + pair(run, r));
    return text;
  }

  /// Step r of four rows apart.
  std::string load_apart(int64_t quad, int64_t r, bool tail) const {
    const std::string name = x_name(quad, r), k = "(" + quad_number(quad) + ") * 4u + " + u(r);
    std::string text = "EG_VECTOR " + name + (tail ? " = EG_VECTOR(0)" : "") + "; ";
    text += tail && r > 0 ? "if (" + u(r) + " < EG_REST) { " : "{ ";
    for (size_t j = 0; j < components.size(); ++j)
      text += address(static_cast<int64_t>(j)) + name + components[j] + " = eg_matrix(" + k + "); ";
    return text + "} ";
  }

  std::string load(int64_t quad, bool tail) const {
    std::string text;
    for (int64_t r = 0; r < plan_.rows_each; ++r) {
      const std::string name = x_name(quad, r), at = quad_number(quad);
      if (!plan_.along_rows) {
        const std::string value = "eg_matrix(" + at + ")";
        text += address(r) + "EG_VECTOR " + name + " = " + (tail ? "eg_existing(" + value + ")" : value) + "; ";
        continue;
      }
      if (plan_.apart) {
        text += load_apart(quad, r, tail);
        continue;
      }
      if (r == 0) text += address(0);
      const std::string value = "eg_matrix((" + at + ") * 4u + " + u(r) + ")";
      text += "EG_VECTOR " + name + " = " +
              (tail && r > 0 ? "EG_VECTOR(0); if (" + u(r) + " < EG_REST) " + name + " = " + value : value) + "; ";
    }
    return text;
  }

  std::string along(int64_t quad, bool tail) const {
    std::string text;
    for (int64_t c = 0; c < shader_.columns; ++c) text += "{ " + column(quad, c, tail) + multiply(quad, c) + "} ";
    return text;
  }

  /// Each step's columns by fours; none of a step that does not exist.
  std::string across(int64_t quad, bool tail) const {
    std::string text;
    for (int64_t step = 0; step < 4; ++step) {
      text += tail && step > 0 ? "if (" + u(step) + " < EG_REST) { " : "{ ";
      const std::string k = "(" + quad_number(quad) + ") * 4u + " + u(step);
      const int64_t loads = ceil_divide(shader_.columns, 4 * shader_.across);
      if (!shader_.columns_in_one_row) text += "eg_column_address(" + k + "); ";
      for (int64_t load = 0; load < loads; ++load) {
        const std::string index = shader_.columns_in_one_row ? "(" + k + ") * " + u(loads) + " + " + u(load) : u(load);
        text += "{ " + load_columns(index) + multiply_columns(quad, step, load * shader_.across * 4) + "} ";
      }
      text += "} ";
    }
    return text;
  }

  /// v0, v1, ...: four columns each.
  std::string load_columns(const std::string& index) const {
    if (shader_.across == 1) return "EG_VECTOR v0 = eg_column(" + index + "); ";
    std::string names, arguments;
    for (int64_t part = 0; part < shader_.across; ++part) {
      names += (part > 0 ? ", v" : "v") + number(part);
      arguments += ", v" + number(part);
    }
    return "EG_VECTOR " + names + "; eg_column(" + index + arguments + "); ";
  }

  std::string multiply_columns(int64_t quad, int64_t step, int64_t first) const {
    std::string text;
    for (int64_t c = 0; c < std::min(shader_.across * 4, shader_.columns - first); ++c) {
      const std::string v = "v" + number(c / 4) + components[static_cast<size_t>(c % 4)];
      if (plan_.along_rows) {
        text += add(sum(0, first + c), x_name(quad, step), "EG_VECTOR(" + v + ")");
        continue;
      }
      for (int64_t r = 0; r < plan_.rows_each; ++r)
        text += add(sum(r, first + c), x_name(quad, r) + components[static_cast<size_t>(step)], v);
    }
    return text;
  }

  std::string column(int64_t quad, int64_t c, bool tail) const {
    if (plan_.batches > 0) {
      const std::string there = "eg_columns[columns_at + " + u(c) + " * quads + " + quad_number(quad) + "]";
      return "EG_VECTOR v = " + (tail ? "eg_existing(" + there + ")" : there) + "; ";
    }
    const std::string value = "eg_column(" + quad_number(quad) + ")";
    return "eg_column_address(batch * " + u(shader_.columns) + " + " + u(c) +
           "); EG_VECTOR v = " + (tail ? "eg_existing(" + value + ")" : value) + "; ";
  }

  std::string add(const std::string& to, const std::string& x, const std::string& v) const {
    const bool fused = shader_.fused_steps && shader_.dtype == DType::f32;
    return to + " = " + (fused ? "fma(" + x + ", " + v + ", " + to + ")" : x + " * " + v + " + " + to) + "; ";
  }

  std::string multiply(int64_t quad, int64_t c) const {
    std::string text;
    for (size_t k = 0; k < 4; ++k) {
      const std::string v = std::string("v") + components[k];
      if (plan_.along_rows) {
        text += add(sum(0, c), x_name(quad, static_cast<int64_t>(k)), "EG_VECTOR(" + v + ")");
        continue;
      }
      for (int64_t r = 0; r < plan_.rows_each; ++r) {
        const std::string to = shader_.factored ? "p" + pair(quad / plan_.run, r) : sum(r, c);
        text += add(to, x_name(quad, r) + components[k], v);
      }
    }
    return text;
  }

  const FewColumnsShader& shader_;
  const FewColumnsPlan& plan_;
};

}  // namespace

std::string few_columns_defines(const FewColumnsShader& shader) {
  using codegen::define;
  const FewColumnsPlan& plan = shader.plan;
  const Writer writer(shader);
  std::string text = define("EG_VALUE", codegen::value_type(shader.dtype, 1)) +
                     define("EG_VECTOR", codegen::value_type(shader.dtype, 4)) +
                     define("EG_GROUP_SIZE", plan.group_size) + define("EG_LANES", u(plan.lanes)) +
                     define("EG_TEAM", u(plan.lanes_together())) + define("EG_ROWS", u(plan.rows_each)) +
                     define("EG_COLUMNS", u(shader.columns)) + define("EG_UNROLL", u(plan.unroll)) +
                     define("EG_DECLARE", writer.declare()) + define("EG_STEPS(q)", writer.steps(plan.unroll, false));
  if (plan.along_rows) text += define("EG_ALONG_ROWS");
  if (plan.apart) text += define("EG_APART");
  if (plan.batches > 0)
    text += define("EG_BATCHES", u(plan.batches)) + define("EG_COLUMN_SLOTS", plan.column_slots(shader.columns));
  if (shader.whole_blocks) text += define("EG_WHOLE_BLOCKS");
  if (shader.vector_results) text += define("EG_VECTOR_RESULTS");
  if (shader.columns_first) text += define("EG_COLUMNS_FIRST");
  if (plan.unroll > 1) text += define("EG_STEP(q)", writer.steps(1, false));
  if (shader.tail) text += define("EG_TAIL(q)", writer.steps(1, true));
  if (shader.alone()) return text + define("EG_STORE", writer.store());
  const std::vector<std::string> sums = writer.sums();
  text += define("EG_GATHER", text_of_gathering(plan, sums)) +
          define("EG_SLOTS", plan.along_rows ? plan.group_size * columns_at_once(sums) : plan.group_size);
  if (plan.subgroups) text += define("EG_SUBGROUPS");
  return text;
}

}  // namespace eglantine::lower
