#pragma once

#include <vector>

#include "eglantine/tensor.hpp"
#include "support/op_rows.hpp"

namespace eglantine::test {

/// Arguments for a row: samples[i] are the values of argument i; all have one length.
using Samples = std::vector<std::vector<double>>;

/// Floats at which functions break: zeros, infinities, NaN, denormals, halves, powers of two, both ends of the range.
std::vector<double> special_floats(DType dtype = DType::f32);
std::vector<double> special_integers(DType dtype);

/// The specials (all pairs of them for two arguments), and random values of the row's domain, half uniform, half
/// log-uniform.
Samples samples_for(const OpRow& row, DType dtype);

/// Arguments on the current device; a condition of `where` is whether its number is above 0.
std::vector<Tensor> upload_samples(const OpRow& row, DType dtype, const Samples& samples);

}  // namespace eglantine::test
