#pragma once

#include <cstdint>

/// What the schedules of attention and of its gradient reckon with on a GPU.
namespace eglantine::lower {

inline constexpr int64_t subgroup_lanes = 32;
// Schedulers of a multiprocessor, each of which issues for one subgroup at a time, and needs two to be busy.
inline constexpr int64_t schedulers = 4, fewest_subgroups = 2;
inline constexpr int vector_bytes = 16;
inline constexpr int invocations_of_a_group = 128;
// Of vec4s of shared memory: two groups of 24 KiB are resident on a multiprocessor of an H200, one of more.
inline constexpr int64_t most_shared_vectors = 1536;

/// In the form of rows, what each chunk of columns costs beside its rows, in rows: reading it. Measured on an H200,
/// heads of 16, 32 and 64; where lanes share rows they read different columns at a time.
constexpr double cost_of_columns(int lanes) { return lanes == 1 ? 0.6 : lanes == 2 ? 1.0 : 6.0; }

}  // namespace eglantine::lower
