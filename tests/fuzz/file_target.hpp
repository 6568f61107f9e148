#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>

#include "eglantine/error.hpp"
#include "eglantine/tensor.hpp"
#include "support/compare.hpp"
#include "target.hpp"

/// What the targets of file formats share.
namespace eglantine::test {

inline std::filesystem::path file_of_this_process() {
  return std::filesystem::temp_directory_path() / ("eglantine-fuzz-" + std::to_string(getpid()));
}

inline void write(std::span<const uint8_t> data, const std::filesystem::path& path) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
}

/// Any bytes as a file: tensors that are the same after another round through a file, or an error that the format's
/// functions may throw.
template <class Load, class Save>
void load_and_save_all(std::span<const uint8_t> data, Load load, Save save) {
  const std::filesystem::path path = file_of_this_process();
  write(data, path);
  try {
    const std::map<std::string, Tensor> read = load(path);
    save(path, read);
    const std::map<std::string, Tensor> again = load(path);
    require(::testing::AssertionResult(again.size() == read.size()) << again.size() << " of " << read.size());
    for (const auto& [name, x] : read) require(matches(again.at(name), download(x), bitwise));
  } catch (const FileError&) {
  } catch (const DTypeError&) {
  } catch (const OutOfMemoryError&) {
  }
  std::filesystem::remove(path);
}

}  // namespace eglantine::test
