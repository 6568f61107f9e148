#include "grad/cases.hpp"

#include "support/random/random_data.hpp"

namespace eglantine::test {

const std::vector<DerivativeCase>& derivative_cases() {
  static const std::vector<DerivativeCase> all = [] {
    std::vector<DerivativeCase> cases;
    for (const auto family :
         {movement_cases, arrangement_cases, reduction_cases, row_cases, scan_and_order_cases, product_cases,
          convolution_cases, pooling_cases, index_cases, option_cases, composed_cases})
      for (const DerivativeCase& one : family()) cases.push_back(one);
    return cases;
  }();
  return all;
}

std::vector<Sample> samples_of(const std::vector<Dims>& shapes, const View& held, uint64_t seed) {
  std::vector<Sample> x;
  for (const Dims& shape : shapes) x.push_back(held.hold(random_reals(shape, -1, 1, seed++)));
  return x;
}

std::vector<Sample> samples_of(const DerivativeCase& one, const View& held) { return samples_of(one.shapes, held, 11); }

Tensors arguments_of(const DerivativeCase& one, const View& held) {
  Tensors x;
  for (const Sample& each : samples_of(one, held)) x.push_back(each.tensor);
  return x;
}

Function function_of(const DerivativeCase& one) {
  return [&one](const Tensors& x) { return Tensors{one.f(x)}; };
}

}  // namespace eglantine::test
