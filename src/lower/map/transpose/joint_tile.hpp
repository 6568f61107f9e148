#pragma once

#include <optional>
#include <vector>

#include "graph/kernel/kernel.hpp"
#include "lower/map/transpose/staged_views.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// Of the sizes of arrays, which are a program's own.
inline constexpr int64_t slots_apart = 512;

/// How a tile has two elements of 16 bits in a word, neighbours of a run (pair_slots.hpp).
struct Pairs {
  int64_t elements = 1;   ///< along the axis read the fastest that an invocation reads at once, of two neighbours each
  bool anywhere = false;  ///< such vectors begin anywhere: two of memory are read for each
  int64_t across = 0;     ///< of vectors along runs: elements of a run before the next along their axis; else 0
  int64_t plane = 0;      ///< slots between elements of a vector; across runs the pitch is from one vector to the next
};

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
  std::optional<Pairs> pairs;      ///< slots of 16 bits; else of a word

  int64_t size_read(int axis) const { return sizes[static_cast<size_t>(axis)] + halo[static_cast<size_t>(axis)]; }
  bool has_halo() const;
  int tiles() const;
  int64_t elements_read() const;
  int64_t elements_written() const;
  int64_t run() const;
  int64_t words() const { return pairs ? (slots + 1) / 2 : slots; }  ///< of shared memory, of a tile
  bool in_run(int axis) const;
};

/// Nothing on software devices, where operands and results have long runs in common, where tiles of two axes have, of
/// operands that are no shifted views (transpose_program.hpp), and of few results; of results that lie apart only for
/// stencils whose operands are all staged.
std::optional<JointTile> joint_tile(const Target& target, const MapKernel& kernel);

}  // namespace eglantine::lower
