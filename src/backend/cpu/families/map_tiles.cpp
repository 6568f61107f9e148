#include <algorithm>
#include <cstdlib>

#include "backend/cpu/families/families.hpp"
#include "layout/split.hpp"

namespace eglantine::cpu {

namespace {

constexpr int64_t tile_side = 32;  // sides of a tile: two cache lines each way, one block of the interpreter in all
static_assert(tile_side * tile_side == block_elements);
constexpr int64_t small = int64_t{1} << 16;  // smaller maps stay in the second-level cache in any order

template <class Visit>
void for_layouts(MapKernel& kernel, Visit visit) {
  for (Strided& operand : kernel.value.operands) visit(operand.layout);
  for (Layout& iota : kernel.value.iotas) visit(iota);
  visit(kernel.out.layout);
}

// The axis whose stride is smaller than the innermost one's, and which is at least a tile long; -1 if there is none.
int closer_axis(const Layout& x) {
  const int inner = x.shape.rank() - 1;
  const auto step = [&](int axis) { return std::abs(x.strides[static_cast<size_t>(axis)]); };
  int closest = inner;
  for (int axis = 0; axis < inner; ++axis)
    if (x.shape[axis] >= tile_side && step(axis) > 0 && step(axis) < step(closest)) closest = axis;
  return closest == inner ? -1 : closest;
}

int axis_to_tile(const MapKernel& kernel) {
  const Shape& domain = kernel.value.domain;
  const int rank = domain.rank();
  if (rank < 2 || rank + 2 > max_rank || domain[rank - 1] < tile_side || domain.elements() < small) return -1;
  int axis = closer_axis(kernel.out.layout);
  for (const Strided& operand : kernel.value.operands) axis = std::max(axis, closer_axis(operand.layout));
  return axis;
}

MapKernel restricted(MapKernel kernel, const layout::Box& box) {
  for_layouts(kernel, [&](Layout& x) { x = layout::restrict_to(x, box); });
  kernel.value.domain = box.length;
  return kernel;
}

// (..., a, ..., b) as (..., a / tile, b / inner_tile, tile, inner_tile).
Layout in_tiles(Layout x, int axis, int64_t tile, int64_t inner_tile) {
  const int64_t step = x.strides[static_cast<size_t>(axis)], inner_step = x.strides.back();
  const int64_t length = x.shape[axis], inner_length = x.shape[x.shape.rank() - 1];
  for (const int removed : {x.shape.rank() - 1, axis}) {
    x.shape.erase(removed);
    x.strides.erase(x.strides.begin() + removed);
  }
  for (const int64_t added : {length / tile, inner_length / inner_tile, tile, inner_tile}) x.shape.push_back(added);
  x.strides.insert(x.strides.end(), {tile * step, inner_tile * inner_step, step, inner_step});
  return x;
}

MapKernel in_tiles(MapKernel kernel, int axis, int64_t inner_tile) {
  for_layouts(kernel, [&](Layout& x) { x = in_tiles(x, axis, tile_side, inner_tile); });
  kernel.value.domain = kernel.out.layout.shape;
  return kernel;
}

}  // namespace

std::vector<MapKernel> in_tiles(const MapKernel& kernel) {
  const int axis = axis_to_tile(kernel);
  if (axis < 0) return {kernel};
  const Shape& domain = kernel.value.domain;
  const int inner = domain.rank() - 1;
  layout::Box whole{domain, domain}, beside, below;
  std::fill(whole.start.begin(), whole.start.end(), 0);
  beside = below = whole;
  whole.length[axis] = beside.length[axis] = below.start[axis] = domain[axis] / tile_side * tile_side;
  whole.length[inner] = beside.start[inner] = domain[inner] / tile_side * tile_side;
  below.length[axis] -= below.start[axis];
  beside.length[inner] -= beside.start[inner];

  std::vector<MapKernel> maps{in_tiles(restricted(kernel, whole), axis, tile_side)};
  // What is left of the innermost axis in narrower tiles, or each of its elements would read a cache line of its own.
  if (beside.length.elements() > 0) maps.push_back(in_tiles(restricted(kernel, beside), axis, beside.length[inner]));
  if (below.length.elements() > 0) maps.push_back(restricted(kernel, below));
  return maps;
}

}  // namespace eglantine::cpu
