#include "system/cache_folder.hpp"

#include <cstdlib>

namespace eglantine {
namespace {

std::filesystem::path folder_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

}  // namespace

std::filesystem::path cache_folder() {
  const std::filesystem::path cache = folder_in_environment("XDG_CACHE_HOME"), home = folder_in_environment("HOME");
  if (!cache.empty()) return cache / "eglantine";
  return home.empty() ? home : home / ".cache" / "eglantine";
}

}  // namespace eglantine
