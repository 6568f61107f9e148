#version 430
// scatter_segments: y[k] = y[k] combined with the values of key k, over pairs (key, value) sorted by key: one level.
// Run r is the EG_RUN pairs from r * EG_RUN on, combined serially by one invocation. A segment (the pairs of one key)
// within one run goes to y. A run leaves two pairs, the partial results of a segment that began before it and of one
// that continues after it; these are the next level's pairs, sorted alike. So n updates of one element take about log n
// / log 16 levels, in an order that the keys alone decide, and one invocation writes each element of y. An absent
// partial has the key eg_none; the hole eg_identity() changes no result of the hole eg_combine(a, b).
// With EG_STAGED the runs of a group are read through shared memory, eight pairs of each at a time, and their results
// are written from there: neighbouring invocations access neighbouring elements. The order is the same.
// Bindings: EG_PAIRS: the pairs, two a uvec4 (key, value's bits); else four keys a uvec4 and four values a vector. Then
// y, of EG_VALUE, and the runs' partials, a uvec4 each. Work group: EG_GROUP_SIZE invocations; shared memory: with
// EG_STAGED 19 words for each, else none.
// After the reduce-by-key of Sengupta, Harris, Zhang and Owens, "Scan Primitives for GPU Computing" (2007), with a
// serial run for each of their work groups.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_RUN 32
#define EG_VALUE float
#define EG_VALUES4 vec4
#define EG_FROM_BITS(bits) uintBitsToFloat(bits)
#define EG_TO_BITS(value) floatBitsToUint(value)
#define EG_KEYS eg_b0
#define EG_VALUES eg_b1
#define EG_OUT eg_b2
#define EG_ENDS eg_b3
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uvec4 eg_b0[]; };
layout(std430, binding = 1) restrict readonly buffer EgBlock1 { vec4 eg_b1[]; };
layout(std430, binding = 2) restrict buffer EgBlock2 { float eg_b2[]; };
layout(std430, binding = 3) restrict buffer EgBlock3 { uvec4 eg_b3[]; };
float eg_identity() { return uintBitsToFloat(0x80000000u); }
float eg_combine(float a, float b) {
  precise float result = a + b;
  return result;
}
#endif

// Pairs are numbered over the whole level; each binding starts at a number of its own.
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

uint eg_key;        // of the current segment
EG_VALUE eg_total;  // of its pairs in this run so far
bool eg_began;      // whether it began before this run
uvec4 eg_partials;  // what the run leaves

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

void eg_add_to(uint key, EG_VALUE value) {
  if (key - EG_OUT_BASE >= EG_OUT_COUNT) return;
  EG_OUT[key - EG_OUT_BASE] = eg_combine(EG_OUT[key - EG_OUT_BASE], value);
}

void eg_close(bool goes_on) {
  uvec2 partial = uvec2(eg_key, EG_TO_BITS(eg_total));
  if (eg_began) {
    eg_partials.xy = partial;
    if (goes_on) eg_partials.zw = uvec2(eg_key, EG_TO_BITS(eg_identity()));
  } else if (goes_on) {
    eg_partials.zw = partial;
  } else {
    eg_add_to(eg_key, eg_total);
  }
}

#ifdef EG_STAGED
const uint eg_step = 8u,
           eg_pitch = 9u;  // pairs of a run at a time; a word of padding, so that runs reach different banks
shared uint eg_keys[EG_GROUP_SIZE * 9];
shared EG_VALUE eg_values[EG_GROUP_SIZE * 9];
shared uint eg_closed[EG_GROUP_SIZE];  // by run, a bit for each place above that has a finished segment's key and result

void eg_synchronize() {
  memoryBarrierShared();
  barrier();
}

// Neighbours read neighbouring pairs, from pair `first` of each run on; two vec4s an invocation.
void eg_stage(uint run, uint first) {
  for (uint i = gl_LocalInvocationID.x; i < uint(EG_GROUP_SIZE) * 2u; i += uint(EG_GROUP_SIZE)) {
    uint at = (run + (i >> 1)) * uint(EG_RUN) + first + (i & 1u) * 4u, to = (i >> 1) * eg_pitch + (i & 1u) * 4u;
    if (at >= EG_COUNT || run + (i >> 1) >= EG_END_RUN) continue;
    uvec4 keys = EG_KEYS[(at - EG_KEYS_BASE) >> 2];
    EG_VALUES4 values = EG_VALUES[(at - EG_VALUES_BASE) >> 2];
    for (uint j = 0u; j < 4u; ++j) {
      eg_keys[to + j] = keys[j];
      eg_values[to + j] = values[j];
    }
  }
}

