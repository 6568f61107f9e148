#include <algorithm>
#include <string>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/own.hpp"
#include "target.hpp"

/// Any text as the GLSL of a user's operation: numbers, or an error of ours; and the device goes on. Long names, sums,
/// lines and comments and deep nesting, which compilers go through by recursion, are drawn by a few bytes: what stands
/// between the control characters 2 and 3 is repeated 2^k times, k being the low bits of the byte that follows the 2.
namespace eglantine::test {
namespace {

constexpr char repeat = 2, end_of_repeat = 3;
constexpr size_t longest = 1 << 16;

std::string with_repetitions(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t end = text.find(end_of_repeat, i);
    if (text[i] != repeat || i + 1 >= text.size() || end == std::string::npos) {
      result += text[i];
      continue;
    }
    const std::string part = text.substr(i + 2, end - std::min(end, i + 2));
    for (size_t left = size_t{1} << (text[i + 1] & 15); left > 0 && result.size() < longest; --left) result += part;
    i = end;
  }
  return result;
}

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
  eglantine::test::compute(eglantine::test::with_repetitions({reinterpret_cast<const char*>(data), size}));
  return 0;
}
