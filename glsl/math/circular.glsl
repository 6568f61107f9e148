// Circular functions and their inverses.

//@ eg_large_quadrant :
// eg_quadrant for |x| > 1e4, after Payne and Hanek (1983): x = M 2^e with an integer M; the bits of 2 / pi of weights
// that give multiples of 4 are left out, and the next 96 multiplied by M, modulo 2^96. That leaves x 2 / pi mod 4 in
// units of 2^-94: the quadrant in two bits, and a fraction of which cancellation leaves 64 - 30 bits. The words of 2 / pi
// from bit `start` on are selected by the bits of start.
float eg_large_quadrant(float x, out int quadrant) {
  uint bits = floatBitsToUint(x) & 0x7fffffffu;
  uint start = min(bits >> 23, 254u) - 120u;
  uint m = (bits & 0x007fffffu) | 0x00800000u;
  bool one = (start & 32u) != 0u;
  bool two = (start & 64u) != 0u;
  bool four = (start & 128u) != 0u;
  uint a0 = one ? 0xa2f9836eu : 0u;
  uint a1 = one ? 0x4e441529u : 0xa2f9836eu;
  uint a2 = one ? 0xfc2757d1u : 0x4e441529u;
  uint a3 = one ? 0xf534ddc0u : 0xfc2757d1u;
  uint a4 = one ? 0xdb629599u : 0xf534ddc0u;
  uint a5 = one ? 0x3c439041u : 0xdb629599u;
  uint w0 = four ? 0xf534ddc0u : (two ? a2 : a0);
  uint w1 = four ? 0xdb629599u : (two ? a3 : a1);
  uint w2 = four ? 0x3c439041u : (two ? a4 : a2);
  uint w3 = four ? 0xfe5163abu : (two ? a5 : a3);
  uint shift = start & 31u;
  uint v0 = (w0 << shift) | ((w1 >> 1) >> (31u - shift));
  uint v1 = (w1 << shift) | ((w2 >> 1) >> (31u - shift));
  uint v2 = (w2 << shift) | ((w3 >> 1) >> (31u - shift));
  uint high1, low1, high2, low2;
  umulExtended(m, v1, high1, low1);
  umulExtended(m, v2, high2, low2);
  uint middle = low1 + high2;
  uint high = m * v0 + high1 + (middle < low1 ? 1u : 0u);
  uint n = (high + 0x20000000u) >> 30;
  uint f1 = (high << 2) | (middle >> 30);
  uint f2 = (middle << 2) | (low2 >> 30);
  bool negative = f1 >= 0x80000000u;
  f1 = negative ? ~f1 : f1;
  f2 = negative ? ~f2 : f2;
  float r = (float(f1) * 2.32830644e-10 + float(f2) * 5.42101086e-20) * 1.57079637;
  bool other = negative != (x < 0.0);
  quadrant = x < 0.0 ? -int(n) : int(n);
  return other ? -r : r;
}

//@ eg_quadrant : eg_large_quadrant
// x = n pi/2 + r, |r| <= pi/4; gives r, and n in `quadrant`. pi/2 in four parts (Cody and Waite), the first three
// of 11 bits, so that their products with n are exact for |x| <= 1e4; beyond, a branch that most kernels never take.
float eg_quadrant(float x, out int quadrant) {
  float n = floor(EG_FMA(x, 0.636619747, 0.5));
  float r = EG_FMA(n, -0.000483751297, EG_FMA(n, -1.5703125, x));
  r = EG_FMA(n, -2.56334407e-12, EG_FMA(n, -7.54953362e-8, r));
  quadrant = int(clamp(n, -1.0e9, 1.0e9));
  if (abs(x) > 1.0e4) r = eg_large_quadrant(x, quadrant);
  return r;
}

//@ eg_sin_reduced :
// sin r = r + r^3 P(r^2) for |r| <= pi/4, P of degree 3, 2^-32 relative.
float eg_sin_reduced(float r) {
  float v = r * r;
  float p = 2.8325403e-06;
  p = EG_FMA(p, v, -0.000198530659);
  p = EG_FMA(p, v, 0.0083333794);
  p = EG_FMA(p, v, -0.166666672);
  return EG_FMA(r * v, p, r);
}

