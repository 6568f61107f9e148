#include <algorithm>
#include <cmath>

#include "check/check.hpp"
#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "grad/tape.hpp"

namespace eglantine {

namespace {

/// One number of all results: weighted, so that differences do not cancel.
double weighted(const Function& f, const Tensors& x, const Tensors& weights) {
  const Tensors results = f(x);
  double total = 0;
  for (size_t i = 0; i < results.size(); ++i)
    if (weights[i].defined()) total += sum((results[i] * weights[i]).astype(DType::f32)).item<float>();
  return total;
}

/// x with one element moved.
Tensors moved(Tensors x, size_t which, std::vector<float> values, size_t at, double by) {
  values[at] += static_cast<float>(by);
  const Tensor& before = x[which];
  x[which] = Tensor::from(values, before.shape(), before.device()).astype(before.dtype());
  return x;
}

}  // namespace

void check_gradients(const Function& f, const Tensors& x, double step, double tolerance) {
  if (!(step > 0 && tolerance > 0))
    check::fail<Error>("check_gradients", "step and tolerance are above zero, got ", std::to_string(step), " and ",
                       std::to_string(tolerance));
  const derivatives::Tape tape("check_gradients", f, x);
  Tensors weights;
  for (size_t i = 0; i < tape.results().size(); ++i) {
    const Tensor& result = tape.results()[i];
    weights.push_back(is_float(result.dtype())
                          ? (uniform(result.shape(), i, DType::f32, result.device()) + 0.5).astype(result.dtype())
                          : Tensor());
  }
  const Tensors found = tape.back(weights);
  for (size_t i = 0; i < x.size(); ++i) {
    if (!is_float(x[i].dtype())) continue;
    const auto values = x[i].astype(DType::f32).to_vector<float>(),
               wanted = found[i].astype(DType::f32).to_vector<float>();
    for (size_t k = 0; k < values.size(); ++k) {
      const double slope =
          (weighted(f, moved(x, i, values, k, step), weights) - weighted(f, moved(x, i, values, k, -step), weights)) /
          (2 * step);
      if (std::abs(slope - wanted[k]) <= tolerance * std::max(1.0, std::abs(slope))) continue;
      check::fail<Error>("check_gradients", "the derivative by element ", std::to_string(k), " of tensor ",
                         std::to_string(i), " is ", std::to_string(wanted[k]), ", the difference quotient ",
                         std::to_string(slope));
    }
  }
}

}  // namespace eglantine
