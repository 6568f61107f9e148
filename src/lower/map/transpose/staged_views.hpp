#pragma once

#include <cstdint>
#include <vector>

#include "graph/kernel/kernel.hpp"

namespace eglantine::lower {

/// Bytes of a run that tiles of two axes, or no tiles, do well with.
inline constexpr int64_t long_run = 96;

/// An operand in a tile: the element at a box's coordinates lies `shift` further along each axis.
struct StagedView {
  int operand, tile;
  std::vector<int64_t> shift;
};

int64_t stride_of(const Layout& x, int axis);  ///< without its sign
std::vector<int> order_of(const Layout& x);    ///< the axes that lead to other elements, the fastest first
int64_t common_run(const Layout& x);  ///< elements that follow each other both in an operand and in the results

/// Whether results side by side read parts of many lines of memory. Of an element for each run of them that is little.
bool is_apart(const Strided& x);

/// The first operand without long runs, and those that lie as it does, of up to four tiles; shifts are from the first
/// of a tile.
std::vector<StagedView> views_apart(const Expr& value);

/// Makes the least shift along each axis 0 in each tile; returns the largest ones.
std::vector<int64_t> halo_of(std::vector<StagedView>& views, size_t rank);

/// Whether operands are read beside staged ones, so few that what an invocation reads of them for a tile waits in
/// registers while the tile is staged.
bool reads_few_beside(const Expr& value, size_t staged);

int tiles_of(const std::vector<StagedView>& views);

}  // namespace eglantine::lower
