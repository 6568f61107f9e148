#pragma once

#include <cstdint>

namespace eglantine::gl {

int64_t host_memory();  ///< bytes that this process may use: the machine's, or a container's lower limit

}  // namespace eglantine::gl
