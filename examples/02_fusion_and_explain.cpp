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
    for (const char* kind : {"map ", "reduce ", "row ", "matmul ", "contraction "})
      if (line.starts_with(kind)) std::cout << "  " << line << "\n";
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

  // What is made of a row's sums is computed by the kernel that adds them, whoever wrote it: a layer norm by hand, and
  // a loss, which stores no softmax.
  const Tensor centred = a - mean(a, 1, true);
  show_kernels("a layer norm by hand", centred * rsqrt(mean(centred * centred, 1, true) + 1e-5F) * b);
  const Tensor labels = randint(0, 64, {1000}, 3).eval();
  show_kernels("cross_entropy", cross_entropy(a, labels, {.reduction = LossReduction::none}));

  // Bias and activation are the end of a product or a convolution.
  const Tensor pictures = uniform({4, 16, 14, 14}, 4).eval(), w = uniform({32, 16, 3, 3}, 5).eval();
  show_kernels("relu(conv) with a bias", relu(conv(pictures, w, {.padding = 1, .bias = uniform({32}, 6).eval()})));

  // In full, with the GLSL when the device is a GL one:
  std::cout << explain(y) << "\n";

  // All of this only described. The kernels run now, as a value is read.
  std::cout << "first of the sums: " << y.slice(0, 0, 1).item<float>() << "\n";
}
