#pragma once

#include <cstdint>
#include <limits>

#include "graph/planning/ownership/ownership.hpp"
#include "graph/planning/ownership/reads.hpp"

/// How often a kernel computes what it reads through an expression, from the shapes of what it computes.
namespace eglantine {

inline constexpr int64_t unknown_count = std::numeric_limits<int64_t>::max();  ///< more than any

/// The node whose argument reads: what the kernel takes in, or its last expression.
const Node& reader_of(const Read& read, const Ownership& owners);

/// How many elements the reading kernel, a map, a reduction, a product with few columns or rows, computes: results at
/// once as one. Else unknown_count.
int64_t computations_by(const Read& read, const Ownership& owners);

}  // namespace eglantine
