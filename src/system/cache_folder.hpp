#pragma once

#include <filesystem>

namespace eglantine {

/// The library's folder in the user's cache: $XDG_CACHE_HOME/eglantine, else $HOME/.cache/eglantine. Empty where
/// neither variable is set; it may not exist.
std::filesystem::path cache_folder();

}  // namespace eglantine
