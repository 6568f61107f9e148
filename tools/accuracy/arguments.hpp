#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "accuracy/operation.hpp"

namespace eglantine::accuracy {

/// Arguments of an operation, one after another; y is empty when it takes one.
struct Arguments {
  std::vector<float> x, y;
};

/// Goes through the arguments on which an operation is measured, about 2^20 at a time.
///
/// One argument: every `stride`-th of the 2^32 bit patterns, so every sign, exponent and NaN; the special values, the
/// ends of the operation's domain, and the floats around each of them.
/// Two: all pairs of the specials, then 2^32 / stride pairs drawn from a fixed seed: bit patterns at random, numbers of
/// like magnitude, second operands from 2^125 up, whole numbers as exponents, and numbers around 1.
void for_each_batch(const Operation& operation, uint32_t stride, const std::function<void(const Arguments&)>& use);

}  // namespace eglantine::accuracy
