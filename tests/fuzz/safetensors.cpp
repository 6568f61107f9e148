#include "eglantine/io.hpp"
#include "file_target.hpp"

/// Any bytes as a safetensors file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace eglantine;
  const Device cpu = Device::open("cpu");
  std::map<std::string, std::string> metadata;
  test::load_and_save_all(
      {data, size},
      [&](const auto& path) {
        metadata = safetensors_metadata(path);
        return load_safetensors(path, cpu);
      },
      [&](const auto& path, const auto& tensors) {
        save_safetensors(path, tensors, metadata);
        test::require(::testing::AssertionResult(safetensors_metadata(path) == metadata) << "other metadata");
      });
  return 0;
}
