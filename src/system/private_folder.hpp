#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace eglantine {

/// A folder of files that this user's processes write for each other, such as a cache. It is made where it is missing,
/// for its owner alone. Only a folder that is this user's and that nobody else may write is used, and of it only
/// regular files of this user. What cannot be read or written is as if it were not there.
class PrivateFolder {
 public:
  explicit PrivateFolder(const std::filesystem::path& path);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  bool usable() const { return descriptor_ >= 0; }
  bool has(const std::string& name) const;
  /// The file's bytes, which is used now; nothing where it cannot be read or has more than `most_bytes`.
  std::optional<std::vector<std::byte>> read(const std::string& name, int64_t most_bytes) const;
  /// Other processes see the whole file or none; it need not survive a power failure.
  bool write(const std::string& name, std::span<const std::byte> bytes) const;
  void remove(const std::string& name) const;
  /// Where the files have more than `most_bytes`, removes those that were not used for longest, to three quarters of
  /// it.
  void shrink(int64_t most_bytes) const;

 private:
  int descriptor_ = -1;
};

}  // namespace eglantine
