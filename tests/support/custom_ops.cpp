#include "support/custom_ops.hpp"

#include <algorithm>
#include <cmath>

namespace eglantine::test {

ElementwiseOp swish() {
  return {"swish", 1, "x0 / (1.0 + exp(-x0))", [](std::span<const float> x) { return x[0] / (1 + std::exp(-x[0])); }};
}

ElementwiseOp multiply_add() {
  return {"multiply_add", 3, "x0 * x1 + x2", [](std::span<const float> x) { return x[0] * x[1] + x[2]; }};
}

ReduceOp plus() {
  return {"plus", -0.0F, "a + b", [](float a, float b) { return a + b; }};
}

ReduceOp log_add_exp() {
  return {"log_add_exp", -INFINITY, "a == b ? a + 0.69314718 : max(a, b) + log(1.0 + exp(-abs(a - b)))",
          [](float a, float b) {
            if (a == b) return a + 0.69314718F;
            return std::fmax(a, b) + std::log1p(std::exp(-std::abs(a - b)));
          }};
}

ReduceOp norm() {
  return {"norm", 0, "sqrt(a * a + b * b)", [](float a, float b) { return std::sqrt(a * a + b * b); }};
}

ReduceOp compound() {
  return {"compound", 0, "a + b + a * b", [](float a, float b) { return a + b + a * b; }};
}

double swish(double x) { return x / (1 + std::exp(-x)); }

double compound(const std::vector<double>& x) {
  double product = 1;
  for (double each : x) product *= 1 + each;
  return product - 1;
}

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (double each : x) sum += each * each;
  return std::sqrt(sum);
}

double log_sum_exp(const std::vector<double>& x) {
  const double largest = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (double each : x) sum += std::exp(each - largest);
  return largest + std::log(sum);
}

}  // namespace eglantine::test
