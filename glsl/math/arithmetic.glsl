// Division, its remainders, and interpolation.

//@ eg_is_normal :
// Of a float's bits: neither zero, denormal, infinite nor NaN.
bool eg_is_normal(uint bits) { return (bits << 1) - 0x01000000u < 0xfe000000u; }

//@ eg_div : eg_is_normal
// Float, correctly rounded where the arguments and the result are normal: the driver's quotient q, which may be off
// by two units in the last place, is moved by the remainder x - q y of the significands as integers (X, Y, Q of 24 bits; the
// remainder is small, so 32 wrapping bits hold it). Large divisors are scaled down together with x, because a
// driver that divides through the reciprocal loses it when it is denormal (|y| > 2^126); what underflows in x then
// underflows in x / y too. (Across a power of two the last unit may stay where the driver's quotient is off by two.)
// EG_FUSED: q + r / y, r = x - q y by an fma, after Markstein (1990), with 1 / y refined once. y is scaled by what it is
// alone, and x with it, so that 1 / y is normal, and the same for all elements of a row that one y divides; a small x
// is scaled up and its quotient down, so that r is not denormal where the quotient is normal. r is 0 of an exact
// quotient, and neither 0 nor finite where x or y is not.
// Integers: through unsigned magnitudes, as drivers differ on signs; y = 0 gives 0, the smallest i32 / -1 wraps.
// Measured, float: 0 / 0, and 1 where the result is denormal.
#ifdef EG_FUSED
float eg_div(float x, float y) {
  float scale = abs(y) > 7.92281625e28 ? 2.32830644e-10 : (abs(y) < 1.26217745e-29 ? 1073741824.0 : 1.0);
  bool small = abs(x) < 8.67361738e-19;
  float n = x * (small ? scale * 1073741824.0 : scale);
  float d = y * scale;
  float guess = 1.0 / d;
  float inverse = fma(fma(-d, guess, 1.0), guess, guess);
  float q = n * guess;
  float r = fma(-q, d, n);
  float refined = fma(r, inverse, q);
  float quotient = (floatBitsToUint(r) & 0x7fffffffu) - 1u < 0x7f7fffffu ? refined : q;
  return quotient * (small ? 9.31322575e-10 : 1.0);
}
#else
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
#endif
uint eg_div(uint x, uint y) { return y == 0u ? 0u : x / max(y, 1u); }
int eg_div(int x, int y) {
  uint q = uint(x < 0 ? -x : x) / max(uint(y < 0 ? -y : y), 1u);
  int signed_q = int((x ^ y) < 0 ? 0u - q : q);
  return y == 0 ? 0 : signed_q;
}

//@ eg_div_f16 : eg_is_normal
// x / y of halves, to be rounded to a half: the same half as of eg_div. Halves round at numbers m of 12 bits or fewer,
// and x and y have 11: unless x / y is m (a tie of denormal halves), |x / y - m| = |x - m y| / y is more than 2 units
// in the last place of a float. `head` has 12 bits of the quotient, so that r is exact; head + r / y, by a reciprocal
// within GLSL's 2.5 units, is then within 0.51 units, and exact where x / y is a float. Zeros, infinities and NaN: q.
float eg_div_f16(float x, float y) {
  float inverse = 1.0 / y;
  float q = x * inverse;
  float head = uintBitsToFloat(floatBitsToUint(q) & 0xfffff000u);
  float r = EG_FMA(-head, y, x);
  float refined = EG_FMA(r, inverse, head);
  return eg_is_normal(floatBitsToUint(q)) ? refined : q;
}

//@ eg_div_bf16 :
// x / y of bfloat16s, to be rounded to one: the same as of eg_div. x and y have 8 bits, so x / y is more than 2^7 units
// in the last place of a float away from where normal bfloat16s round, and the driver's quotient, scaled as in eg_div,
// will do; where it is denormal, eg_div takes it too. EG_FUSED: denormals are flushed, so the quotient is raised by
// 2^-20, 8 to 16 units, lest one of 2^-126 be rounded down and flushed.
float eg_div_bf16(float x, float y) {
  float scale = abs(y) > 18446744073709551616.0 ? 5.42101086242752217e-20 : 1.0;
  float n = x * scale;
  float d = y * scale;
#ifdef EG_FUSED
  float inverse = 1.0 / d;
  return n * 1.00000095 * inverse;
#else
  return n / d;
#endif
}

