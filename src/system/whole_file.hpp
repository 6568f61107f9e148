#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace eglantine::io {

/// Writes a file of `head`, then `body`, atomically: it is written beside `path`, synced to disk and renamed over it,
/// so that readers see the old file or the new one. An existing file keeps its mode and, as far as this process may set
/// them, its owner and group (but neither its access control lists nor its hard links); a new one gets its mode from
/// the umask. Where `path` is a symbolic link, its target is written, existing or not. Throws std::system_error, and
/// leaves nothing behind, on failure.
void write_whole_file(const std::filesystem::path& path, std::string_view head, std::span<const std::byte> body);

}  // namespace eglantine::io
