#pragma once

#include <string>
#include <vector>

#include "codegen/uniforms.hpp"
#include "graph/kernel.hpp"

namespace eglantine::codegen {

/// Where the elements of tiles are: the holes eg_seek and eg_unit of tile_reduce.comp. A unit is `width` elements (4 or
/// 1) side by side in a tile; units are numbered row-major in the tile shape, and one that an edge tile lacks holds
/// identities. Elements are named to eg_load by their row-major numbers in the domain.
class TileText {
 public:
  /// width 4 wants width_of(domain, tile) to be 4. grid: the number of tiles along each axis.
  TileText(const Shape& domain, const Shape& tile, const Shape& grid, int width)
      : domain_(domain), tile_(tile), grid_(grid), width_(width) {}

  /// 4 where every unit of four lies at a multiple of four and within one row, so that it can be read at once; else 1.
  static int width_of(const Shape& domain, const Shape& tile);
  /// Units of a whole tile.
  int64_t units() const { return tile_.elements() / width_; }

  void place(Uniforms& uniforms);
  /// What the text depends on beside the combination.
  /// eg_identities, eg_combines and eg_fold: units upon each other, and a unit into one value. After combine_functions.
  std::string unit_functions(DType dtype) const;
  /// `void eg_seek(uint tile)` and `EG_UNIT eg_unit(uint unit)`. After unit_functions and eg_load.
  std::string element_functions() const;

 private:
  struct Slots {
    int tile, grid, length, pitch;
  };
  bool has_tail() const { return width_ == 4 && domain_.rank() == 1; }
  std::string seek_axis(int axis) const;
  std::string unit_axis(int axis) const;

  Shape domain_, tile_, grid_;
  int width_;
  std::vector<Slots> slots_;  ///< by axis
};

}  // namespace eglantine::codegen