//@ eg_fmod_magnitude : eg_scale eg_power_of_two
// x mod y, or -x mod y, of the magnitudes of finite numbers given by their bits, y > 0: exact; y - x is rounded where x < y
// and negated. The significands as integers, r 2^d mod m with 2^23 <= m < 2^24 and d <= 276, by balanced residues: quotients
// come from floats, and 32 wrapping bits hold what is left. d = (d - 16 e) + 16 e, of which the first is at most 20, and
// 2^(16 e) is 2^(2 e) squared three times. With division within 2.5 ULP a step's quotient, below 2^20, is off by 0.94 at
// most, so |result| < m; a product's first quotient, below 2^24, by 8, which its second mends to |result| <= 0.51 m.
int eg_fmod_step(int r, int m, float inverse, int count) {
  float q = roundEven(float(r) * (inverse * eg_power_of_two(count)));
  return (r << count) - int(q) * m;
}
int eg_fmod_product(int a, int b, int m, float inverse) {
  float q = float(a) * inverse * float(b);
  int left = a * b - int(q) * m;
  return left - int(roundEven(float(left) * inverse)) * m;
}
float eg_fmod_magnitude(uint x, uint y, bool negated) {
  int ey = int(y >> 23);
  int m = int(y & 0x007fffffu) | (ey == 0 ? 0 : 0x00800000);
  int up = 150 - int(floatBitsToUint(float(m)) >> 23);
  m = m << up;
  ey = max(ey, 1) - up;
  int ex = int(x >> 23);
  int r = int(x & 0x007fffffu) | (ex == 0 ? 0 : 0x00800000);
  r = r >= m ? r - m : r;
  float inverse = 1.0 / float(m);
  int d = max(max(ex, 1) - ey, 0);
  int e = d > 20 ? (d - 5) >> 4 : 0;
  r = eg_fmod_step(r, m, inverse, d - 16 * e);
  if (d > 20) {
    int p = eg_fmod_step(1 << e, m, inverse, e);
    p = eg_fmod_product(p, p, m, inverse);
    p = eg_fmod_product(p, p, m, inverse);
    p = eg_fmod_product(p, p, m, inverse);
    r = eg_fmod_product(r, p, m, inverse);
  }
  r = r < 0 ? r + m : r;
  r = negated && r != 0 ? m - r : r;
  float below = uintBitsToFloat(x);
  below = negated ? (below == 0.0 ? 0.0 : uintBitsToFloat(y) - below) : below;
  return x < y ? below : eg_scale(float(r), ey - 150);
}

//@ eg_fmod_near :
// x mod y, or -x mod y, where eg_is_fmod_near: q is within 0.55 of x / y, and so x - q y, a multiple of y's unit in the
// last place (or x itself), less than y, which one fma gives exactly. y - x is rounded where x < y and negated.
// 1.5 * 2^23, added and taken away, rounds to whole numbers: roundEven() takes NVIDIA's units as long as eight additions.
#ifdef EG_FUSED
float eg_fmod_near(float x, float y, bool negated) {
  float inverse = 1.0 / y;
  float shifted = x * inverse + 12582912.0;
  float whole = shifted - 12582912.0;
  float q = x < y ? 0.0 : whole;
  float r = fma(-q, y, x);
  r = r < 0.0 ? r + y : r;
  return negated && r != 0.0 ? y - r : r;
}
// Of magnitudes given by their bits: x < 2^17 y, finite, and y in [2^-100, 2^125), so that nothing is denormal.
bool eg_is_fmod_near(uint x, uint y) { return y - 0x0d800000u < 0x70800000u && x < min(y + 0x08800000u, 0x7f800000u); }
#endif

