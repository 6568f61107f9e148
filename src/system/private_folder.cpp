#include "system/private_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

namespace eglantine {
namespace {

/// Closes a descriptor at the end of its block.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

constexpr mode_t of_others = S_IWGRP | S_IWOTH;

/// Whether read or write moved all bytes; `move(data, count)` is either.
template <class Byte, class Move>
bool moves_all(std::span<Byte> bytes, Move move) {
  while (!bytes.empty()) {
    const ssize_t count = move(bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

std::optional<struct stat> status_of(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return std::nullopt;
  return status;
}

struct Used {
  struct timespec last;
  int64_t bytes;
  std::string name;
};

/// The regular files of an open folder, those that were not used for longest first.
std::vector<Used> files_by_use(int folder) {
  std::vector<Used> files;
  DIR* entries = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (entries == nullptr) return files;
  while (const dirent* entry = readdir(entries)) {
    struct stat status {};
    if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    files.push_back({status.st_mtim, status.st_size, entry->d_name});
  }
  closedir(entries);
  const auto time_of = [](const Used& x) { return std::pair(x.last.tv_sec, x.last.tv_nsec); };
  std::sort(files.begin(), files.end(), [&](const Used& a, const Used& b) { return time_of(a) < time_of(b); });
  return files;
}

}  // namespace

PrivateFolder::PrivateFolder(const std::filesystem::path& path) {
  std::error_code none;
  if (path.has_parent_path()) create_directories(path.parent_path(), none);
  mkdir(path.c_str(), S_IRWXU);
  descriptor_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) return;
  const std::optional<struct stat> status = status_of(descriptor_);
  if (status && status->st_uid == geteuid() && (status->st_mode & of_others) == 0) return;
  close(std::exchange(descriptor_, -1));
}

PrivateFolder::~PrivateFolder() {
  if (usable()) close(descriptor_);
}

bool PrivateFolder::has(const std::string& name) const { return faccessat(descriptor_, name.c_str(), R_OK, 0) == 0; }

std::optional<std::vector<std::byte>> PrivateFolder::read(const std::string& name, int64_t most_bytes) const {
  // Without O_NONBLOCK a pipe of this name would wait for its writer.
  const Descriptor file(openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.number() < 0) return std::nullopt;
  const std::optional<struct stat> status = status_of(file.number());
  if (!status || !S_ISREG(status->st_mode) || status->st_uid != geteuid() || status->st_size > most_bytes)
    return std::nullopt;
  std::vector<std::byte> bytes(static_cast<size_t>(status->st_size));
  const auto move = [&](std::byte* data, size_t count) { return ::read(file.number(), data, count); };
  if (!moves_all(std::span(bytes), move)) return std::nullopt;
  futimens(file.number(), nullptr);
  return bytes;
}

bool PrivateFolder::write(const std::string& name, std::span<const std::byte> bytes) const {
  static std::atomic<unsigned> count{0};
  const std::string partial = ".part-" + std::to_string(getpid()) + "-" + std::to_string(count++);
  const auto keep = [&] {
    const Descriptor file(openat(descriptor_, partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    const auto move = [&](const std::byte* data, size_t left) { return ::write(file.number(), data, left); };
    return file.number() >= 0 && moves_all(bytes, move) &&
           renameat(descriptor_, partial.c_str(), descriptor_, name.c_str()) == 0;
  };
  if (keep()) return true;
  remove(partial);
  return false;
}

void PrivateFolder::remove(const std::string& name) const { unlinkat(descriptor_, name.c_str(), 0); }

void PrivateFolder::shrink(int64_t most_bytes) const {
  const std::vector<Used> files = files_by_use(descriptor_);
  int64_t bytes = 0;
  for (const Used& file : files) bytes += file.bytes;
  if (bytes <= most_bytes) return;
  for (const Used& file : files) {
    if (bytes <= most_bytes / 4 * 3) return;
    remove(file.name);
    bytes -= file.bytes;
  }
}

}  // namespace eglantine
