// math.glsl: the GLSL side of the operation table (src/ops.def). A library of snippets: a line
//     //@ name : names of the snippets it needs
// opens one, and the code generator copies into a kernel the snippets that its expression calls, and those that they
// need. The text above the first snippet is not copied. A snippet stands below the snippets it needs.
//
// - EG_PRECISE stands before arithmetic that must be done as written: argument reductions and double-float numbers. The
//   generator defines it as `precise`, or as nothing on GLSL ES 3.10, which lacks it. The generator also makes all floats
//   of a function that returns float EG_PRECISE, so that it has the same bits in every kernel. fma() is not used: it
//   need not be fused.
// - A driver may flush denormals. No function relies on them, and none makes an intermediate denormal on the way to a
//   normal result.
// - NaN is tested by its bits, since GLSL lets a driver assume that there is none; so are other special values where an
//   inverted comparison would give a wrong answer. Infinities and NaN are written as uintBitsToFloat.
// - Straight-line code: no loops but those of a constant trip count, no tables, few divisions. Both sides of a selection are
//   computed; only what hardly ever runs and costs much stands behind a branch (large arguments of sin and fmod).
// - The polynomials are minimax fits made for these intervals (Remez exchange in 60 digits; the coefficients rounded to
//   float from the lowest power up, the rest fitted again each time).
// - "Measured" is the largest distance from the correctly rounded result, in floats, over 2^21 arguments (all
//   exponents, all special values, dense where the function is hard), on Mesa llvmpipe 22.3 / an NVIDIA H200 with
//   driver 580.159.

//@ eg_isnan :
// EG_ISNAN(x) tests the bits, or calls isnan() where that detects every NaN.
bool eg_isnan(float x) { return EG_ISNAN(x); }
bool eg_isnan(int x) { return false; }
bool eg_isnan(uint x) { return false; }
bool eg_isnan(bool x) { return false; }

//@ eg_isinf :
bool eg_isinf(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u; }
bool eg_isinf(int x) { return false; }
bool eg_isinf(uint x) { return false; }
bool eg_isinf(bool x) { return false; }

//@ eg_isfinite :
bool eg_isfinite(float x) { return (floatBitsToUint(x) & 0x7fffffffu) < 0x7f800000u; }
bool eg_isfinite(int x) { return true; }
bool eg_isfinite(uint x) { return true; }
bool eg_isfinite(bool x) { return true; }

//@ eg_nan :
float eg_nan() { return uintBitsToFloat(0x7fc00000u); }

//@ eg_infinity :
float eg_infinity() { return uintBitsToFloat(0x7f800000u); }

//@ eg_high_bits :
// The leading 12 bits of x: the product of two such numbers is exact, and the rest of x has 12 bits too.
float eg_high_bits(float x) { return uintBitsToFloat(floatBitsToUint(x) & 0xfffff000u); }

//@ eg_or :
// Booleans are bool in scans, and 0 and 1 in uint in reductions and tilings.
bool eg_or(bool a, bool b) { return a || b; }
uint eg_or(uint a, uint b) { return a | b; }

//@ eg_and :
bool eg_and(bool a, bool b) { return a && b; }
uint eg_and(uint a, uint b) { return a & b; }

// ---- packed booleans ------------------------------------------------------------------------------------------------
// A byte each, four to a word, the first in the lowest.

//@ eg_unpack :
uint eg_unpack(uint word, uint at) { return (word >> ((at & 3u) << 3)) & 1u; }
uvec4 eg_unpack(uint word) { return (uvec4(word) >> uvec4(0u, 8u, 16u, 24u)) & 1u; }

//@ eg_pack :
uint eg_pack(uvec4 values) { return values.x | (values.y << 8) | (values.z << 16) | (values.w << 24); }

// ---- casts ----------------------------------------------------------------------------------------------------------

//@ eg_to_float :
float eg_to_float(float x) { return x; }
float eg_to_float(int x) { return float(x); }
float eg_to_float(uint x) { return float(x); }
float eg_to_float(bool x) { return x ? 1.0 : 0.0; }

//@ eg_to_int :
// Float truncates toward zero and saturates, NaN gives 0: the bounds are tested by hand since int() of a value that
// does not fit is undefined and differs between drivers. u32 keeps its bits.
int eg_to_int(float x) {
  int y = int(abs(x) < 2147483648.0 ? x : 0.0);
  y = x >= 2147483648.0 ? 0x7fffffff : y;
  y = x <= -2147483648.0 ? int(0x80000000u) : y;
  return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? 0 : y;
}
int eg_to_int(int x) { return x; }
int eg_to_int(uint x) { return int(x); }
int eg_to_int(bool x) { return x ? 1 : 0; }

//@ eg_to_uint :
// As eg_to_int, saturating at 0 and 2^32 - 1. The upper half of the range is converted in two steps, because some
// drivers go through a signed conversion. i32 keeps its bits.
uint eg_to_uint(float x) {
  bool high = x >= 2147483648.0;
  float low = high ? x - 2147483648.0 : x;
  uint y = uint(int(low > 0.0 && low < 2147483648.0 ? low : 0.0));
  y = high ? y | 0x80000000u : y;
  y = x >= 4294967296.0 ? 0xffffffffu : y;
  return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? 0u : y;
}
uint eg_to_uint(int x) { return uint(x); }
uint eg_to_uint(uint x) { return x; }
uint eg_to_uint(bool x) { return x ? 1u : 0u; }

//@ eg_to_bool :
// x != 0 by the bits, so that NaN is true on every driver.
bool eg_to_bool(float x) { return (floatBitsToUint(x) & 0x7fffffffu) != 0u; }
bool eg_to_bool(int x) { return x != 0; }
bool eg_to_bool(uint x) { return x != 0u; }
bool eg_to_bool(bool x) { return x; }

// ---- sign, order, rounding ------------------------------------------------------------------------------------------

//@ eg_abs :
// The smallest i32 has no positive counterpart and stays itself.
float eg_abs(float x) { return abs(x); }
int eg_abs(int x) { return x < 0 ? -x : x; }
uint eg_abs(uint x) { return x; }

