#include "io/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>

namespace eglantine::io {
namespace {

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

/// A new file that is gone again unless it was renamed.
class TemporaryFile {
 public:
  /// mkstemp would be shorter, but makes files that only their owner may read, whatever the umask.
  explicit TemporaryFile(const std::filesystem::path& beside) {
    static std::atomic<unsigned> count{0};
    do {
      path_ = beside;
      path_ += "." + std::to_string(getpid()) + "-" + std::to_string(count++) + ".tmp";
      descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) fail();
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!renamed_) unlink(path_.c_str());
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail();
      bytes = bytes.subspan(static_cast<size_t>(count));
    }
  }

  void rename_to(const std::filesystem::path& path) {
    if (fsync(descriptor_) != 0) fail();
    const int descriptor = descriptor_;
    descriptor_ = -1;
    if (close(descriptor) != 0) fail();
    std::filesystem::rename(path_, path);
    renamed_ = true;
  }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

}  // namespace

void write_whole_file(const std::filesystem::path& path, std::string_view head, std::span<const std::byte> body) {
  const std::filesystem::file_status status = std::filesystem::status(path);
  // Renaming over a device such as /dev/null would replace it for the whole machine.
  if (exists(status) && !is_regular_file(status)) {
    throw std::system_error(
        std::make_error_code(is_directory(status) ? std::errc::is_a_directory : std::errc::operation_not_supported));
  }
  const std::filesystem::path target = exists(status) ? std::filesystem::canonical(path) : path;
  TemporaryFile file(target);
  file.write(std::as_bytes(std::span(head)));
  file.write(body);
  file.rename_to(target);
}

}  // namespace eglantine::io
