// A tensor larger than one storage block: the kernel runs over windows of it, and nothing changes for the user.

#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>

using namespace eglantine;

int main() {
  const Device device = Device::current();
  const int64_t block = device.info().max_block_bytes;
  std::cout << device.info().name << ": one kernel binds at most " << block << " bytes of a buffer (0: no limit)\n";

  // 200 MiB; llvmpipe's limit is 128 MiB.
  const int64_t count = int64_t{200} * 1024 * 1024 / 4;
  const Tensor x = (arange(0, 1 << 20, 1, DType::i32).reshape({1, 1 << 20}).expand({50, 1 << 20}) + 1).eval();
  std::cout << "elements: " << x.size() << (x.size() == count ? "" : " (unexpected)") << "\n";

  const Tensor odd = remainder(x, 2);
  const int32_t ones = sum(odd).item<int32_t>();
  const int32_t largest = max(x).item<int32_t>();
  std::cout << "odd numbers: " << ones << "\nlargest: " << largest << "\n";
  return ones == count / 2 && largest == 1 << 20 ? EXIT_SUCCESS : EXIT_FAILURE;
}
