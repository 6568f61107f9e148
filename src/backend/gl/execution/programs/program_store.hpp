#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "system/private_folder.hpp"

namespace eglantine::gl {

/// A linked program as the driver gives it out and takes it back.
struct ProgramBinary {
  uint32_t format = 0;
  std::vector<std::byte> bytes;
};

/// Where programs are stored: the folder that $EGLANTINE_PROGRAMS names, else cache_folder()/programs; empty where the
/// variable says "off", or none is named for a software device. Throws DeviceError where the variable names what is no
/// folder of this user's alone.
std::filesystem::path programs_folder(bool software);

/// Linked programs in files, so that what one process compiles the next one loads. A file has the driver and the whole
/// text of its program, which are compared, and a checksum; it is replaced as a whole (system/private_folder.hpp). A
/// file that is damaged, or of another driver or format, is as if it were not there.
class ProgramStore {
 public:
  static constexpr int64_t most_bytes = int64_t{256} << 20;  ///< of all files: some thousand programs

  /// driver: whatever tells one driver's binaries from another's.
  ProgramStore(const std::filesystem::path& folder, std::string driver);

  std::optional<ProgramBinary> find(std::string_view text) const;
  bool has(std::string_view text) const { return usable() && folder_->has(name_of(text)); }  ///< or seems to have
  void keep(std::string_view text, const ProgramBinary& binary);
  void drop(std::string_view text) const;  ///< the driver refuses its binary
  bool usable() const { return folder_ && folder_->usable(); }

 private:
  std::string name_of(std::string_view text) const;

  std::unique_ptr<const PrivateFolder> folder_;  ///< null: nothing is stored
  std::string driver_;
  bool shrunk_ = false;  ///< once for each process, before its first program is kept
};

}  // namespace eglantine::gl