//@ eg_sign :
// By the bits: zeros and NaN stay, all else becomes 1 with its sign (also denormals, which a comparison may take
// for zero).
float eg_sign(float x) {
  uint bits = floatBitsToUint(x);
  return (bits & 0x7fffffffu) - 1u < 0x7f800000u ? uintBitsToFloat((bits & 0x80000000u) | 0x3f800000u) : x;
}
int eg_sign(int x) { return x > 0 ? 1 : (x < 0 ? -1 : 0); }
uint eg_sign(uint x) { return min(x, 1u); }

//@ eg_relu :
// By the bits, because max(x, 0) may drop a NaN: -0 to -infinity become 0, all else stays.
float eg_relu(float x) { return floatBitsToUint(x) - 0x80000000u <= 0x7f800000u ? 0.0 : x; }
int eg_relu(int x) { return max(x, 0); }
uint eg_relu(uint x) { return x; }

//@ eg_maximum : eg_isnan
float eg_maximum(float x, float y) { return eg_isnan(x) || eg_isnan(y) ? x + y : max(x, y); }
int eg_maximum(int x, int y) { return max(x, y); }
uint eg_maximum(uint x, uint y) { return max(x, y); }

//@ eg_minimum : eg_isnan
float eg_minimum(float x, float y) { return eg_isnan(x) || eg_isnan(y) ? x + y : min(x, y); }
int eg_minimum(int x, int y) { return min(x, y); }
uint eg_minimum(uint x, uint y) { return min(x, y); }

//@ eg_fmax : eg_isnan
// As eg_maximum, but a NaN counts as missing.
float eg_fmax(float x, float y) { return eg_isnan(x) ? y : (eg_isnan(y) ? x : max(x, y)); }
int eg_fmax(int x, int y) { return max(x, y); }
uint eg_fmax(uint x, uint y) { return max(x, y); }

//@ eg_fmin : eg_isnan
float eg_fmin(float x, float y) { return eg_isnan(x) ? y : (eg_isnan(y) ? x : min(x, y)); }
int eg_fmin(int x, int y) { return min(x, y); }
uint eg_fmin(uint x, uint y) { return min(x, y); }

//@ eg_clip : eg_maximum eg_minimum
float eg_clip(float x, float y, float z) { return eg_minimum(eg_maximum(x, y), z); }
int eg_clip(int x, int y, int z) { return min(max(x, y), z); }
uint eg_clip(uint x, uint y, uint z) { return min(max(x, y), z); }

//@ eg_eq :
bool eg_eq(float x, float y) { return x == y; }
bool eg_eq(int x, int y) { return x == y; }
bool eg_eq(uint x, uint y) { return x == y; }
bool eg_eq(bool x, bool y) { return x == y; }

//@ eg_ordered :
// Whether neither is NaN.
bool eg_ordered(float x, float y) {
  return max(floatBitsToUint(x) & 0x7fffffffu, floatBitsToUint(y) & 0x7fffffffu) <= 0x7f800000u;
}

//@ eg_lt : eg_ordered
// The order of the table's four comparisons: gt and ge swap the arguments. False when an argument is NaN, by an
// explicit test: compilers turn !(x < y) into x >= y and x < y ? y : x into max(x, y), in `precise` code too.
bool eg_lt(float x, float y) { return x < y && eg_ordered(x, y); }
bool eg_lt(int x, int y) { return x < y; }
bool eg_lt(uint x, uint y) { return x < y; }
bool eg_lt(bool x, bool y) { return !x && y; }

//@ eg_le : eg_ordered
// As eg_lt. Not "not greater", which is true for NaN.
bool eg_le(float x, float y) { return x <= y && eg_ordered(x, y); }
bool eg_le(int x, int y) { return x <= y; }
bool eg_le(uint x, uint y) { return x <= y; }
bool eg_le(bool x, bool y) { return !x || y; }

//@ eg_floor :
float eg_floor(float x) { return floor(x); }
int eg_floor(int x) { return x; }
uint eg_floor(uint x) { return x; }

//@ eg_ceil :
float eg_ceil(float x) { return ceil(x); }
int eg_ceil(int x) { return x; }
uint eg_ceil(uint x) { return x; }

//@ eg_round :
float eg_round(float x) { return roundEven(x); }
int eg_round(int x) { return x; }
uint eg_round(uint x) { return x; }

//@ eg_trunc :
float eg_trunc(float x) { return trunc(x); }
int eg_trunc(int x) { return x; }
uint eg_trunc(uint x) { return x; }

// ---- division -------------------------------------------------------------------------------------------------------

//@ eg_div :
// Float, correctly rounded where the arguments and the result are normal: the driver's quotient q, which may be off
// by two vectors, is moved by the remainder x - q y of the significands as integers (X, Y, Q of 24 bits; the
// remainder is small, so 32 wrapping bits hold it). Large divisors are scaled down together with x, because a
// driver that divides through the reciprocal loses it when it is denormal (|y| > 2^126); what underflows in x then
// underflows in x / y too.
// Integers: through unsigned magnitudes, as drivers differ on signs; y = 0 gives 0, the smallest i32 / -1 wraps.
// Measured, float: 0 / 0, and 1 where the result is denormal.
bool eg_is_normal(uint bits) { return (bits << 1) - 0x01000000u < 0xfe000000u; }
float eg_div(float x, float y) {
  float scale = abs(y) > 18446744073709551616.0 ? 5.42101086242752217e-20 : 1.0;
  uint q = floatBitsToUint((x * scale) / (y * scale));
  uint xb = floatBitsToUint(x);
  uint yb = floatBitsToUint(y);
  uint exponents = ((xb >> 23) & 255u) - ((yb >> 23) & 255u) - ((q >> 23) & 255u);
  uint shift = (exponents + 150u) & 31u;
  uint d = (yb & 0x007fffffu) | 0x00800000u;
  uint product = ((q & 0x007fffffu) | 0x00800000u) * d;
  int twice = 2 * int((((xb & 0x007fffffu) | 0x00800000u) << shift) - product);
  int y1 = int(d);
  int up = int(twice > y1) + int(twice > 3 * y1);
  int down = int(twice < -y1) + int(twice < -3 * y1);
  bool regular = eg_is_normal(xb) && eg_is_normal(yb) && eg_is_normal(q);
  return uintBitsToFloat(regular ? q + uint(up - down) : q);
}
uint eg_div(uint x, uint y) { return y == 0u ? 0u : x / max(y, 1u); }
int eg_div(int x, int y) {
  uint q = uint(x < 0 ? -x : x) / max(uint(y < 0 ? -y : y), 1u);
  int signed_q = int((x ^ y) < 0 ? 0u - q : q);
  return y == 0 ? 0 : signed_q;
}

