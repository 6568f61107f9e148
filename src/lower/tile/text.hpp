#pragma once

#include <string>
#include <vector>

#include "codegen/uniforms.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::lower {

/// The holes eg_address and eg_vector of tile_reduce.comp. A vector is `width` neighbouring elements (4 or 1) of a
/// tile; vectors are numbered row-major in the tile shape, and those that an edge tile lacks are identities. eg_load
/// takes row-major indices in the domain.
class TileText {
 public:
  /// width: 4 only where width_of(domain, tile) is 4. grid: the number of tiles along each axis.
  TileText(const Shape& domain, const Shape& tile, const Shape& grid, int width)
      : domain_(domain), tile_(tile), grid_(grid), width_(width) {}

  /// 4 where every four elements are an aligned vec4 of one row; else 1.
  static int width_of(const Shape& domain, const Shape& tile);
  /// Vectors of a whole tile.
  int64_t vector_count() const { return tile_.elements() / width_; }

  void add_uniforms(codegen::Uniforms& uniforms);
  /// eg_identities, eg_combines (two vectors into one) and eg_fold (a vector into one value). After combine_functions.
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
