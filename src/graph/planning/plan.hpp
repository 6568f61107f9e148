#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/device_limits.hpp"
#include "graph/kernel/kernel.hpp"
#include "graph/node.hpp"
#include "graph/structure/structure.hpp"

namespace eglantine {

class KernelPool;

/// Makes a buffer of so many bytes, which a kernel will write.
using Allocate = std::function<BufferPtr(int64_t bytes)>;

/// What computes some nodes: kernels in order, the buffers they fill, the nodes computed but not materialized.
struct Plan {
  std::vector<Kernel> kernels;
  std::shared_ptr<KernelPool> pool = {};  ///< of a replayed plan: where its kernels return, by their numbers
  std::unordered_map<const Node*, Stored> produced;
  std::unordered_map<const Node*, Stored> seconds;  ///< of nodes that have two
  std::vector<const Node*> fused;                   ///< but what row kernels compute anew: nodes_of_chains()
  std::unordered_set<const Node*> in_place;         ///< computed where their base lay, which nothing else held
};

/// Plans the kernels that compute `roots` (pending, on one device) within the device's limits, into buffers that
/// `allocate` makes. Changes no node. Under a GraphLock. A node is materialized if it is a root, if two kernels read
/// it, if an earlier kernel computed it without materializing it or a derivative of its own reads it (is_kept()), if a
/// derivative being taken will read it and it is made of a product (kept_for_derivatives()), or if it is not
/// element-wise; all others fuse into their reader, and remapped tensors into all of their readers but products and
/// sources of gathers. (A product reads its operands from memory, but for the matrix of one with few columns:
/// graph/product_choice.hpp.) What is quicker computed than read (a mask of places: is_recomputed(); what a stencil
/// reads: is_stencil_of_cheap()), and on GPUs what takes a small network's kernels less time than a dispatch, fuses
/// into all of its readers. A reduction, product, scan, row, sort, gather or tiling whose only reader is an
/// element-wise kernel in its own order takes that as its epilogue. A materialized node that a materialized
/// element-wise node reads in its own order is an extra output of that one's kernel, up to four results a kernel, if
/// nothing the kernel needs waits for it. A placement or a scatter writes where its base lies if nothing else holds
/// that.
Plan plan(const std::vector<NodePtr>& roots, const DeviceLimits& device, const Allocate& allocate);
/// The same of a graph whose structure is known. Parameters note the constants that they are.
Plan plan(const GraphStructure& graph, const std::vector<NodePtr>& roots, const DeviceLimits& device,
          const Allocate& allocate);

}  // namespace eglantine