//@ eg_scale :
// p * 2^n for n in [-252, 254], in two factors: one of them alone would overflow or be denormal where p * 2^n is not.
float eg_scale(float p, int n) {
  int half_n = n >> 1;
  return p * uintBitsToFloat(uint(half_n + 127) << 23) * uintBitsToFloat(uint(n - half_n + 127) << 23);
}

//@ eg_fmod_magnitude : eg_scale
// x mod y, or -x mod y, of the magnitudes of finite numbers given by their bits, y > 0; exact but for y - x, where x <
// y. The significands as integers: r 2^d mod
// m with 2^23 <= m < 2^24, 20 bits of d a step. A step's quotient, below 2^20, comes from floats and is off by one at
// most; 32 wrapping bits hold what is left. More than two steps, from |x / y| = 2^40 on, only where they are needed.
uint eg_fmod_step(uint r, uint m, float inverse, uint count) {
  float q = float(r) * inverse * uintBitsToFloat((127u + count) << 23);
  int left = int((r << count) - uint(q) * m);
  left = left < 0 ? left + int(m) : left;
  return uint(left >= int(m) ? left - int(m) : left);
}
float eg_fmod_magnitude(uint x, uint y, bool negated) {
  int ey = int(y >> 23);
  uint m = (y & 0x007fffffu) | (ey == 0 ? 0u : 0x00800000u);
  int up = 23 - findMSB(m);
  m = m << up;
  ey = max(ey, 1) - up;
  int ex = int(x >> 23);
  uint r = (x & 0x007fffffu) | (ex == 0 ? 0u : 0x00800000u);
  r = r >= m ? r - m : r;
  uint d = uint(max(max(ex, 1) - ey, 0));
  float inverse = 1.0 / float(m);
  uint count = min(d, 20u);
  r = eg_fmod_step(r, m, inverse, count);
  d -= count;
  count = min(d, 20u);
  r = eg_fmod_step(r, m, inverse, count);
  d -= count;
  if (d > 0u) {
    for (int i = 0; i < 12; ++i) {
      count = min(d, 20u);
      r = eg_fmod_step(r, m, inverse, count);
      d -= count;
    }
  }
  r = negated && r != 0u ? m - r : r;
  float below = uintBitsToFloat(x);
  below = negated ? (below == 0.0 ? 0.0 : uintBitsToFloat(y) - below) : below;
  return x < y ? below : eg_scale(float(r), ey - 150);
}

//@ eg_fmod : eg_fmod_magnitude eg_nan
// x - y trunc(x / y), exact, with the sign of x; y = 0 and infinite x give NaN. Integers: y = 0 gives 0.
// Measured 0 on llvmpipe.
float eg_fmod(float x, float y) {
  uint ax = floatBitsToUint(x) & 0x7fffffffu;
  uint ay = floatBitsToUint(y) & 0x7fffffffu;
  bool undefined = ay == 0u || ax >= 0x7f800000u || ay > 0x7f800000u;
  float r = eg_fmod_magnitude(undefined ? 0u : ax, undefined ? 0x3f800000u : ay, false);
  r = uintBitsToFloat(floatBitsToUint(r) | (floatBitsToUint(x) & 0x80000000u));
  return undefined ? eg_nan() : r;
}
uint eg_fmod(uint x, uint y) { return y == 0u ? 0u : x % max(y, 1u); }
int eg_fmod(int x, int y) {
  uint r = uint(x < 0 ? -x : x) % max(uint(y < 0 ? -y : y), 1u);
  return y == 0 ? 0 : (x < 0 ? -int(r) : int(r));
}

//@ eg_remainder : eg_fmod_magnitude eg_nan
// x - y floor(x / y), with the sign of y, as Python has it; a zero result takes the sign of y too. Float: correctly
// rounded for all arguments. |x| < |y| (y infinite too) gives x, or x + y when the signs differ; y = 0 and infinite x
// NaN. Integers: y = 0 gives 0.
// Measured 0 on llvmpipe.
float eg_remainder(float x, float y) {
  uint ax = floatBitsToUint(x) & 0x7fffffffu;
  uint ay = floatBitsToUint(y) & 0x7fffffffu;
  bool differ = (floatBitsToUint(x) ^ floatBitsToUint(y)) >= 0x80000000u;
  bool undefined = ay == 0u || ax >= 0x7f800000u || ay > 0x7f800000u;
  float r = eg_fmod_magnitude(undefined ? 0u : ax, undefined ? 0x3f800000u : ay, differ);
  r = uintBitsToFloat(floatBitsToUint(r) | (floatBitsToUint(y) & 0x80000000u));
  return undefined ? eg_nan() : r;
}
uint eg_remainder(uint x, uint y) { return y == 0u ? 0u : x % max(y, 1u); }
int eg_remainder(int x, int y) {
  uint r = uint(x < 0 ? -x : x) % max(uint(y < 0 ? -y : y), 1u);
  int signed_r = x < 0 ? -int(r) : int(r);
  signed_r = r != 0u && (x ^ y) < 0 ? signed_r + y : signed_r;
  return y == 0 ? 0 : signed_r;
}

//@ eg_product_error : eg_high_bits
// a b - p, exact for p = a b rounded, after Dekker (1971).
float eg_product_error(float a, float b, float p) {
  float ah = eg_high_bits(a);
  float bh = eg_high_bits(b);
  float al = a - ah;
  float bl = b - bh;
  return (((ah * bh - p) + ah * bl) + al * bh) + al * bl;
}

