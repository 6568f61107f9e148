// A reduction of your own: log(exp(x0) + exp(x1) + ...) in one pass over the data.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>

using namespace eglantine;

namespace {

/// log(exp(a) + exp(b)). The larger one comes out of the sum, so that no exp overflows; and equal operands, which may
/// be infinite, are not subtracted. Minus infinity, the logarithm of 0, changes nothing.
const ReduceOp log_add_exp{
    "log_add_exp", -INFINITY,
    "a == b ? a + 0.69314718 : max(a, b) + log(1.0 + exp(-abs(a - b)))",  // GLSL, for every GL device
    [](float a, float b) {                                                // the same on the CPU
      if (a == b) return a + 0.69314718F;
      return std::fmax(a, b) + std::log1p(std::exp(-std::abs(a - b)));
    }};

float largest_difference(const Tensor& a, const Tensor& b) { return max(abs(a - b)).item<float>(); }

}  // namespace

int main() {
  // Once, while developing: are the two the same function, does the identity change nothing, is it associative? It
  // throws with the first inputs for which the answer is no.
  check_op(log_add_exp);
  std::cout << "check_op has nothing to say\n";

  // Scores too large for exp() in f32: the plain way gives infinity.
  const Tensor x = (normal({1000, 4096}, 5) * 40.0F + 200.0F).eval();
  std::cout << "plainly:     " << log(sum(exp(x.slice(0, 0, 1)))).item<float>() << "\n";

  // logsumexp reads x twice, for the largest and for the sum. This reads it once, and fuses with what stands around it
  // as any reduction does: the product and the root below are in the same kernel.
  const Tensor y = reduce(x, log_add_exp, {1});
  std::cout << "in one pass: " << y.slice(0, 0, 1).item<float>() << "\n";
  std::cout << "logsumexp:   " << logsumexp(x, {1}).slice(0, 0, 1).item<float>() << "\n";
  const std::string kernels = explain(sqrt(reduce(x * 0.5F, log_add_exp, {1})));
  std::cout << kernels.substr(0, kernels.find('\n')) << "\n";

  // Down the columns, over everything, over nothing.
  const float rows = largest_difference(y, logsumexp(x, {1}));
  const float columns = largest_difference(reduce(x, log_add_exp, {0}), logsumexp(x, {0}));
  const float all = largest_difference(reduce(x, log_add_exp), logsumexp(x));
  std::cout << "largest differences from logsumexp: rows " << rows << ", columns " << columns << ", all " << all
            << "\n";
  std::cout << "over nothing: " << reduce(zeros({0}), log_add_exp).item<float>() << "\n";
  return std::max({rows, columns, all}) < 1e-3F ? EXIT_SUCCESS : EXIT_FAILURE;
}
