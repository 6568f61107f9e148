#pragma once

#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <vector>

#include "graph/planning/ownership/ownership.hpp"

/// Which element-wise nodes fuse into a kernel, and where so many would that one has to be cut off.
namespace eglantine {

/// Most element-wise nodes of one kernel, steps of sums of products by twos: past this, compiling it costs more than
/// reading an intermediate once more.
inline constexpr size_t max_fused = 48;

/// So many more where an expression has loads at computed places: what would be cut off are those places, which are
/// read again at each load, or sums of what lies there. Up to 4 x 4 loads, of a cubic interpolation.
inline size_t more_for_loads(size_t loads) { return 6 * std::min<size_t>(loads, 16); }

/// The pending element-wise nodes below x down to what is materialized, sources first, x itself left out.
std::vector<const Node*> fused_below(const Node& x, const std::unordered_set<const Node*>& materialized);

/// The same of pending loads at computed addresses.
std::vector<const Node*> loads_below(const Node& x, const std::unordered_set<const Node*>& materialized);

/// Whether a kernel computes x element by element from memory: nothing else that is pending is below it.
bool is_elementwise_to_memory(const Node& x, const std::unordered_set<const Node*>& materialized);

/// Whether it computes x so from memory and from what has far fewer elements, however that is computed.
bool is_elementwise_to_less(const Node& x, const std::unordered_set<const Node*>& materialized);

/// Whether a function takes a few of a device's instructions, though more than a sum.
bool is_short_function(Op op);

/// What recomputing may take: operations, how many of them short functions (an exponential, a quotient), and how often
/// the bytes that it reads must go into what it makes (0: it may read any number).
struct Recomputing {
  int operations = 4, functions = 0, times = 2;
  bool of_views =
      false;  ///< of a view what it reads counts, of its elements' sectors of memory, and not all of its source
  bool of_kernels = false;  ///< pending gathers and sums of integers count as memory
};

/// Whether x's readers each recompute it: a few operations of constants, places, what is broadcast from far fewer
/// elements, and what lies in few enough bytes cost less than writing and reading x. materialized and forced are read
/// from memory.
bool is_recomputed(const Node& x, const std::unordered_set<const Node*>& materialized,
                   const std::unordered_set<const Node*>& forced, const Recomputing& most);

/// Whether whoever reads x may add its elements: x is a float sum along one short axis of a few operations of
/// constants, places and what is broadcast from far fewer elements, or from half as many as x has, such as the squared
/// distances of all pairs of points. It costs less than writing and reading x. materialized and forced are read from
/// memory.
bool is_short_sum(const Node& x, const std::unordered_set<const Node*>& materialized,
                  const std::unordered_set<const Node*>& forced);

/// The nodes to materialize so that no kernel fuses more than these.
std::unordered_set<const Node*> too_long_fusions(const Ownership& owners);

}  // namespace eglantine
