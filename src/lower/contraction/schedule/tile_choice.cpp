#include "lower/contraction/schedule/tile_choice.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <stdexcept>

namespace eglantine::lower {

namespace {

std::vector<MatmulTile> software_tiles() {
  std::vector<MatmulTile> tiles{{MatmulForm::registers, 16, 16, 8, 1, 1, 8}};
  for (const int rows : {16, 8, 4})
    for (const int columns : {8, 4})
      for (const auto& [local_x, local_y] : {std::pair{8, 1}, {4, 2}, {2, 4}, {1, 8}, {8, 8}})
        tiles.push_back({MatmulForm::registers, rows, columns, local_x, local_y, 1, 8});
  return tiles;
}

}  // namespace

MatmulTile MatmulTile::of(const MatmulShader& shader) {
  return {shader.form,    shader.rows,   shader.columns, shader.local_x,
          shader.local_y, shader.slices, shader.depth,   shader.buffers};
}

void MatmulTile::apply_to(MatmulShader& shader) const {
  shader.form = form;
  shader.rows = rows;
  shader.columns = columns;
  shader.local_x = local_x;
  shader.local_y = local_y;
  shader.slices = slices;
  shader.depth = depth;
  shader.buffers = buffers;
}

bool MatmulTile::fits(const Target& target) const {
  MatmulShader shader{.dtype = DType::f32};
  apply_to(shader);
  if (shader.group_size() > target.max_invocations) return false;
  return form == MatmulForm::registers || int64_t{16} * shader.shared_slots() <= target.max_shared_bytes;
}

const std::vector<MatmulTile>& known_tiles(bool software) {
  static const std::vector<MatmulTile> in_registers = software_tiles();
  static const std::vector<MatmulTile> shared{
      {MatmulForm::tile, 16, 8, 16, 8, 1, 8},   {MatmulForm::tile, 16, 8, 16, 4, 4, 16},
      {MatmulForm::tile, 16, 8, 8, 4, 4, 16},   {MatmulForm::tile, 8, 8, 8, 4, 4, 16},
      {MatmulForm::tile, 8, 4, 16, 8, 1, 8},    {MatmulForm::tile, 16, 8, 16, 4, 2, 8},
      {MatmulForm::tile, 8, 8, 8, 8, 4, 16},    {MatmulForm::tile, 8, 8, 8, 8, 2, 16},
      {MatmulForm::tile, 8, 8, 16, 8, 2, 16},   {MatmulForm::tile, 8, 8, 8, 16, 2, 16},
      {MatmulForm::tile, 8, 8, 8, 16, 1, 8},    {MatmulForm::tile, 8, 8, 16, 8, 1, 8},
      {MatmulForm::tile, 16, 4, 8, 4, 4, 16},   {MatmulForm::tile, 8, 4, 8, 4, 4, 16},
      {MatmulForm::tile, 4, 8, 8, 4, 2, 16},    {MatmulForm::tile, 8, 4, 8, 4, 1, 8},
      {MatmulForm::tile, 8, 8, 16, 4, 1, 8},    {MatmulForm::tile, 8, 12, 8, 12, 1, 8},
      {MatmulForm::tile, 8, 8, 8, 16, 1, 8, 1}, {MatmulForm::tile, 8, 8, 16, 8, 1, 8, 1},
      {MatmulForm::tile, 8, 8, 24, 8, 1, 8},
  };
  return software ? in_registers : shared;
}

int64_t nearest_power(int64_t length) {
  const auto below = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, length))));
  return 2 * length >= 3 * below ? 2 * below : below;
}

ProductClass class_of(int64_t m, int64_t n, int64_t k, int64_t batch, MatmulRead a, MatmulRead b) {
  return {nearest_power(m), nearest_power(n), nearest_power(k), nearest_power(batch), a, b};
}

std::string text_of(const MatmulTile& tile) {
  const auto number = [](int value) { return std::to_string(value); };
  return (tile.form == MatmulForm::tile ? "tile " : "registers ") + number(tile.rows) + "x" + number(tile.columns) +
         " of " + number(tile.local_x) + "x" + number(tile.local_y) + " in " + number(tile.slices) + " by " +
         number(tile.depth) + (tile.buffers == 1 ? " once" : "");
}

MatmulTile parse_tile(std::string_view text, bool software) {
  for (const MatmulTile& tile : known_tiles(software))
    if (text_of(tile) == text) return tile;
  throw std::invalid_argument("no tile is called \"" + std::string(text) + "\"");
}

std::string text_of(const ProductClass& product) {
  return std::to_string(product.m) + "x" + std::to_string(product.n) + "x" + std::to_string(product.k) + " of " +
         std::to_string(product.batch) + " reads " + static_cast<char>(product.a) + static_cast<char>(product.b);
}

ProductClass parse_class(std::string_view text) {
  const std::string whole(text);
  long long m = 0, n = 0, k = 0, batch = 0;
  char a = 0, b = 0;
  std::sscanf(whole.c_str(), "%lldx%lldx%lld of %lld reads %c%c", &m, &n, &k, &batch, &a, &b);
  const ProductClass product{m, n, k, batch, static_cast<MatmulRead>(a), static_cast<MatmulRead>(b)};
  const auto is_read = [](MatmulRead x) {
    return x == MatmulRead::k_major || x == MatmulRead::mn_major || x == MatmulRead::single;
  };
  // A text that is not exactly a class's own does not come back the same.
  if (!is_read(product.a) || !is_read(product.b) || text_of(product) != text ||
      product != class_of(m, n, k, batch, product.a, product.b))
    throw std::invalid_argument("no class of products is called \"" + whole + "\"");
  return product;
}

}  // namespace eglantine::lower