//@ eg_floor_divide : eg_div eg_product_error eg_isinf eg_nan
// floor(x / y). Float, as NumPy: x / 0 for y = 0, else NaN for infinite x. The quotient is correctly rounded; where that
// raised it to an integer n, the remainder x - n y has not the sign of y. From 2^24 on the quotient itself is taken.
// Integers: y = 0 gives 0; the smallest i32 / -1 wraps.
// Measured 1 on llvmpipe.
float eg_floor_divide(float x, float y) {
  bool differ = (floatBitsToUint(x) ^ floatBitsToUint(y)) >= 0x80000000u;
  float size = abs(y);
  float scale = size > 1.0e18 ? 5.42101086e-20 : (size < 1.0e-18 ? 1.84467441e19 : 1.0);
  float n = floor(eg_div(x, y));
  float d = y * scale;
  float p = n * d;
  float r = (x * scale - p) - eg_product_error(n, d, p);
  bool raised = r != 0.0 && (floatBitsToUint(r) ^ floatBitsToUint(y)) >= 0x80000000u;
  n = abs(n) < 16777216.0 && raised ? n - 1.0 : n;
  float below = x == 0.0 || !differ ? uintBitsToFloat(differ ? 0x80000000u : 0u) : -1.0;
  n = abs(x) < size ? below : n;
  return eg_isinf(x) && y != 0.0 ? eg_nan() : n;
}
uint eg_floor_divide(uint x, uint y) { return eg_div(x, y); }
int eg_floor_divide(int x, int y) {
  uint b = max(uint(y < 0 ? -y : y), 1u);
  uint a = uint(x < 0 ? -x : x);
  uint q = a / b;
  int quotient = int((x ^ y) < 0 ? 0u - q - (a - q * b == 0u ? 0u : 1u) : q);
  return y == 0 ? 0 : quotient;
}

// ---- roots ----------------------------------------------------------------------------------------------------------

//@ eg_sqrt :
// Measured 0 / 1.
float eg_sqrt(float x) { return sqrt(x); }

//@ eg_rsqrt : eg_nan eg_high_bits
// One Newton step on the driver's inversesqrt, y + y (1 - x y y) / 2, with the residual in double-float: x y and
// then (x y) y are split products after Dekker (1971). Arguments below 2^-63 are scaled by 2^64, so that no part is
// denormal.
// Measured 1 / 1.
float eg_rsqrt(float x) {
  bool tiny = x < 1.0842021724855044e-19;
  float v = tiny ? x * 18446744073709551616.0 : x;
  float y = inversesqrt(v);
  float yh = eg_high_bits(y);
  float vh = eg_high_bits(v);
  EG_PRECISE float yl = y - yh;
  EG_PRECISE float vl = v - vh;
  EG_PRECISE float p = v * y;
  EG_PRECISE float p_error = ((vh * yh - p) + vl * yh + vh * yl) + vl * yl;
  float ph = eg_high_bits(p);
  EG_PRECISE float pl = p - ph;
  EG_PRECISE float q = p * y;
  EG_PRECISE float q_error = ((ph * yh - q) + pl * yh + ph * yl) + pl * yl;
  EG_PRECISE float residual = ((1.0 - q) - q_error) - p_error * y;
  EG_PRECISE float refined = y + 0.5 * y * residual;
  float r = tiny ? refined * 4294967296.0 : refined;
  uint bits = floatBitsToUint(v);
  float special = bits == 0x7f800000u ? 0.0 : eg_nan();
  special = bits << 1 == 0u ? uintBitsToFloat(0x7f800000u | bits) : special;
  return bits - 1u < 0x7f7fffffu ? r : special;
}

// ---- exponentials ---------------------------------------------------------------------------------------------------

//@ eg_exp_reduced :
// exp(r) for |r| <= ln 2 / 2 (a little more does no harm): 1 + r + r^2 P(r), P of degree 4, 2^-28 relative.
float eg_exp_reduced(float r) {
  float p = 0.00138471858;
  p = p * r + 0.00836999435;
  p = p * r + 0.041668009;
  p = p * r + 0.166665092;
  p = p * r + 0.49999994;
  return 1.0 + (r + r * r * p);
}

//@ eg_exp : eg_scale eg_exp_reduced eg_infinity
// exp(x) = 2^n exp(r), n = round(x / ln 2), r = x - n ln 2 with ln 2 in two parts (Cody and Waite); n times the first,
// of 15 bits, is exact.
// Measured 1 / 1.
float eg_exp(float x) {
  float n = floor(x * 1.44269502 + 0.5);
  EG_PRECISE float r = (x - n * 0.693145752) - n * 1.42860677e-6;
  float y = eg_scale(eg_exp_reduced(r), int(n));
  y = x < -104.0 ? 0.0 : y;
  return x > 88.7228394 ? eg_infinity() : y;
}

//@ eg_exp2_reduced :
// 2^r for |r| <= 1/2: 1 + r P(r), P of degree 5, 2^-26 relative.
float eg_exp2_reduced(float r) {
  float p = 0.000133602371;
  p = p * r + 0.0013388705;
  p = p * r + 0.00962549169;
  p = p * r + 0.0555036515;
  p = p * r + 0.240225926;
  p = p * r + 0.693147182;
  return 1.0 + r * p;
}

//@ eg_exp2 : eg_scale eg_exp2_reduced eg_infinity
// 2^x = 2^n 2^r, n = round(x); r = x - n is exact.
// Measured 1 / 1.
float eg_exp2(float x) {
  float n = floor(x + 0.5);
  float y = eg_scale(eg_exp2_reduced(x - n), int(n));
  y = x < -150.0 ? 0.0 : y;
  return x >= 128.0 ? eg_infinity() : y;
}

