#pragma once

#include <cstdint>

namespace eglantine::gl {

/// Bytes of memory this process may take: the machine's, or less where a container's limit says so.
int64_t host_memory();

}  // namespace eglantine::gl
