#include "perf/work.hpp"

namespace eglantine::perf {

namespace {

constexpr uint64_t input_sets = 4;

Tensor random_matrix(int64_t n, uint64_t seed, const Device& device) {
  return uniform({n, n}, seed, DType::f32, device).eval();
}

/// A work whose calls apply `verb` to two random n x n matrices each.
Work of_matrices(const std::string& name, int64_t n, const Device& device,
                 const std::function<Tensor(const Tensor&, const Tensor&)>& verb) {
  Work work{name + "/" + std::to_string(n), {}, 0, 0};
  for (uint64_t set = 0; set < input_sets; ++set) {
    const Tensor a = random_matrix(n, 2 * set + 1, device), b = random_matrix(n, 2 * set + 2, device);
    work.calls.push_back([=] { return verb(a, b); });
  }
  return work;
}

Work moving(Work work, int64_t n, double tensors) {
  work.bytes = tensors * 4 * static_cast<double>(n * n);
  return work;
}

Work computing(Work work, double operations) {
  work.operations = operations;
  return work;
}

}  // namespace

std::vector<Work> classic_works(const Device& device) {
  std::vector<Work> works;
  const auto add = [&](const char* name, int64_t n, const std::function<Tensor(const Tensor&, const Tensor&)>& verb,
                       double tensors) { works.push_back(moving(of_matrices(name, n, device, verb), n, tensors)); };
  for (int64_t n : {64, 128, 256, 512, 1024}) {
    add(
        "exp", n, [](const Tensor& a, const Tensor&) { return exp(a); }, 2);
    add(
        "mul", n, [](const Tensor& a, const Tensor& b) { return a * b; }, 3);
    add(
        "mul_transposed_reshaped", n,
        [n](const Tensor& a, const Tensor& b) {
          return a * b.reshape({n * n / 16, 16}).transpose(0, 1).reshape({n, n});
        },
        3);
    const double size = static_cast<double>(n);
    works.push_back(
        computing(of_matrices("matmul", n, device, [](const Tensor& a, const Tensor& b) { return matmul(a, b); }),
                  2 * size * size * size));
  }
  for (int64_t n : {64, 128, 256, 512, 1024, 2048}) {
    add(
        "sum_axis0", n, [](const Tensor& a, const Tensor&) { return sum(a, {0}); }, 1);
    add(
        "sum_scalar", n, [](const Tensor& a, const Tensor&) { return sum(a); }, 1);
  }
  return works;
}

}  // namespace eglantine::perf
