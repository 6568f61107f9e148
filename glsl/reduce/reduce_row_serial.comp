#version 430
// reduce_row_serial: y[r] = combine over e of x(r, e) for rows of at most EG_LANES * 4 elements, one invocation a row.
// x is (rows, n), read as in reduce_row.comp, with the first trip of its tree: every lane has at most one vector of
// four elements, and lanes l and l + h combine for h = lanes / 2, ..., 1. Lanes are taken in bit-reversed order, in
// which those pairs are neighbours: a binary counter of waiting results, one for each level, is all the memory needed.
// Work group: EG_GROUP_SIZE invocations, a row each at a time; a group works through a chunk of rows. For software
// devices: no shared memory, no barrier. Bindings: declared by the generator.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_LANES 64
#define EG_ACCUMULATOR float
#define EG_ACCUMULATORS vec4
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { float eg_b1[]; };
uint eg_row;
float eg_identity() { return 0.0; }
float eg_combine(float a, float b) { return a + b; }
float eg_fold(vec4 a) { return (a.x + a.y) + (a.z + a.w); }
vec4 eg_mask(vec4 a, uint count) { return mix(vec4(0.0), a, lessThan(uvec4(0u, 1u, 2u, 3u), uvec4(count))); }
void eg_address(uint row) { eg_row = row; }
vec4 eg_elements(uint vector, uint e) { return eg_b0[eg_row * eg_u[8] + vector]; }
void eg_finish(uint row, uint block, float result) { eg_b1[row] = result; }
#endif
#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_FIRST_ROW eg_u[5]
#define EG_LANES_LOG2 eg_u[7]  // of the lanes that have elements, rounded up to a power of two
#define EG_LENGTH eg_u[8]      // n

layout(local_size_x = EG_GROUP_SIZE) in;

EG_ACCUMULATOR eg_reduce_row(uint lanes_log2, uint length) {
  EG_ACCUMULATOR waiting[8];  // by level, up to 128 lanes
  EG_ACCUMULATOR result = eg_identity();
  for (uint i = 0u; i < 1u << lanes_log2; ++i) {
    uint lane = lanes_log2 == 0u ? 0u : bitfieldReverse(i) >> (32u - lanes_log2);
    result = eg_identity();
    if (lane * 4u < length) result = eg_fold(eg_mask(eg_elements(lane, lane * 4u), length - lane * 4u));
    uint level = 0u;
    for (uint bits = i; (bits & 1u) != 0u; bits >>= 1) result = eg_combine(waiting[level++], result);
    waiting[level] = result;
  }
  return result;
}

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint item = first + gl_LocalInvocationID.x; item < end; item += uint(EG_GROUP_SIZE)) {
    uint row = item + EG_FIRST_ROW;
    eg_address(row);
    eg_finish(row, 0u, eg_reduce_row(EG_LANES_LOG2, EG_LENGTH));
  }
}
