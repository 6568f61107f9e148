// Narrow elements: how f16, bf16, i8, u8 and packed booleans lie in 32-bit words, and rounding to them. The first of the
// elements that share a word is in its lowest bits. Four of two bytes are a uvec2, of one byte a uint.

//@ eg_widen_f16 :
// Exact. Under EG_SLOW_HALVES by the bits, of which `size` has the exponent and the fraction, from bit 13 on: a half
// below 2^-14 has no leading 1, which the exponent of the float would add.
#ifdef EG_SLOW_HALVES
float eg_widen_half(uint size, uint sign) {
  EG_PRECISE float x = uintBitsToFloat(size + (size < 0x0f800000u ? 0x38000000u : 0x70000000u));
  EG_PRECISE float denormal = x + x - 0.00006103515625;
  return uintBitsToFloat(floatBitsToUint(size < 0x00800000u ? denormal : x) + sign);
}
float eg_widen_half(uint low) { return eg_widen_half((low & 0x7fffu) << 13, (low & 0x8000u) << 16); }
vec2 eg_widen_halves(uint word) {
  return vec2(eg_widen_half(word), eg_widen_half((word >> 3) & 0x0fffe000u, word & 0x80000000u));
}
vec4 eg_widen_f16(uvec2 words) { return vec4(eg_widen_halves(words.x), eg_widen_halves(words.y)); }
float eg_widen_f16(uint word, uint at) { return eg_widen_half(word >> ((at & 1u) << 4)); }
#else
vec4 eg_widen_f16(uvec2 words) { return vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y)); }
float eg_widen_f16(uint word, uint at) { return unpackHalf2x16(word >> ((at & 1u) << 4)).x; }
#endif

//@ eg_widen_bf16 :
vec4 eg_widen_bf16(uvec2 words) {
  return uintBitsToFloat(uvec4(words.x << 16, words.x & 0xffff0000u, words.y << 16, words.y & 0xffff0000u));
}
float eg_widen_bf16(uint word, uint at) { return uintBitsToFloat((word >> ((at & 1u) << 4)) << 16); }

//@ eg_widen_i8 :
ivec4 eg_widen_i8(uint word) { return (ivec4(word) << ivec4(24, 16, 8, 0)) >> 24; }
int eg_widen_i8(uint word, uint at) { return (int(word) << (24u - ((at & 3u) << 3))) >> 24; }

//@ eg_widen_u8 :
ivec4 eg_widen_u8(uint word) { return ivec4((uvec4(word) >> uvec4(0u, 8u, 16u, 24u)) & 0xffu); }
int eg_widen_u8(uint word, uint at) { return int((word >> ((at & 3u) << 3)) & 0xffu); }

//@ eg_widen_boolean :
uvec4 eg_widen_boolean(uint word) { return (uvec4(word) >> uvec4(0u, 8u, 16u, 24u)) & 1u; }
uint eg_widen_boolean(uint word, uint at) { return (word >> ((at & 3u) << 3)) & 1u; }

//@ eg_narrow_f16 :
// To nearest, ties to even, by the bits: packHalf2x16 rounds as a driver likes, unless EG_PACKS_NEAREST. Below 2^-14
// halves are multiples of 2^-24, the distance of floats from 0.5 to 1.
#ifdef EG_PACKS_NEAREST
uint eg_narrow_f16(float x) { return packHalf2x16(vec2(x, 0.0)); }
uvec2 eg_narrow_f16(vec4 x) { return uvec2(packHalf2x16(x.xy), packHalf2x16(x.zw)); }
#else
uint eg_narrow_f16(float x) {
  uint size = floatBitsToUint(x) & 0x7fffffffu;
  uint normal = (size + 0xfffu + ((size >> 13) & 1u) - 0x38000000u) >> 13;
  EG_PRECISE float shifted = uintBitsToFloat(size) + 0.5;
  uint nearest = size < 0x38800000u ? floatBitsToUint(shifted) - 0x3f000000u : normal;
  nearest = size < 0x477ff000u ? nearest : (size > 0x7f800000u ? 0x7e00u : 0x7c00u);
  return nearest + (floatBitsToUint(x) >> 31 << 15);
}
uvec2 eg_narrow_f16(vec4 x) {
  return uvec2(eg_narrow_f16(x.x) + (eg_narrow_f16(x.y) << 16), eg_narrow_f16(x.z) + (eg_narrow_f16(x.w) << 16));
}
#endif

//@ eg_nearest_bf16 :
// The bits of the nearest bf16, ties to even, in the upper half; the lower half is no part of it. NaN keeps its sign.
uint eg_nearest_bf16(float x) {
  uint bits = floatBitsToUint(x);
  return EG_ISNAN(x) ? bits | 0x400000u : bits + 0x7fffu + bitfieldExtract(bits, 16, 1);
}

//@ eg_narrow_bf16 : eg_nearest_bf16
uint eg_narrow_bf16(float x) { return eg_nearest_bf16(x) >> 16; }
uvec2 eg_narrow_bf16(vec4 x) {
  return uvec2((eg_nearest_bf16(x.y) & 0xffff0000u) + (eg_nearest_bf16(x.x) >> 16),
               (eg_nearest_bf16(x.w) & 0xffff0000u) + (eg_nearest_bf16(x.z) >> 16));
}