//@ eg_cos_reduced :
// cos r = 1 - r^2 / 2 + r^4 P(r^2) for |r| <= pi/4, P of degree 3, 2^-37 relative.
float eg_cos_reduced(float r) {
  float v = r * r;
  float p = -2.88262981e-07;
  p = EG_FMA(p, v, 2.48215074e-05);
  p = EG_FMA(p, v, -0.00138889789);
  p = EG_FMA(p, v, 0.0416666679);
  return 1.0 + EG_FMA(v * v, p, -0.5 * v);
}

//@ eg_sin : eg_quadrant eg_sin_reduced eg_cos_reduced eg_isfinite eg_nan
// Measured 2 / 2 for |x| <= 1e4; beyond 2 on llvmpipe.
float eg_sin(float x) {
  int n;
  float r = eg_quadrant(x, n);
  float y = (n & 1) == 0 ? eg_sin_reduced(r) : eg_cos_reduced(r);
  y = (n & 2) == 0 ? y : -y;
  y = x == 0.0 ? x : y;
  return eg_isfinite(x) ? y : eg_nan();
}

//@ eg_cos : eg_quadrant eg_sin_reduced eg_cos_reduced eg_isfinite eg_nan
// Measured 2 / 2 for |x| <= 1e4; beyond 2 on llvmpipe.
float eg_cos(float x) {
  int n;
  float r = eg_quadrant(x, n);
  float y = (n & 1) == 0 ? eg_cos_reduced(r) : eg_sin_reduced(r);
  y = ((n + 1) & 2) == 0 ? y : -y;
  return eg_isfinite(x) ? y : eg_nan();
}

//@ eg_half_turn :
// (-1)^n sin r of r = x - m pi, |r| <= pi/2: r + r v P(v), v = r^2, P of degree 2, 2^-19.6 relative. pi in four parts
// as in eg_quadrant; m is n or n + 1/2.
float eg_half_turn(float x, float m, int n) {
  float r = EG_FMA(m, -0.000967502594, EG_FMA(m, -3.140625, x));
  r = EG_FMA(m, -5.12668814e-12, EG_FMA(m, -1.50990672e-7, r));
  float v = r * r;
  float p = EG_FMA(v, -0.000185409284, 0.00831423607);
  p = EG_FMA(p, v, -0.166658506);
  float y = r * EG_FMA(p, v, 1.0);
  return uintBitsToFloat(floatBitsToUint(y) ^ (uint(n) << 31));
}

//@ eg_sin_near : eg_sin eg_half_turn
// For results of 16 bits, 0.003 of their last place: one polynomial where eg_sin takes the nearer of two.
float eg_sin_near(float x) {
  float n = floor(EG_FMA(x, 0.318309886, 0.5));
  float y = eg_half_turn(x, n, int(clamp(n, -1.0e4, 1.0e4)));
  if (abs(x) > 1.0e4) y = eg_sin(x);
  return y;
}

//@ eg_cos_near : eg_cos eg_half_turn
// As eg_sin_near.
float eg_cos_near(float x) {
  float n = floor(x * 0.318309886);
  float y = eg_half_turn(x, n + 0.5, int(clamp(n, -1.0e4, 1.0e4)) + 1);
  if (abs(x) > 1.0e4) y = eg_cos(x);
  return y;
}

//@ eg_tan : eg_quadrant eg_sin_reduced eg_cos_reduced eg_isfinite eg_nan
// Measured 4 / 4 for |x| <= 1e4; beyond 4 on llvmpipe.
float eg_tan(float x) {
  int n;
  float r = eg_quadrant(x, n);
  float s = eg_sin_reduced(r);
  float c = eg_cos_reduced(r);
  float y = ((n & 1) == 0 ? s : -c) / ((n & 1) == 0 ? c : s);
  y = x == 0.0 ? x : y;
  return eg_isfinite(x) ? y : eg_nan();
}

//@ eg_asin_reduced :
// asin s = s + s^3 P(s^2) for |s| <= 1/2, v = s^2; P of degree 4, 2^-27 relative.
float eg_asin_reduced(float s, float v) {
  float p = 0.0421665162;
  p = EG_FMA(p, v, 0.0241807345);
  p = EG_FMA(p, v, 0.0454697758);
  p = EG_FMA(p, v, 0.0749530643);
  p = EG_FMA(p, v, 0.166667521);
  return EG_FMA(s, v * p, s);
}

