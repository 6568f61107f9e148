#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "eglantine/own.hpp"
#include "eglantine/tensor.hpp"

namespace eglantine {

/// One tile of a tensor.
struct EGLANTINE_API TileInfo {
  Shape index;           ///< which tile along each axis
  Shape start;           ///< its first element
  Shape size;            ///< its lengths: the tile shape, or less at an edge
  bool is_edge = false;  ///< smaller than the tile shape along some axis

  bool operator==(const TileInfo& other) const = default;
};

/// A tensor cut into tiles of one shape; the last along each axis may be smaller. A cheap handle, no copies.
class EGLANTINE_API PartitionView {
  /// Where the tiles lie, which is all an iterator needs to know.
  struct Grid {
    Shape lengths, tile, count;
    TileInfo at(const Shape& index) const;
    bool operator==(const Grid& other) const = default;
  };

 public:
  /// Goes through the tiles in row-major order. Knows the grid by itself and may outlive the view; iterators over equal
  /// grids compare.
  class EGLANTINE_API Iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;  // its tiles are made on the way
    using value_type = TileInfo;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = TileInfo;

    Iterator() = default;
    TileInfo operator*() const;
    Iterator& operator++();
    Iterator operator++(int);
    bool operator==(const Iterator& other) const = default;

   private:
    friend class PartitionView;
    Iterator(const Grid& grid, int64_t number) : grid_(grid), number_(number) {}
    Grid grid_;
    int64_t number_ = 0;
  };

  /// Throws ShapeError when the tile shape's rank is not x's, or a tile length is not positive.
  PartitionView(Tensor x, Shape tile_shape);

  const Tensor& tensor() const& { return tensor_; }
  Tensor tensor() && { return std::move(tensor_); }
  const Shape& tile_shape() const& { return grid_.tile; }
  Shape tile_shape() && { return grid_.tile; }
  /// ceil(length / tile length) along each axis; a scalar is one tile.
  Shape tile_count() const { return grid_.count; }
  int64_t total_tiles() const { return grid_.count.elements(); }

  /// The tile at an index; nothing outside the grid. Throws ShapeError when the index has another rank.
  std::optional<TileInfo> get_tile(Shape index) const;
  /// A view of the tile's elements, of its real size. Throws IndexError outside the grid, ShapeError for another rank.
  Tensor tile(Shape index) const;

  Iterator begin() const { return {grid_, 0}; }
  Iterator end() const { return {grid_, total_tiles()}; }

  /// One value for each tile, combined over its elements: shape tile_count(). One kernel; combining the results gives
  /// the reduction of the whole tensor. f32, f16 or bf16, else DTypeError; repeats its bits on one device.
  Tensor reduce(const ReduceOp& op) const;
  /// The same with the library's own combinations: integer sums wrap, those of i8, u8 and booleans count in i32; NaN
  /// propagates in max and min, which of booleans are any and all. A float sum's error is bounded as that of sum().
  Tensor sum() const;
  Tensor max() const;
  Tensor min() const;

 private:
  Tensor tensor_;
  Grid grid_;
};

}  // namespace eglantine
