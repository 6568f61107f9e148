#pragma once

#include <string>

/// Changes to the text of programs, independent of their kernels.
namespace eglantine::gl {

/// The uniform that selects a window of a dispatch's groups: its first group in each dimension, and how many more
/// groups the whole dispatch has. Initially zeros: the whole dispatch. Its location does not collide with eg_u.
inline constexpr const char* window_uniform = "eg_grid_window";

/// With window_uniform: gl_WorkGroupID, gl_NumWorkGroups, gl_GlobalInvocationID are the whole dispatch's in any window.
std::string with_grid_window(const std::string& source);

/// The program with uniforms read at indices that compilers cannot fold (Quirk::stale_uniforms).
std::string with_computed_uniforms(const std::string& source);

}  // namespace eglantine::gl
