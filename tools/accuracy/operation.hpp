#pragma once

#include <string>
#include <vector>

#include "eglantine/tensor.hpp"

namespace eglantine::accuracy {

/// An element-wise operation on f32, and what is promised of it.
struct Operation {
  std::string name;
  int arity = 1;
  Tensor (*call)(const Tensor& x, const Tensor& y) = nullptr;  ///< y is not looked at when arity is 1
  double (*reference)(double x, double y) = nullptr;           ///< in double, not rounded
  double low = 0, high = 0;                                    ///< the arguments for which `ulp` is promised
  double ulp = 0;                                              ///< against the correctly rounded result; 0 is exact
  double absolute = 0;  ///< an error up to this is within the promise too: near zeros, as those of sin
  double low_absolute = 0, high_absolute = 0;  ///< further arguments, for which only an absolute error is promised
  double beyond = 0;                           ///< that error; 0 where there are no such arguments

  bool promises_ulp(float x) const;
  bool promises_absolute(float x) const { return beyond > 0 && x >= low_absolute && x <= high_absolute; }
};

/// Every public row of ops.def that takes two f32 at most.
const std::vector<Operation>& operations();

}  // namespace eglantine::accuracy
