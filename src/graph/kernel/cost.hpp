#pragma once

#include "graph/kernel/kernel.hpp"

namespace eglantine {

/// What a kernel cannot do without.
struct KernelCost {
  double bytes = 0;       ///< each element of an operand that is read, and each of the results, once
  double operations = 0;  ///< multiplications and additions of a matrix product; 0 for the other families
};

KernelCost cost_of(const Kernel& kernel);

/// How many elements a kernel computes with, those of broadcast axes each time; the multiplications of a product.
double work_of(const Kernel& kernel);

}  // namespace eglantine
