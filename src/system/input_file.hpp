#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "system/thread_pool.hpp"

namespace eglantine::io {

/// A regular file that is open for reading. It is read, not mapped: of a file that another program cuts short, reading
/// says so, where touching a map would end the process.
class InputFile {
 public:
  /// Throws std::system_error where it cannot be opened or is a device or a pipe, FileError where it is a directory.
  explicit InputFile(const std::filesystem::path& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  int descriptor() const { return descriptor_; }
  uint64_t bytes() const { return bytes_; }  ///< when it was opened
  /// Fills `to` from the byte at `offset`. Throws std::system_error, or FileError where the file ends before. One
  /// thread at a time may call it.
  void read_at(uint64_t offset, std::span<std::byte> to) const;

 private:
  void read_part(uint64_t offset, std::span<std::byte> to) const;

  int descriptor_;
  uint64_t bytes_ = 0;
  mutable std::optional<ThreadPool> readers_;  ///< from the first large read on: a thread copies 6 GB/s from a cache
};

}  // namespace eglantine::io
