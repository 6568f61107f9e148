#include "system/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "eglantine/error.hpp"

namespace eglantine::io {
namespace {

[[noreturn]] void throw_system_error(int error = errno) { throw std::system_error(error, std::generic_category()); }

uint64_t regular_file_bytes(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) throw_system_error();
  if (S_ISDIR(status.st_mode)) throw FileError("it is a directory");
  if (!S_ISREG(status.st_mode))
    throw FileError("it is a pipe, a socket or a device; copy what it gives to a file, and load that");
  return static_cast<uint64_t>(status.st_size);
}

}  // namespace

// Without O_NONBLOCK, opening a pipe waits for somebody to write to it.
InputFile::InputFile(const std::filesystem::path& path)
    : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) throw_system_error();
  try {
    bytes_ = regular_file_bytes(descriptor_);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

InputFile::~InputFile() { close(descriptor_); }

void InputFile::read_at(uint64_t offset, std::span<std::byte> to) const {
  constexpr size_t worth_sharing = size_t{4} << 20;
  if (to.size() < worth_sharing) return read_part(offset, to);
  if (!readers_) readers_.emplace(threads_for_memory(), "eglantine-read");
  readers_->parallel_for_bytes(static_cast<int64_t>(to.size()), [&](int64_t begin, int64_t end) {
    const auto first = static_cast<size_t>(begin);
    read_part(offset + first, to.subspan(first, static_cast<size_t>(end - begin)));
  });
}

void InputFile::read_part(uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error();
    if (count == 0) throw FileError("it became shorter while it was read");
    offset += static_cast<uint64_t>(count);
    to = to.subspan(static_cast<size_t>(count));
  }
}

}  // namespace eglantine::io