//@ eg_expm1 : eg_infinity
// exp(x) - 1 = 2 (2^(n-1) E + (2^(n-1) - 1/2)), with E = exp(r) - 1 = r + r^2 P(r), P of degree 5, 2^-28 relative;
// the sum cancels nowhere, and n - 1 instead of n keeps n = 128 finite. n is bounded below, where the result is -1.
// Measured 1 / 3.
float eg_expm1(float x) {
  float n = floor(max(x, -20.0) * 1.44269502 + 0.5);
  EG_PRECISE float r = (x - n * 0.693145752) - n * 1.42860677e-6;
  float p = 0.000150425025;
  p = p * r + 0.0013931531;
  p = p * r + 0.00834170915;
  p = p * r + 0.041666504;
  p = p * r + 0.166666344;
  p = p * r + 0.5;
  float e = r + r * r * p;
  float half_scale = uintBitsToFloat(uint(int(n) + 126) << 23);
  float y = 2.0 * (half_scale * e + (half_scale - 0.5));
  y = n == 0.0 ? e : y;
  y = x == 0.0 ? x : (x < -17.5 ? -1.0 : y);
  return x > 88.7228394 ? eg_infinity() : y;
}

//@ eg_tanh : eg_expm1 eg_isnan
// tanh |x| = E / (E + 2), E = exp(2 |x|) - 1, and the sign of x; from 9.02 on the result rounds to 1.
// Measured 2 / 3.
float eg_tanh(float x) {
  float e = eg_expm1(2.0 * min(abs(x), 10.0));
  float y = e / (e + 2.0);
  y = uintBitsToFloat(floatBitsToUint(y) | (floatBitsToUint(x) & 0x80000000u));
  return eg_isnan(x) ? x : y;
}

//@ eg_sigmoid : eg_exp
// 1 / (1 + e) for x >= 0 and e / (1 + e) below, e = exp(-|x|): never overflows, and small results keep their accuracy.
// Measured 2 / 3.
float eg_sigmoid(float x) {
  float e = eg_exp(-abs(x));
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

//@ eg_silu : eg_exp_reduced
// x sigmoid(x), as above with x e in place of e; the powers of two of e are multiplied in one at a time, since e
// alone may be denormal where x e is not. Below -110 (at -infinity too) the result rounds to -0.
// Measured 3 / 4.
float eg_silu(float x) {
  float t = -min(abs(x), 110.0);
  float n = floor(t * 1.44269502 + 0.5);
  EG_PRECISE float r = (t - n * 0.693145752) - n * 1.42860677e-6;
  int half_n = int(n) >> 1;
  float first = uintBitsToFloat(uint(half_n + 127) << 23);
  float second = uintBitsToFloat(uint(int(n) - half_n + 127) << 23);
  float p = eg_exp_reduced(r) * first;
  float numerator = x < 0.0 ? (x * p) * second : x;
  float y = numerator / (1.0 + p * second);
  return x < -110.0 ? uintBitsToFloat(0x80000000u) : y;
}

//@ eg_erf_near :
// erf x = x + x P(x^2) for |x| < 0.85, P of degree 5, 2^-27 relative.
float eg_erf_near(float x) {
  float v = x * x;
  float p = -0.000634851865;
  p = p * v + 0.0050577037;
  p = p * v - 0.0268072877;
  p = p * v + 0.11282865;
  p = p * v - 0.376125902;
  p = p * v + 0.128379166;
  return x + x * p;
}

//@ eg_erf : eg_erf_near eg_exp2_reduced eg_isnan
// |x| < 0.85: eg_erf_near, or 2 x / sqrt(pi) where a product in it may be denormal; above: 1 - 2^-(|x| Q(|x|)), which is
// 1 from 3.95 on. Q of degree 5, 2^-28 relative. The two-sided form is known from Juffa's erff; the
// polynomials are ours.
// Measured 1 / 1.
float eg_erf(float x) {
  float near = abs(x) < 1e-18 ? x * 1.12837917 : eg_erf_near(x);
  float t = min(abs(x), 3.95);
  float q = -0.000311413925;
  q = q * t + 0.00466026552;
  q = q * t - 0.0330933407;
  q = q * t + 0.151968956;
  q = q * t + 0.917066455;
  q = q * t + 1.62812579;
  float z = -t * q;
  float n = floor(z + 0.5);
  float far = 1.0 - eg_exp2_reduced(z - n) * uintBitsToFloat(uint(int(n) + 127) << 23);
  far = uintBitsToFloat(floatBitsToUint(far) | (floatBitsToUint(x) & 0x80000000u));
  float y = abs(x) < 0.85 ? near : far;
  return eg_isnan(x) ? x : y;
}

//@ eg_gelu : eg_exp_reduced eg_isnan eg_high_bits
// x (1 + erf(x / sqrt 2)) / 2 is x (1 - F(t)) for x > 0, else x F(t); t = |x|, F(t) = P(normal > t) = exp(-t^2 / 2)
// Q(u), u = (t - 3.5) / (t + 3.5). Q, of degree 8, is fitted for t <= 5.3 (2^-27 relative) and harmless beyond.
// Nothing cancels, so negative x keep their accuracy. t^2 is taken in two parts, because its rounding error alone
// would cost 6 vectors at t = 5. t is bounded where F rounds to 0; above, x is taken itself, since a compiler may
// multiply x (1 - F) out.
// Measured 5 / 5 for x >= -5, below 3e-13 absolute.
float eg_gelu(float x) {
  float t = min(abs(x), 16.0);
  float th = eg_high_bits(t);
  EG_PRECISE float high = -0.5 * (th * th);
  EG_PRECISE float low = -0.5 * ((t - th) * (t + th));
  float n = floor(high * 1.44269502 + 0.5);
  EG_PRECISE float r = ((high - n * 0.693145752) - n * 1.42860677e-6) + low;
  int half_n = int(n) >> 1;
  float e = eg_exp_reduced(r) * uintBitsToFloat(uint(half_n + 127) << 23);
  float u = (t - 3.5) / (t + 3.5);
  float q = 0.00016480028;
  q = q * u + 0.00037419924;
  q = q * u - 0.00140002894;
  q = q * u - 0.00156198232;
  q = q * u + 0.0190683082;
  q = q * u - 0.0616391338;
  q = q * u + 0.125855148;
  q = q * u - 0.187139705;
  q = q * u + 0.106345154;
  float last = uintBitsToFloat(uint(int(n) - half_n + 127) << 23);
  float f = q * e;
  EG_PRECISE float rest = 1.0 - f * last;
  EG_PRECISE float positive = x * rest;
  float y = x > 0.0 ? positive : (max(x, -16.0) * f) * last;
  y = x > 16.0 ? x : y;
  return eg_isnan(x) ? x : y;
}

// ---- logarithms -----------------------------------------------------------------------------------------------------

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
  p = p * f + 0.127690151;
  p = p * f - 0.131596744;
  p = p * f + 0.142007992;
  p = p * f - 0.166233182;
  p = p * f + 0.200012624;
  p = p * f - 0.250008225;
  p = p * f + 0.333333313;
  float v = f * f;
  return (v * f * p + extra) - 0.5 * v;
}

