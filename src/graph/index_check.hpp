#pragma once

#include "eglantine/error.hpp"
#include "graph/kernel.hpp"

namespace eglantine {

/// `[take] index 7 at (0, 2) lies outside [-5, 5): axis 1 of (4, 5)`. place: the row-major number in the index tensor;
/// index: what the kernel's index expression gives there.
IndexError index_error(const IndexCheck& check, int64_t place, int32_t index);

/// The first coordinates of a kernel's domain that read the index tensor's element `place`.
Shape first_reader(const IndexCheck& check, int64_t place);

}  // namespace eglantine
