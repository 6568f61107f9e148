#include "lower/tile/reductions.hpp"

#include <algorithm>

#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

using layout::Box;

Box all_tiles(const TileKernel& kernel) {
  Box box{kernel.epilogue.domain, kernel.epilogue.domain};
  std::fill(box.start.begin(), box.start.end(), 0);
  return box;
}

/// Boxes of tiles of equal size: along every axis the full tiles, and the last one where it is shorter.
std::vector<Box> boxes_of_one_size(const TileKernel& kernel) {
  std::vector<Box> boxes{all_tiles(kernel)};
  for (int axis = 0; axis < kernel.tile.rank(); ++axis) {
    const int64_t count = kernel.epilogue.domain[axis];
    if (kernel.prologue.domain[axis] % kernel.tile[axis] == 0 || count == 1) continue;
    const size_t before = boxes.size();
    for (size_t i = 0; i < before; ++i) {
      Box edge = boxes[i];
      boxes[i].length[axis] = count - 1;
      edge.start[axis] = count - 1;
      edge.length[axis] = 1;
      boxes.push_back(edge);
    }
  }
  return boxes;
}

/// Tiles of one size as a reduction: axes that count tiles are kept, axes within a tile are reduced.
class OneSize {
 public:
  explicit OneSize(const TileKernel& kernel) : kernel_(kernel), size_(kernel.tile) {
    for (int axis = 0; axis < size_.rank(); ++axis) size_[axis] = std::min(size_[axis], kernel.prologue.domain[axis]);
  }

  int rank() const { return longer_than_one(kernel_.epilogue.domain) + longer_than_one(size_); }

  ReduceKernel reduction() const {
    ReduceKernel result{kernel_.prologue,  longer_than_one(kernel_.epilogue.domain),
                        kernel_.reduction, layout::ReduceTree::row,
                        kernel_.epilogue,  kernel_.out,
                        kernel_.custom};
    for (Strided& operand : result.prologue.operands) operand.layout = in_tiles(operand.layout);
    for (Layout& iota : result.prologue.iotas) iota = in_tiles(iota);
    result.prologue.domain = in_tiles(layout::contiguous(kernel_.prologue.domain)).shape;
    // The innermost axis in memory counts tiles.
    if (size_[size_.rank() - 1] == 1) result.tree = layout::ReduceTree::column;
    collapse(result);
    return result;
  }

 private:
  static int longer_than_one(const Shape& shape) {
    return static_cast<int>(std::count_if(shape.begin(), shape.end(), [](int64_t length) { return length > 1; }));
  }

  Layout in_tiles(const Layout& x) const {
    Layout result{{}, {}, x.offset};
    const auto add = [&](int64_t length, int64_t stride) {
      if (length == 1) return;
      result.shape.push_back(length);
      result.strides.push_back(stride);
    };
    for (int i = 0; i < size_.rank(); ++i)
      add(kernel_.epilogue.domain[i], x.strides[static_cast<size_t>(i)] * kernel_.tile[i]);
    for (int i = 0; i < size_.rank(); ++i) add(size_[i], x.strides[static_cast<size_t>(i)]);
    return result;
  }

  const TileKernel& kernel_;
  Shape size_;
};

void add_reductions(const TileKernel& kernel, std::vector<ReduceKernel>& out) {
  const OneSize tiles(kernel);
  if (tiles.rank() <= max_rank) return out.push_back(tiles.reduction());
  const Shape& grid = kernel.epilogue.domain;
  const auto axis =
      static_cast<int>(std::find_if(grid.begin(), grid.end(), [](int64_t count) { return count > 1; }) - grid.begin());
  Box box = all_tiles(kernel);
  box.length[axis] = 1;
  for (; box.start[axis] < grid[axis]; ++box.start[axis]) add_reductions(restricted(kernel, box), out);
}

}  // namespace

TileKernel restricted(const TileKernel& kernel, const Box& tiles) {
  TileKernel boxed = kernel;
  Box elements = tiles;
  for (int axis = 0; axis < kernel.tile.rank(); ++axis) {
    elements.start[axis] *= kernel.tile[axis];
    elements.length[axis] =
        std::min(tiles.length[axis] * kernel.tile[axis], kernel.prologue.domain[axis] - elements.start[axis]);
  }
  restrict_to(boxed.prologue, elements);
  restrict_to(boxed.epilogue, tiles);
  restrict_to(boxed.out, tiles);
  return boxed;
}

std::vector<ReduceKernel> tile_reductions(const TileKernel& kernel) {
  std::vector<ReduceKernel> result;
  for (const Box& box : boxes_of_one_size(kernel)) add_reductions(restricted(kernel, box), result);
  return result;
}

}  // namespace eglantine::lower
