#version 430
// reduce_row_together: y[r, j] = combine over e of x(r, j, e), for the EG_TOGETHER neighbouring rows j at once, which
// read much in common.
// x is (rows / EG_TOGETHER, EG_TOGETHER, n), read through the hole eg_load(vector, x0, x1, ...): of each of the rows
// that eg_address(r) selects, elements e .. e + 3, e = 4 vector; eg_elements(x, e) are their accumulators. Blocks,
// lanes and the order in which they combine are those of reduce_row.comp, and so are the bits. An item is one block of
// EG_TOGETHER rows. eg_finish(row, block, y) stores.
// Work group: EG_GROUP_SIZE invocations, one for each of EG_LANES lanes; a group works through a chunk of items.
// Shared memory: EG_TOGETHER * EG_LANES accumulators. Bindings: declared by the generator, as are the macros that
// repeat text for each row, for drivers that keep arrays in memory: EG_EACH_ROW(F) is F(0, eg_a0, eg_x0) F(1, eg_a1,
// eg_x1) ..., EG_LOADED is eg_x0, eg_x1, ... EG_TAIL: n is no multiple of four.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_LANES 64
#define EG_TRIPS 32
#define EG_TOGETHER 2
#define EG_TAIL
#define EG_ACCUMULATOR float
#define EG_ACCUMULATORS vec4
#define EG_EACH_ROW(F) F(0, eg_a0, eg_x0) F(1, eg_a1, eg_x1)
#define EG_LOADED eg_x0, eg_x1
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { float eg_b1[]; };
uint eg_rows;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
vec4 eg_identities() { return vec4(0.0); }
vec4 eg_follow4(vec4 a, vec4 b) { return a + b; }
float eg_combine(float a, float b) { return a + b; }
float eg_fold(vec4 a) { return (a.x + a.y) + (a.z + a.w); }
vec4 eg_elements(vec4 x, uint e) { return x; }
vec4 eg_mask(vec4 a, uint count) { return mix(vec4(0.0), a, lessThan(uvec4(0u, 1u, 2u, 3u), uvec4(count))); }
void eg_address(uint rows) { eg_rows = rows * 2u; }
void eg_load(uint vector, out vec4 x0, out vec4 x1) {
  x0 = eg_b0[eg_rows * eg_u[8] + vector];
  x1 = eg_b0[(eg_rows + 1u) * eg_u[8] + vector];
}
void eg_finish(uint row, uint block, float result) { eg_b1[row * eg_u[2] + block] = result; }
#endif
#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_BLOCKS eg_u[2]      // in each row; 3 and 4 divide by it
#define EG_FIRST_ROWS eg_u[5]  // of EG_TOGETHER each
#define EG_LENGTH eg_u[8]      // n

layout(local_size_x = EG_GROUP_SIZE) in;

shared EG_ACCUMULATOR eg_slots[EG_TOGETHER * EG_LANES];  // lanes of one row after the other

void eg_reduce_lane(uint block, uint lane) {
#define EG_DECLARE(j, a, x)            \
  EG_ACCUMULATORS a = eg_identities(); \
  vec4 x;
#define EG_STEP(j, a, x) a = eg_follow4(a, eg_elements(x, e));
#define EG_LAST_STEP(j, a, x) a = eg_follow4(a, eg_mask(eg_elements(x, e), end - e));
#define EG_FOLD(j, a, x) eg_slots[uint(j * EG_LANES) + lane] = eg_fold(a);
  EG_EACH_ROW(EG_DECLARE)
  uint e = (block * uint(EG_TRIPS * EG_LANES) + lane) * 4u;
  uint end = min(EG_LENGTH, (block + 1u) * uint(EG_TRIPS * EG_LANES * 4));
  for (; e + 3u < end; e += uint(EG_LANES * 4)) {
    eg_load(e >> 2, EG_LOADED);
    EG_EACH_ROW(EG_STEP)
  }
#ifdef EG_TAIL
  // Apart from the loop: a branch in it takes half as long again.
  if (e < end) {
    eg_load(e >> 2, EG_LOADED);
    EG_EACH_ROW(EG_LAST_STEP)
  }
#endif
  EG_EACH_ROW(EG_FOLD)
}

// The lanes of all rows.
void eg_combine_lanes(uint lane) {
  for (uint level = uint(findMSB(EG_LANES)); level > 0u; --level) {
    uint half_log2 = level - 1u;
    for (uint pair = lane; pair < uint(EG_TOGETHER) << half_log2; pair += uint(EG_GROUP_SIZE)) {
      uint slot = (pair >> half_log2) * uint(EG_LANES) + (pair & ((1u << half_log2) - 1u));
      eg_slots[slot] = eg_combine(eg_slots[slot], eg_slots[slot + (1u << half_log2)]);
    }
    memoryBarrierShared();
    barrier();
  }
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint item = first; item < end; ++item) {
    uint rows = eg_divide(item, eg_u[3], eg_u[4]);
    uint block = item - rows * EG_BLOCKS;
    rows += EG_FIRST_ROWS;
    eg_address(rows);
    eg_reduce_lane(block, lane);
    memoryBarrierShared();
    barrier();
    eg_combine_lanes(lane);
    if (lane < uint(EG_TOGETHER)) eg_finish(rows * uint(EG_TOGETHER) + lane, block, eg_slots[lane * uint(EG_LANES)]);
    memoryBarrierShared();
    barrier();
  }
}
