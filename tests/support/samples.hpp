#pragma once

#include <vector>

#include "support/op_rows.hpp"

namespace eglantine::test {

/// Arguments for a row: samples[i] are the values of argument i, all of one length.
using Samples = std::vector<std::vector<double>>;

/// Floats where functions break: zeros, infinities, NaN, denormals, halves, powers of two, both ends of the range.
std::vector<double> special_floats();
std::vector<double> special_integers(DType dtype);

/// The specials (all pairs of them for two arguments), and random values spread evenly and by magnitude over the row's
/// domain.
Samples samples_for(const OpRow& row, DType dtype);

}  // namespace eglantine::test
