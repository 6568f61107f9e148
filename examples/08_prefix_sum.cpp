// A prefix sum, step by step: what a scan computes, how it can be parallel, and what one verb makes of it.

#include <cmath>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>
#include <sstream>
#include <string>

using namespace eglantine;

namespace {

bool equal(const Tensor& a, const Tensor& b) { return all(eq(a, b)).item<bool>(); }

/// The first line of each kernel that computing x would run, without the GLSL.
void show_kernels(const char* what, const Tensor& x) {
  std::cout << what << ":\n";
  std::istringstream text(explain(x));
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("map ") || line.starts_with("scan ") || line.starts_with("reduce "))
      std::cout << "  " << line << "\n";
}

/// Hillis and Steele, "Data parallel algorithms" (1986): every element adds the one `distance` before it, and the
/// distance doubles. log2(n) steps in which all elements work at once, but n additions in each.
Tensor by_doubling(const Tensor& x) {
  Tensor y = x;
  for (int64_t distance = 1; distance < x.size(); distance *= 2) {
    y = y + pad(y.slice(0, 0, -distance), {{distance, 0}});
    std::cout << "  distance " << distance << ": " << y << "\n";
  }
  return y;
}

}  // namespace

int main() {
  const Tensor x = Tensor::from({3, 1, 7, 0, 4, 1, 6, 3}, {8});
  std::cout << "x            " << x << "\nby doubling\n";
  const Tensor doubled = by_doubling(x);

  // The verb does about n additions in all, in a few passes over memory, for any length.
  const Tensor inclusive = cumsum(x, 0);
  const Tensor exclusive = cumsum(x, 0, true);
  const Tensor from_the_end = cumsum(x, 0, false, true);
  std::cout << "inclusive    " << inclusive << "   y[i] = x[0] + ... + x[i]\n";
  std::cout << "exclusive    " << exclusive << "   without x[i]: where piece i starts when x are lengths\n";
  std::cout << "from the end " << from_the_end << "   y[i] = x[i] + ... + x[n - 1]\n\n";
  bool right = equal(doubled, inclusive) && equal(inclusive - exclusive, x) && equal(from_the_end + exclusive, sum(x));

  // Other combinations, and any axis.
  const Tensor table = arange(0, 12, 1, DType::i32).reshape({3, 4});
  std::cout << "largest so far " << cummax(x, 0) << "\ndown the columns\n" << cumsum(table, 0) << "\n\n";
  right = right && equal(cumsum(table, 0).slice(0, -1), sum(table, {0}, true));

  // What feeds a scan and what is done with its result fuse into its kernel.
  const Tensor a = uniform({1 << 16}, 1).eval(), b = uniform({1 << 16}, 2).eval();
  show_kernels("cumsum(a * b, 0)", cumsum(a * b, 0));
  show_kernels("sqrt(cumsum(a * b, 0)) + 1", sqrt(cumsum(a * b, 0)) + 1);

  // The last element of a prefix sum is the sum, but for the order of additions.
  const float last = cumsum(a * b, 0).slice(0, -1).item<float>(), whole = sum(a * b).item<float>();
  std::cout << "\nlast element " << last << ", sum " << whole << "\n";
  right = right && std::abs(last - whole) <= 1e-5F * whole;
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
