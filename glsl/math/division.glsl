// Division and its remainders.

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
