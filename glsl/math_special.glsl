// math_special.glsl: inverse circular and hyperbolic functions, roots, error functions and gamma functions. The rules
// of math.glsl hold here too; snippets may need those of math.glsl, which stand above these.
// "Measured" is on llvmpipe alone, over 2^18 arguments.

//@ eg_signbit :
// By the bits: true for -0 and for NaN with the sign bit.
bool eg_signbit(float x) { return floatBitsToUint(x) >= 0x80000000u; }
bool eg_signbit(int x) { return x < 0; }
bool eg_signbit(uint x) { return false; }

//@ eg_copysign :
// By the bits, of NaN too.
float eg_copysign(float x, float y) {
  return uintBitsToFloat((floatBitsToUint(x) & 0x7fffffffu) | (floatBitsToUint(y) & 0x80000000u));
}

// ---- inverse circular functions -------------------------------------------------------------------------------------

//@ eg_asin_reduced :
// asin s = s + s^3 P(s^2) for |s| <= 1/2, v = s^2; P of degree 4, 2^-27 relative.
float eg_asin_reduced(float s, float v) {
  float p = 0.0421665162;
  p = p * v + 0.0241807345;
  p = p * v + 0.0454697758;
  p = p * v + 0.0749530643;
  p = p * v + 0.166667521;
  return s + s * (v * p);
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

// ---- hyperbolic functions -------------------------------------------------------------------------------------------

//@ eg_half_exp : eg_scale eg_exp_reduced
// exp(x) / 2 for 0 <= x <= 90: finite where exp(x) no longer is.
float eg_half_exp(float x) {
  float n = floor(x * 1.44269502 + 0.5);
  EG_PRECISE float r = (x - n * 0.693145752) - n * 1.42860677e-6;
  return eg_scale(eg_exp_reduced(r), int(n) - 1);
}

//@ eg_sinh : eg_half_exp eg_copysign eg_isnan eg_infinity
// |x| < 1: x + x^3 P(x^2), P of degree 3, 2^-31 relative; above: h - 1 / (4 h), h = exp(|x|) / 2.
// Measured 1.
float eg_sinh(float x) {
  float a = abs(x);
  float v = a * a;
  float p = 2.78221319e-06;
  p = p * v + 0.000198428956;
  p = p * v + 0.00833331048;
  p = p * v + 0.166666672;
  float h = eg_half_exp(min(a, 90.0));
  float y = a < 1.0 ? a + a * (v * p) : h - 0.25 / h;
  y = a > 89.4159927 ? eg_infinity() : y;
  return eg_isnan(x) ? x : eg_copysign(y, x);
}

//@ eg_cosh : eg_half_exp eg_isnan eg_infinity
// h + 1 / (4 h), h = exp(|x|) / 2.
// Measured 1.
float eg_cosh(float x) {
  float a = abs(x);
  float h = eg_half_exp(min(a, 90.0));
  float y = a > 89.4159927 ? eg_infinity() : h + 0.25 / h;
  return eg_isnan(x) ? x : y;
}

//@ eg_asinh : eg_log1p eg_copysign eg_isnan
// log(1 + u), u = |x| + x^2 / (1 + sqrt(1 + x^2)); beyond 2^24 log(1 + |x|) + log 2.
// Measured 1.
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

// ---- base 10, cube root ---------------------------------------------------------------------------------------------

//@ eg_exp10 : eg_scale eg_exp_reduced eg_infinity
// 10^x = 2^n exp(r log 10), n = round(x log2 10), r = x - n log10 2 with log10 2 in two parts; n times the first, of
// 16 bits, is exact.
// Measured 1.
float eg_exp10(float x) {
  float n = floor(x * 3.32192802 + 0.5);
  EG_PRECISE float r = (x - n * 0.301025391) - n * 4.60503898e-6;
  float y = eg_scale(eg_exp_reduced(r * 2.30258512), int(n));
  y = x < -46.0 ? 0.0 : y;
  return x > 38.5318375 ? eg_infinity() : y;
}

//@ eg_log10 : eg_log_split eg_log_special eg_log_tail
// Measured 1.
float eg_log10(float x) {
  float v, n, f;
  eg_log_split(x, v, n, f);
  float natural = f + eg_log_tail(f, 0.0);
  float y = n * 0.301025391 + (0.434294492 * natural + n * 4.60503898e-6);
  return eg_log_special(v, y);
}

//@ eg_cbrt : eg_copysign eg_isnan
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

//@ eg_hypot : eg_isnan eg_isinf eg_infinity
// sqrt(x^2 + y^2), both scaled by a power of two where a square would leave the range of floats.
// Measured 1.
float eg_hypot(float x, float y) {
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

// ---- error functions ------------------------------------------------------------------------------------------------

//@ eg_erfc : eg_erf_near eg_exp_reduced eg_isnan eg_high_bits
// |x| < 3/4: 1 - erf x; above: exp(-t^2) Q(u) for t = |x|, u = (t - 3) / (t + 3), Q of degree 10, fitted for t <= 10.1 (2^-26 relative), where the
// result vanishes; 2 less it for negative x. t^2 in two parts, and powers of two one at a time, as in eg_gelu.
// Measured 4.
float eg_erfc(float x) {
  float t = min(abs(x), 10.1);
  float th = eg_high_bits(t);
  EG_PRECISE float high = -(th * th);
  EG_PRECISE float low = -((t - th) * (t + th));
  float n = floor(high * 1.44269502 + 0.5);
  EG_PRECISE float r = ((high - n * 0.693145752) - n * 1.42860677e-6) + low;
  int half_n = int(n) >> 1;
  float e = eg_exp_reduced(r) * uintBitsToFloat(uint(half_n + 127) << 23);
  float u = (t - 3.0) / (t + 3.0);
  float q = 7.30076572e-05;
  q = q * u + 6.2135623e-05;
  q = q * u - 0.00059077394;
  q = q * u + 0.000691769063;
  q = q * u + 0.00426099962;
  q = q * u - 0.0243879016;
  q = q * u + 0.0716679245;
  q = q * u - 0.150116518;
  q = q * u + 0.245603651;
  q = q * u - 0.326233536;
  q = q * u + 0.179001153;
  float y = (q * e) * uintBitsToFloat(uint(int(n) - half_n + 127) << 23);
  y = x < 0.0 ? 2.0 - y : y;
  y = abs(x) < 0.75 ? 1.0 - eg_erf_near(x) : y;
  return eg_isnan(x) ? x : y;
}

//@ eg_erfinv : eg_log eg_copysign eg_infinity eg_nan
// x P(w - 2.5) for w = -log(1 - x^2) < 5, x Q(sqrt(w) - 3) beyond, both of degree 8, 2^-23 relative; 1 - x^2 as a
// product, since 1 - |x| is exact where it is small. The form of Giles, "Approximating the erfinv function" (2010);
// the polynomials are ours.
// Measured 3.
float eg_erfinv(float x) {
  float a = abs(x);
  float w = -eg_log((1.0 - a) * (1.0 + a));
  bool tail = w > 5.0;
  float s = tail ? sqrt(w) - 3.0 : w - 2.5;
  float p = tail ? -0.000152103079 : 2.85526323e-08;
  p = p * s + (tail ? 8.43409071e-05 : 3.43741021e-07);
  p = p * s + (tail ? 0.00127403263 : -3.52898337e-06);
  p = p * s + (tail ? -0.0036574218 : -4.39693258e-06);
  p = p * s + (tail ? 0.00577672059 : 0.00021860264);
  p = p * s + (tail ? -0.00762597518 : -0.00125370699);
  p = p * s + (tail ? 0.00943302829 : -0.00417770818);
  p = p * s + (tail ? 1.00167418 : 0.246640727);
  p = p * s + (tail ? 2.83297706 : 1.50140941);
  uint bits = floatBitsToUint(a);
  float y = bits == 0x3f800000u ? eg_copysign(eg_infinity(), x) : x * p;
  return bits <= 0x3f800000u ? y : eg_nan();
}

// ---- gamma functions ------------------------------------------------------------------------------------------------

//@ eg_from_integer :
// a less the nearest integer, exact for every a >= 0 below 2^23 and 0 beyond.
float eg_from_integer(float a) { return a < 8388608.0 ? a - floor(a + 0.5) : 0.0; }

//@ eg_lgamma : eg_log eg_from_integer eg_sin_reduced eg_cos_reduced eg_isnan eg_isinf eg_infinity
// log |gamma(x)|. Of a = |x|: below 1.5 (a - 1) P(a - 1), below 3 (a - 2) Q(a - 2), so that the zeros are exact; below
// 6 R(a - 4.5); from there Stirling's series. P of degree 11, Q and R of 8, 2^-23 relative. |x| < 1/2: lgamma(1 + x) -
// log |x|. x <= -1/2: reflected, -log(a sin(pi a) / pi) - lgamma(a); there only the sum of the two has an absolute
// error, and not the zeros between them a relative one.
// Measured 3, or 3e-7 absolute below 0.
float eg_lgamma(float x) {
  float a = abs(x);
  bool tiny = a < 0.5;
  bool one = a < 1.5;
  bool two = a < 3.0;
  float t = tiny ? x : (one ? a - 1.0 : (two ? a - 2.0 : a - 4.5));
  float p = one ? 0.0406528227 : 0.0;
  p = p * t + (one ? -0.170730591 : 0.0);
  p = p * t + (one ? 0.161389753 : 0.0);
  p = p * t + (one ? -0.0895481855 : (two ? -0.000140420874 : 6.76627735e-07));
  p = p * t + (one ? 0.106964648 : (two ? 0.000554416794 : -6.82228074e-06));
  p = p * t + (one ? -0.146398142 : (two ? -0.00126831769 : 3.1869844e-05));
  p = p * t + (one ? 0.171784997 : (two ? 0.00289070304 : -0.00018187282));
  p = p * t + (one ? -0.207295582 : (two ? -0.00736625353 : 0.00126121927));
  p = p * t + (one ? 0.270475537 : (two ? 0.0205795225 : -0.0102630453));
  p = p * t + (one ? -0.400686026 : (two ? -0.067353949 : 0.124363355));
  p = p * t + (one ? 0.8224684 : (two ? 0.322467089 : 1.38887179));
  p = p * t + (one ? -0.577215672 : (two ? 0.422784358 : 2.45373654));
  float l = eg_log(a);
  float near = two ? t * p : p;
  near = tiny ? near - l : near;
  float inverse = 1.0 / a;
  float far = (a - 0.5) * (l - 1.0) + (0.418938533 + inverse * (0.0833330378 - 0.002746118 * (inverse * inverse)));
  float y = a < 6.0 ? near : far;
  float g = abs(eg_from_integer(a));
  float s = g > 0.25 ? eg_cos_reduced(3.14159274 * (0.5 - g)) : eg_sin_reduced(3.14159274 * g);
  y = x <= -0.5 ? -(eg_log(a * s * 0.318309873) + y) : y;
  y = eg_isinf(x) || (x <= -0.5 && g == 0.0) ? eg_infinity() : y;
  return eg_isnan(x) ? x : y;
}

//@ eg_digamma : eg_log eg_from_integer eg_sin_reduced eg_cos_reduced eg_isnan eg_nan eg_infinity
// The derivative of lgamma. Of a = |x|: below 2 psi(1 + t) = (t - t0) P(t), t0 the zero in two parts, P of degree 9;
// from there log(a) - 1 / (2 a) - R(1 / a^2), R of degree 5. 2^-25 relative. psi(a) = psi(1 + a) - 1 / a below 1, and
// psi(-a) = psi(1 + a) + pi cot(pi a), whose zeros have an absolute error.
// Measured 2, or 2.2e-6 absolute below 0.
float eg_digamma(float x) {
  float a = abs(x);
  bool small = a < 1.0;
  float t = small ? a : a - 1.0;
  float p = -0.0170734748;
  p = p * t + 0.100972846;
  p = p * t - 0.275669098;
  p = p * t + 0.476567626;
  p = p * t - 0.61690861;
  p = p * t + 0.68179661;
  p = p * t - 0.712403774;
  p = p * t + 0.752336323;
  p = p * t - 0.854691088;
  p = p * t + 1.25038016;
  float near = ((t - 0.461632133) - 1.24381499e-8) * p;
  float inverse = 1.0 / a;
  float v = inverse * inverse;
  float r = 0.0018457016;
  r = r * v - 0.00302498997;
  r = r * v + 0.00383318285;
  r = r * v - 0.00832504407;
  r = r * v + 0.0833331198;
  r = r * v + 1.28948896e-09;
  float far = eg_log(a) - (0.5 * inverse + r);
  float y = a < 2.0 ? near : far;
  float f = eg_from_integer(a);
  float g = abs(f);
  bool upper = g > 0.25;
  float angle = 3.14159274 * (upper ? 0.5 - g : g);
  float s = eg_sin_reduced(angle);
  float c = eg_cos_reduced(angle);
  float cotangent = (upper ? s : c) / (upper ? c : s);
  float reflected = (small ? y : y + inverse) + 3.14159274 * (f < 0.0 ? -cotangent : cotangent);
  float positive = small ? y - inverse : y;
  bool negative = floatBitsToUint(x) >= 0x80000000u;
  y = negative ? reflected : positive;
  y = negative && g == 0.0 ? eg_nan() : y;
  y = x == 0.0 ? (negative ? eg_infinity() : -eg_infinity()) : y;
  return eg_isnan(x) ? x : y;
}

// ---- two and three arguments ----------------------------------------------------------------------------------------

//@ eg_logaddexp : eg_exp eg_log1p eg_maximum eg_isinf
// The larger m + log(1 + exp(-|x - y|)); an infinite m alone, as infinities may have no difference.
// Measured 5e-8 absolute near zeros.
float eg_logaddexp(float x, float y) {
  float m = eg_maximum(x, y);
  return eg_isinf(m) ? m : m + eg_log1p(eg_exp(-abs(x - y)));
}

//@ eg_logaddexp2 : eg_exp2 eg_log1p eg_maximum eg_isinf
// Measured 7e-8 absolute near zeros.
float eg_logaddexp2(float x, float y) {
  float m = eg_maximum(x, y);
  return eg_isinf(m) ? m : m + 1.44269502 * eg_log1p(eg_exp2(-abs(x - y)));
}

//@ eg_xlogy : eg_log eg_isnan
// Measured 2.
float eg_xlogy(float x, float y) { return x == 0.0 && !eg_isnan(y) ? 0.0 : x * eg_log(y); }

//@ eg_lerp : eg_isinf
// Between numbers of one sign a + w (b - a) from the nearer end; of two signs a (1 - w) + b w, where b - a may overflow.
float eg_lerp(float a, float b, float w) {
  float d = b - a;
  bool infinite = eg_isinf(a) || eg_isinf(b) || eg_isinf(w);
  float near = w < 0.5 || infinite ? a + w * d : b - d * (1.0 - w);
  bool opposite = (floatBitsToUint(a) ^ floatBitsToUint(b)) >= 0x80000000u;
  return opposite && !infinite ? a * (1.0 - w) + b * w : near;
}
