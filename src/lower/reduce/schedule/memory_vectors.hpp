#pragma once

#include "lower/reduce/schedule/schedule.hpp"

namespace eglantine::lower {

/// Whether rows may be read by vectors of memory, of which the first and the last may hold elements of others: what no
/// order changes, in one block, of operands whose rows begin alike (codegen::AddressSpec::of_memory).
bool may_read_vectors_of_memory(const ReduceLevel& level);

}  // namespace eglantine::lower