//@ eg_fmod_far : eg_fmod_magnitude eg_copysign eg_nan
// The same of any magnitudes, with the given sign; y = 0 and infinite x give NaN.
float eg_fmod_far(uint x, uint y, bool negated, float sign) {
  bool undefined = y == 0u || x >= 0x7f800000u || y > 0x7f800000u;
  float r = eg_fmod_magnitude(undefined ? 0u : x, undefined ? 0x3f800000u : y, negated);
  return undefined ? eg_nan() : eg_copysign(r, sign);
}

//@ eg_fmod_signed : eg_fmod_near eg_fmod_far eg_copysign
// |x| mod |y|, or -|x| mod |y|, with the given sign; y = 0 and infinite x give NaN. EG_FUSED: of small quotients
// by an fma, in fewer instructions.
float eg_fmod_signed(float x, float y, bool negated, float sign) {
  uint ax = floatBitsToUint(x) & 0x7fffffffu;
  uint ay = floatBitsToUint(y) & 0x7fffffffu;
#ifdef EG_FUSED
  float r = 0.0;
  if (eg_is_fmod_near(ax, ay))
    r = eg_copysign(eg_fmod_near(abs(x), abs(y), negated), sign);
  else
    r = eg_fmod_far(ax, ay, negated, sign);
  return r;
#else
  return eg_fmod_far(ax, ay, negated, sign);
#endif
}

//@ eg_fmod : eg_fmod_signed
// x - y trunc(x / y), exact, with the sign of x; y = 0 and infinite x give NaN. Integers: y = 0 gives 0.
// Measured 0 on llvmpipe.
float eg_fmod(float x, float y) { return eg_fmod_signed(x, y, false, x); }
uint eg_fmod(uint x, uint y) { return y == 0u ? 0u : x % max(y, 1u); }
int eg_fmod(int x, int y) {
  uint r = uint(x < 0 ? -x : x) % max(uint(y < 0 ? -y : y), 1u);
  return y == 0 ? 0 : (x < 0 ? -int(r) : int(r));
}

//@ eg_remainder : eg_fmod_signed eg_fmod
// x - y floor(x / y), with the sign of y, as Python has it; a zero result takes the sign of y too. Float: correctly
// rounded for all arguments. |x| < |y| (y infinite too) gives x, or x + y when the signs differ; y = 0 and infinite x
// NaN. Integers: y = 0 gives 0.
// Measured 0 on llvmpipe.
float eg_remainder(float x, float y) {
  return eg_fmod_signed(x, y, (floatBitsToUint(x) ^ floatBitsToUint(y)) >= 0x80000000u, y);
}
uint eg_remainder(uint x, uint y) { return eg_fmod(x, y); }
int eg_remainder(int x, int y) {
  int r = eg_fmod(x, y);
  return r != 0 && (x ^ y) < 0 ? r + y : r;
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
  uint ax = floatBitsToUint(x) & 0x7fffffffu;
  uint ay = floatBitsToUint(y) & 0x7fffffffu;
  n = ax < ay && ay <= 0x7f800000u ? below : n;
  return eg_isinf(x) && y != 0.0 ? eg_nan() : n;
}
uint eg_floor_divide(uint x, uint y) { return eg_div(x, y); }
int eg_floor_divide(int x, int y) {
  int q = eg_div(x, y);
  return y != 0 && q * y != x && (x ^ y) < 0 ? q - 1 : q;
}

//@ eg_multiply_add :
// The product may be rounded before it is added.
#ifdef GL_ES
float eg_multiply_add(float x, float y, float z) { return x * y + z; }
#else
float eg_multiply_add(float x, float y, float z) { return fma(x, y, z); }
#endif

//@ eg_lerp : eg_isinf
// Between numbers of one sign a + w (b - a) from the nearer end; of two signs a (1 - w) + b w, where b - a may overflow.
float eg_lerp(float a, float b, float w) {
  float d = b - a;
  bool infinite = eg_isinf(a) || eg_isinf(b) || eg_isinf(w);
  float near = w < 0.5 || infinite ? a + w * d : b - d * (1.0 - w);
  bool opposite = (floatBitsToUint(a) ^ floatBitsToUint(b)) >= 0x80000000u;
  return opposite && !infinite ? a * (1.0 - w) + b * w : near;
}
