#pragma once

#include <vector>

#include "eglantine/grad.hpp"
#include "support/views.hpp"

/// A function of each kind of node, to be differentiated and mapped.
namespace eglantine::test {

struct DerivativeCase {
  const char* name;
  std::vector<Dims> shapes;
  std::function<Tensor(const Tensors&)> f;
};

const std::vector<DerivativeCase>& derivative_cases();

/// Numbers from -1 to 1 of its shapes.
Tensors arguments_of(const DerivativeCase& one, const View& held);

Function function_of(const DerivativeCase& one);

}  // namespace eglantine::test
