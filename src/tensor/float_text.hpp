#pragma once

#include <string>
#include <vector>

#include "eglantine/half.hpp"

/// Floats as NumPy prints them.
namespace eglantine {

/// The float whose digits are the fewest that read back as `value`: 0.1 of the half 0.099975586.
float shortest_decimal(float value);
float shortest_decimal(half value);
float shortest_decimal(bfloat16 value);

/// Texts of values and their shortest decimals, all with the same number of places, which aligns the points: filled
/// with further digits before an exponent, else with spaces.
std::vector<std::string> float_texts(const std::vector<float>& values, const std::vector<float>& decimals);

/// Of a shortest decimal: a scalar has a digit on both sides of the point, or an exponent.
std::string scalar_text(float decimal);

}  // namespace eglantine
