// The same program on a GL device and on the CPU, and how far the results are apart.

#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>

using namespace eglantine;

namespace {

struct Results {
  Tensor sums, scores, product;
};

Results compute(const Device& device) {
  const Tensor x = normal({257, 129}, 7, DType::f32, device);
  const Tensor w = normal({129, 65}, 8, DType::f32, device);
  return {sum(x * x, {1}), softmax(matmul(x, w), 1), matmul(x, w)};
}

float largest_difference(const Tensor& a, const Tensor& b) { return max(abs(a - b.to(a.device()))).item<float>(); }

}  // namespace

int main() {
  const Device best = Device::open("");
  const Device cpu = Device::open("cpu");
  std::cout << best.info().name << " against " << cpu.info().name << "\n";

  const Results on_gl = compute(best);
  const Results on_cpu = compute(cpu);
  // Not 0: normal() takes logarithms and sines, whose last bits are each device's own, and the rest inherits that.
  const float sums = largest_difference(on_gl.sums, on_cpu.sums);
  const float scores = largest_difference(on_gl.scores, on_cpu.scores);
  const float product = largest_difference(on_gl.product, on_cpu.product);
  std::cout << "largest difference of sums:    " << sums << "\n";
  std::cout << "largest difference of softmax: " << scores << "\n";
  std::cout << "largest difference of matmul:  " << product << "\n";

  // Sums of the same bits have the same bits everywhere: they are added in one fixed order.
  const Tensor data = normal({1000, 1000}, 9, DType::f32, cpu);
  const float here = sum(data).item<float>(), there = sum(data.to(best)).item<float>();
  std::cout << "the sum of a million numbers: " << here << " and " << there
            << (here == there ? ", bit for bit the same\n" : ", DIFFERENT\n");
  return here == there && sums < 1e-3F && scores < 1e-5F && product < 1e-3F ? EXIT_SUCCESS : EXIT_FAILURE;
}
