// Roots.

//@ eg_sqrt :
// Measured 0 / 1.
float eg_sqrt(float x) { return sqrt(x); }

//@ eg_rsqrt : eg_nan eg_high_bits
// One Newton step on the driver's inversesqrt, y + y (1 - x y y) / 2, with the residual in double-float: x y and
// then (x y) y are split products after Dekker (1971). Arguments below 2^-63 are scaled by 2^64, so that no part is
// denormal.
// EG_FUSED: 1 - (x y) y by an fma, where x y is rounded, which costs half a unit at most. min() bounds it by the
// driver's error, and takes that bound in place of NaN, as NVIDIA's does: so of zeros (denormals are flushed) and
// infinities the driver's own value is left.
// Measured 1 / 1.
#ifdef EG_FUSED
float eg_rsqrt(float x) {
  float y = inversesqrt(x);
  float residual = min(fma(-(x * y), y, 1.0), 3e-7);
  return fma(0.5 * y, residual, y);
}
#else
float eg_rsqrt(float x) {
  bool tiny = x < 1.0842021724855044e-19;
  float v = tiny ? x * 18446744073709551616.0 : x;
  float y = inversesqrt(v);
  float p = v * y;
  float yh = eg_high_bits(y);
  float vh = eg_high_bits(v);
  float yl = y - yh;
  float vl = v - vh;
  float p_error = ((vh * yh - p) + vl * yh + vh * yl) + vl * yl;
  float ph = eg_high_bits(p);
  float pl = p - ph;
  float q = p * y;
  float q_error = ((ph * yh - q) + pl * yh + ph * yl) + pl * yl;
  float residual = ((1.0 - q) - q_error) - p_error * y;
  float refined = EG_FMA(0.5 * y, residual, y);
  float r = tiny ? refined * 4294967296.0 : refined;
  uint bits = floatBitsToUint(v);
  float special = bits == 0x7f800000u ? 0.0 : eg_nan();
  special = bits << 1 == 0u ? uintBitsToFloat(0x7f800000u | bits) : special;
  return bits - 1u < 0x7f7fffffu ? r : special;
}
#endif

//@ eg_pow_half : eg_sqrt eg_infinity
// pow(x, 1/2), which has no sign at -0 and a value at -infinity.
float eg_pow_half(float x) {
  uint bits = floatBitsToUint(x);
  float r = bits == 0x80000000u ? 0.0 : eg_sqrt(x);
  return bits == 0xff800000u ? eg_infinity() : r;
}

//@ eg_pow_minus_half : eg_rsqrt eg_nan
// pow(x, -1/2), which is infinity at -0 and 0 at -infinity. Of negative denormals, which drivers flush, NaN by the bits.
float eg_pow_minus_half(float x) {
  uint bits = floatBitsToUint(x);
  float y = eg_rsqrt(bits == 0x80000000u || bits == 0xff800000u ? uintBitsToFloat(bits & 0x7fffffffu) : x);
  return bits - 0x80000001u < 0x7f7fffffu ? eg_nan() : y;
}

//@ eg_cbrt : eg_copysign
// |x| = 2^3k m, m in [1, 8). A guess by the bits (a third of the exponent), 3 % off, and two steps of Halley's
// method, y (y^3 + 2 m) / (2 y^3 + m); the second as a correction, so that its rounding error is small.
// Measured 1.
float eg_cbrt(float x) {
  float a = abs(x);
  bool tiny = a < 1.17549435e-38;
  uint bits = floatBitsToUint(tiny ? a * 16777216.0 : a);
  uint exponent = (bits >> 23) + 2u;
  uint third = exponent / 3u;
  float m = uintBitsToFloat((bits & 0x007fffffu) | ((127u + exponent - 3u * third) << 23));
  float y = uintBitsToFloat(floatBitsToUint(m) / 3u + 0x2a5137a0u);
  float c = y * y * y;
  y = y * ((c + 2.0 * m) / (2.0 * c + m));
  c = y * y * y;
  y = y - y * ((c - m) / (2.0 * c + m));
  y = y * uintBitsToFloat((third + (tiny ? 76u : 84u)) << 23);
  y = bits == 0u ? 0.0 : y;
  return bits < 0x7f800000u ? eg_copysign(y, x) : x;
}

//@ eg_hypot_scaled : eg_isnan eg_isinf eg_infinity
// sqrt(x^2 + y^2), both scaled by a power of two where a square would leave the range of floats.
float eg_hypot_scaled(float x, float y) {
  float large = max(abs(x), abs(y));
  bool high = large > 4.61168602e18;
  bool low = large < 9.09494702e-13;
  float scale = high ? 1.35525272e-20 : (low ? 1.23794004e27 : 1.0);
  float unscale = high ? 7.37869763e19 : (low ? 8.07793567e-28 : 1.0);
  float s = x * scale;
  float t = y * scale;
  float root = sqrt(s * s + t * t) * unscale;
  root = eg_isnan(x) || eg_isnan(y) ? x + y : root;
  return eg_isinf(x) || eg_isinf(y) ? eg_infinity() : root;
}

//@ eg_hypot : eg_hypot_scaled
// sqrt(x^2 + y^2). EG_FUSED: without scaling where the larger is in [2^-40, 2^62), in half as many instructions.
// Measured 1.
float eg_hypot(float x, float y) {
#ifdef EG_FUSED
  uint large = max(floatBitsToUint(x) & 0x7fffffffu, floatBitsToUint(y) & 0x7fffffffu);
  float root = 0.0;
  if (large - 0x2b800000u < 0x33000000u)
    root = sqrt(fma(x, x, y * y));
  else
    root = eg_hypot_scaled(x, y);
  return root;
#else
  return eg_hypot_scaled(x, y);
#endif
}
