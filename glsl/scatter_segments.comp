#version 430
// scatter_segments: y[k] += the sum of the values of key k, over pairs (key, value) sorted by key: one level.
// Runs of EG_RUN pairs, run r the pairs from r * EG_RUN on, each added one after another by one invocation. A segment
// (pairs of one key) that lies in one run goes to y; of one that goes on over the run's ends, the run leaves its part:
// two pairs a run, for a segment that began before it and for one that goes on after it, which are the next level's
// pairs, sorted as these are. So all updates of one element are added side by side too, n of them in about log n / log
// 16 levels, in an order that the keys alone decide, and every element of y is written by one invocation. A part that
// is not there has the key eg_none; the value of one that adds nothing is -0.0, which changes no sum.
// Bindings: EG_PAIRS: the pairs, two a uvec4 (key, value's bits); else four keys a uvec4 and four values a vec4. Then y
// (float), and what the runs leave, a uvec4 each. Work group: EG_GROUP_SIZE invocations, no shared memory.
// After the reduce-by-key of Sengupta, Harris, Zhang and Owens, "Scan Primitives for GPU Computing" (2007), with a
// serial run for each of their work groups.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_RUN 32
#define EG_PRECISE precise
#define EG_KEYS eg_b0
#define EG_VALUES eg_b1
#define EG_OUT eg_b2
#define EG_ENDS eg_b3
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uvec4 eg_b0[]; };
layout(std430, binding = 1) restrict readonly buffer EgBlock1 { vec4 eg_b1[]; };
layout(std430, binding = 2) restrict buffer EgBlock2 { float eg_b2[]; };
layout(std430, binding = 3) restrict buffer EgBlock3 { uvec4 eg_b3[]; };
#endif

// Pairs are counted over the whole level; each binding starts at a number of its own.
#define EG_FIRST_RUN eg_u[0]
#define EG_END_RUN eg_u[1]
#define EG_CHUNK eg_u[2]
#define EG_COUNT eg_u[3]
#define EG_KEYS_BASE eg_u[4]
#define EG_VALUES_BASE eg_u[5]
#define EG_ENDS_BASE eg_u[6]
#define EG_OUT_BASE eg_u[7]
#define EG_OUT_COUNT eg_u[8]

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_none = 0xffffffffu;
const uint eg_minus_zero = 0x80000000u;

uint eg_key;      // of the segment at hand
float eg_sum;     // of its pairs in this run so far
bool eg_began;    // before this run
uvec4 eg_parts;   // what the run leaves

#ifdef EG_PAIRS
uint eg_key_at(uint at) {
  uint i = at - EG_KEYS_BASE;
  uvec4 pairs = EG_KEYS[i >> 1];
  return (i & 1u) == 0u ? pairs.x : pairs.z;
}
#else
uint eg_key_at(uint at) {
  uint i = at - EG_KEYS_BASE;
  return EG_KEYS[i >> 2][i & 3u];
}
#endif

void eg_close(bool goes_on) {
  uvec2 part = uvec2(eg_key, floatBitsToUint(eg_sum));
  if (eg_began) {
    eg_parts.xy = part;
    if (goes_on) eg_parts.zw = uvec2(eg_key, eg_minus_zero);
  } else if (goes_on) {
    eg_parts.zw = part;
  } else if (eg_key - EG_OUT_BASE < EG_OUT_COUNT) {
    EG_PRECISE float total = EG_OUT[eg_key - EG_OUT_BASE] + eg_sum;
    EG_OUT[eg_key - EG_OUT_BASE] = total;
  }
}

void eg_add(uint key, float value) {
  if (key != eg_key) {
    eg_close(false);
    eg_key = key;
    eg_sum = uintBitsToFloat(eg_minus_zero);
    eg_began = false;
  }
  EG_PRECISE float sum = eg_sum + value;
  eg_sum = sum;
}

void eg_add_run(uint first, uint end) {
#ifdef EG_PAIRS
  for (uint at = first; at < end; at += 2u) {
    uvec4 pairs = EG_KEYS[(at - EG_KEYS_BASE) >> 1];
    eg_add(pairs.x, uintBitsToFloat(pairs.y));
    if (at + 1u < end) eg_add(pairs.z, uintBitsToFloat(pairs.w));
  }
#else
  for (uint at = first; at < end; at += 4u) {
    uvec4 keys = EG_KEYS[(at - EG_KEYS_BASE) >> 2];
    vec4 values = EG_VALUES[(at - EG_VALUES_BASE) >> 2];
    eg_add(keys.x, values.x);
    if (at + 1u < end) eg_add(keys.y, values.y);
    if (at + 2u < end) eg_add(keys.z, values.z);
    if (at + 3u < end) eg_add(keys.w, values.w);
  }
#endif
}

void main() {
  uint last = min(EG_FIRST_RUN + (gl_WorkGroupID.x + 1u) * EG_CHUNK, EG_END_RUN);
  for (uint run = EG_FIRST_RUN + gl_WorkGroupID.x * EG_CHUNK + gl_LocalInvocationID.x; run < last;
       run += uint(EG_GROUP_SIZE)) {
    uint first = run * uint(EG_RUN), end = min(first + uint(EG_RUN), EG_COUNT);
    eg_key = eg_key_at(first);
    eg_sum = uintBitsToFloat(eg_minus_zero);
    eg_began = first > 0u && eg_key_at(first - 1u) == eg_key;
    eg_parts = uvec4(eg_none, eg_minus_zero, eg_none, eg_minus_zero);
    eg_add_run(first, end);
    eg_close(end < EG_COUNT && eg_key_at(end) == eg_key);
    EG_ENDS[run - EG_ENDS_BASE] = eg_parts;
  }
}
