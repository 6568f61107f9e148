#pragma once

#include "eglantine/own.hpp"
#include "support/array.hpp"

/// Operations as a user might bring them, and what they should give.
namespace eglantine::test {

/// x / (1 + exp(-x)).
ElementwiseOp swish();
/// x0 * x1 + x2: correctly rounded twice, so the same bits everywhere.
ElementwiseOp multiply_add();
/// a + b with the identity -0: the bits of sum().
ReduceOp plus();
/// log(exp(a) + exp(b)).
ReduceOp log_add_exp();
/// sqrt(a^2 + b^2). Of negative numbers alone it has no identity, so over one element it is not the norm.
ReduceOp norm();
/// (1 + a) (1 + b) - 1.
ReduceOp compound();

double swish(double x);
/// (1 + x0) (1 + x1) ... - 1.
double compound(const std::vector<double>& x);
double norm(const std::vector<double>& x);
double log_sum_exp(const std::vector<double>& x);

}  // namespace eglantine::test
