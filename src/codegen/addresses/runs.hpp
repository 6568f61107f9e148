#pragma once

#include "codegen/addresses/addresses.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::codegen {

/// How many neighbouring vectors one load of 16 bytes brings of the narrowest operand that is read by vectors: 4 of
/// bytes, 2 of two bytes. 1 where nothing is narrow, or such a run does not lie in one row of every operand, at an
/// address that loads of 16 bytes take, and is not one element of it either.
int64_t run_length(const AddressSpec& spec, const Expr& expr);

}  // namespace eglantine::codegen
