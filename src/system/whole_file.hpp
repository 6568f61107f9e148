#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace eglantine::io {

/// A file that is written atomically: beside `path`, synced to disk and renamed over it by commit(), so that readers
/// see the old file or the new one; without a commit() nothing is left behind. An existing file keeps its mode and,
/// where permitted, owner and group (not its access control lists or hard links); a new one follows the umask. Where
/// `path` is a symbolic link, its target is written, existing or not. Its functions throw std::system_error.
class WholeFile {
 public:
  explicit WholeFile(const std::filesystem::path& path);
  ~WholeFile();

  void write(std::span<const std::byte> bytes);  ///< after what was written last
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void seek(uint64_t position);  ///< where the next bytes go
  uint64_t position() const { return position_; }
  void commit();

 private:
  struct Files;
  std::unique_ptr<Files> files_;
  uint64_t position_ = 0;
};

/// A WholeFile of this text.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

}  // namespace eglantine::io
