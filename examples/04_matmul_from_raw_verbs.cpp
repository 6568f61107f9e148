// A matrix product from raw verbs (reshape, permute, expand, multiply, sum) against matmul.
//
// C[i, j] = sum over k of A[i, k] * B[k, j]: give A an axis for j and B an axis for i, expand both to (m, n, k),
// multiply, and sum over k. The (m, n, k) tensor is never stored: the product fuses into the sum. matmul still wins,
// since it reads each element once a tile.

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>
#include <string>

using namespace eglantine;

namespace {

Tensor raw_matmul(const Tensor& a, const Tensor& b) {
  const int64_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  const Tensor rows = a.reshape({m, 1, k}).expand({m, n, k});
  const Tensor columns = b.permute({1, 0}).reshape({1, n, k}).expand({m, n, k});
  return sum(rows * columns, {2});
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

double milliseconds(const Tensor& x) {
  const auto start = std::chrono::steady_clock::now();
  x.eval().device().synchronize();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  const Tensor a = normal({200, 300}, 1).eval();
  const Tensor b = normal({300, 100}, 2).eval();

  const Tensor raw = raw_matmul(a, b);
  const Tensor tiled = matmul(a, b);
  std::cout << "raw verbs: " << first_line(explain(raw)) << "\nmatmul:    " << first_line(explain(tiled)) << "\n\n";

  // The first run of a kernel compiles it; the second shows what it costs.
  std::cout << "raw verbs: " << milliseconds(raw) << " ms, then " << milliseconds(raw_matmul(a, b)) << " ms\n";
  std::cout << "matmul:    " << milliseconds(tiled) << " ms, then " << milliseconds(matmul(a, b)) << " ms\n";

  const float difference = max(abs(raw - tiled)).item<float>();
  const float largest = max(abs(tiled)).item<float>();
  std::cout << "largest difference " << difference << " of values up to " << largest << "\n";
  return difference <= 1e-5F * largest ? EXIT_SUCCESS : EXIT_FAILURE;
}
