#include "system/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>

#include "eglantine/error.hpp"

namespace eglantine::io {
namespace {

[[noreturn]] void fail(int error = errno) { throw std::system_error(error, std::generic_category()); }

/// The path that a chain of symbolic links, which may be dangling, leads to.
std::filesystem::path end_of_links(std::filesystem::path path) {
  constexpr int most_links = 40;  // the kernel's limit
  for (int links = 0; is_symlink(symlink_status(path)); ++links) {
    if (links == most_links) fail(ELOOP);
    path = path.parent_path() / read_symlink(path);  // read_symlink alone where it is absolute
  }
  return path;
}

/// An open folder: names in it may have the maximum length, whatever the folder's own path.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& path)
      : descriptor_(open(path.empty() ? "." : path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail();
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { close(descriptor_); }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// A new file that is deleted unless it was renamed.
class TemporaryFile {
 public:
  /// Not mkstemp, whose mode is 0600 whatever the umask. The name ignores the target's, which may have maximum length.
  TemporaryFile(const Folder& folder, mode_t mode) : folder_(folder.descriptor()) {
    static std::atomic<unsigned> count{0};
    do {
      name_ = ".eglantine-" + std::to_string(getpid()) + "-" + std::to_string(count++) + ".tmp";
      descriptor_ = openat(folder_, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) fail();
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!renamed_) unlinkat(folder_, name_.c_str(), 0);
  }

  /// Copies the mode and, where permitted, group and owner: these first, as giving a file away can change its mode.
  void be_like(const struct stat& other) {
    constexpr mode_t permissions = 0777;  // without set-user-ID and set-group-ID, which are the owner's to set again
    (void)!fchown(descriptor_, static_cast<uid_t>(-1), other.st_gid);
    (void)!fchown(descriptor_, other.st_uid, static_cast<gid_t>(-1));
    struct stat now {};
    if (fstat(descriptor_, &now) != 0) fail();
    // Some file systems have one mode for all files, and refuse to set even that.
    if ((now.st_mode & permissions) == (other.st_mode & permissions)) return;
    if (fchmod(descriptor_, other.st_mode & permissions) != 0) fail();
  }

  void write_at(uint64_t position, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(position));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail();
      bytes = bytes.subspan(static_cast<size_t>(count));
      position += static_cast<uint64_t>(count);
    }
  }

  void rename_to(const std::filesystem::path& name) {
    if (fsync(descriptor_) != 0) fail();
    const int descriptor = descriptor_;
    descriptor_ = -1;
    if (close(descriptor) != 0) fail();
    if (renameat(folder_, name_.c_str(), folder_, name.c_str()) != 0) fail();
    renamed_ = true;
  }

 private:
  int folder_;
  std::string name_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

/// The status of the file at `path`; nothing where there is none. Throws unless it is a regular file.
std::optional<struct stat> file_at(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return std::nullopt;
    fail();
  }
  // Renaming over a device such as /dev/null would replace it for the whole machine.
  if (S_ISDIR(status.st_mode)) fail(EISDIR);
  if (!S_ISREG(status.st_mode))
    throw FileError("it is a pipe, a socket or a device, which a file would replace; name another path");
  return status;
}

}  // namespace

struct WholeFile::Files {
  /// The replacement of a restricted file is never readable by all, not even while it is written.
  Files(const std::filesystem::path& target, const std::optional<struct stat>& old)
      : folder(target.parent_path()), file(folder, old ? 0600 : 0666), name(target.filename()) {
    if (old) file.be_like(*old);
  }
  Folder folder;
  TemporaryFile file;
  std::filesystem::path name;
};

WholeFile::WholeFile(const std::filesystem::path& path) {
  const std::optional<struct stat> old = file_at(path);
  files_ = std::make_unique<Files>(end_of_links(path), old);
}

WholeFile::~WholeFile() = default;

void WholeFile::write(std::span<const std::byte> bytes) {
  files_->file.write_at(position_, bytes);
  position_ += bytes.size();
}

void WholeFile::seek(uint64_t position) { position_ = position; }

void WholeFile::commit() { files_->file.rename_to(files_->name); }

void write_whole_file(const std::filesystem::path& path, std::string_view text) {
  WholeFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace eglantine::io
