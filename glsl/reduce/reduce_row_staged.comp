#version 430
// reduce_row_staged: y[r] = combine over e of x(r, e) of many short rows that lie one behind the other and begin
// anywhere.
// x is (rows, n), read through the hole eg_elements(vector): the accumulators of elements 4 vector .. 4 vector + 3 of
// all rows, in the order of memory. A group takes EG_GROUP_SIZE * EG_ROWS_EACH rows at a time to shared memory, all
// invocations side by side, EG_VECTORS vectors of each in flight; then an invocation combines a row there, lane by lane
// (four elements) in the binary tree of docs/reduction-tree.md. eg_finish(row, block, result) stores. Absent elements
// are the identity, which changes no bit, and absent lanes are left out.
// Shared memory: EG_WORDS accumulators. Rows of an odd length meet in no bank as invocations walk them, those of twice
// an odd one two by two. Invocations that store four neighbours begin, eight by eight, at another of the four each, so
// that these meet in no bank either.
// Work group: EG_GROUP_SIZE invocations; a group works through a chunk of rows, a multiple of four.
// Bindings: declared by the generator, as are the macros that repeat text: EG_EACH_VECTOR(F) is F(0, eg_x0) F(1, eg_x1)
// ..., EG_TREE(F) the tree over F(0), F(1), ..., one for each lane of a row.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_ROWS_EACH 1
#define EG_WORDS 388
#define EG_ACCUMULATOR float
#define EG_ACCUMULATORS vec4
#define EG_EACH_VECTOR(F) F(0, eg_x0) F(1, eg_x1)
#define EG_VECTORS 2
#define EG_TREE(F) eg_combine(F(0), F(1))
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { float eg_b1[]; };
vec4 eg_identities() { return vec4(0.0); }
vec4 eg_follow4(vec4 a, vec4 b) { return a + b; }
float eg_combine(float a, float b) { return a + b; }
float eg_fold(vec4 a) { return (a.x + a.y) + (a.z + a.w); }
vec4 eg_mask(vec4 a, uint count) { return mix(vec4(0.0), a, lessThan(uvec4(0u, 1u, 2u, 3u), uvec4(count))); }
vec4 eg_elements(uint vector) { return eg_b0[vector]; }
void eg_finish(uint row, uint block, float result) { eg_b1[row] = result; }
#endif
#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_FIRST_ROW eg_u[5]
#define EG_LENGTH eg_u[8]  // n

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_rows_at_once = uint(EG_GROUP_SIZE * EG_ROWS_EACH);
shared EG_ACCUMULATOR eg_slots[EG_WORDS];

void eg_stage(uint vector, EG_ACCUMULATORS value) {
  uint at = vector * 4u, turn = vector >> 3 & 3u;
  if ((turn & 1u) != 0u) value = value.yzwx;
  if ((turn & 2u) != 0u) value = value.zwxy;
  eg_slots[at + turn] = value.x;
  eg_slots[at + (turn + 1u & 3u)] = value.y;
  eg_slots[at + (turn + 2u & 3u)] = value.z;
  eg_slots[at + (turn + 3u & 3u)] = value.w;
}

EG_ACCUMULATOR eg_of_lane(uint first, uint lane) {
  uint e = lane * 4u, at = first + e;
  EG_ACCUMULATORS x = EG_ACCUMULATORS(eg_slots[at], eg_slots[at + 1u], eg_slots[at + 2u], eg_slots[at + 3u]);
  if (e + 4u > EG_LENGTH) x = eg_mask(x, EG_LENGTH - e);
  return eg_fold(eg_follow4(eg_identities(), x));
}

EG_ACCUMULATOR eg_of_row(uint row) {
  uint first = row * EG_LENGTH;
#define EG_LANE(i) eg_of_lane(first, uint(i))
  return EG_TREE(EG_LANE);
}

void main() {
  uint start = gl_WorkGroupID.x * EG_CHUNK, end = min(start + EG_CHUNK, EG_ITEMS);
  for (uint item = start; item < end; item += eg_rows_at_once) {
    uint rows = min(end - item, eg_rows_at_once), vectors = (rows * EG_LENGTH + 3u) / 4u;
    uint first = (EG_FIRST_ROW + item) / 4u * EG_LENGTH;
    for (uint vector = gl_LocalInvocationID.x; vector < vectors; vector += uint(EG_VECTORS * EG_GROUP_SIZE)) {
#define EG_PLACE(k) (vector + uint(k * EG_GROUP_SIZE))
#define EG_LOAD(k, x) EG_ACCUMULATORS x = eg_elements(first + min(EG_PLACE(k), vectors - 1u));
#define EG_STAGE(k, x) \
  if (EG_PLACE(k) < vectors) eg_stage(EG_PLACE(k), x);
      EG_EACH_VECTOR(EG_LOAD)
      EG_EACH_VECTOR(EG_STAGE)
    }
    memoryBarrierShared();
    barrier();
    for (uint row = gl_LocalInvocationID.x; row < rows; row += uint(EG_GROUP_SIZE))
      eg_finish(item + row + EG_FIRST_ROW, 0u, eg_of_row(row));
    memoryBarrierShared();
    barrier();
  }
}
