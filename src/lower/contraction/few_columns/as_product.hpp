#pragma once

#include <optional>

#include "graph/kernel/kernel.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// Few columns as products of two matrices in memory: of batches where groups that have several small ones in shared
/// memory (schedule/matrices.hpp), registers or tiles take less time, and of one matrix whose rows would be read by
/// single elements. Else nothing.
std::optional<MatmulKernel> as_product(const Target& target, const FewColumnsKernel& kernel);

}  // namespace eglantine::lower
