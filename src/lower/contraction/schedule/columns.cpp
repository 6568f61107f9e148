#include "lower/contraction/schedule/columns.hpp"

#include "layout/divide.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

constexpr int column_invocations = 128, most_block_rows = 16, most_blocks = 2;
constexpr int shallow = 64, deep = 128;

/// Blocks of rows as even as they divide them.
MatmulTile rows_tile(const Contraction& product, int columns) {
  const int64_t blocks = ceil_divide(product.m(), most_block_rows);
  return {MatmulForm::columns,
          static_cast<int>(ceil_divide(product.m(), blocks)),
          columns,
          column_invocations,
          1,
          1,
          product.k() <= shallow ? shallow : deep};
}

/// Cycles of a multiprocessor for a group: a step's loads, of b's elements, a line of memory each, of its addresses and
/// of a's vectors from shared memory, one a cycle, and its instructions, four; then the results' stores, and the start.
double cycles_of(const MatmulTile& tile, int64_t k, int64_t lines) {
  constexpr double of_element = 6, of_step = 4, of_store = 6, of_row = 15, start = 50, issued = 4, lanes = 32;
  const double rows = tile.rows, columns = tile.columns,
               loads = columns * static_cast<double>(lines) + 1 + ceil_divide(tile.rows, 4),
               step = loads + (columns * (of_element + rows) + of_step) / issued,
               store = rows * (columns * of_store + of_row) / issued;
  return (static_cast<double>(k) * step + store + start) * column_invocations / lanes;
}

double time_in_columns(const Target& target, const Contraction& product, const MatmulTile& tile, int64_t lines) {
  // Of tiles with staged operands, in which theirs are told (staged_speeds.cpp).
  constexpr double multiplied_a_cycle = 64;
  const int64_t groups = ceil_divide(tiles_of(product, tile), multiprocessors_of(target));
  return static_cast<double>(groups) * cycles_of(tile, product.k(), lines) * multiplied_a_cycle;
}

/// Of a's rows, and of the table of steps, of at most eight words each.
int64_t shared_bytes(const MatmulTile& tile) {
  constexpr int64_t of_vector = 16, of_steps = 32;
  return tile.depth * (of_vector * ceil_divide(tile.rows, 4) + of_steps);
}

MatmulTile quickest_columns(const Target& target, const Contraction& product, int64_t lines) {
  MatmulTile best = rows_tile(product, 4);
  for (const int columns : {2, 1})
    if (const MatmulTile tried = rows_tile(product, columns);
        time_in_columns(target, product, tried, lines) < time_in_columns(target, product, best, lines))
      best = tried;
  return best;
}

}  // namespace

std::optional<MatmulShader> rows_in_columns(const Target& target, const Contraction& product,
                                            const MatmulShader& shader, int64_t lines) {
  if (target.software || product.batches() == 1 || shader.form != MatmulForm::tile || shader.b != MatmulRead::staged ||
      product.m() > most_blocks * most_block_rows || target.max_invocations < column_invocations)
    return std::nullopt;
  // Tiles' times are measured, those of this form reckoned.
  constexpr double margin = 1.25;
  const std::optional<TileInChunks> tiles = quickest_tile(target, product, shader, Calls::overlap);
  const MatmulTile best = quickest_columns(target, product, lines);
  if (shared_bytes(best) > target.max_shared_bytes ||
      (tiles && tiles->time <= margin * time_in_columns(target, product, best, lines)))
    return std::nullopt;
  MatmulShader columns = shader;
  best.apply_to(columns);
  if (columns.a != MatmulRead::staged) columns.a = MatmulRead::single;
  columns.a_mn_major = columns.a_along_k = columns.b_along_k = columns.saves_registers = columns.exchanges = false;
  return columns;
}

}  // namespace eglantine::lower
