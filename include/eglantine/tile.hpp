#pragma once

#include <cstddef>
#include <iterator>
#include <optional>

#include "eglantine/own.hpp"
#include "eglantine/tensor.hpp"

namespace eglantine {

/// One tile of a tensor.
struct EGLANTINE_API TileInfo {
  Shape index;           ///< which tile along each axis
  Shape start;           ///< its first element
  Shape size;            ///< its lengths: the tile shape, or less at an edge
  bool is_edge = false;  ///< smaller than the tile shape along some axis
};

/// A tensor cut into tiles of one shape; the last along each axis may be smaller. A cheap handle, no copies.
class EGLANTINE_API PartitionView {
 public:
  /// Goes through the tiles in row-major order.
  class EGLANTINE_API Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = TileInfo;
    using difference_type = std::ptrdiff_t;
    using pointer = const TileInfo*;
    using reference = TileInfo;

    TileInfo operator*() const;
    Iterator& operator++();
    Iterator operator++(int);
    bool operator==(const Iterator& other) const { return number_ == other.number_; }

   private:
    friend class PartitionView;
    Iterator(const PartitionView* view, int64_t number) : view_(view), number_(number) {}
    const PartitionView* view_;
    int64_t number_;
  };

  /// Throws ShapeError when the tile shape's rank is not x's, or a tile length is not positive.
  PartitionView(Tensor x, Shape tile_shape);

  const Tensor& tensor() const { return tensor_; }
  const Shape& tile_shape() const { return tile_shape_; }
  /// ceil(length / tile length) along each axis.
  Shape tile_count() const { return tile_count_; }
  int64_t total_tiles() const { return tile_count_.elements(); }

  /// The tile at an index; nothing outside the grid. Throws ShapeError when the index has another rank.
  std::optional<TileInfo> get_tile(Shape index) const;
  /// A view of the tile's elements, of its real size. Throws IndexError outside the grid, ShapeError for another rank.
  Tensor tile(Shape index) const;

  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, total_tiles()}; }

  /// One value for each tile, combined over its elements: shape tile_count(). One kernel; combining the results gives
  /// the reduction of the whole tensor. f32; repeats its bits on one device.
  Tensor reduce(const ReduceOp& op) const;
  /// The same with the library's own combinations. f32, i32, u32 (boolean sums count in i32). NaN propagates.
  Tensor sum() const;
  Tensor max() const;
  Tensor min() const;

 private:
  TileInfo info(const Shape& index) const;

  Tensor tensor_;
  Shape tile_shape_, tile_count_;
};

}  // namespace eglantine
