#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/read_bytes.hpp"
#include "system/whole_file.hpp"

namespace eglantine::io {

/// A member of an archive that is to be written.
struct ZipMember {
  std::string name;  ///< UTF-8
  uint64_t bytes;
  std::function<ReadBytes()> open;  ///< called when the bytes are wanted; what it returns gives them in order
};

/// Writes a zip archive of these members, stored, dated 1980 as NumPy's are; zip64 where it is that large. Does not
/// commit. Throws FileError for a name that is not UTF-8, has a null character or is too long; what open() and the file
/// throw.
void write_zip(WholeFile& file, std::vector<ZipMember> members);

}  // namespace eglantine::io