//@ eg_log : eg_log_split eg_log_special eg_log_tail
// Measured 1 / 1.
float eg_log(float x) {
  float v, n, f;
  eg_log_split(x, v, n, f);
  float y = n * 0.693145752 + (f + eg_log_tail(f, n * 1.42860677e-6));
  return eg_log_special(v, y);
}

//@ eg_log2 : eg_log_split eg_log_special eg_log_tail
// Measured 2 / 2.
float eg_log2(float x) {
  float v, n, f;
  eg_log_split(x, v, n, f);
  float y = n + 1.44269502 * (f + eg_log_tail(f, 0.0));
  return eg_log_special(v, y);
}

//@ eg_log1p : eg_log_special eg_log_tail
// 1 + x = 2^n (1 + f): f = x 2^-n + (2^-n - 1) loses nothing of a small x. From 2^24 on f comes from 1 + x itself,
// whose rounding no longer matters.
// Measured 1 / 1.
float eg_log1p(float x) {
  EG_PRECISE float u = 1.0 + x;
  uint bits = floatBitsToUint(u) + (0x3f800000u - 0x3f3504f3u);
  int n = int(bits >> 23) - 127;
  float large_f = uintBitsToFloat((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0;
  float scale = uintBitsToFloat(uint(127 - clamp(n, -25, 24)) << 23);
  EG_PRECISE float small_f = x * scale + (scale - 1.0);
  float f = n == 0 ? x : (n < 24 ? small_f : large_f);
  float y = float(n) * 0.693145752 + (f + eg_log_tail(f, float(n) * 1.42860677e-6));
  y = x == 0.0 ? x : y;
  return eg_log_special(u, y);
}

//@ eg_pow : eg_scale eg_exp2_reduced eg_isnan eg_nan eg_infinity eg_high_bits
// Float, after C's powf: |x|^y = 2^(y log2 |x|), |x| = 2^n m, the logarithm and the product in double-float.
//   log2 m = (2 / ln 2) atanh(s), atanh(s) = s + s^3 P(s^2), P of degree 3, 2^-35 relative;
//   s = (m - 1) / (m + 1) = sh + sl, sh of 12 bits, sl from the exact remainder of the division.
// What enters a large product is cut to 12 bits, so that the product is exact. Compilers may rearrange this where there
// is no `precise`: so no difference undoes a sum, and taking sh out of its two products leaves sh m, exact in an fma.
// Integers: by squaring, wrapping; a negative exponent gives the truncated quotient 1 / x^-y, with 1 / 0 = 0.
// Measured 4 / 4.
float eg_pow_magnitude(float ax, float y) {
  bool tiny = ax < 1.17549435e-38;
  uint bits = floatBitsToUint(tiny ? ax * 8388608.0 : ax) + (0x3f800000u - 0x3f3504f3u);
  float n = float(int(bits >> 23) - 127) - (tiny ? 23.0 : 0.0);
  float m = uintBitsToFloat((bits & 0x007fffffu) + 0x3f3504f3u);
  float f = m - 1.0;
  float mh = eg_high_bits(m);
  EG_PRECISE float ml = m - mh;
  float inverse = 1.0 / (m + 1.0);
  float sh = eg_high_bits(f * inverse);
  EG_PRECISE float sl = (((f - sh) - sh * mh) - sh * ml) * inverse;
  EG_PRECISE float s = sh + sl;
  float v = s * s;
  float p = 0.121393412;
  p = p * v + 0.142493978;
  p = p * v + 0.200004861;
  p = p * v + 0.333333313;
  EG_PRECISE float high = 2.88574219 * sh;
  EG_PRECISE float low = (2.88539008 * sl - 0.000352105708 * sh) + 2.88539008 * (s * v * p);
  float lh = eg_high_bits(n + (high + low));
  EG_PRECISE float ll = ((n - lh) + high) + low;
  float yh = eg_high_bits(y);
  EG_PRECISE float zh = yh * lh;
  EG_PRECISE float zl = (y - yh) * lh + y * ll;
  float k = floor(zh + zl + 0.5);
  EG_PRECISE float fraction = (zh - k) + zl;
  float power = eg_scale(eg_exp2_reduced(fraction), int(k));
  float log_size = ax >= eg_infinity() ? eg_infinity() : (ax == 0.0 ? -eg_infinity() : lh + ll);
  float z = y * log_size;
  power = z < -151.0 ? 0.0 : power;
  power = z > 129.0 ? eg_infinity() : power;
  return ax == 1.0 ? 1.0 : power;
}
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

// ---- circular functions ---------------------------------------------------------------------------------------------

//@ eg_large_quadrant :
// eg_quadrant for |x| > 1e4, after Payne and Hanek (1983): x = M 2^e with an integer M; the bits of 2 / pi of weights
// that give multiples of 4 are left out, and the next 96 multiplied by M, modulo 2^96. That leaves x 2 / pi mod 4 in
// units of 2^-94: the quadrant in two bits, and a fraction of which cancellation leaves 64 - 30 bits.
uint eg_two_over_pi(uint i) {
  uint low = i == 0u ? 0u : (i == 1u ? 0xa2f9836eu : (i == 2u ? 0x4e441529u : 0xfc2757d1u));
  uint high = i == 4u ? 0xf534ddc0u : (i == 5u ? 0xdb629599u : (i == 6u ? 0x3c439041u : 0xfe5163abu));
  return i < 4u ? low : high;
}
float eg_large_quadrant(float x, out int quadrant) {
  uint bits = floatBitsToUint(x) & 0x7fffffffu;
  uint start = min(bits >> 23, 254u) - 120u;
  uint m = (bits & 0x007fffffu) | 0x00800000u;
  uint i = start >> 5;
  uint shift = start & 31u;
  uint w0 = eg_two_over_pi(i);
  uint w1 = eg_two_over_pi(i + 1u);
  uint w2 = eg_two_over_pi(i + 2u);
  uint w3 = eg_two_over_pi(i + 3u);
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
  float n = floor(x * 0.636619747 + 0.5);
  EG_PRECISE float r = (((x - n * 1.5703125) - n * 0.000483751297) - n * 7.54953362e-8) - n * 2.56334407e-12;
  quadrant = int(clamp(n, -1.0e9, 1.0e9));
  if (abs(x) > 1.0e4) r = eg_large_quadrant(x, quadrant);
  return r;
}

//@ eg_sin_reduced :
// sin r = r + r^3 P(r^2) for |r| <= pi/4, P of degree 3, 2^-32 relative.
float eg_sin_reduced(float r) {
  float v = r * r;
  float p = 2.8325403e-06;
  p = p * v - 0.000198530659;
  p = p * v + 0.0083333794;
  p = p * v - 0.166666672;
  return r + r * v * p;
}

//@ eg_cos_reduced :
// cos r = 1 - r^2 / 2 + r^4 P(r^2) for |r| <= pi/4, P of degree 3, 2^-37 relative.
float eg_cos_reduced(float r) {
  float v = r * r;
  float p = -2.88262981e-07;
  p = p * v + 2.48215074e-05;
  p = p * v - 0.00138889789;
  p = p * v + 0.0416666679;
  return 1.0 + (v * v * p - 0.5 * v);
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

//@ eg_atan2 : eg_div eg_isnan eg_isinf
// The angle of (y, x) with the first argument the ordinate: atan of the smaller over the larger magnitude, z + z^3
// P(z^2) on [0, 1], P of degree 8, 2^-28 relative, then unfolded over the octants. Zeros and infinities as C's
// atan2f.
// Measured 2 / 2.
float eg_atan2(float y, float x) {
  float ay = abs(y);
  float ax = abs(x);
  float large = max(ax, ay);
  float z = eg_div(min(ax, ay), large);
  z = large == 0.0 ? 0.0 : z;
  z = eg_isinf(x) && eg_isinf(y) ? 1.0 : z;
  float v = z * z;
  float p = -0.00178896787;
  p = p * v + 0.0108928196;
  p = p * v - 0.0311352499;
  p = p * v + 0.0579125956;
  p = p * v - 0.0840067863;
  p = p * v + 0.109511867;
  p = p * v - 0.142640427;
  p = p * v + 0.199985296;
  p = p * v - 0.333332986;
  float angle = z + z * v * p;
  angle = ay > ax ? 1.57079637 - (angle + 4.37113883e-8) : angle;
  angle = floatBitsToUint(x) >= 0x80000000u ? 3.14159274 - (angle + 8.74227766e-8) : angle;
  angle = uintBitsToFloat(floatBitsToUint(angle) | (floatBitsToUint(y) & 0x80000000u));
  return eg_isnan(x) || eg_isnan(y) ? x + y : angle;
}

// ---- bits -----------------------------------------------------------------------------------------------------------

//@ eg_shift_left :
// As on infinitely many bits; a count below 0 or above 31 shifts everything out.
uint eg_shift_left(uint x, uint y) { return y > 31u ? 0u : x << (y & 31u); }
int eg_shift_left(int x, int y) { return uint(y) > 31u ? 0 : x << (y & 31); }

//@ eg_shift_right :
// As eg_shift_left; of i32 the sign moves in.
uint eg_shift_right(uint x, uint y) { return y > 31u ? 0u : x >> (y & 31u); }
int eg_shift_right(int x, int y) { return x >> (uint(y) > 31u ? 31 : y); }

// ---- order ----------------------------------------------------------------------------------------------------------

//@ eg_sort_key_f32 :
// A key's bits as an unsigned integer whose order is that of sort(): ascending where flip is 0, descending where it is
// ~0. The bits of positive floats grow with them, those of negative ones fall; -0 becomes +0, and every NaN the largest
// integer, which no flip moves. The same as backend/cpu/sort_key.hpp.
uint eg_sort_key_f32(uint bits, uint flip) {
  uint magnitude = bits & 0x7fffffffu;
  uint key = magnitude == 0u ? 0x80000000u : bits ^ ((bits >> 31) != 0u ? 0xffffffffu : 0x80000000u);
  return magnitude > 0x7f800000u ? 0xffffffffu : key ^ flip;
}

//@ eg_sort_key_i32 :
uint eg_sort_key_i32(uint bits, uint flip) { return bits ^ 0x80000000u ^ flip; }

//@ eg_sort_key_u32 :
uint eg_sort_key_u32(uint bits, uint flip) { return bits ^ flip; }

//@ eg_sort_key_boolean :
uint eg_sort_key_boolean(uint bits, uint flip) { return (bits ^ flip) & 1u; }

//@ eg_order_key :
uint eg_order_key(float x) {
  uint bits = floatBitsToUint(x);
  uint key = bits ^ ((bits >> 31) != 0u ? 0xffffffffu : 0x80000000u);
  return (bits & 0x7fffffffu) > 0x7f800000u ? 0xffffffffu : key;
}

//@ eg_from_order_key :
float eg_from_order_key(uint x) { return uintBitsToFloat(x ^ ((x >> 31) != 0u ? 0x80000000u : 0xffffffffu)); }

// ---- random numbers -------------------------------------------------------------------------------------------------

//@ eg_philox :
// Word `index` of a verb's stream of `key`: Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers:
// as easy as 1, 2, 3" (2011), counter (index / 4, 0, verb, 0), word index % 4 of its block.
uint eg_philox(uint verb, uint index, uint key_low, uint key_high) {
  uvec4 c = uvec4(index >> 2, 0u, verb, 0u);
  uvec2 key = uvec2(key_low, key_high);
  for (int i = 0; i < 10; ++i) {
    uint high0, low0, high1, low1;
    umulExtended(0xd2511f53u, c.x, high0, low0);
    umulExtended(0xcd9e8d57u, c.z, high1, low1);
    c = uvec4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
    key += uvec2(0x9e3779b9u, 0xbb67ae85u);
  }
  uint word = (index & 1u) != 0u ? c.y : c.x;
  uint other = (index & 1u) != 0u ? c.w : c.z;
  return (index & 2u) != 0u ? other : word;
}

//@ eg_normal_from_bits : eg_log eg_sin_reduced eg_cos_reduced
// Box-Muller: sqrt(-2 log a) cos(2 pi b), a = ((x >> 8) + 1) 2^-24 in (0, 1], b = (y >> 8) 2^-24 in [0, 1). At most
// 5.77 in size. The angle is folded into [-pi/4, pi/4] in integers, before it is rounded.
// Measured 2.4e-7 / 2.4e-7, relative or absolute.
float eg_normal_from_bits(uint x, uint y) {
  float radius = sqrt(-2.0 * eg_log(float((x >> 8) + 1u) * 5.9604644775390625e-8));
  uint turn = y >> 8;
  uint quadrant = (turn + 0x200000u) >> 22;
  float angle = float(int(turn) - int(quadrant << 22)) * 3.74507039e-7;
  float c = (quadrant & 1u) == 0u ? eg_cos_reduced(angle) : eg_sin_reduced(angle);
  return ((quadrant + 1u) & 2u) == 0u ? radius * c : -radius * c;
}

// ---- 64-bit numbers -------------------------------------------------------------------------------------------------

//@ eg_multiply_high :
// The high word of x y + z, which 64 bits hold.
uint eg_multiply_high(uint x, uint y, uint z) {
  uint high, low;
  umulExtended(x, y, high, low);
  return high + (low + z < low ? 1u : 0u);
}

//@ eg_float_of_fixed : eg_scale
// v 2^e, v the signed integer of two words: its size is shifted until the top bit is set, cut to 24 bits, and rounded to
// nearest, ties to even, by the bits cut off. As integers, so that every device has the same bits.
float eg_float_of_fixed(uint high, uint low, uint exponent) {
  bool negative = int(high) < 0;
  high = negative ? ~high + (low == 0u ? 1u : 0u) : high;
  low = negative ? 0u - low : low;
  bool short_one = high == 0u;
  high = short_one ? low : high;
  low = short_one ? 0u : low;
  int shift = 31 - max(findMSB(high), 0);
  high = high << shift | (shift == 0 ? 0u : low >> (32 - shift));
  uint rest = high << 24 | ((low << shift) != 0u ? 1u : 0u);
  uint cut = high >> 8;
  cut += rest > 0x80000000u || (rest == 0x80000000u && (cut & 1u) != 0u) ? 1u : 0u;
  int e = clamp(int(exponent), -400, 400) + 40 - shift - (short_one ? 32 : 0);
  float size = eg_scale(float(cut), clamp(e, -252, 254));
  return negative ? -size : size;
}

//@ eg_exp2_of_fixed : eg_multiply_high eg_float_of_fixed
// 2^(n + f) = 2^n (1 + r), f = y / 2^32. r in 32 bits by its series, log(2)^k / k!, whose terms are positive and less
// than 1; what is cut off is 2^-30 at most, a hundredth of the last place.
float eg_exp2_of_fixed(uint x, uint y) {
  uint p = eg_multiply_high(2u, y, 0u) + 0x1eu;
  p = eg_multiply_high(p, y, 0u) + 0x1b5u;
  p = eg_multiply_high(p, y, 0u) + 0x162cu;
  p = eg_multiply_high(p, y, 0u) + 0xffe6u;
  p = eg_multiply_high(p, y, 0u) + 0xa1849u;
  p = eg_multiply_high(p, y, 0u) + 0x576200u;
  p = eg_multiply_high(p, y, 0u) + 0x276556eu;
  p = eg_multiply_high(p, y, 0u) + 0xe35846cu;
  p = eg_multiply_high(p, y, 0u) + 0x3d7f7bffu;
  p = eg_multiply_high(p, y, 0u) + 0xb17217f8u;
  return eg_float_of_fixed(1u, eg_multiply_high(p, y, 0u), uint(clamp(int(x), -400, 400) - 32));
}

//@ eg_normal_quantile : eg_log eg_div eg_nan eg_infinity
// The inverse of the standard normal's distribution function: PPND7 of Wichura, "Algorithm AS 241: the percentage points
// of the normal distribution" (1988), a rational function of x - 1/2 in the middle, of sqrt(-log p) in the tails, p the
// smaller of x and 1 - x (which is exact).
float eg_normal_quantile(float x) {
  float p = x < 0.5 ? x : 1.0 - x;
  float q = x - 0.5;
  bool central = abs(q) <= 0.425;
  float c = 0.180625 - q * q;
  float root = sqrt(-eg_log(p));
  bool near = root <= 5.0;
  float t = near ? root - 1.6 : root - 5.0;
  float above = near ? ((0.17023821103 * t + 1.3067284816) * t + 2.7568153900) * t + 1.4234372777
                     : ((0.017337203997 * t + 0.42868294337) * t + 3.0812263860) * t + 6.6579051150;
  float below = near ? (0.12021132975 * t + 0.73700164250) * t + 1.0 : (0.012258202635 * t + 0.24197894225) * t + 1.0;
  above = central ? ((59.109374720 * c + 159.29113202) * c + 50.434271938) * c + 3.3871327179 : above;
  below = central ? ((67.187563600 * c + 78.757757664) * c + 17.895169469) * c + 1.0 : below;
  float y = eg_div(above, below);
  y = p == 0.0 ? eg_infinity() : y;
  y = central ? q * y : (x < 0.5 ? -y : y);
  uint bits = floatBitsToUint(x);
  return bits <= 0x3f800000u || bits == 0x80000000u ? y : eg_nan();
}
