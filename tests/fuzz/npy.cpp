#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "eglantine/error.hpp"
#include "eglantine/io.hpp"
#include "support/compare.hpp"
#include "target.hpp"

/// Any bytes as a .npy file: a tensor that is the same after another round through a file, or a FileError.
namespace eglantine::test {
namespace {

namespace fs = std::filesystem;

fs::path file_of_this_process() {
  return fs::temp_directory_path() / ("eglantine-fuzz-" + std::to_string(getpid()) + ".npy");
}

void load_and_save(std::span<const uint8_t> data, const fs::path& path) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  const Device cpu = Device::open("cpu");
  try {
    const Tensor read = load_npy(path, cpu);
    save_npy(path, read);
    require(matches(load_npy(path, cpu), download(read), bitwise));
  } catch (const FileError&) {
  }
}

}  // namespace
}  // namespace eglantine::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto path = eglantine::test::file_of_this_process();
  eglantine::test::load_and_save({data, size}, path);
  std::filesystem::remove(path);
  return 0;
}
