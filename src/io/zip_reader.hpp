#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/read_bytes.hpp"
#include "system/input_file.hpp"

struct zip;

namespace eglantine::io {

/// The members of a zip archive (zip64 too), stored or deflated. Its functions throw FileError, without the file's
/// name. One thread at a time may use it and what open() returns.
class ZipReader {
 public:
  struct Member {
    std::string name;  ///< UTF-8
    uint64_t bytes;    ///< unpacked
  };

  explicit ZipReader(const InputFile& file);
  const std::vector<Member>& members() const { return members_; }
  /// Reads the member's bytes in order; with the last of them checks their checksum.
  ReadBytes open(size_t member) const;

 private:
  std::shared_ptr<zip> archive_;
  std::vector<Member> members_;
};

}  // namespace eglantine::io
