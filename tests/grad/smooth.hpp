#pragma once

#include <functional>
#include <vector>

#include "eglantine/tensor.hpp"
#include "grad/hyper_dual.hpp"

/// Functions of several verbs each that have derivatives of any order, and the same of hyper-dual numbers, in double.
namespace eglantine::test {

using HyperDuals = std::vector<HyperDual>;

/// A number that follows from x, of shape (2, 4).
struct SmoothFunction {
  const char* name;
  std::function<Tensor(const Tensor& x)> f;
  std::function<HyperDual(const HyperDuals& x)> reference;
};

inline constexpr int64_t smooth_rows = 2, smooth_columns = 4;

const std::vector<SmoothFunction>& smooth_functions();

}  // namespace eglantine::test
