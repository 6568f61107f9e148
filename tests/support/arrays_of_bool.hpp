#pragma once

#include <string>
#include <vector>

namespace eglantine::test {

/// The lines of a GLSL source that declare an array of bool, by this name or by a macro's, which Vulkan refuses where
/// it stays in memory (the row "boolean arrays" of the workarounds).
std::vector<std::string> arrays_of_bool(const std::string& source);

}  // namespace eglantine::test
