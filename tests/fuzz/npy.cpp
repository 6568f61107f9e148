#include <filesystem>
#include <optional>
#include <string_view>

#include "eglantine/io.hpp"
#include "file_target.hpp"
#include "io/npy_header.hpp"

/// Any bytes as a .npy file: a tensor that is the same after another round through a file, or a FileError. And the same
/// bytes with all the elements that their header promises, as zeros that take no room on the disk: where no machine has
/// memory for them, an OutOfMemoryError.
namespace eglantine::test {
namespace {

namespace fs = std::filesystem;

void load_and_save(const fs::path& path) {
  const Device cpu = Device::open("cpu");
  try {
    const Tensor read = load_npy(path, cpu);
    save_npy(path, read);
    require(matches(load_npy(path, cpu), download(read), bitwise));
  } catch (const FileError&) {
  } catch (const DTypeError&) {  // an integer that fits no dtype
  }
}

/// Bytes that a file of this header and all its elements takes; nothing where the header is none.
std::optional<uint64_t> promised_bytes(std::string_view file) {
  try {
    const io::NpyRange range = io::npy_dictionary_range(file.substr(0, io::npy_preamble_bytes));
    if (range.end > file.size()) return {};
    const io::StoredTensor stored = io::parse_npy_dictionary(file.substr(range.begin, range.end - range.begin));
    return range.end + static_cast<uint64_t>(stored.bytes());
  } catch (const FileError&) {
    return {};
  }
}

/// Between these a file would only take long to read.
constexpr uint64_t small = 1 << 20, larger_than_memory = uint64_t{1} << 43;

void load_stretched(const fs::path& path, uint64_t bytes) {
  std::error_code too_large;  // for the file system
  if (bytes > small && bytes < larger_than_memory) return;
  fs::resize_file(path, bytes, too_large);
  if (too_large) return;
  try {
    load_and_save(path);
    require(::testing::AssertionResult(bytes <= small) << bytes << " bytes were loaded");
  } catch (const OutOfMemoryError& error) {
    require(::testing::AssertionResult(bytes > small) << error.what());
  }
}

}  // namespace
}  // namespace eglantine::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto path = eglantine::test::file_of_this_process();
  eglantine::test::write({data, size}, path);
  eglantine::test::load_and_save(path);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto promised = eglantine::test::promised_bytes(bytes)) {
    eglantine::test::write({data, size}, path);
    eglantine::test::load_stretched(path, *promised);
  }
  std::filesystem::remove(path);
  return 0;
}
