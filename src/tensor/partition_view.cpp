#include <algorithm>

#include "check/check.hpp"
#include "eglantine/tile.hpp"
#include "evaluate/pend.hpp"
#include "layout/divide.hpp"

namespace eglantine {

namespace {

Shape checked_tile(const Tensor& x, const Shape& tile) {
  if (tile.rank() != x.rank())
    check::fail<ShapeError>("PartitionView", "a tile of shape ", to_string(tile), " has rank ",
                            std::to_string(tile.rank()), ", the tensor of shape ", to_string(x.shape()), " has rank ",
                            std::to_string(x.rank()));
  if (std::any_of(tile.begin(), tile.end(), [](int64_t length) { return length <= 0; }))
    check::fail<ShapeError>("PartitionView", "the lengths of a tile are positive, got ", to_string(tile));
  return tile;
}

Shape tiles_along(const Shape& lengths, const Shape& tile) {
  Shape count = lengths;
  for (int i = 0; i < count.rank(); ++i) count[i] = ceil_divide(lengths[i], tile[i]);
  return count;
}

void require_rank(std::string_view function, const Shape& index, const Shape& count) {
  if (index.rank() != count.rank())
    check::fail<ShapeError>(function, "index ", to_string(index), " has rank ", std::to_string(index.rank()),
                            ", the grid of ", to_string(count), " tiles has rank ", std::to_string(count.rank()));
}

bool contains(const Shape& count, const Shape& index) {
  for (int i = 0; i < count.rank(); ++i)
    if (index[i] < 0 || index[i] >= count[i]) return false;
  return true;
}

/// One value for each tile of x; no kernel where tiles are single elements, which are their own results.
Tensor combined(Reduction reduction, const Tensor& x, const PartitionView& view, ReduceOpPtr custom = nullptr) {
  Shape tile = view.tile_shape();
  for (int i = 0; i < tile.rank(); ++i) tile[i] = std::min(tile[i], x.shape()[i]);
  if (tile.elements() == 1) return x.reshape(view.tile_count());
  if (is_narrow(x.dtype()))
    return combined(reduction, x.astype(computed_type(x.dtype())), view, std::move(custom)).astype(x.dtype());
  return pend(make_tiles({reduction, x.node(), tile, std::move(custom)}, view.tile_count()));
}

Tensor extreme(Reduction of_numbers, Reduction of_truth, const PartitionView& view) {
  const bool truth = view.tensor().dtype() == DType::boolean;
  return combined(truth ? of_truth : of_numbers, view.tensor(), view);
}

}  // namespace

PartitionView::PartitionView(Tensor x, Shape tile_shape)
    : tensor_(std::move(x)),
      grid_{tensor_.shape(), checked_tile(tensor_, tile_shape), tiles_along(tensor_.shape(), tile_shape)} {}

TileInfo PartitionView::Grid::at(const Shape& index) const {
  TileInfo result{index, index, index, false};
  for (int i = 0; i < index.rank(); ++i) {
    result.start[i] = index[i] * tile[i];
    result.size[i] = std::min(tile[i], lengths[i] - result.start[i]);
    result.is_edge = result.is_edge || result.size[i] < tile[i];
  }
  return result;
}

TileInfo PartitionView::Iterator::operator*() const {
  Shape index = grid_.count;
  int64_t rest = number_;
  for (int i = index.rank() - 1; i >= 0; --i) {
    index[i] = rest % grid_.count[i];
    rest /= grid_.count[i];
  }
  return grid_.at(index);
}

PartitionView::Iterator& PartitionView::Iterator::operator++() {
  ++number_;
  return *this;
}

PartitionView::Iterator PartitionView::Iterator::operator++(int) {
  Iterator before = *this;
  ++number_;
  return before;
}

std::optional<TileInfo> PartitionView::get_tile(Shape index) const {
  require_rank("PartitionView::get_tile", index, grid_.count);
  if (!contains(grid_.count, index)) return std::nullopt;
  return grid_.at(index);
}

Tensor PartitionView::tile(Shape index) const {
  require_rank("PartitionView::tile", index, grid_.count);
  if (!contains(grid_.count, index))
    check::fail<IndexError>("PartitionView::tile", "index ", to_string(index), " lies outside the grid of ",
                            to_string(grid_.count), " tiles");
  const TileInfo info = grid_.at(index);
  std::vector<std::pair<int64_t, int64_t>> start_stop;
  for (int i = 0; i < index.rank(); ++i) start_stop.emplace_back(info.start[i], info.start[i] + info.size[i]);
  return tensor_.crop(start_stop);
}

Tensor PartitionView::reduce(const ReduceOp& op) const {
  check::require_whole("PartitionView::reduce", op);
  check::require_types("PartitionView::reduce", Types::real, tensor_.dtype());
  return combined(Reduction::custom, tensor_, *this, std::make_shared<const ReduceOp>(op));
}

Tensor PartitionView::sum() const {
  const DType dtype = tensor_.dtype();
  const bool counts = !is_float(dtype) && dtype != DType::u32;  // booleans and bytes in i32
  return combined(Reduction::sum, counts ? tensor_.astype(DType::i32) : tensor_, *this);
}

Tensor PartitionView::max() const { return extreme(Reduction::max, Reduction::any, *this); }
Tensor PartitionView::min() const { return extreme(Reduction::min, Reduction::all, *this); }

}  // namespace eglantine
