#include <algorithm>

#include "backend/cpu/families/families.hpp"
#include "layout/closer_axis.hpp"
#include "layout/split.hpp"

namespace eglantine::cpu {

namespace {

constexpr int64_t small = int64_t{1} << 16;  // smaller maps stay in the second-level cache in any order
constexpr int64_t whole_vectors = 16;        // a multiple of the elements that transpose() holds in a vector

template <class Visit>
void for_layouts(MapKernel& kernel, Visit visit) {
  for (Strided& operand : kernel.value.operands) visit(operand.layout);
  for (Layout& iota : kernel.value.iotas) visit(iota);
  visit(kernel.out.layout);
}

int axis_to_tile(const MapKernel& kernel) {
  const Shape& domain = kernel.value.domain;
  if (domain.rank() < 2 || domain.rank() + 2 > max_rank || domain.elements() < small) return -1;
  int axis = layout::closer_axis(kernel.out.layout, 2);
  for (const Strided& operand : kernel.value.operands) axis = std::max(axis, layout::closer_axis(operand.layout, 2));
  return axis;
}

// Of the shape that is wanted where both axes are long; a short axis leaves more to the other.
Tile tile_of(int64_t lines, int64_t columns, const Tile& wanted) {
  const auto fitting = [&](int64_t beside) {
    const int64_t fit = wanted.lines * wanted.columns / beside;
    return fit > whole_vectors ? fit / whole_vectors * whole_vectors : fit;
  };
  Tile tile{};
  tile.columns = std::min(columns, fitting(std::min(lines, wanted.lines)));
  tile.lines = std::min(lines, fitting(tile.columns));
  return tile;
}

MapKernel restricted(MapKernel kernel, const layout::Box& box) {
  for_layouts(kernel, [&](Layout& x) { x = layout::restrict_to(x, box); });
  kernel.value.domain = box.length;
  return kernel;
}

// (..., a, ..., b) as (..., a / lines, b / columns, lines, columns).
Layout in_tiles(Layout x, int axis, const Tile& tile) {
  const int64_t step = x.strides[static_cast<size_t>(axis)], inner_step = x.strides.back();
  const int64_t length = x.shape[axis], inner_length = x.shape[x.shape.rank() - 1];
  for (const int removed : {x.shape.rank() - 1, axis}) {
    x.shape.erase(removed);
    x.strides.erase(x.strides.begin() + removed);
  }
  for (const int64_t added : {length / tile.lines, inner_length / tile.columns, tile.lines, tile.columns})
    x.shape.push_back(added);
  x.strides.insert(x.strides.end(), {tile.lines * step, tile.columns * inner_step, step, inner_step});
  return x;
}

// Adds the kernel in tiles. What whole ones leave at the ends of both axes is cut into tiles of its own shape, or each
// of its elements would read a cache line of its own.
void add_tiles(const MapKernel& kernel, int axis, const Tile& wanted, std::vector<TiledMap>& maps) {
  const Shape domain = kernel.value.domain;
  const int inner = domain.rank() - 1;
  if (domain.elements() == 0) return;
  const Tile tile = tile_of(domain[axis], domain[inner], wanted);
  layout::Box whole{domain, domain}, beside, below;
  std::fill(whole.start.begin(), whole.start.end(), 0);
  beside = below = whole;
  whole.length[axis] = beside.length[axis] = below.start[axis] = domain[axis] / tile.lines * tile.lines;
  whole.length[inner] = beside.start[inner] = domain[inner] / tile.columns * tile.columns;
  below.length[axis] -= below.start[axis];
  beside.length[inner] -= beside.start[inner];

  TiledMap tiled{restricted(kernel, whole), tile};
  for_layouts(tiled.map, [&](Layout& x) { x = in_tiles(x, axis, tile); });
  tiled.map.value.domain = tiled.map.out.layout.shape;
  maps.push_back(std::move(tiled));
  add_tiles(restricted(kernel, beside), axis, wanted, maps);
  add_tiles(restricted(kernel, below), axis, wanted, maps);
}

}  // namespace

std::vector<TiledMap> in_tiles(const MapKernel& kernel, const Tile& wanted) {
  const int axis = axis_to_tile(kernel);
  if (axis < 0) return {{kernel, {}}};
  // Tiles of two short axes would be evaluated in small parts.
  const Shape& domain = kernel.value.domain;
  if (2 * tile_of(domain[axis], domain[domain.rank() - 1], wanted).elements() < wanted.elements())
    return {{kernel, {}}};
  std::vector<TiledMap> maps;
  add_tiles(kernel, axis, wanted, maps);
  return maps;
}

}  // namespace eglantine::cpu
