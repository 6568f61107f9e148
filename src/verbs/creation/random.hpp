#pragma once

#include "verbs/build.hpp"

/// Distributions of random words, by inversion.
namespace eglantine::verbs {

/// -log(1 - u), u = (word + 1/2) / 2^bits, of words of so many bits. What is small in u comes of u, what is small in
/// 1 - u of that, so that f32 holds all the bits.
Tensor exponential_of(const Tensor& words, int bits = 32);

/// Standard normal numbers between low and high, which may be infinite; low < high, both floats.
Tensor truncated_normal_of(const Tensor& words, double low, double high);

}  // namespace eglantine::verbs
