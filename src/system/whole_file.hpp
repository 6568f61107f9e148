#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace eglantine::io {

/// Writes `head`, then `body`, atomically: beside `path`, synced to disk and renamed over it, so readers see the old
/// file or the new one. An existing file keeps its mode and, where permitted, owner and group (not its access control
/// lists or hard links); a new one follows the umask. Where `path` is a symbolic link, its target is written, existing
/// or not. Throws std::system_error, leaving nothing behind.
void write_whole_file(const std::filesystem::path& path, std::string_view head, std::span<const std::byte> body);

}  // namespace eglantine::io
