// First steps: open a device, make tensors, compute, read the result.

#include <eglantine/eglantine.hpp>
#include <iostream>

using namespace eglantine;

int main() {
  // The best device there is: a GPU, a software GL driver, or the CPU. EGLANTINE_DEVICE=cpu in the environment chooses
  // another.
  const Device device = Device::current();
  std::cout << "device: " << device.info().name << "\n\n";

  const Tensor a = Tensor::from({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}, {2, 3});
  const Tensor b = arange(0, 3);  // 0 1 2, broadcast over the rows of a

  // Nothing has run yet: verbs describe, and kernels run when a value is read.
  const Tensor c = sqrt(a * a + b * b);
  std::cout << "sqrt(a * a + b * b) =\n" << c << "\n\n";

  std::cout << "sums of the columns: " << sum(c, {0}) << "\n";
  std::cout << "largest element:     " << max(c).item<float>() << "\n";
  std::cout << "where it is > 4:\n" << gt(c, 4) << "\n\n";

  // What a verb cannot do it says, before anything runs.
  try {
    matmul(a, b.reshape({1, 3}));
  } catch (const ShapeError& error) {
    std::cout << "as expected: " << error.what() << "\n";
  }
}
