#include "io/zip_writer.hpp"

#include <memory>

#include "eglantine/error.hpp"
#include "io/about_file.hpp"
#include "io/zip_callbacks.hpp"

namespace eglantine::io {
namespace {

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;

[[noreturn]] void fail(zip_t* archive) { throw FileError(zip_error_strerror(zip_get_error(archive))); }

Archive open_archive(ZipTarget& target) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_function_create(ZipTarget::command, &target, &error);
  zip_t* archive = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (archive != nullptr) return {archive, zip_discard};
  if (source != nullptr) zip_source_free(source);
  throw FileError(zip_error_strerror(&error));
}

void add(zip_t* archive, ZipSource& source) {
  const std::string& name = source.name();
  if (name.find('\0') != std::string::npos)
    throw FileError("its name has a null character, which ends names in archives");
  zip_source_t* data = zip_source_function_create(ZipSource::command, &source, zip_get_error(archive));
  if (data == nullptr) fail(archive);
  const zip_int64_t index = zip_file_add(archive, name.c_str(), data, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(data);
    throw FileError("its name is not UTF-8, or longer than the 65535 bytes that archives have for one");
  }
  constexpr zip_uint16_t first_of_1980 = 1 << 5 | 1;  // month and day
  const auto at = static_cast<zip_uint64_t>(index);
  if (zip_set_file_compression(archive, at, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, at, 0, first_of_1980, 0) != 0)
    fail(archive);
}

}  // namespace

void write_zip(WholeFile& file, std::vector<ZipMember> members) {
  // libzip writes no archive without members, which is one as well: the end of a list.
  if (members.empty()) return file.write(std::string_view("PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22));
  Callbacks callbacks;
  ZipTarget target(file, callbacks);
  std::vector<ZipSource> sources;
  for (ZipMember& member : members) sources.emplace_back(std::move(member), callbacks);
  Archive archive = open_archive(target);
  for (ZipSource& source : sources) about("member " + in_quotes(source.name()), [&] { add(archive.get(), source); });
  if (zip_close(archive.get()) == 0) return static_cast<void>(archive.release());
  callbacks.rethrow();
  fail(archive.get());
}

}  // namespace eglantine::io
