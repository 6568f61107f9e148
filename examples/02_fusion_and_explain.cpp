// Fusion: a chain of verbs is one kernel, and explain() shows it before it runs.

#include <eglantine/eglantine.hpp>
#include <iostream>
#include <sstream>
#include <string>

using namespace eglantine;

namespace {

/// The first line of each kernel that computing x would run, without the GLSL.
void show_kernels(const char* what, const Tensor& x) {
  std::cout << what << ":\n";
  std::istringstream text(explain(x));
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("map ") || line.starts_with("reduce ") || line.starts_with("matmul "))
      std::cout << "  " << line << "\n";
  std::cout << "\n";
}

}  // namespace

int main() {
  const Tensor a = uniform({1000, 64}, 1).eval();
  const Tensor b = uniform({1000, 64}, 2).eval();

  // Four verbs; one kernel that reads a and b once and writes 1000 sums. Neither a * b nor exp(...) is ever stored.
  const Tensor y = sum(exp(a * b + a), {1});
  show_kernels("sum(exp(a * b + a), {1})", y);

  // Views fuse in as well: a transposed or flipped operand is only another way to walk its buffer.
  const Tensor z = sum(a.transpose(0, 1) * b.transpose(0, 1).flip({0}), {0});
  show_kernels("over transposed and flipped views", z);

  // A softmax needs the sums before it can divide: here the kernels are cut.
  show_kernels("softmax(a, 1)", softmax(a, 1));

  // In full, with the GLSL when the device is a GL one:
  std::cout << explain(y) << "\n";

  // All of this only described. The kernels run now, as a value is read.
  std::cout << "first of the sums: " << y.slice(0, 0, 1).item<float>() << "\n";
}
