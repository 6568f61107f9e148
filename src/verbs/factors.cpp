#include "verbs/factors.hpp"

#include "eglantine/ops.hpp"
#include "verbs/own_rule.hpp"

/// A product of which k factors are zero is that of the others times the k-th elementary symmetric polynomial of those
/// that are zero: where these are zero, it has the derivatives of their product. Of more than `most` all derivatives up
/// to that order are zero.
namespace eglantine::verbs {

namespace {

constexpr int most = 4;

/// Of factors that are not zero, which the derivative divides by.
Tensor product_of_nonzero(const Factors& factors, const Tensors& x) {
  const auto combined = [=](const Tensors& at) { return Tensors{factors.combined(at, Reduction::prod)}; };
  const auto back = [=](const Tensors& at, const Tensors& products, const Tensors& g) {
    // A cotangent is 0 where another factor is, and the product of those that are not may overflow.
    const Tensor is_lost = logical_and(isinf(products[0]), g[0] == 0);
    Tensors given = factors.spread(where(is_lost, 0, g[0] * products[0]));
    for (size_t i = 0; i < given.size(); ++i) given[i] = given[i] / at[i];
    return given;
  };
  return with_own_derivative(x, combined, back).front();
}

/// Elementary symmetric polynomials 0 to `most`, by Newton's identities from sums of powers.
Tensors symmetric_polynomials(const Factors& factors, const Tensors& x) {
  Tensors powers = x, sums, found;
  for (int k = 1; k <= most; ++k) {
    sums.push_back(factors.combined(powers, Reduction::sum));
    for (size_t i = 0; i < x.size(); ++i) powers[i] = powers[i] * x[i];
  }
  found.push_back(ones_like(sums[0]));
  for (size_t k = 1; k <= most; ++k) {
    Tensor total = zeros_like(sums[0]);
    for (size_t i = 1; i <= k; ++i) {
      const Tensor term = found[k - i] * sums[i - 1];
      total = i % 2 == 1 ? total + term : total - term;
    }
    found.push_back(total / static_cast<float>(k));
  }
  return found;
}

Tensor products(const Factors& factors, const Tensors& x) {
  Tensors is_zero, zeros, others;
  for (const Tensor& each : x) {
    is_zero.push_back((each == 0).astype(DType::f32));
    zeros.push_back(where(each == 0, each, 0));
    others.push_back(where(each == 0, 1, each));
  }
  const Tensor count = factors.combined(is_zero, Reduction::sum);
  const Tensors polynomials = symmetric_polynomials(factors, zeros);
  Tensor of_zeros = zeros_like(count);
  for (int k = most; k >= 0; --k) of_zeros = where(count == k, polynomials[static_cast<size_t>(k)], of_zeros);
  return product_of_nonzero(factors, others) * of_zeros;
}

}  // namespace

Tensors cotangents_of_factors(const Factors& factors, const Tensor& g) {
  return vjp([&](const Tensors& x) { return Tensors{products(factors, x)}; }, factors.x, {g}).second;
}

}  // namespace eglantine::verbs
