#pragma once

#include "eglantine/own.hpp"
#include "support/array.hpp"

/// Custom operations as users might write them, and their expected results.
namespace eglantine::test {

/// x / (1 + exp(-x)).
ElementwiseOp swish();
/// x0 * x1 + x2, correctly rounded twice: the same bits everywhere.
ElementwiseOp multiply_add();
/// a + b with the identity -0: the bits of sum().
ReduceOp plus();
/// log(exp(a) + exp(b)).
ReduceOp log_add_exp();
/// sqrt(a^2 + b^2). 0 is no identity for negative numbers, so one element alone is not the norm.
ReduceOp norm();
/// (1 + a) (1 + b) - 1.
ReduceOp compound();

double swish(double x);
/// (1 + x0) (1 + x1) ... - 1.
double compound(const std::vector<double>& x);
double norm(const std::vector<double>& x);
double log_sum_exp(const std::vector<double>& x);

}  // namespace eglantine::test
