#include "io/about_file.hpp"

#include <new>
#include <system_error>

#include "eglantine/error.hpp"

namespace eglantine::io {

std::string in_quotes(std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "\"";
  for (const char each : name) {
    const auto code = static_cast<unsigned char>(each);
    if (code < 0x20 || code == 0x7f) {
      text += {'\\', 'x', digits[code >> 4], digits[code & 15]};
    } else {
      text += each;
    }
  }
  return text + "\"";
}

void throw_about(const std::string& subject) {
  try {
    throw;
  } catch (const FileError& error) {
    throw FileError(subject + ": " + error.what());
  } catch (const DTypeError& error) {
    throw DTypeError(subject + ": " + error.what());
  } catch (const OutOfMemoryError& error) {
    throw OutOfMemoryError(subject + ": " + error.what());
  } catch (const std::bad_alloc&) {
    throw OutOfMemoryError(subject + ": the host has no memory left; free tensors, or whatever else the program holds");
  }
}

namespace {

std::string text_of(const std::filesystem::path& path) { return path.empty() ? in_quotes("") : path.string(); }

}  // namespace

void throw_of_loading(std::string_view function, const std::filesystem::path& path) {
  const std::string name = "[" + std::string(function) + "] cannot ";
  try {
    throw_about(name + "load " + text_of(path));
  } catch (const std::system_error& error) {
    throw FileError(name + "read " + text_of(path) + ": " + error.code().message());
  }
}

void throw_of_saving(std::string_view function, const std::filesystem::path& path) {
  const std::string subject = "[" + std::string(function) + "] cannot write " + text_of(path);
  try {
    throw_about(subject);
  } catch (const std::system_error& error) {
    throw FileError(subject + ": " + error.code().message());
  }
}

}  // namespace eglantine::io
