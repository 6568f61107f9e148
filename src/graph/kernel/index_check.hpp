#pragma once

#include <limits>

#include "eglantine/error.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine {

/// `[take] index 7 at (0, 2) lies outside [-5, 5): axis 1 of (4, 5)`. place: the row-major number in the index tensor;
/// index: what the kernel's index expression gives there.
IndexError index_error(const IndexCheck& check, int64_t place, int32_t index);

/// Several tensors that index together are one index along their axes joined; where number i of them lies outside its
/// axis, that index is this.
constexpr int32_t outside_of(int i) { return std::numeric_limits<int32_t>::min() + i; }

int64_t length_of(const IndexCheck& check);  ///< what is indexed is so long along the axis, or the axes joined

/// The first coordinates of a domain that read the index tensor's element `number`. place: as a kernel's.
Shape first_reader(const Layout& place, int64_t number);

/// Whether what a kernel that checks its indices writes to `out` is made of them, and fails with them: of a row kernel
/// that gathers, other results may not be.
bool is_made_of_index(const Kernel& kernel, const BufferPtr& out);

}  // namespace eglantine
