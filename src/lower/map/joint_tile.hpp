#pragma once

#include <optional>
#include <vector>

#include "graph/kernel.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// A tile of a map whose operands lie in memory by another order of axes than the results, some axes short: a box of
/// the domain of which several axes together are long lines in either memory.
struct JointTile {
  std::vector<int> staged;     ///< operands, of the same strides
  std::vector<int64_t> sizes;  ///< of the box, by axis
  std::vector<int> read;       ///< axes longer than 1 in the operands' order, the fastest first; none of stride 0
  std::vector<int> written;    ///< the same in the results' order
  int run_axes = 0;            ///< of `written`: elements that follow each other in the results, and in the tile
  int first_part = 0;          ///< axes along which the last box may be shorter: the slowest of a run of results,
  int second_part = -1;        ///< and of a line of operands, if that is another
  std::vector<int64_t> pitch;  ///< slots of the tile between neighbours, by axis; 0: a broadcast axis
  int64_t slots = 0;

  int64_t elements_read() const;
  int64_t elements_written() const;
  int64_t run() const;
};

/// Nothing on software devices, where operands and results have long runs in common, where tiles of two axes have
/// (transpose_program.hpp), and of few results or such as lie apart.
std::optional<JointTile> joint_tile(const Target& target, const MapKernel& kernel);

}  // namespace eglantine::lower
