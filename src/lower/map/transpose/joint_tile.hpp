#pragma once

#include <optional>
#include <vector>

#include "graph/kernel/kernel.hpp"
#include "lower/map/transpose/staged_views.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// Of the sizes of arrays, which are a program's own.
inline constexpr int64_t slots_apart = 512;

/// A tile of a map whose operands lie in memory by another order of axes than the results, some axes short: a box of
/// the domain of which several axes together are long lines in either memory. The last box along an axis begins earlier
/// rather than be shorter. Shifted views of one storage, as of a stencil, share a tile.
struct JointTile {
  std::vector<StagedView> staged;  ///< operands, of the same strides; no shift is negative
  std::vector<int64_t> halo;       ///< by axis: what the box reads beyond its size
  std::vector<int64_t> sizes;      ///< of the box, by axis
  std::vector<int> read;           ///< axes that the box reads along, in the operands' order, the fastest first
  std::vector<int> written;        ///< axes longer than 1 in the results' order
  int run_axes = 0;                ///< of `written`: elements that follow each other in the results
  std::vector<int64_t> pitch;      ///< slots of the tile between neighbours, by axis; 0: a broadcast axis
  int64_t slots = 0;               ///< of a tile

  int64_t size_read(int axis) const { return sizes[static_cast<size_t>(axis)] + halo[static_cast<size_t>(axis)]; }
  bool has_halo() const;
  int tiles() const;
  int64_t elements_read() const;
  int64_t elements_written() const;
  int64_t run() const;
};

/// Nothing on software devices, where operands and results have long runs in common, where tiles of two axes have, of
/// operands that are no shifted views (transpose_program.hpp), and of few results; of results that lie apart only for
/// stencils whose operands are all staged.
std::optional<JointTile> joint_tile(const Target& target, const MapKernel& kernel);

}  // namespace eglantine::lower