//@ eg_narrow_i8 :
// Modulo 2^8, as eg_narrow_u8.
uint eg_narrow_i8(int x) { return uint(x) & 0xffu; }
uint eg_narrow_i8(ivec4 x) {
  uvec4 bytes = uvec4(x) & 0xffu;
  return bytes.x + (bytes.y << 8) + (bytes.z << 16) + (bytes.w << 24);
}

//@ eg_narrow_u8 :
uint eg_narrow_u8(int x) { return uint(x) & 0xffu; }
uint eg_narrow_u8(ivec4 x) {
  uvec4 bytes = uvec4(x) & 0xffu;
  return bytes.x + (bytes.y << 8) + (bytes.z << 16) + (bytes.w << 24);
}

//@ eg_narrow_boolean :
uint eg_narrow_boolean(uint x) { return x; }
uint eg_narrow_boolean(uvec4 x) { return x.x + (x.y << 8) + (x.z << 16) + (x.w << 24); }

//@ eg_round_f16 :
// As eg_narrow_f16 and back. The mask keeps compilers from taking what is packed and unpacked for x itself, as NVIDIA's
// does.
#ifdef EG_PACKS_NEAREST
float eg_round_f16(float x) { return unpackHalf2x16(packHalf2x16(vec2(x, x)) & 0xffffu).x; }
#else
float eg_round_f16(float x) {
  uint size = floatBitsToUint(x) & 0x7fffffffu;
  uint normal = (size + 0xfffu + ((size >> 13) & 1u)) & 0xffffe000u;
  EG_PRECISE float shifted = uintBitsToFloat(size) + 0.5;
  EG_PRECISE float denormal = shifted - 0.5;
  uint nearest = size < 0x38800000u ? floatBitsToUint(denormal) : normal;
  nearest = size < 0x477ff000u ? nearest : (size > 0x7f800000u ? 0x7fc00000u : 0x7f800000u);
  return uintBitsToFloat(nearest + (floatBitsToUint(x) & 0x80000000u));
}
#endif

//@ eg_round_bf16 : eg_nearest_bf16
float eg_round_bf16(float x) { return uintBitsToFloat(eg_nearest_bf16(x) & 0xffff0000u); }

//@ eg_join_f16 :
// Of halves: nothing to round.
uvec2 eg_join_f16(vec4 x) { return uvec2(packHalf2x16(x.xy), packHalf2x16(x.zw)); }

//@ eg_join_bf16 :
uvec2 eg_join_bf16(vec4 x) {
  uvec4 bits = floatBitsToUint(x);
  return uvec2((bits.x >> 16) + bits.y, (bits.z >> 16) + bits.w);
}

//@ eg_join_i8 : eg_narrow_i8
uint eg_join_i8(ivec4 x) { return eg_narrow_i8(x); }

//@ eg_join_u8 : eg_narrow_u8
uint eg_join_u8(ivec4 x) { return eg_narrow_u8(x); }

//@ eg_join_boolean : eg_narrow_boolean
uint eg_join_boolean(uvec4 x) { return eg_narrow_boolean(x); }

//@ eg_transpose_block :
// Four columns of four narrow elements each become its four lines.
void eg_transpose_block(inout uvec2 a, inout uvec2 b, inout uvec2 c, inout uvec2 d) {
  uvec2 low_a = (a & 0xffffu) | (b << 16), high_a = (a >> 16) | (b & 0xffff0000u);
  uvec2 low_c = (c & 0xffffu) | (d << 16), high_c = (c >> 16) | (d & 0xffff0000u);
  a = uvec2(low_a.x, low_c.x);
  b = uvec2(high_a.x, high_c.x);
  c = uvec2(low_a.y, low_c.y);
  d = uvec2(high_a.y, high_c.y);
}
void eg_transpose_block(inout uint a, inout uint b, inout uint c, inout uint d) {
  uint even_a = (a & 0x00ff00ffu) | ((b & 0x00ff00ffu) << 8), odd_a = ((a >> 8) & 0x00ff00ffu) | (b & 0xff00ff00u);
  uint even_c = (c & 0x00ff00ffu) | ((d & 0x00ff00ffu) << 8), odd_c = ((c >> 8) & 0x00ff00ffu) | (d & 0xff00ff00u);
  a = (even_a & 0xffffu) | (even_c << 16);
  b = (odd_a & 0xffffu) | (odd_c << 16);
  c = (even_a >> 16) | (even_c & 0xffff0000u);
  d = (odd_a >> 16) | (odd_c & 0xffff0000u);
}

//@ eg_wrap_i8 :
int eg_wrap_i8(int x) { return (x << 24) >> 24; }
uint eg_wrap_i8(uint x) { return uint(eg_wrap_i8(int(x))); }

//@ eg_wrap_u8 :
int eg_wrap_u8(int x) { return x & 0xff; }
uint eg_wrap_u8(uint x) { return x & 0xffu; }

//@ eg_saturate_i8 :
int eg_saturate_i8(int x) { return clamp(x, -128, 127); }
uint eg_saturate_i8(uint x) { return min(x, 127u); }

//@ eg_saturate_u8 :
int eg_saturate_u8(int x) { return clamp(x, 0, 255); }
uint eg_saturate_u8(uint x) { return min(x, 255u); }
