#pragma once

#include "verbs/build.hpp"

/// What a mask selects, put together by tiles: nothing is stored for each element of the mask.
namespace eglantine::verbs {

/// A mask with one axis; of each tile how many of its elements are true, or of more tiles how many are up to the tile's
/// end (ScatterKernel::ends); and how many in all.
struct TileCounts {
  Tensor mask, ends;
  int64_t count;

  /// The elements of x, of the mask's shape, where it is true, in order.
  Tensor compacted(const Tensor& x) const;
  /// (count, rank) of the elements that are true, as of a mask of this shape: of one kernel, which divides.
  Tensor coordinates(const Shape& shape) const;
};

/// Whether coordinates() is for masks of this device and shape: what it writes is bound whole.
bool gives_coordinates(const Tensor& mask);

/// Whether the mask's device works so, and for masks of its size.
bool compacts_by_tiles(const Tensor& mask);

/// Waits for the counts of a mask with elements. Throws ShapeError for more than 2^31 - 1.
TileCounts tile_counts(std::string_view function, const Tensor& mask);

/// Whether the mask's device is one whose kernels the host runs, and takes places from places_by_host().
bool host_finds_places(const Tensor& mask);

/// The places, in order, of the elements of a mask that are true. Waits for the mask.
Tensor places_by_host(std::string_view function, const Tensor& mask);

/// The compaction of `count` elements as a scatter to their places, for rules that go through its index.
nodes::Scatter by_places(const nodes::Scatter& compaction, int64_t count);

}  // namespace eglantine::verbs
