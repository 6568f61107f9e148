#pragma once

#include <cstdint>

/// What the schedules of attention and of its gradient reckon with on a GPU.
namespace eglantine::lower {

inline constexpr int vector_bytes = 16;
inline constexpr int invocations_of_a_group = 128;
inline constexpr int64_t invocations_of_a_multiprocessor = 2048;

}  // namespace eglantine::lower
