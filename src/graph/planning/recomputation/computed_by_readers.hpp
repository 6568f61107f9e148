#pragma once

#include <unordered_set>

#include "graph/planning/ownership/ownership.hpp"
#include "graph/planning/ownership/reads.hpp"
#include "graph/planning/recomputation/rolled_reads.hpp"

/// Which nodes that would be stored, as several kernels read them or as they are no expressions, their readers compute
/// instead: from what they are made of (fusion.hpp), and from how often each reader computes them.
namespace eglantine {

/// A sum of a few elements is an expression where each of its readers computes it once: also a reduction whose few
/// neighbouring results all read it (forces), so that the pairs that it is of are never stored. `forced` is read from
/// memory, as what is materialized.
bool is_added_by_readers(const Node& x, const Reads& reads, const Ownership& owners,
                         const std::unordered_set<const Node*>& forced);

/// Whether x, an element-wise node that is read several times, is cheaper to compute each time than to store.
bool is_computed_by_readers(const Node& x, const Uses& uses, const Ownership& owners, const RolledReads& rolled,
                            const std::unordered_set<const Node*>& forced, const DeviceLimits& device);

}  // namespace eglantine
