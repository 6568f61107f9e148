#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "eglantine/grad.hpp"
#include "support/compare.hpp"
#include "support/random/random_data.hpp"

/// Products with derivatives of programs, forwards and backwards.
namespace eglantine::test {

/// The sum of products, and of their sizes, to which rounding is in proportion.
struct Dot {
  double value = 0, size = 0;
};

inline Dot dot_of(const std::vector<Array>& a, const std::vector<Array>& b) {
  Dot dot;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < a[i].values.size(); ++k) {
      dot.value += a[i].values[k] * b[i].values[k];
      dot.size += std::abs(a[i].values[k] * b[i].values[k]);
    }
  return dot;
}

inline std::vector<Array> arrays_like(const Tensors& x, uint64_t seed) {
  std::vector<Array> drawn;
  for (const Tensor& each : x) drawn.push_back(random_reals(dims(each.shape()), -1, 1, seed++));
  return drawn;
}

inline Tensors uploaded(const std::vector<Array>& x) {
  Tensors tensors;
  for (const Array& each : x) tensors.push_back(upload(each));
  return tensors;
}

inline std::vector<Array> downloaded(const Tensors& x) {
  std::vector<Array> arrays;
  for (const Tensor& each : x) arrays.push_back(download(each));
  return arrays;
}

/// <v, J u> and <J' v, u> of directions u and cotangents v.
struct Products {
  std::vector<Array> u, v;
  Dot forward, backward;
};

inline Products products_of(const Function& f, const Tensors& x, uint64_t seed) {
  Products found{arrays_like(x, seed), {}, {}, {}};
  const auto [results, pushed] = jvp(f, x, uploaded(found.u));
  found.v = arrays_like(results, seed + 100);
  found.forward = dot_of(downloaded(pushed), found.v);
  found.backward = dot_of(downloaded(vjp(f, x, uploaded(found.v)).second), found.u);
  return found;
}

inline void expect_agreement(const Products& found) {
  EXPECT_NEAR(found.forward.value, found.backward.value,
              1e-4 * std::max({1e-2, found.forward.size, found.backward.size}));
}

}  // namespace eglantine::test
