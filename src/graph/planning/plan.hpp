#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/device_limits.hpp"
#include "graph/kernel.hpp"
#include "graph/node.hpp"

namespace eglantine {

/// Makes a buffer of so many bytes, which a kernel will write.
using Allocate = std::function<BufferPtr(int64_t bytes)>;

/// What it takes to compute some nodes: the kernels in order, the buffers they fill, and the nodes they compute without
/// materializing.
struct Plan {
  std::vector<Kernel> kernels;
  std::unordered_map<const Node*, Stored> produced;
  std::unordered_map<const Node*, Stored> seconds;  ///< second outputs of sorts
  std::vector<const Node*> fused;
};

/// Plans the kernels that compute `roots` (pending, all on one device), for a device that can do so much, with buffers
/// that `allocate` makes. Changes no node. Under a GraphLock.
///
/// A node is materialized when it is a root, when two kernels read it, when an earlier kernel has already
/// computed it without materializing it, or when it is not element-wise; everything else fuses into the kernel that
/// reads it. What is quicker computed than read (a mask of places, say: see is_recomputed()) fuses into all of its
/// readers. A reduction, product, scan, row, sort, gather or tiling that a single element-wise kernel reads in its own
/// order takes that kernel in as its epilogue. A node that is to be materialized, and that a materialized element-wise
/// node reads in its own order, is stored by that one's kernel, up to four results a kernel, if nothing the kernel
/// needs waits for it.
Plan plan(const std::vector<NodePtr>& roots, const DeviceLimits& device, const Allocate& allocate);

}  // namespace eglantine
