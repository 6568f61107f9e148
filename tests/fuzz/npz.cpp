#include "eglantine/io.hpp"
#include "file_target.hpp"

/// Any bytes as a .npz file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace eglantine;
  const Device cpu = Device::open("cpu");
  test::load_and_save_all(
      {data, size}, [&](const auto& path) { return load_npz(path, cpu); },
      [](const auto& path, const auto& tensors) { save_npz(path, tensors); });
  return 0;
}
