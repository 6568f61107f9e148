// Random numbers: Philox words, and what is computed from their bits.

//@ eg_philox_round :
uvec4 eg_philox_round(uvec4 c, uint key_low, uint key_high) {
  uint high0, low0, high1, low1;
  umulExtended(0xd2511f53u, c.x, high0, low0);
  umulExtended(0xcd9e8d57u, c.z, high1, low1);
  return uvec4(high1 ^ c.y ^ key_low, low1, high0 ^ c.w ^ key_high, low0);
}

//@ eg_philox_block : eg_philox_round
// The words of a counter (block, 0, verb, 0): Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers:
// as easy as 1, 2, 3" (2011). Not a loop: compilers find that two calls compute the same block. In the first round the
// product with the verb, which is less than 2^16, is made of halves: of two constants Mesa's umulExtended gives a high
// word of 0 (docs/drivers.md).
uvec4 eg_philox_block(uint block, uint verb, uint key_low, uint key_high) {
  uint high, low;
  umulExtended(0xd2511f53u, block, high, low);
  uint verb_high = (0xcd9eu * verb + (0x8d57u * verb >> 16)) >> 16;
  uvec4 c = uvec4(verb_high ^ key_low, 0xcd9e8d57u * verb, high ^ key_high, low);
  c = eg_philox_round(c, key_low + 1u * 0x9e3779b9u, key_high + 1u * 0xbb67ae85u);
  c = eg_philox_round(c, key_low + 2u * 0x9e3779b9u, key_high + 2u * 0xbb67ae85u);
  c = eg_philox_round(c, key_low + 3u * 0x9e3779b9u, key_high + 3u * 0xbb67ae85u);
  c = eg_philox_round(c, key_low + 4u * 0x9e3779b9u, key_high + 4u * 0xbb67ae85u);
  c = eg_philox_round(c, key_low + 5u * 0x9e3779b9u, key_high + 5u * 0xbb67ae85u);
  c = eg_philox_round(c, key_low + 6u * 0x9e3779b9u, key_high + 6u * 0xbb67ae85u);
  c = eg_philox_round(c, key_low + 7u * 0x9e3779b9u, key_high + 7u * 0xbb67ae85u);
  c = eg_philox_round(c, key_low + 8u * 0x9e3779b9u, key_high + 8u * 0xbb67ae85u);
  return eg_philox_round(c, key_low + 9u * 0x9e3779b9u, key_high + 9u * 0xbb67ae85u);
}

//@ eg_philox_words : eg_philox_block
// The same for an element computed by itself: neighbours in an invocation take words of one block, which it computes
// once; where both sides of a branch are computed, that would gain nothing.
#ifdef EG_SKIPS
uvec4 eg_philox_last, eg_philox_of = uvec4(0xffffffffu);
#endif
uvec4 eg_philox_words(uint block, uint verb, uint key_low, uint key_high) {
#ifdef EG_SKIPS
  uvec4 wanted = uvec4(block, verb, key_low, key_high);
  if (eg_philox_of != wanted) eg_philox_last = eg_philox_block(block, verb, key_low, key_high);
  eg_philox_of = wanted;
  return eg_philox_last;
#else
  return eg_philox_block(block, verb, key_low, key_high);
#endif
}

//@ eg_philox : eg_philox_words
// Word `index` of a verb's stream of `key`: word index % 4 of block index / 4.
uint eg_philox(uint verb, uint index, uint key_low, uint key_high) {
  uvec4 c = eg_philox_words(index >> 2, verb, key_low, key_high);
  uint word = (index & 1u) != 0u ? c.y : c.x;
  uint other = (index & 1u) != 0u ? c.w : c.z;
  return (index & 2u) != 0u ? other : word;
}

//@ eg_philox_evens : eg_philox_block
// Every other word of a block and the next one, from the first.
uvec4 eg_philox_evens(uint block, uint verb, uint key_low, uint key_high) {
  uvec4 c = eg_philox_block(block, verb, key_low, key_high);
  uvec4 next = eg_philox_block(block + 1u, verb, key_low, key_high);
  return uvec4(c.xz, next.xz);
}

//@ eg_philox_odds : eg_philox_block
// The words between them.
uvec4 eg_philox_odds(uint block, uint verb, uint key_low, uint key_high) {
  uvec4 c = eg_philox_block(block, verb, key_low, key_high);
  uvec4 next = eg_philox_block(block + 1u, verb, key_low, key_high);
  return uvec4(c.yw, next.yw);
}

