#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace eglantine::io {

/// Writes a file that holds `head`, then `body`, whole or not at all: it is written beside `path`, brought to the disk
/// and renamed over it, so a reader sees the old file or the new one. A file that was there keeps its mode and, as far
/// as this process may set them, its owner and group (not its access control lists, nor other names of it: hard links);
/// a new one has the mode that the umask leaves. A symbolic link stays, and what it names, there or not yet, is
/// written. Throws std::system_error, and leaves nothing behind, when it cannot be written.
void write_whole_file(const std::filesystem::path& path, std::string_view head, std::span<const std::byte> body);

}  // namespace eglantine::io
