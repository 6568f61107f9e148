#pragma once

#include <string>

/// What is changed in the text of every program, whichever kernel it is of.
namespace eglantine::gl {

/// The uniform by which a program runs a part of a dispatch's groups: where they begin in each dimension, and how many
/// more the whole dispatch has. Zeros, as they are at first, are the whole. Its location leaves room for eg_u.
inline constexpr const char* window_uniform = "eg_grid_window";

/// The program with window_uniform: gl_WorkGroupID, gl_NumWorkGroups and gl_GlobalInvocationID are those of the whole
/// dispatch, whatever part of it runs.
std::string with_grid_window(const std::string& source);

/// The program with each uniform read at a place that no compiler knows (Quirk::stale_uniforms).
std::string with_computed_uniforms(const std::string& source);

}  // namespace eglantine::gl
