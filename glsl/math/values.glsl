// Values: special values and their tests, signs, casts, order and rounding; shifts.

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

//@ eg_signbit :
// By the bits: true for -0 and for NaN with the sign bit.
bool eg_signbit(float x) { return floatBitsToUint(x) >= 0x80000000u; }
bool eg_signbit(int x) { return x < 0; }
bool eg_signbit(uint x) { return false; }

//@ eg_copysign :
// The sign by its bit, of zeros and NaN too; selected, since a driver joins bits wrongly (docs/drivers.md, joined signs).
float eg_copysign(float x, float y) { return floatBitsToInt(y) < 0 ? -abs(x) : abs(x); }

//@ eg_neg :
// Integers through unsigned ones, which wrap: NVIDIA's compiler takes max(-x, -y) for -min(x, y), which is wrong of the
// smallest i32 (docs/drivers.md, negated integers).
float eg_neg(float x) { return -x; }
int eg_neg(int x) { return int(0u - uint(x)); }
uint eg_neg(uint x) { return 0u - x; }

//@ eg_abs :
// The smallest i32 has no positive counterpart and stays itself.
float eg_abs(float x) { return abs(x); }
int eg_abs(int x) { return x < 0 ? int(0u - uint(x)) : x; }
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

//@ eg_or :
// Booleans are bool in scans, and 0 and 1 in uint in reductions and tilings.
bool eg_or(bool a, bool b) { return a || b; }
uint eg_or(uint a, uint b) { return a | b; }

//@ eg_and :
bool eg_and(bool a, bool b) { return a && b; }
uint eg_and(uint a, uint b) { return a & b; }

//@ eg_ordered :
// Whether neither is NaN. Each by itself: of a parameter, and of an argument of several comparisons, it is known once.
bool eg_ordered(float x, float y) {
  return (floatBitsToUint(x) & 0x7fffffffu) <= 0x7f800000u && (floatBitsToUint(y) & 0x7fffffffu) <= 0x7f800000u;
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

//@ eg_relu :
// By the bits, because max(x, 0) may drop a NaN: -0 to -infinity become 0, all else stays.
float eg_relu(float x) { return floatBitsToUint(x) - 0x80000000u <= 0x7f800000u ? 0.0 : x; }
int eg_relu(int x) { return max(x, 0); }
uint eg_relu(uint x) { return x; }

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

//@ eg_shift_left :
// As on infinitely many bits; a count below 0 or above 31 shifts everything out.
uint eg_shift_left(uint x, uint y) { return y > 31u ? 0u : x << (y & 31u); }
int eg_shift_left(int x, int y) { return uint(y) > 31u ? 0 : x << (y & 31); }

//@ eg_shift_right :
// As eg_shift_left; of i32 the sign moves in.
uint eg_shift_right(uint x, uint y) { return y > 31u ? 0u : x >> (y & 31u); }
int eg_shift_right(int x, int y) { return x >> (uint(y) > 31u ? 31 : y); }

//@ eg_power_of_two :
// 2^n for n in [-126, 127].
float eg_power_of_two(int n) { return uintBitsToFloat(uint(n + 127) << 23); }

//@ eg_scale : eg_power_of_two
// p * 2^n for n in [-252, 254], in two factors: one of them alone would overflow or be denormal where p * 2^n is not.
float eg_scale(float p, int n) { return p * eg_power_of_two(n >> 1) * eg_power_of_two(n - (n >> 1)); }

//@ eg_high_bits :
// The leading 12 bits of x: the product of two such numbers is exact, and the rest of x has 12 bits too.
float eg_high_bits(float x) { return uintBitsToFloat(floatBitsToUint(x) & 0xfffff000u); }

//@ eg_product_error : eg_high_bits
// a b - p, exact for p = a b rounded, after Dekker (1971) where no fma does it.
#ifdef EG_FUSED
float eg_product_error(float a, float b, float p) { return fma(a, b, -p); }
#else
float eg_product_error(float a, float b, float p) {
  float ah = eg_high_bits(a);
  float bh = eg_high_bits(b);
  float al = a - ah;
  float bl = b - bh;
  return (((ah * bh - p) + ah * bl) + al * bh) + al * bl;
}
#endif

//@ eg_from_integer :
// a less the nearest integer, exact for every a >= 0 below 2^23 and 0 beyond.
float eg_from_integer(float a) { return a < 8388608.0 ? a - floor(a + 0.5) : 0.0; }