// A segment that ends before a pair puts its key and result in that pair's place.
void eg_add_staged(uint count) {
  uint me = gl_LocalInvocationID.x, closed = 0u;
  for (uint i = 0u; i < count; ++i) {
    uint place = me * eg_pitch + i, key = eg_keys[place];
    EG_VALUE value = eg_values[place];
    if (key != eg_key) {
      if (eg_began) {
        eg_partials.xy = uvec2(eg_key, EG_TO_BITS(eg_total));
      } else {
        eg_keys[place] = eg_key;
        eg_values[place] = eg_total;
        closed |= 1u << i;
      }
      eg_key = key;
      eg_total = eg_identity();
      eg_began = false;
    }
    eg_total = eg_combine(eg_total, value);
  }
  eg_closed[me] = closed;
}

void eg_add_closed() {
  for (uint i = gl_LocalInvocationID.x; i < uint(EG_GROUP_SIZE) * eg_step; i += uint(EG_GROUP_SIZE))
    if ((eg_closed[i / eg_step] >> (i % eg_step) & 1u) != 0u)
      eg_add_to(eg_keys[i / eg_step * eg_pitch + i % eg_step], eg_values[i / eg_step * eg_pitch + i % eg_step]);
}

void eg_add_run(uint first, uint end) {
  uint run = first / uint(EG_RUN) - gl_LocalInvocationID.x;  // the group's first
  for (uint at = 0u; at < uint(EG_RUN); at += eg_step) {
    eg_stage(run, at);
    eg_synchronize();
    eg_add_staged(first + at < end ? min(end - first - at, eg_step) : 0u);
    eg_synchronize();
    eg_add_closed();
    eg_synchronize();
  }
}
#else
void eg_add(uint key, EG_VALUE value) {
  if (key != eg_key) {
    eg_close(false);
    eg_key = key;
    eg_total = eg_identity();
    eg_began = false;
  }
  eg_total = eg_combine(eg_total, value);
}

void eg_add_run(uint first, uint end) {
#ifdef EG_PAIRS
  for (uint at = first; at < end; at += 2u) {
    uvec4 pairs = EG_KEYS[(at - EG_KEYS_BASE) >> 1];
    eg_add(pairs.x, EG_FROM_BITS(pairs.y));
    if (at + 1u < end) eg_add(pairs.z, EG_FROM_BITS(pairs.w));
  }
#else
  for (uint at = first; at < end; at += 4u) {
    uvec4 keys = EG_KEYS[(at - EG_KEYS_BASE) >> 2];
    EG_VALUES4 values = EG_VALUES[(at - EG_VALUES_BASE) >> 2];
    eg_add(keys.x, values.x);
    if (at + 1u < end) eg_add(keys.y, values.y);
    if (at + 2u < end) eg_add(keys.z, values.z);
    if (at + 3u < end) eg_add(keys.w, values.w);
  }
#endif
}
#endif

void main() {
  uint last = min(EG_FIRST_RUN + (gl_WorkGroupID.x + 1u) * EG_CHUNK, EG_END_RUN);
  // Invocations without a run take part in the barriers.
  for (uint start = EG_FIRST_RUN + gl_WorkGroupID.x * EG_CHUNK; start < last; start += uint(EG_GROUP_SIZE)) {
    uint run = start + gl_LocalInvocationID.x;
    bool works = run < last;
    uint first = run * uint(EG_RUN), end = works ? min(first + uint(EG_RUN), EG_COUNT) : first;
    eg_key = works ? eg_key_at(first) : eg_none;
    eg_total = eg_identity();
    eg_began = works && first > 0u && eg_key_at(first - 1u) == eg_key;
    eg_partials = uvec4(eg_none, EG_TO_BITS(eg_identity()), eg_none, EG_TO_BITS(eg_identity()));
    eg_add_run(first, end);
    if (!works) continue;
    eg_close(end < EG_COUNT && eg_key_at(end) == eg_key);
    EG_ENDS[run - EG_ENDS_BASE] = eg_partials;
  }
}
