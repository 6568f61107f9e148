#include "lower/contraction/text/tile_store.hpp"

#include <array>

/// An invocation's results, from registers to the output.
namespace eglantine::lower {
namespace {

/// Stores an invocation's results of a tile.
struct TileStore {
  const MatmulShader& shader;
  const TileOperand &a, &b;
  std::vector<std::string> column_state;  ///< what a column adds to the addresses of its results

  int step() const { return shader.vector_store ? 4 : 1; }
  /// Invocations side by side that exchange results.
  static constexpr int side_by_side = 8;
  static const char* lane() { return "(thread >> 1 & 7u)"; }
  /// The column that is stored as number `line`.
  std::string column(int line) const {
    if (!shader.exchanges) return b.line_at(number(line) + "u");
    return std::string("tile_column + 4u * (first_b - ") + lane() + ") + " + lane() + " + " +
           number(side_by_side * line) + "u";
  }
  static std::string kept(int line) { return "column_" + number(line); }
  /// Before all rows, which would divide a column's number each.
  std::string declare_columns() const {
    std::string text;
    for (int line = 0; !column_state.empty() && line < b.lines; line += step())
      text += "eg_store_step(" + column(line) + "); " + keep_line(column_state, kept(line));
    return text;
  }
  std::string store(const std::string& put, int line, const std::string& value) const {
    return "{ uint column = " + column(line) + (shader.whole_columns ? "; { " : "; if (column < n) { ") +
           recall_line(column_state, kept(line)) + put + "(row, column, " + value + "); } } ";
  }
  std::string row(int row, const std::string& put) const {
    return shader.exchanges ? exchanged(row, put) : own(row, put);
  }

 private:
  std::string in_row(int row, const std::string& text) const {
    return "uint row = " + a.line_at(number(row) + "u") + "; if (row < m) { " +
           (shader.results_in_rows ? "eg_row(row); " : "") + text + "} ";
  }
  std::string own(int row, const std::string& put) const {
    std::string text;
    for (int line = 0; line < b.lines; line += step()) {
      const std::string sum = accumulator(row, line / 4);
      text +=
          shader.vector_store ? store(put + "4", line, sum) : store(put, line, sum + "." + matmul_components[line % 4]);
    }
    return "{ " + in_row(row, text) + "} ";
  }
  /// Stores a row's columns one by one. Of an invocation's own four neighbours a store would be four elements from that
  /// of the next invocation: 28,211 columns of sums of 49 took 638 us on an H200, 28,212 by vec4s 286. So the eight
  /// invocations side by side exchange them: each then has every eighth of their 32 columns.
  std::string exchanged(int row, const std::string& put) const {
    constexpr std::array<int, 4> components{0, 2, 1, 3};
    std::string exchange, text;
    for (int j = 0; j < shader.columns / 4; ++j) {
      const std::string four = "four" + number(j);
      exchange += a.vector() + " " + four + " = eg_exchange(" + accumulator(row, j) + ", thread); ";
      for (int i = 0; i < 4; ++i)
        text += store(put, 4 * j + i, four + "." + matmul_components[components[static_cast<size_t>(i)]]);
    }
    return "{ " + exchange + in_row(row, text) + "} ";
  }
};

/// Stores an invocation's rows, unrolled.
std::string store_unrolled(const TileStore& tile, const std::string& put) {
  const MatmulShader& shader = tile.shader;
  const int part = shader.rows / shader.slices;
  std::string text = tile.declare_columns();
  for (int slice = 0; slice < shader.slices; ++slice) {
    text += shader.slices > 1 ? "if (slice == " + number(slice) + "u) { " : "{ ";
    for (int row = slice * part; row < (slice + 1) * part; ++row) text += tile.row(row, put);
    text += "} ";
  }
  return text;
}

/// Stores an invocation's rows by way of the output, from where a loop reads them back: an epilogue of many
/// instructions occurs once, and the registers of the results are free.
std::string store_parked(const TileStore& tile) {
  const MatmulShader& shader = tile.shader;
  const int part = shader.rows / shader.slices, step = shader.vector_store ? 4 : 1, places = shader.columns / step;
  const std::string put = shader.vector_store ? "eg_put4" : "eg_put", parked = shader.vector_store ? "4" : "";
  return store_unrolled(tile, "eg_park") + "for (uint i = 0u; i < " + number(part * places) +
         "u; ++i) { uint line_row = slice * " + number(part) + "u + i / " + number(places) + "u, line_column = i % " +
         number(places) + "u * " + number(step) + "u; uint row = " + tile.a.line_at("line_row") +
         ", column = " + tile.b.line_at("line_column") + "; if (row < m && column < n) " + put +
         "(row, column, eg_parked" + parked + "(row, column)); } ";
}

}  // namespace

std::string store_results(const MatmulShader& shader, const TileOperand& a, const TileOperand& b,
                          const MatmulStore& store) {
  const TileStore tile{shader, a, b, store.store ? store.store->step_state() : std::vector<std::string>{}};
  return shader.parked ? store_parked(tile) : store_unrolled(tile, "eg_put");
}

}  // namespace eglantine::lower
