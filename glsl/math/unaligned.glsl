// Vectors of four elements that begin at any element, `at`: joined of the aligned ones that hold the first and the last
// element, or cut to the words that they are stored to. Selected and added, not joined by `and` and `or`, which LLVM 15
// confuses (docs/drivers.md, "joined signs"). Four elements of two bytes are a uvec2, of one byte a uint.

//@ eg_shift_in :
// The bits before `low`'s last `shift` ones, then the first of `high`; shift < 32.
uint eg_shift_in(uint low, uint high, uint shift) { return (low >> shift) + ((high << 1) << (31u - shift)); }

//@ eg_joined : eg_shift_in
vec4 eg_joined(vec4 low, vec4 high, uint at) {
  vec4 a = (at & 2u) == 0u ? low : vec4(low.zw, high.xy);
  float next = (at & 2u) == 0u ? high.x : high.z;
  return (at & 1u) == 0u ? a : vec4(a.yzw, next);
}
ivec4 eg_joined(ivec4 low, ivec4 high, uint at) {
  ivec4 a = (at & 2u) == 0u ? low : ivec4(low.zw, high.xy);
  int next = (at & 2u) == 0u ? high.x : high.z;
  return (at & 1u) == 0u ? a : ivec4(a.yzw, next);
}
uvec4 eg_joined(uvec4 low, uvec4 high, uint at) {
  uvec4 a = (at & 2u) == 0u ? low : uvec4(low.zw, high.xy);
  uint next = (at & 2u) == 0u ? high.x : high.z;
  return (at & 1u) == 0u ? a : uvec4(a.yzw, next);
}
uvec2 eg_joined(uvec2 low, uvec2 high, uint at) {
  uvec3 words = (at & 2u) == 0u ? uvec3(low, high.x) : uvec3(low.y, high);
  uint shift = (at & 1u) << 4;
  return uvec2(eg_shift_in(words.x, words.y, shift), eg_shift_in(words.y, words.z, shift));
}
uint eg_joined(uint low, uint high, uint at) { return eg_shift_in(low, high, (at & 3u) << 3); }

//@ eg_behind : eg_shift_in
// The vector of memory that `four` begins in, `before` elements behind its start; `last` are the four before those.
vec4 eg_behind(vec4 last, vec4 four, uint before) {
  vec4 a = (before & 2u) == 0u ? four : vec4(last.zw, four.xy);
  float first = (before & 2u) == 0u ? last.w : last.y;
  return (before & 1u) == 0u ? a : vec4(first, a.xyz);
}
uvec2 eg_behind(uvec2 last, uvec2 four, uint before) {
  uvec2 a = (before & 2u) == 0u ? four : uvec2(last.y, four.x);
  uint first = (before & 2u) == 0u ? last.y : last.x;
  return (before & 1u) == 0u ? a : uvec2(eg_shift_in(first, a.x, 16u), eg_shift_in(a.x, a.y, 16u));
}

//@ eg_halves_before :
// All bits of the first `count` of four halves.
uvec2 eg_halves_before(uint count) {
  return uvec2(count == 0u ? 0u : count == 1u ? 0xffffu : 0xffffffffu,
               count < 3u ? 0u : count == 3u ? 0xffffu : 0xffffffffu);
}

//@ eg_placed :
// The words from that of element `at` on, with the four elements in their places and zeros around.
uvec3 eg_placed(uvec2 words, uint at) {
  uint shift = (at & 1u) << 4;
  return uvec3(words.x << shift, ((words.x >> 1) >> (31u - shift)) + (words.y << shift),
               (words.y >> 1) >> (31u - shift));
}
uvec2 eg_placed(uint word, uint at) {
  uint shift = (at & 3u) << 3;
  return uvec2(word << shift, (word >> 1) >> (31u - shift));
}

//@ eg_first_halves :
// All bits of the first `count` elements of four, count in [1, 4].
uvec2 eg_first_halves(uint count) {
  return uvec2(count < 2u ? 0xffffu : 0xffffffffu, count < 3u ? 0u : count < 4u ? 0xffffu : 0xffffffffu);
}

//@ eg_first_bytes :
uint eg_first_bytes(uint count) { return 0xffffffffu >> ((4u - count) << 3); }
