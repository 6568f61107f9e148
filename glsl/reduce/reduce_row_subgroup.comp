#version 430
// reduce_row_subgroup: y[r] = combine over e of x(r, e) of many rows, as reduce_row, where each subgroup of 32 reduces
// blocks of rows by itself: with shuffles, without shared memory or a barrier.
// x is (rows, n), read through the hole eg_elements(vector, e): the accumulators of elements e .. e + 3, e = 4 vector,
// of the row that eg_address(row) selects. Each row is cut into blocks of EG_VECTORS_OF_BLOCK * 4 elements; an item is
// one block of one row. An invocation takes EG_LANES_EACH lanes of the tree, each of them 32 further along; lanes
// combine in a binary tree (docs/reduction-tree.md). eg_finish(row, block, result) stores. Absent elements are the
// identity, which changes no bit.
// EG_VECTORS > 0, of rows of one block: an invocation loads so many vectors of a row, and those of EG_ROWS rows, before
// it combines the first; past the end of a row the last vector is loaded again, and left out. 0: it loops over a block,
// EG_UNROLL loads in flight.
// Work group: EG_GROUP_SIZE invocations, whose subgroups work through a chunk of items. Shared memory: none.
// Bindings: declared by the generator.
// After Luitjens, "Faster Parallel Reductions on Kepler" (2014).
#ifdef EG_STANDALONE
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define EG_GROUP_SIZE 64
#define EG_LANES_EACH 2
#define EG_VECTORS_OF_BLOCK 2048
#define EG_VECTORS 3
#define EG_ROWS 2
#define EG_UNROLL 4
#define EG_ACCUMULATOR float
#define EG_ACCUMULATORS vec4
#define EG_SHUFFLED(a, apart) subgroupShuffleXor(a, apart)
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { float eg_b1[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
float eg_identity() { return 0.0; }
vec4 eg_identities() { return vec4(0.0); }
vec4 eg_follow4(vec4 a, vec4 b) { return a + b; }
float eg_combine(float a, float b) { return a + b; }
float eg_fold(vec4 a) { return (a.x + a.y) + (a.z + a.w); }
vec4 eg_mask(vec4 a, uint count) { return mix(vec4(0.0), a, lessThan(uvec4(0u, 1u, 2u, 3u), uvec4(count))); }
void eg_address(uint row) { eg_row = row; }
vec4 eg_elements(uint vector, uint e) { return eg_b0[eg_row * eg_u[8] + vector]; }
void eg_finish(uint row, uint block, float result) { eg_b1[row * eg_u[2] + block] = result; }
#endif
#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_BLOCKS eg_u[2]  // in each row, of this dispatch; 3 and 4 divide by it
#define EG_FIRST_ROW eg_u[5]
#define EG_FIRST_BLOCK eg_u[6]
#define EG_LENGTH eg_u[8]  // n

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_subgroup = 32u, eg_at_once = uint(EG_GROUP_SIZE / 32 * EG_ROWS);

// An invocation's lanes: i and, where there are two, i + 32.
EG_ACCUMULATOR eg_of_lanes(EG_ACCUMULATORS a[EG_LANES_EACH]) {
#if EG_LANES_EACH == 2
  return eg_combine(eg_fold(a[0]), eg_fold(a[1]));
#else
  return eg_fold(a[0]);
#endif
}

#if EG_VECTORS > 0
// Of rows `items` to EG_ROWS more, of which the last is `last`.
void eg_reduce_lanes(uint items, uint last, uint lane, out EG_ACCUMULATOR results[EG_ROWS]) {
  uint last_vector = (EG_LENGTH - 1u) / 4u;
  EG_ACCUMULATORS x[EG_ROWS * EG_VECTORS];
  for (uint i = 0u; i < uint(EG_ROWS); ++i) {
    eg_address(min(items + i, last) + EG_FIRST_ROW);
    for (uint k = 0u; k < uint(EG_VECTORS); ++k) {
      uint vector = min(lane + k * eg_subgroup, last_vector);
      x[i * uint(EG_VECTORS) + k] = eg_elements(vector, vector * 4u);
    }
  }
  uint tail = lane + uint(EG_VECTORS - 1) * eg_subgroup;  // an invocation's only vector that may be absent, or in part
  uint count = tail > last_vector ? 0u : min(EG_LENGTH - tail * 4u, 4u);
  for (uint i = 0u; i < uint(EG_ROWS); ++i) {
    EG_ACCUMULATORS a[EG_LANES_EACH];
    for (uint j = 0u; j < uint(EG_LANES_EACH); ++j) a[j] = eg_identities();
    for (uint k = 0u; k + 1u < uint(EG_VECTORS); ++k)
      a[k % uint(EG_LANES_EACH)] = eg_follow4(a[k % uint(EG_LANES_EACH)], x[i * uint(EG_VECTORS) + k]);
    if (count > 0u) {
      const uint k = uint(EG_VECTORS - 1);
      a[k % uint(EG_LANES_EACH)] =
          eg_follow4(a[k % uint(EG_LANES_EACH)], eg_mask(x[i * uint(EG_VECTORS) + k], count));
    }
    results[i] = eg_of_lanes(a);
  }
}
#else
void eg_reduce_lanes(uint items, uint last, uint lane, out EG_ACCUMULATOR results[EG_ROWS]) {
  uint item = min(items, last), row = eg_divide(item, eg_u[3], eg_u[4]);
  uint block = item - row * EG_BLOCKS + EG_FIRST_BLOCK;
  eg_address(row + EG_FIRST_ROW);
  uint start = block * uint(EG_VECTORS_OF_BLOCK), end = min(EG_LENGTH, (start + uint(EG_VECTORS_OF_BLOCK)) * 4u);
  EG_ACCUMULATORS a[EG_LANES_EACH];
  for (uint j = 0u; j < uint(EG_LANES_EACH); ++j) a[j] = eg_identities();
  uint vector = start + lane;
  // Whole vectors, several loads in flight.
  for (; (vector + uint(EG_UNROLL - 1) * eg_subgroup) * 4u + 3u < end; vector += uint(EG_UNROLL) * eg_subgroup) {
    EG_ACCUMULATORS x[EG_UNROLL];
    for (uint k = 0u; k < uint(EG_UNROLL); ++k)
      x[k] = eg_elements(vector + k * eg_subgroup, (vector + k * eg_subgroup) * 4u);
    for (uint k = 0u; k < uint(EG_UNROLL); ++k)
      a[k % uint(EG_LANES_EACH)] = eg_follow4(a[k % uint(EG_LANES_EACH)], x[k]);
  }
  for (uint k = 0u; k < uint(EG_UNROLL); ++k, vector += eg_subgroup)
    if (vector * 4u < end)
      a[k % uint(EG_LANES_EACH)] =
          eg_follow4(a[k % uint(EG_LANES_EACH)], eg_mask(eg_elements(vector, vector * 4u), end - vector * 4u));
  results[0] = eg_of_lanes(a);
}
#endif

void main() {
  uint lane = gl_LocalInvocationID.x % eg_subgroup, mine = gl_LocalInvocationID.x / eg_subgroup * uint(EG_ROWS);
  uint first = gl_WorkGroupID.x * EG_CHUNK, end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint items = first; items < end; items += eg_at_once) {
    EG_ACCUMULATOR results[EG_ROWS];
    eg_reduce_lanes(items + mine, end - 1u, lane, results);
    // The lower lane's comes first in every lane that counts.
    for (uint apart = eg_subgroup / 2u; apart > 0u; apart >>= 1)
      for (uint i = 0u; i < uint(EG_ROWS); ++i)
        results[i] = eg_combine(results[i], EG_SHUFFLED(results[i], apart));
    if (lane == 0u)
      for (uint i = 0u; i < uint(EG_ROWS) && items + mine + i < end; ++i) {
        uint item = items + mine + i, row = eg_divide(item, eg_u[3], eg_u[4]);
        eg_finish(row + EG_FIRST_ROW, item - row * EG_BLOCKS + EG_FIRST_BLOCK, results[i]);
      }
  }
}