//@ eg_normal_radius :
// sqrt(-2 log a), a = ((x >> 8) + 1) 2^-24 in (0, 1]; at most 5.77. a = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt 2),
// -2 log(1 + f) = -2 f + f^2 (1 + f P(f)), P of degree 6, 2^-24.9 relative, of which the root leaves half.
float eg_normal_radius(uint x) {
  uint bits = floatBitsToUint(float((x >> 8) + 1u)) + (0x3f800000u - 0x3f3504f3u);
  float n = float(int(bits >> 23) - 151);
  float f = uintBitsToFloat((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0;
  float p = -0.173890948;
  p = EG_FMA(p, f, 0.285333097);
  p = EG_FMA(p, f, -0.298330605);
  p = EG_FMA(p, f, 0.331555128);
  p = EG_FMA(p, f, -0.399257988);
  p = EG_FMA(p, f, 0.500026584);
  p = EG_FMA(p, f, -0.666678309);
  p = EG_FMA(p, f, 1.0);
  return sqrt(EG_FMA(n, -1.38629436, EG_FMA(f * f, p, -2.0 * f)));
}

//@ eg_turn_sin :
// sin(2 pi t) for |t| <= 1/8: t P(t^2), P of degree 3, 2^-25 relative.
float eg_turn_sin(float t) {
  float v = t * t;
  float p = -76.7749557;
  p = EG_FMA(p, v, 81.6256256);
  p = EG_FMA(p, v, -41.3418655);
  return EG_FMA(p, v, 6.28318548) * t;
}

//@ eg_turn_cos :
// cos(2 pi t) for |t| <= 1/8: 1 + t^2 P(t^2), P of degree 2, 2^-24.6 relative.
float eg_turn_cos(float t) {
  float v = t * t;
  float p = -83.6179123;
  p = EG_FMA(p, v, 64.9222107);
  p = EG_FMA(p, v, -19.7391624);
  return EG_FMA(p, v, 1.0);
}

//@ eg_normal_pair : eg_normal_radius eg_turn_sin eg_turn_cos
// Box-Muller: r cos(2 pi b), and r sin(2 pi b) in `odd`; r = eg_normal_radius(x), b = (y >> 8) 2^-24 in [0, 1). Of b
// the nearest quarter is taken off in integers, exactly.
// Measured 2.4e-7, relative or absolute.
float eg_normal_pair(uint x, uint y, out float odd) {
  uint turn = y >> 8;
  uint quarter = (turn + 0x200000u) >> 22;
  float t = float(int(turn) - int(quarter << 22)) * 5.9604644775390625e-8;
  float r = eg_normal_radius(x);
  float s = r * eg_turn_sin(t);
  float c = r * eg_turn_cos(t);
  bool swapped = (quarter & 1u) != 0u;
  float along = swapped ? s : c;
  float across = swapped ? c : s;
  odd = (quarter & 2u) == 0u ? across : -across;
  return ((quarter + 1u) & 2u) == 0u ? along : -along;
}

//@ eg_philox_normal : eg_philox_words eg_normal_pair
// Number `index` of the stream of normal: of words 2j and 2j + 1, j = index / 2, the first or second of the pair.
float eg_philox_normal(uint index, uint key_low, uint key_high) {
  uvec4 words = eg_philox_words(index >> 2, 1u, key_low, key_high);
  uvec2 pair = (index & 2u) == 0u ? words.xy : words.zw;
  float odd;
  float even = eg_normal_pair(pair.x, pair.y, odd);
  return (index & 1u) == 0u ? even : odd;
}

//@ eg_philox_normals : eg_philox_block eg_normal_pair
// Numbers 4 block to 4 block + 3.
vec4 eg_philox_normals(uint block, uint key_low, uint key_high) {
  uvec4 words = eg_philox_block(block, 1u, key_low, key_high);
  float second, fourth;
  float first = eg_normal_pair(words.x, words.y, second);
  float third = eg_normal_pair(words.z, words.w, fourth);
  return vec4(first, second, third, fourth);
}

//@ eg_multiply_high :
// The high word of x y + z, which 64 bits hold.
uint eg_multiply_high(uint x, uint y, uint z) {
  uint high, low;
  umulExtended(x, y, high, low);
  return high + (low + z < low ? 1u : 0u);
}

//@ eg_fixed : eg_scale
// v 2^e, v the signed integer of two words: its size is shifted until the top bit is set, cut to 24 bits, and rounded by
// the bits cut off: to nearest, ties to even, or to odd (the last bit is set where anything was cut off; Boldo and
// Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008). As
// integers, so that every device has the same bits.
float eg_fixed(uint high, uint low, uint exponent, bool to_odd) {
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
  uint nearest = cut + (rest > 0x80000000u || (rest == 0x80000000u && (cut & 1u) != 0u) ? 1u : 0u);
  cut = to_odd ? cut | (rest != 0u ? 1u : 0u) : nearest;
  int e = clamp(int(exponent), -400, 400) + 40 - shift - (short_one ? 32 : 0);
  float size = eg_scale(float(cut), clamp(e, -252, 254));
  return negative ? -size : size;
}

//@ eg_float_of_fixed : eg_fixed
float eg_float_of_fixed(uint high, uint low, uint exponent) { return eg_fixed(high, low, exponent, false); }

//@ eg_odd_of_fixed : eg_fixed
float eg_odd_of_fixed(uint high, uint low, uint exponent) { return eg_fixed(high, low, exponent, true); }

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
// Measured 5.
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
