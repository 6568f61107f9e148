#version 430
// reduce_row_short: y[r] = combine over e of x(r, e) of many rows of at most EG_ROW_LANES * 4 elements.
// x is (rows, n), read through the hole eg_elements(vector, e): the accumulators of elements e .. e + 3, e = 4 vector,
// of the row that eg_address(row) selects. A lane combines its four components with each other; an invocation then
// combines the lanes of a row in a binary tree (docs/reduction-tree.md). eg_finish(row, block, result) stores. Absent
// elements are the identity, which changes no bit.
// Work group: EG_GROUP_SIZE invocations, EG_ROW_LANES (a power of two) a row; EG_UNROLL rows of each invocation are in
// flight at a time, with two barriers for all of them. A group works through a chunk of rows; past its end the last one
// is read again, and not stored.
// Shared memory: an accumulator for each lane of those rows, lane by lane, padded so that neither the lanes' writes
// nor the rows' reads meet in a bank. Bindings: declared by the generator, as is EG_EACH_LOAD(F), which is F(0, eg_x0)
// F(1, eg_x1) and so on for EG_UNROLL rows.
// Variables and functions, where arrays and loops would be shorter: NVIDIA's compiler leaves an array of which a loop
// inside a loop takes elements in memory (sums of 3 million rows of 48 on an H200 374 us, so 150).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_ROW_LANES 8
#define EG_UNROLL 2
#define EG_EACH_LOAD(F) F(0, eg_x0) F(1, eg_x1)
#define EG_ACCUMULATOR float
#define EG_ACCUMULATORS vec4
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { float eg_b1[]; };
uint eg_row;
float eg_identity() { return 0.0; }
vec4 eg_identities() { return vec4(0.0); }
vec4 eg_follow4(vec4 a, vec4 b) { return a + b; }
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
#define EG_LENGTH eg_u[8]  // n

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_at_once = uint(EG_GROUP_SIZE / EG_ROW_LANES), eg_rows = eg_at_once * uint(EG_UNROLL);
const uint eg_pitch = eg_rows + 32u / uint(EG_ROW_LANES);
shared EG_ACCUMULATOR eg_slots[uint(EG_ROW_LANES) * eg_pitch];

// Of so many lanes of a row, `apart` from one another, from lane i on.
EG_ACCUMULATOR eg_of_2(uint row, uint i, uint apart) {
  return eg_combine(eg_slots[i * eg_pitch + row], eg_slots[(i + apart) * eg_pitch + row]);
}
EG_ACCUMULATOR eg_of_4(uint row, uint i, uint apart) {
  return eg_combine(eg_of_2(row, i, 2u * apart), eg_of_2(row, i + apart, 2u * apart));
}
EG_ACCUMULATOR eg_of_8(uint row, uint i, uint apart) {
  return eg_combine(eg_of_4(row, i, 2u * apart), eg_of_4(row, i + apart, 2u * apart));
}
EG_ACCUMULATOR eg_of_16(uint row, uint i, uint apart) {
  return eg_combine(eg_of_8(row, i, 2u * apart), eg_of_8(row, i + apart, 2u * apart));
}

EG_ACCUMULATOR eg_of_row(uint row) {
#if EG_ROW_LANES == 1
  return eg_slots[row];
#elif EG_ROW_LANES == 2
  return eg_of_2(row, 0u, 1u);
#elif EG_ROW_LANES == 4
  return eg_of_4(row, 0u, 1u);
#elif EG_ROW_LANES == 8
  return eg_of_8(row, 0u, 1u);
#else
  return eg_of_16(row, 0u, 1u);
#endif
}

#define EG_LOAD(i, x)                                                          \
  eg_address(min(rows + uint(i) * eg_at_once + row, end - 1u) + EG_FIRST_ROW); \
  EG_ACCUMULATORS x = eg_elements(vector, vector * 4u);
#define EG_KEEP(i, x)                                                   \
  x = eg_follow4(eg_identities(), eg_mask(x, EG_LENGTH - vector * 4u)); \
  eg_slots[lane * eg_pitch + uint(i) * eg_at_once + row] = lane == vector ? eg_fold(x) : eg_identity();

void main() {
  uint lane = gl_LocalInvocationID.x % uint(EG_ROW_LANES), row = gl_LocalInvocationID.x / uint(EG_ROW_LANES);
  uint vector = min(lane, (EG_LENGTH - 1u) / 4u);
  uint first = gl_WorkGroupID.x * EG_CHUNK, end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint rows = first; rows < end; rows += eg_rows) {
    EG_EACH_LOAD(EG_LOAD)
    EG_EACH_LOAD(EG_KEEP)
    memoryBarrierShared();
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < eg_rows; i += uint(EG_GROUP_SIZE))
      if (rows + i < end) eg_finish(rows + i + EG_FIRST_ROW, 0u, eg_of_row(i));
    memoryBarrierShared();
    barrier();
  }
}
