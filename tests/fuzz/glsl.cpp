#include <string>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/own.hpp"
#include "target.hpp"

/// Any text as the GLSL of a user's operation: numbers, or an error of ours; and the device goes on.
namespace eglantine::test {
namespace {

/// An endless loop cannot be written in one expression, so that whatever compiles also ends.
void compute(const std::string& glsl) {
  static const Device device = Device::open("gl");
  static const Tensor x = Tensor::from<float>({1, 2, 3}, {3}, device), y = Tensor::from<float>({4, 5, 6}, {3}, device);
  const ElementwiseOp op{"fuzzed", 2, glsl, [](std::span<const float> v) { return v[0]; }};
  try {
    elementwise(op, {x, y}).to_vector<float>();
  } catch (const Error&) {
  }
  try {
    device.synchronize();
  } catch (const ShaderError&) {
  }
  require(::testing::AssertionResult(sum(x).item<float>() == 6) << "the device computes no more");
}

}  // namespace
}  // namespace eglantine::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  eglantine::test::compute(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
