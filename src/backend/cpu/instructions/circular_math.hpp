#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

/// sin, cos, tan and their inverses: but for atan in double, to 2^-37 at least, and rounded once. Branch-free but for
/// arguments past `circular_limit`, so that loops over the others vectorize.
namespace eglantine::cpu_math {

constexpr double half_pi = 1.57079632679489661923;

/// An angle as quarter turns, of which the low two bits count, and the rest r in [-pi / 4, pi / 4].
struct Angle {
  uint64_t quarters;
  double r;
};

/// Below this size the quarter turns n have 28 bits, and n times a number of 25 bits is exact.
constexpr float circular_limit = 0x1p28f;
inline bool is_circular(float x) { return std::fabs(x) < circular_limit; }

/// Adding it leaves the nearest integer in the low bits.
constexpr double round_to_integer = 0x1.8p52;

/// pi / 2 in two parts, of which the first has 25 bits (Cody and Waite).
inline Angle angle_of(double x) {
  constexpr double high = 0x1.921fb5p+0, low = 0x1.110b4611a6263p-26;
  const double shifted = x * (1.0 / half_pi) + round_to_integer, n = shifted - round_to_integer;
  return {std::bit_cast<uint64_t>(shifted), (x - n * high) - n * low};
}
/// Of a number of quarter turns, below 2^51.
inline Angle angle_of_quarters(double quarters) {
  const double shifted = quarters + round_to_integer;
  return {std::bit_cast<uint64_t>(shifted), (quarters - (shifted - round_to_integer)) * half_pi};
}

/// sin(r) and cos(r) for |r| <= pi / 4: least-squares polynomials in r^2 over Chebyshev points.
inline double sin_of(double r) {
  const double z = r * r;
  double p = 2.7181949700104078e-06;
  p = p * z - 0.00019839320156863033;
  p = p * z + 0.008333329328354448;
  p = p * z - 0.16666666640946573;
  return r * (1.0 + z * p);  // -0 stays
}
inline double cos_of(double r) {
  const double z = r * r;
  double p = -2.7208170925279734e-07;
  p = p * z + 2.479949141584979e-05;
  p = p * z - 0.001388888362648129;
  p = p * z + 0.041666666621041015;
  return 1.0 - z * 0.5 + z * z * p;
}

/// `odd` of an odd number of quarter turns, else `even`: without a comparison, which SSE2 lacks for 64 bits.
inline double by_parity(uint64_t quarters, double even, double odd) {
  const uint64_t mask = 0 - (quarters & 1);
  return std::bit_cast<double>((std::bit_cast<uint64_t>(even) & ~mask) | (std::bit_cast<uint64_t>(odd) & mask));
}
inline double sin_of(const Angle& angle) {
  const double size = by_parity(angle.quarters, sin_of(angle.r), cos_of(angle.r));
  return std::bit_cast<double>(std::bit_cast<uint64_t>(size) ^ (angle.quarters & 2) << 62);
}
inline double cos_of(const Angle& angle) { return sin_of(Angle{angle.quarters + 1, angle.r}); }

/// For is_circular(x).
inline float sin_within(float x) { return static_cast<float>(sin_of(angle_of(x))); }
inline float cos_within(float x) { return static_cast<float>(cos_of(angle_of(x))); }
inline float tan_within(float x) {
  const auto [quarters, r] = angle_of(x);
  const double s = sin_of(r), c = cos_of(r);
  return static_cast<float>(by_parity(quarters, s, -c) / by_parity(quarters, c, s));
}

inline float sin(float x) { return is_circular(x) ? sin_within(x) : std::sin(x); }
inline float cos(float x) { return is_circular(x) ? cos_within(x) : std::cos(x); }
inline float tan(float x) { return is_circular(x) ? tan_within(x) : std::tan(x); }

/// The angle in [-pi, pi] of the point (x, y): atan(t), t = smaller / larger size, or past tan(pi / 8) pi / 4 plus that
/// of (t - 1) / (t + 1); reflected at the diagonal and at the axes. The polynomial as those of sin.
inline double angle_of_point(double y, double x) {
  const double v = std::fabs(y), w = std::fabs(x), larger = v > w ? v : w, smaller = v > w ? w : v;
  const bool past = smaller >= (larger > 0.0 ? 0.41421356237309503 * larger : 1.0);
  const double over = smaller == larger ? 0.0 : (past ? smaller - larger : smaller);  // 0 also where both are infinite
  const double under = larger == 0.0 ? 1.0 : (past ? smaller + larger : larger);
  const double t = over / under, z = t * t;
  double p = -0.03788175938572046;
  p = p * z + 0.06988606190275984;
  p = p * z - 0.08996207632851486;
  p = p * z + 0.11103927460969115;
  p = p * z - 0.14285418855349555;
  p = p * z + 0.19999994184750572;
  p = p * z - 0.3333333329423023;
  const double near = t + t * (z * p), first = past ? 0.5 * half_pi + near : near;
  const double right = v > w ? half_pi - first : first;
  return std::copysign(std::bit_cast<int64_t>(x) < 0 ? 2.0 * half_pi - right : right, y);
}

inline float atan2(float y, float x) { return static_cast<float>(angle_of_point(y, x)); }
/// In float, to 3 ULP: of t = x, or past tan(pi / 8) pi / 4 and that of (x - 1) / (x + 1), or past its inverse pi / 2
/// and that of -1 / x; the polynomial as those of sin, to 2^-25. A division of doubles takes as long as all of this.
inline float atan(float x) {
  const float a = std::fabs(x);
  const bool past = a > 0.414213562F, far = a > 2.41421356F;
  const float over = far ? -1.0F : (past ? a - 1.0F : a), under = far ? a : (past ? a + 1.0F : 1.0F);
  const float t = over / under, z = t * t;
  float p = 0.080444662F;
  p = p * z - 0.13874449F;
  p = p * z + 0.199773606F;
  p = p * z - 0.333329378F;
  const float first = far ? 1.57079633F : (past ? 0.785398163F : 0.0F);
  return std::copysign(first + (t + t * (z * p)), x);
}
/// Of x in [-1, 1] on the unit circle; the root of what lies outside is NaN.
inline double other_side(double x) { return std::sqrt((1.0 - x) * (1.0 + x)); }
inline float asin(float x) { return static_cast<float>(angle_of_point(x, other_side(x))); }
inline float acos(float x) { return static_cast<float>(angle_of_point(other_side(x), x)); }

}  // namespace eglantine::cpu_math
