#include "output_file.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw std::runtime_error(path.string() + ": cannot be written: " + why);
}

std::string system_message() { return std::generic_category().message(errno); }

}  // namespace

OutputFile::OutputFile(const fs::path& path) : path_(path), temporary_(path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) fail(path, "it is a folder; name a file in it");
  const fs::file_type type = fs::symlink_status(path, ignored).type();
  if (type == fs::file_type::not_found || type == fs::file_type::regular) temporary_ += ".tmp";
  errno = 0;
  stream_.open(temporary_, std::ios::binary);
  if (!stream_) fail(path, system_message());
}

OutputFile::~OutputFile() {
  if (!stream_.is_open() || temporary_ == path_) return;
  stream_.close();
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

void OutputFile::finish(const std::string& text) {
  errno = 0;
  stream_.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
  if (!stream_) fail(path_, system_message());
  if (temporary_ != path_) {
    std::error_code error;
    fs::rename(temporary_, path_, error);
    if (error) fail(path_, error.message());
  }
  stream_.close();
}
