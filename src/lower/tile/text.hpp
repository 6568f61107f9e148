#pragma once

#include <string>
#include <vector>

#include "codegen/uniforms.hpp"
#include "graph/kernel.hpp"

namespace eglantine::lower {

/// Where the elements of tiles are: the holes eg_address and eg_vector of tile_reduce.comp. A vector is `width`
/// elements (4 or 1) side by side in a tile; vectors are numbered row-major in the tile shape, and one that an edge
/// tile lacks holds identities. Elements are named to eg_load by their row-major numbers in the domain.
class TileText {
 public:
  /// width 4 wants width_of(domain, tile) to be 4. grid: the number of tiles along each axis.
  TileText(const Shape& domain, const Shape& tile, const Shape& grid, int width)
      : domain_(domain), tile_(tile), grid_(grid), width_(width) {}

  /// 4 where every vector of four lies at a multiple of four and within one row, so that it can be read at once;
  /// else 1.
  static int width_of(const Shape& domain, const Shape& tile);
  /// Units of a whole tile.
  int64_t vector_count() const { return tile_.elements() / width_; }

  void add_uniforms(codegen::Uniforms& uniforms);
  /// What the text depends on beside the combination.
  /// eg_identities, eg_combines and eg_fold: vectors upon each other, and a vector into one value. After
  /// combine_functions.
  std::string vector_functions(DType dtype) const;
  /// `void eg_address(uint tile)` and `EG_VECTOR eg_vector(uint vector)`. After vector_functions and eg_load.
  std::string element_functions() const;

 private:
  struct Slots {
    int tile, grid, length, pitch;
  };
  bool has_tail() const { return width_ == 4 && domain_.rank() == 1; }
  std::string address_axis(int axis) const;
  std::string vector_axis(int axis) const;

  Shape domain_, tile_, grid_;
  int width_;
  std::vector<Slots> slots_;  ///< by axis
};

}  // namespace eglantine::lower
