// Logarithms, powers and inverse hyperbolic functions.

//@ eg_log_split :
// x = 2^exponent (1 + f) with 1 + f in [sqrt(1/2), sqrt 2), for positive normal x; the scaled x for denormal ones
// is in v.
void eg_log_split(float x, out float v, out float exponent, out float f) {
  bool tiny = x < 1.17549435e-38;
  v = tiny ? x * 8388608.0 : x;
  uint bits = floatBitsToUint(v) + (0x3f800000u - 0x3f3504f3u);
  exponent = float(int(bits >> 23) - 127) - (tiny ? 23.0 : 0.0);
  f = uintBitsToFloat((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0;
}

//@ eg_log_special : eg_nan eg_infinity
// y, unless v is outside (0, infinity): log 0 = -infinity, of a negative number or NaN it is NaN, of infinity infinity.
float eg_log_special(float v, float y) {
  uint bits = floatBitsToUint(v);
  float special = bits == 0x7f800000u ? eg_infinity() : eg_nan();
  special = bits << 1 == 0u ? -eg_infinity() : special;
  return bits - 1u < 0x7f7fffffu ? y : special;
}

//@ eg_log_tail :
// log(1 + f) - f on [sqrt(1/2) - 1, sqrt 2 - 1]: -f^2 / 2 + f^3 P(f), P of degree 7, 2^-27 relative to the logarithm.
// `extra` is added before the largest term is, while there are bits for it.
float eg_log_tail(float f, float extra) {
  float p = -0.0764564574;
  p = EG_FMA(p, f, 0.127690151);
  p = EG_FMA(p, f, -0.131596744);
  p = EG_FMA(p, f, 0.142007992);
  p = EG_FMA(p, f, -0.166233182);
  p = EG_FMA(p, f, 0.200012624);
  p = EG_FMA(p, f, -0.250008225);
  p = EG_FMA(p, f, 0.333333313);
  float v = f * f;
  return EG_FMA(-0.5, v, EG_FMA(v * f, p, extra));
}

//@ eg_log : eg_log_split eg_log_special eg_log_tail
// Measured 1 / 1.
float eg_log(float x) {
  float v, n, f;
  eg_log_split(x, v, n, f);
  float y = EG_FMA(n, 0.693145752, f + eg_log_tail(f, n * 1.42860677e-6));
  return eg_log_special(v, y);
}

//@ eg_log2 : eg_log_split eg_log_special eg_log_tail
// Measured 2 / 2.
float eg_log2(float x) {
  float v, n, f;
  eg_log_split(x, v, n, f);
  float y = EG_FMA(f + eg_log_tail(f, 0.0), 1.44269502, n);
  return eg_log_special(v, y);
}

//@ eg_log10 : eg_log_split eg_log_special eg_log_tail
// Measured 2.
float eg_log10(float x) {
  float v, n, f;
  eg_log_split(x, v, n, f);
  float natural = f + eg_log_tail(f, 0.0);
  float y = n * 0.301025391 + (0.434294492 * natural + n * 4.60503898e-6);
  return eg_log_special(v, y);
}

//@ eg_log1p : eg_log_special eg_log_tail eg_power_of_two
// 1 + x = 2^n (1 + f): f = x 2^-n + (2^-n - 1) loses nothing of a small x. From 2^24 on f comes from 1 + x itself,
// whose rounding no longer matters.
// Measured 1 / 1.
float eg_log1p(float x) {
  float u = 1.0 + x;
  uint bits = floatBitsToUint(u) + (0x3f800000u - 0x3f3504f3u);
  int n = int(bits >> 23) - 127;
  float large_f = uintBitsToFloat((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0;
  float scale = eg_power_of_two(-clamp(n, -25, 24));
  float small_f = EG_FMA(x, scale, scale - 1.0);
  float f = n == 0 ? x : (n < 24 ? small_f : large_f);
  float y = EG_FMA(float(n), 0.693145752, f + eg_log_tail(f, float(n) * 1.42860677e-6));
  y = x == 0.0 ? x : y;
  return eg_log_special(u, y);
}

//@ eg_log_near_one :
// log(1 + f) for |f| <= 1/8: f P(f), P of degree 4, 2^-21 relative.
float eg_log_near_one(float f) {
  float p = 0.203301549;
  p = EG_FMA(p, f, -0.25329566);
  p = EG_FMA(p, f, 0.333314806);
  p = EG_FMA(p, f, -0.499987066);
  p = EG_FMA(p, f, 1.0);
  return f * p;
}

//@ eg_log_near : eg_log eg_log_near_one eg_log_special
// Near enough for results of 16 bits, as eg_exp_near: farther from 1 than 1/8 the 2^-21 by which a built-in log2 may be
// wrong are 2^-18 of the logarithm.
#ifdef EG_CLOSE_EXP2
float eg_log_near(float x) {
  return eg_log_special(x, abs(x - 1.0) < 0.125 ? eg_log_near_one(x - 1.0) : log2(x) * 0.693147182);
}
#else
float eg_log_near(float x) { return eg_log(x); }
#endif

//@ eg_log2_near : eg_log2 eg_log_near_one eg_log_special
#ifdef EG_CLOSE_EXP2
float eg_log2_near(float x) {
  return eg_log_special(x, abs(x - 1.0) < 0.125 ? eg_log_near_one(x - 1.0) * 1.44269502 : log2(x));
}
#else
float eg_log2_near(float x) { return eg_log2(x); }
#endif

//@ eg_log10_near : eg_log10 eg_log_near_one eg_log_special
#ifdef EG_CLOSE_EXP2
float eg_log10_near(float x) {
  return eg_log_special(x, abs(x - 1.0) < 0.125 ? eg_log_near_one(x - 1.0) * 0.434294492 : log2(x) * 0.301029987);
}
#else
float eg_log10_near(float x) { return eg_log10(x); }
#endif

//@ eg_log1p_near : eg_log1p eg_log_near_one eg_log_special
#ifdef EG_CLOSE_EXP2
float eg_log1p_near(float x) {
  return eg_log_special(1.0 + x, abs(x) < 0.125 ? eg_log_near_one(x) : log2(1.0 + x) * 0.693147182);
}
#else
float eg_log1p_near(float x) { return eg_log1p(x); }
#endif

//@ eg_log1p_to_one : eg_log_tail
// eg_log1p of 0 <= x <= 1, the same bits; of NaN NaN.
float eg_log1p_to_one(float x) {
  bool upper = 1.0 + x >= 1.41421354;
  float f = upper ? EG_FMA(x, 0.5, -0.5) : x;
  return (upper ? 0.693145752 : 0.0) + (f + eg_log_tail(f, upper ? 1.42860677e-6 : 0.0));
}

//@ eg_logaddexp : eg_exp eg_log1p_to_one eg_maximum eg_isinf
// The larger m + log(1 + exp(-|x - y|)); an infinite m alone, as infinities may have no difference.
// Measured 5e-8 absolute near zeros.
float eg_logaddexp(float x, float y) {
  float m = eg_maximum(x, y);
  return eg_isinf(m) ? m : m + eg_log1p_to_one(eg_exp(-abs(x - y)));
}

//@ eg_logaddexp2 : eg_exp2 eg_log1p_to_one eg_maximum eg_isinf
// Measured 7e-8 absolute near zeros.
float eg_logaddexp2(float x, float y) {
  float m = eg_maximum(x, y);
  return eg_isinf(m) ? m : m + 1.44269502 * eg_log1p_to_one(eg_exp2(-abs(x - y)));
}

//@ eg_xlogy : eg_log eg_isnan
// Measured 2.
float eg_xlogy(float x, float y) {
  float z = x == 0.0 && !eg_isnan(y) ? 0.0 : x * eg_log(y);
  return eg_isnan(x) ? x : z;
}

//@ eg_pow : eg_scale eg_exp2_reduced eg_isnan eg_nan eg_infinity eg_high_bits eg_exp2_of_sum eg_log_split
// Float, after C's powf: |x|^y = 2^(y log2 |x|), |x| = 2^n m, the logarithm and the product in double-float.
//   log2 m = (2 / ln 2) atanh(s), atanh(s) = s + s^3 P(s^2), P of degree 3, 2^-35 relative;
//   s = (m - 1) / (m + 1) = sh + sl, sh of 12 bits, sl from the exact remainder of the division.
// What enters a large product is cut to 12 bits, so that the product is exact. Compilers may rearrange this where there
// is no `precise`: so no difference undoes a sum, and taking sh out of its two products leaves sh m, exact in an fma.
// EG_FUSED: nothing is cut, since an fma leaves what a product lost; from 2^64 on the last factor is one of its own.
// Integers: by squaring, wrapping; a negative exponent gives the truncated quotient 1 / x^-y, with 1 / 0 = 0.
// Measured 4 / 3.
float eg_pow_ends(float ax, float y, float log_size, float power) {
  log_size = ax >= eg_infinity() ? eg_infinity() : (ax == 0.0 ? -eg_infinity() : log_size);
  float z = y * log_size;
  power = z < -151.0 ? 0.0 : power;
  power = z > 129.0 ? eg_infinity() : power;
  return ax == 1.0 ? 1.0 : power;
}
#ifdef EG_FUSED
float eg_pow_magnitude(float ax, float y) {
  float scaled, n, f;
  eg_log_split(ax, scaled, n, f);
  float m = 1.0 + f;
  float d = m + 1.0;
  float inverse = 1.0 / d;
  float s = f * inverse;
  float s_rest = fma(-s, m - (d - 1.0), fma(-s, d, f)) * inverse;
  float v = (s + s_rest) * (s + s_rest);
  float p = fma(fma(fma(0.121393412, v, 0.142493978), v, 0.200004861), v, 0.333333313);
  float high = 2.88539004 * s;
  float low = fma(2.88539004, s_rest, fma(3.85192607e-08, s, fma(2.88539004, s, -high)));
  low = fma((high + low) * v, p, low);
  float lh = n + (high + low);
  float ll = ((n - lh) + high) + low;
  float a = y * lh;
  bool far = a > 64.0;
  float power = eg_exp2_of_sum(far ? a - 64.0 : a, fma(y, ll, fma(y, lh, -a))) * (far ? 18446744073709551616.0 : 1.0);
  return eg_pow_ends(ax, y, lh + ll, power);
}
#else
float eg_pow_magnitude(float ax, float y) {
  float scaled, n, f;
  eg_log_split(ax, scaled, n, f);
  float m = 1.0 + f;
  float mh = eg_high_bits(m);
  float ml = m - mh;
  float inverse = 1.0 / (m + 1.0);
  float sh = eg_high_bits(f * inverse);
  float sl = (((f - sh) - sh * mh) - sh * ml) * inverse;
  float s = sh + sl;
  float v = s * s;
  float p = 0.121393412;
  p = EG_FMA(p, v, 0.142493978);
  p = EG_FMA(p, v, 0.200004861);
  p = EG_FMA(p, v, 0.333333313);
  float high = 2.88574219 * sh;
  float low = (2.88539008 * sl - 0.000352105708 * sh) + 2.88539008 * (s * v * p);
  float lh = eg_high_bits(n + (high + low));
  float ll = ((n - lh) + high) + low;
  float yh = eg_high_bits(y);
  float zh = yh * lh;
  float zl = (y - yh) * lh + y * ll;
  float k = floor(zh + zl + 0.5);
  float fraction = (zh - k) + zl;
  float power = eg_scale(eg_exp2_reduced(fraction), int(k));
  return eg_pow_ends(ax, y, lh + ll, power);
}
#endif
float eg_pow(float x, float y) {
  float power = eg_pow_magnitude(abs(x), y);
  bool negative = floatBitsToUint(x) >= 0x80000000u;
  bool integral = floor(y) == y;
  bool odd = integral && floor(0.5 * y) != 0.5 * y;
  power = negative && odd ? -power : power;
  bool undefined = x < 0.0 && !integral && x > -eg_infinity();
  power = undefined || eg_isnan(x) || eg_isnan(y) ? eg_nan() : power;
  return x == 1.0 || y == 0.0 ? 1.0 : power;
}
uint eg_pow(uint x, uint y) {
  uint power = 1u;
  for (int i = 0; i < 32; ++i) {
    power = ((y >> i) & 1u) != 0u ? power * x : power;
    x = x * x;
  }
  return power;
}
int eg_pow(int x, int y) {
  int power = int(eg_pow(uint(x), uint(y)));
  int quotient = x == 1 ? 1 : (x == -1 ? 1 - 2 * (y & 1) : 0);
  return y < 0 ? quotient : power;
}

//@ eg_asinh : eg_log1p eg_copysign eg_isnan
// log(1 + u), u = |x| + x^2 / (1 + sqrt(1 + x^2)); beyond 2^24 log(1 + |x|) + log 2.
// Measured 2.
float eg_asinh(float x) {
  float a = abs(x);
  bool huge = a > 16777216.0;
  float v = huge ? 0.0 : a * a;
  float y = eg_log1p(a + v / (1.0 + sqrt(1.0 + v)));
  y = huge ? y + 0.693147182 : y;
  return eg_isnan(x) ? x : eg_copysign(y, x);
}

//@ eg_acosh : eg_log1p eg_nan
// log(1 + u), u = t + sqrt(t (x + 1)), t = x - 1; beyond 2^24 log(x) + log 2.
// Measured 2.
float eg_acosh(float x) {
  bool huge = x > 16777216.0;
  float t = x - 1.0;
  float u = huge ? 0.0 : sqrt(max(t * (x + 1.0), 0.0));
  float y = eg_log1p(t + u);
  y = huge ? y + 0.693147182 : y;
  return floatBitsToUint(x) - 0x3f800000u <= 0x40000000u ? y : eg_nan();
}

//@ eg_atanh : eg_log1p eg_div eg_copysign eg_nan eg_infinity
// log(1 + 2 |x| / (1 - |x|)) / 2.
// Measured 2.
float eg_atanh(float x) {
  float a = abs(x);
  float y = 0.5 * eg_log1p(eg_div(2.0 * a, 1.0 - a));
  uint bits = floatBitsToUint(a);
  y = bits == 0x3f800000u ? eg_infinity() : y;
  return bits <= 0x3f800000u ? eg_copysign(y, x) : eg_nan();
}