//@ eg_asin : eg_asin_reduced eg_copysign eg_nan
// |x| > 1/2: pi/2 - 2 asin(sqrt((1 - |x|) / 2)), whose argument is exact below the root.
// Measured 2.
float eg_asin(float x) {
  float a = abs(x);
  bool far = a > 0.5;
  float v = far ? 0.5 * (1.0 - a) : a * a;
  float r = eg_asin_reduced(far ? sqrt(v) : a, v);
  float y = far ? 1.57079637 - (2.0 * r + 4.37113883e-8) : r;
  return floatBitsToUint(a) <= 0x3f800000u ? eg_copysign(y, x) : eg_nan();
}

//@ eg_acos : eg_asin_reduced eg_nan
// x > 1/2: 2 asin(sqrt((1 - x) / 2)), x < -1/2: pi - 2 asin(sqrt((1 + x) / 2)), else pi/2 - asin x.
// Measured 1.
float eg_acos(float x) {
  float a = abs(x);
  bool far = a > 0.5;
  float v = far ? 0.5 * (1.0 - a) : a * a;
  float r = eg_asin_reduced(far ? sqrt(v) : x, v);
  float y = far ? 2.0 * r : 1.57079637 - (r + 4.37113883e-8);
  y = x < -0.5 ? 3.14159274 - (y + 8.74227766e-8) : y;
  return floatBitsToUint(a) <= 0x3f800000u ? y : eg_nan();
}

//@ eg_atan_unit :
// atan(z) on [0, 1]: z + z^3 P(z^2), P of degree 8, 2^-28 relative.
float eg_atan_unit(float z) {
  float v = z * z;
  float p = -0.00178896787;
  p = EG_FMA(p, v, 0.0108928196);
  p = EG_FMA(p, v, -0.0311352499);
  p = EG_FMA(p, v, 0.0579125956);
  p = EG_FMA(p, v, -0.0840067863);
  p = EG_FMA(p, v, 0.109511867);
  p = EG_FMA(p, v, -0.142640427);
  p = EG_FMA(p, v, 0.199985296);
  p = EG_FMA(p, v, -0.333332986);
  return z + z * v * p;
}

//@ eg_atan : eg_atan_unit eg_copysign
// atan of the magnitude, from 1 on pi / 2 less that of its reciprocal, which needs no more than the driver's accuracy;
// from 2^100 on the reciprocal is too small to count. NaN is not above 1, and stays.
// Measured 1 on llvmpipe.
float eg_atan(float x) {
  float a = abs(x);
  bool above = a > 1.0;
  float angle = eg_atan_unit(above ? 1.0 / min(a, 1.26765060e30) : a);
  return eg_copysign(above ? 1.57079637 - (angle + 4.37113883e-8) : angle, x);
}

//@ eg_atan2 : eg_atan_unit eg_copysign eg_isnan eg_isinf
// The angle of (y, x) with the first argument the ordinate: atan of the smaller over the larger magnitude, both scaled
// so that the larger's reciprocal is normal, then unfolded over the octants. Zeros and infinities as C's atan2f.
// Measured 1 on llvmpipe.
float eg_atan2(float y, float x) {
  float ay = abs(y);
  float ax = abs(x);
  float large = max(ax, ay);
  float scale = large > 1.84467441e19 ? 5.42101086e-20 : (large < 5.42101086e-20 ? 1.84467441e19 : 1.0);
  float z = (min(ax, ay) * scale) / (large * scale);
  z = large == 0.0 ? 0.0 : z;
  z = eg_isinf(x) && eg_isinf(y) ? 1.0 : z;
  float angle = eg_atan_unit(z);
  angle = ay > ax ? 1.57079637 - (angle + 4.37113883e-8) : angle;
  angle = floatBitsToUint(x) >= 0x80000000u ? 3.14159274 - (angle + 8.74227766e-8) : angle;
  return eg_isnan(x) || eg_isnan(y) ? x + y : eg_copysign(angle, y);
}
