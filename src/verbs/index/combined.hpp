#pragma once

#include <functional>

#include "verbs/index/index.hpp"

namespace eglantine::verbs {

/// Where elements of a tensor and updates meet: what lies at each update's element, and both combined.
struct Meeting {
  std::function<Tensor(const Tensor& x)> at_updates;
  std::function<Tensor(const Tensor& base, const Tensor& updates, Reduction how)> combined;
};

/// f(x, updates), which is x with the largest, smallest or product of each element and its updates, with its
/// derivative. Extremes share a cotangent equally among x's element and the updates that equal the result; a factor
/// gets the product of the others, also where some are zero.
Tensor with_combining_rule(const Tensor& x, const Tensor& updates, Reduction combine, const Meeting& meeting,
                           const std::function<Tensor(const Tensor& x, const Tensor& updates)>& f);

}  // namespace eglantine::verbs
