#pragma once

#include "backend/cpu/instructions/special_math.hpp"

/// The activation functions of ops.def, in double and rounded once.
namespace eglantine::cpu_math {

inline float softplus(float x) {
  const double v = x, y = (v > 0.0 ? v : 0.0) + log1p_of(exp_of(-std::fabs(v)));
  return std::isnan(x) ? x : static_cast<float>(y);
}
inline float log_sigmoid(float x) { return -softplus(-x); }

/// 1.0507... and 1.6732... of Klambauer, Unterthiner, Mayr and Hochreiter, "Self-normalizing neural networks" (2017).
inline float selu(float x) {
  const double v = x;
  return static_cast<float>(v > 0.0 ? 1.0507009873554804934 * v : 1.7580993408473768600 * expm1_of(v));
}
/// x / (1 + e^-u), u = sqrt(8 / pi) (x + 0.044715 x^3).
inline float gelu_tanh(float x) {
  const double v = x, u = v * (1.5957691216057307118 + 0.071354816272600248776 * v * v);
  return x < -20.0f ? -0.0f : static_cast<float>(v / (1.0 + exp_of(-u)));
}
inline float hardsigmoid(float x) {
  const double v = static_cast<double>(x) + 3.0;
  return static_cast<float>((v < 0.0 ? 0.0 : (v > 6.0 ? 6.0 : v)) / 6.0);
}
inline float hardswish(float x) {
  const double v = static_cast<double>(x), w = v + 3.0;
  return static_cast<float>((v < -3.0 ? -3.0 : v) * ((w < 0.0 ? 0.0 : (w > 6.0 ? 6.0 : w)) / 6.0));
}
inline float relu6(float x) { return x < 0.0f ? 0.0f : (x > 6.0f ? 6.0f : x); }
/// tanh(log(1 + e)) = n / (n + 2), n = e (e + 2), e = e^x.
inline float mish(float x) {
  const double v = x, e = exp_of(v), n = e * (e + 2.0);
  return x < -110.0f ? -0.0f : static_cast<float>(v * (n / (n + 2.0)));
}
inline float softsign(float x) {
  const double v = x, size = std::fabs(v);
  return static_cast<float>(size > 0x1p60 ? std::copysign(1.0, v) : v / (1.0 + size));
}
/// Below 0.3 by the series, whose next term is 2^-28 of the result; above from tanh(v) = t / (t + 2), t = e^2v - 1.
inline float tanhshrink(float x) {
  const double v = x, z = v * v, t = expm1_of(2.0 * v);
  double q = 1382.0 / 155925 - z * (21844.0 / 6081075);
  q = 2.0 / 15 - z * (17.0 / 315 - z * (62.0 / 2835 - z * q));
  const double series = v * z * (1.0 / 3 - z * q);
  return static_cast<float>(z < 0.09 ? series : v - t / (t + 2.0));
}

}  // namespace eglantine::cpu_math
