// An activation of your own: compiled into the kernel of the matrix product before it.

#include <cmath>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>

using namespace eglantine;

namespace {

/// The square of x0 where it is positive, x1 x0 where it is not: a squared relu with slopes, a tensor of their own.
const ElementwiseOp bent{"bent", 2, "x0 > 0.0 ? x0 * x0 : x1 * x0",
                         [](std::span<const float> x) { return x[0] > 0 ? x[0] * x[0] : x[1] * x[0]; }};

/// The same with a slip in one of its two forms.
const ElementwiseOp slip{"slip", 2, "x0 > 0.0 ? x0 * x0 : x1 + x0", bent.cpu};

/// With GLSL that is none.
const ElementwiseOp broken{"broken", 2, "x0 > 0.0\n  ? x0 * x0\n  : slope * x0", bent.cpu};

}  // namespace

int main() {
  // The two forms are compared on special values and on random ones.
  check_op(bent);
  try {
    check_op(slip);
  } catch (const Error& error) {
    std::cout << error.what() << "\n\n";
  }

  // A layer: the product, its bias and the activation are one kernel's expression; the slopes broadcast as any operand.
  const Tensor x = normal({64, 256}, 1).eval(), w = normal({256, 128}, 2).eval(), bias = normal({128}, 3).eval();
  const Tensor slopes = uniform({128}, 4).eval();
  const Tensor y = elementwise(bent, {matmul(x, w) + bias, slopes});
  const std::string kernels = explain(y);  // with the whole GLSL; its first line is enough here
  std::cout << "one kernel: " << kernels.substr(0, kernels.find('\n')) << "\n\n";

  // What does not compile is shown by your own lines, when a value is read. (The CPU never sees the GLSL.)
  try {
    std::cout << elementwise(broken, {x, ones({})}).slice(0, 0, 1).to_vector<float>().front() << "\n";
  } catch (const ShaderError& error) {
    std::cout << error.what() << "\n\n";
  }

  // + - * are as exact in your operation as in the verbs, so this has the same bits as three of them.
  const Tensor before = matmul(x, w) + bias;
  const bool same = array_equal(y, where(before > 0, before * before, slopes * before));
  std::cout << "the same as by verbs: " << (same ? "yes" : "NO") << "\n";
  return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
