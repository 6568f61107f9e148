// Fusion: a chain of verbs is one kernel, and explain() shows it before it runs.

#include <eglantine/eglantine.hpp>
#include <iostream>

using namespace eglantine;

int main() {
  const Tensor a = uniform({1000, 64}, 1).eval();
  const Tensor b = uniform({1000, 64}, 2).eval();

  // Five verbs; one kernel that reads a and b once and writes 1000 sums. a * b + a is never stored.
  const Tensor y = sum(exp(a * b + a), {1});
  std::cout << explain(y) << "\n";
  std::cout << "first of the sums: " << y.slice(0, 0, 1).item<float>() << "\n\n";

  // Views melt in as well: a transposed or sliced operand is only another way to walk its buffer.
  const Tensor z = sum(a.transpose(0, 1) * b.transpose(0, 1).flip({0}), {0});
  std::cout << "over views:\n" << explain(z) << "\n";

  // A softmax needs the sums before it can divide: explain() shows where the kernels are cut.
  std::cout << "softmax:\n" << explain(softmax(a, 1)) << "\n";
}
