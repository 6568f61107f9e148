// A tensor larger than one storage block: the kernel runs over windows of it, and nothing changes for the user.

#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>

using namespace eglantine;

int main() {
  const Device device = Device::current();
  const int64_t mebi = 1 << 20, block = device.info().max_block_bytes;
  std::cout << device.info().name << ": ";
  if (block > 0)
    std::cout << "a kernel can bind at most " << block << " bytes of a buffer\n";
  else
    std::cout << "a kernel can use a buffer of any size\n";

  // 200 MiB; llvmpipe's limit is 128 MiB.
  const int64_t count = 200 * mebi / 4;
  const Tensor x = (arange(0, 1 << 20, 1, DType::i32).reshape({1, 1 << 20}).expand({50, 1 << 20}) + 1).eval();
  std::cout << "a tensor of " << x.size() * 4 / mebi << " MiB: 1 to " << (1 << 20) << ", 50 times\n";

  const Tensor odd = remainder(x, 2);
  const int32_t ones = sum(odd).item<int32_t>();
  const int32_t largest = max(x).item<int32_t>();
  std::cout << "odd numbers among them: " << ones << "\nlargest: " << largest << "\n";
  return x.size() == count && ones == count / 2 && largest == 1 << 20 ? EXIT_SUCCESS : EXIT_FAILURE;
}
