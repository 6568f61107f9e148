#pragma once

#include <cstdint>

namespace eglantine::gl {

/// Bytes of memory that this process may use: the machine's, or a container's lower limit.
int64_t host_memory();

}  // namespace eglantine::gl
