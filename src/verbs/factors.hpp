#pragma once

#include <functional>

#include "eglantine/grad.hpp"
#include "graph/op/op.hpp"

namespace eglantine::verbs {

/// How factors meet in products: those of a reduction's run, those up to a place of a scan, those of one index.
struct Factors {
  Tensors x;
  std::function<Tensor(const Tensors& x, Reduction how)> combined;  ///< by Reduction::sum or Reduction::prod
  std::function<Tensors(const Tensor& g)> spread;  ///< what a cotangent of sums is for each that is summed
};

/// What a cotangent of the products is for the factors, of verbs that have derivatives themselves, also where factors
/// are zero: right up to the fourth derivative of the products.
Tensors cotangents_of_factors(const Factors& factors, const Tensor& g);

}  // namespace eglantine::verbs
