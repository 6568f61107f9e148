#include "io/zip_reader.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "eglantine/error.hpp"

namespace eglantine::io {
namespace {

/// Of ZIP_ER_ and, for some of these, errno.
std::string text_of(int code, int system) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  zip_error_set(&error, code, system);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

[[noreturn]] void fail(const std::string& what, zip_error_t* error) {
  throw FileError(what + " (" + zip_error_strerror(error) + ")");
}

/// libzip closes the descriptor that it is given.
std::shared_ptr<zip> open_archive(const InputFile& file) {
  const int own = fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (own < 0) throw std::system_error(errno, std::generic_category());
  int code = ZIP_ER_OK;
  zip_t* archive = zip_fdopen(own, ZIP_RDONLY, &code);
  if (archive != nullptr) return {archive, zip_discard};
  const int system = errno;
  close(own);
  throw FileError("it is no zip archive that can be read, as .npz files are (" + text_of(code, system) + ")");
}

/// Throws where the sizes are such that no archive has them: before memory for so many bytes is taken.
void check(const zip_stat_t& status) {
  constexpr uint64_t most_deflated = 1032;  // bytes that one byte of deflate stands for
  if (status.encryption_method != ZIP_EM_NONE) throw FileError("it is encrypted");
  if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE)
    throw FileError("it is packed by method " + std::to_string(status.comp_method) +
                    "; .npz files have members that are stored or deflated");
  const uint64_t ratio = status.comp_method == ZIP_CM_STORE ? 1 : most_deflated;
  if (status.size / ratio > status.comp_size)
    throw FileError("its " + std::to_string(status.comp_size) + " bytes cannot be the " + std::to_string(status.size) +
                    " bytes that it says");
}

/// An open member. Its bytes come by way of a part in a cache: libzip reads back what it unpacked.
class MemberReader {
 public:
  MemberReader(std::shared_ptr<zip> archive, zip_file_t* file, uint64_t bytes)
      : archive_(std::move(archive)), file_(file, zip_fclose), left_(bytes) {}

  void operator()(std::span<std::byte> to) {
    part_.resize(std::min(to.size(), part_bytes));
    while (!to.empty()) {
      const size_t count = read(std::span(part_).first(std::min(to.size(), part_bytes)));
      if (count == 0) throw FileError("it is shorter than the archive says");
      std::copy_n(part_.data(), count, to.data());
      left_ -= count;
      to = to.subspan(count);
    }
    std::byte beyond;
    if (left_ == 0) read({&beyond, 1});  // at the end libzip compares the checksum
  }

 private:
  static constexpr size_t part_bytes = 65536;

  size_t read(std::span<std::byte> to) {
    const zip_int64_t count = zip_fread(file_.get(), to.data(), to.size());
    if (count < 0) fail("it is damaged", zip_file_get_error(file_.get()));
    return static_cast<size_t>(count);
  }

  std::shared_ptr<zip> archive_;  ///< outlives file_
  std::shared_ptr<zip_file_t> file_;
  uint64_t left_;
  std::vector<std::byte> part_;
};

}  // namespace

ZipReader::ZipReader(const InputFile& file) : archive_(open_archive(file)) {
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive_.get(), 0));
  for (zip_uint64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive_.get(), i, ZIP_FL_ENC_STRICT);
    zip_stat_t status;
    if (name == nullptr || zip_stat_index(archive_.get(), i, 0, &status) != 0)
      fail("its list of members is damaged", zip_get_error(archive_.get()));
    members_.push_back({name, status.size});
  }
}

ReadBytes ZipReader::open(size_t member) const {
  zip_stat_t status;
  zip_file_t* file = nullptr;
  if (zip_stat_index(archive_.get(), member, 0, &status) == 0) {
    check(status);
    file = zip_fopen_index(archive_.get(), member, 0);
  }
  if (file == nullptr) fail("it is damaged", zip_get_error(archive_.get()));
  return MemberReader(archive_, file, status.size);
}

}  // namespace eglantine::io
