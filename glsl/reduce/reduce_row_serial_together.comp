#version 430
// reduce_row_serial_together: y[r, j] = combine over e of x(r, j, e) for the EG_TOGETHER (2 to 4) neighbouring rows j
// that make the same numbers, one invocation all of them.
// x is (rows / EG_TOGETHER, EG_TOGETHER, n), read through the hole eg_load(vector, x0, x1, ...): of each of the rows
// that eg_address(r) selects, elements e .. e + 3, e = 4 vector. Blocks, lanes and the order in which they combine are
// those of reduce_row.comp, and so are the bits: lanes in bit-reversed order, as in reduce_row_serial.comp, with a
// result of each row as the components of a vector. An item is one block of EG_TOGETHER rows. eg_finish(row, block, y)
// stores.
// Work group: EG_GROUP_SIZE invocations, an item each at a time; a group works through a chunk of items. For software
// devices: no shared memory, no barrier. Bindings: declared by the generator, as are the macros that repeat text for
// each row: EG_EACH_ROW(F) is F(0, eg_a0, eg_x0) F(1, eg_a1, eg_x1) ..., EG_LOADED is eg_x0, eg_x1, ...
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_LANES 64
#define EG_TRIPS 32
#define EG_TOGETHER 2
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
vec4 eg_combine4(vec4 a, vec4 b) { return a + b; }
float eg_fold(vec4 a) { return (a.x + a.y) + (a.z + a.w); }
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
#define EG_LANES_LOG2 eg_u[7]  // of the lanes that have elements, rounded up to a power of two
#define EG_LENGTH eg_u[8]      // n

layout(local_size_x = EG_GROUP_SIZE) in;

EG_ACCUMULATORS eg_reduce_lane(uint e, uint end) {
#define EG_DECLARE(j, a, x) EG_ACCUMULATORS a = eg_identities(), x;
#define EG_MASK(j, a, x) x = eg_mask(x, end - e);
#define EG_STEP(j, a, x) a = eg_follow4(a, x);
#define EG_FOLD(j, a, x) folded[j] = eg_fold(a);
  EG_EACH_ROW(EG_DECLARE)
  for (; e < end; e += uint(EG_LANES * 4)) {
    eg_load(e >> 2, EG_LOADED);
    if (end - e < 4u) {
      EG_EACH_ROW(EG_MASK)
    }
    EG_EACH_ROW(EG_STEP)
  }
  EG_ACCUMULATORS folded = eg_identities();
  EG_EACH_ROW(EG_FOLD)
  return folded;
}

EG_ACCUMULATORS eg_reduce_block(uint first, uint end) {
  EG_ACCUMULATORS waiting[8];  // by level, up to 128 lanes
  EG_ACCUMULATORS result = eg_identities();
  for (uint i = 0u; i < 1u << EG_LANES_LOG2; ++i) {
    uint lane = EG_LANES_LOG2 == 0u ? 0u : bitfieldReverse(i) >> (32u - EG_LANES_LOG2);
    result = eg_reduce_lane(first + lane * 4u, end);
    uint level = 0u;
    for (uint bits = i; (bits & 1u) != 0u; bits >>= 1) result = eg_combine4(waiting[level++], result);
    waiting[level] = result;
  }
  return result;
}

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint item = first + gl_LocalInvocationID.x; item < end; item += uint(EG_GROUP_SIZE)) {
    uint rows = eg_divide(item, eg_u[3], eg_u[4]);
    uint block = item - rows * EG_BLOCKS, start = block * uint(EG_TRIPS * EG_LANES * 4);
    rows += EG_FIRST_ROWS;
    eg_address(rows);
    EG_ACCUMULATORS result = eg_reduce_block(start, min(EG_LENGTH, start + uint(EG_TRIPS * EG_LANES * 4)));
    for (uint j = 0u; j < uint(EG_TOGETHER); ++j) eg_finish(rows * uint(EG_TOGETHER) + j, block, result[j]);
  }
}
