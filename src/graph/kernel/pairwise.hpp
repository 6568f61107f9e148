#pragma once

#include <vector>

#include "graph/kernel/expression.hpp"

namespace eglantine {

/// The instruction that combines `values` by op: neighbours by twos, then those that lie 2 apart, then 4.
inline int pairwise(ExpressionBuilder& to, Op op, DType dtype, std::vector<int> values) {
  for (size_t apart = 1; apart < values.size(); apart *= 2)
    for (size_t i = 0; i + apart < values.size(); i += 2 * apart)
      values[i] = to.operation(op, dtype, {values[i], values[i + apart], -1});
  return values.front();
}

}  // namespace eglantine
