#pragma once

#include <cstdint>

/// What the schedules of attention and of its gradient reckon with on a GPU.
namespace eglantine::lower {

inline constexpr int vector_bytes = 16;
inline constexpr int invocations_of_a_group = 128;

}  // namespace eglantine::lower
