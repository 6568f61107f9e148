#pragma once

#include <filesystem>
#include <string>
#include <string_view>

/// Errors about files say which function, which file, and which part of it they are about.
namespace eglantine::io {

/// A name as errors show it: in quotes, control characters as \xNN.
std::string in_quotes(std::string_view name);

/// Throws the current exception again; a FileError, DTypeError or OutOfMemoryError with `subject` and a colon in front.
[[noreturn]] void throw_about(const std::string& subject);

/// The current exception as load_*() and save_*() throw it: as above, and a std::system_error as a FileError.
[[noreturn]] void throw_of_loading(std::string_view function, const std::filesystem::path& path);
[[noreturn]] void throw_of_saving(std::string_view function, const std::filesystem::path& path);

/// What `work` returns, or its error about `subject`.
template <class Work>
auto about(const std::string& subject, Work work) {
  try {
    return work();
  } catch (...) {
    throw_about(subject);
  }
}

template <class Work>
auto loading(std::string_view function, const std::filesystem::path& path, Work work) {
  try {
    return work();
  } catch (...) {
    throw_of_loading(function, path);
  }
}

template <class Work>
void saving(std::string_view function, const std::filesystem::path& path, Work work) {
  try {
    work();
  } catch (...) {
    throw_of_saving(function, path);
  }
}

}  // namespace eglantine::io
