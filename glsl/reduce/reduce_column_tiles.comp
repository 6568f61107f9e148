#version 430
// reduce_column_tiles: y[c] = combine over r of x(r, c), where a group takes a tile: EG_SIDE vectors of four columns.
// x is (n, columns), read through the hole eg_elements(r): the accumulators of row r in the four columns that
// eg_address(vector) selects. Several groups may share a tile: they leave their results in memory (eg_leave), and the
// last one of a tile to finish (eg_arrive) combines these (eg_left); eg_finish(vector, block, result) stores. So one
// dispatch is enough, and no group waits for another.
// In any order, for combinations whose result no order changes (argmax and argmin, which compare indices, largest and
// smallest elements, and those of integers): EG_CHUNK rows of a tile are a group's item. Of these an invocation takes
// one vector of every EG_LANES-th row; the lanes combine in shared memory. Under EG_SHARED_TILES groups share tiles.
// EG_SINGLY: a vector is four rows of one column, which each invocation combines first. What is combined then, and left,
// is one accumulator, EG_PARTS; else it is EG_ACCUMULATORS.
// EG_NANS_APART: a lane of argmax or argmin looks for NaN apart, and if there is one, reads its rows again.
// EG_ROWS, in the order of the tree (docs/reduction-tree.md), with tiles shared: EG_CHUNK blocks of EG_ROWS rows of a
// tile are a group's item, an invocation takes one accumulator of a block, and the last group of a tile combines the
// blocks, which are one of the next level.
// Work group: EG_GROUP_SIZE invocations. Shared memory: half as many EG_PARTS, in order of the tree as many.
// Bindings: declared by the generator, as is EG_EACH_LOAD(F), which is F(0, eg_x0) F(1, eg_x1) and so on for EG_UNROLL
// rows.
// The last group's part is after NVIDIA's CUDA sample threadFenceReduction.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_SIDE 16
#define EG_UNROLL 2
#define EG_EACH_LOAD(F) F(0, eg_x0) F(1, eg_x1)
#define EG_SHARED_TILES
#define EG_ACCUMULATORS vec4
#define EG_PARTS vec4
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
layout(std430, binding = 2) coherent buffer EgBlock2 { uint eg_b2[]; };
layout(std430, binding = 3) coherent buffer EgBlock3 { vec4 eg_b3[]; };
uint eg_vector;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
vec4 eg_identities() { return vec4(0.0); }
vec4 eg_combine4(vec4 a, vec4 b) { return max(a, b); }
vec4 eg_follow4(vec4 a, vec4 b) { return max(a, b); }
void eg_address(uint vector) { eg_vector = vector; }
vec4 eg_elements(uint r) { return eg_b0[r * eg_u[7] + eg_vector]; }
void eg_finish(uint vector, uint block, vec4 result) { eg_b1[vector] = result; }
uint eg_arrive(uint tile) { return atomicAdd(eg_b2[tile], 1u) + 1u; }
void eg_reset(uint tile) { eg_b2[tile] = 0u; }
void eg_leave(uint place, vec4 result) { eg_b3[place] = result; }
vec4 eg_left(uint place) { return eg_b3[place]; }
#endif
#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]  // rows, or blocks, of a group
#define EG_TILES eg_u[2]  // 3 and 4 divide by it
#define EG_FIRST_VECTOR eg_u[5]
#define EG_VECTORS eg_u[7]
#define EG_LENGTH eg_u[8]  // n

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_side = uint(EG_SIDE), eg_lanes = uint(EG_GROUP_SIZE / EG_SIDE);
#ifdef EG_ROWS
const uint eg_slot_count = uint(EG_GROUP_SIZE);
#else
const uint eg_slot_count = uint((EG_GROUP_SIZE + 1) / 2);
#endif
shared EG_PARTS eg_slots[eg_slot_count];

#ifdef EG_SINGLY
EG_PARTS eg_part(EG_ACCUMULATORS a) { return eg_fold(a); }
EG_PARTS eg_no_part() { return eg_identity(); }
EG_PARTS eg_merge(EG_PARTS a, EG_PARTS b) { return eg_combine(a, b); }
#else
EG_PARTS eg_part(EG_ACCUMULATORS a) { return a; }
EG_PARTS eg_no_part() { return eg_identities(); }
EG_PARTS eg_merge(EG_PARTS a, EG_PARTS b) { return eg_combine4(a, b); }
#endif

#define EG_LOAD(i, x) EG_ACCUMULATORS x = eg_elements(r + uint(i) * apart);
#define EG_FOLLOW(i, x) total = eg_follow4(total, x);
#define EG_LOAD_INSIDE(i, x) EG_ACCUMULATORS x = eg_elements(min(r + uint(i) * apart, end - 1u));
#define EG_FOLLOW_INSIDE(i, x) \
  if (r + uint(i) * apart < end) total = eg_follow4(total, x);

#ifdef EG_NANS_APART
#define EG_FOLLOW_NUMBER(c)                                       \
  better = EG_BETTER(b.value.c, a.value.c);                       \
  a.value.c = better ? b.value.c : a.value.c;                     \
  a.index.c = better ? b.index.c : a.index.c;                     \
  magnitude = max(magnitude, floatBitsToUint(b.value.c) & 0x7fffffffu);
void eg_follow_numbers(inout EG_ACCUMULATORS a, EG_ACCUMULATORS b, inout uint magnitude) {
  bool better;
  EG_FOLLOW_NUMBER(x) EG_FOLLOW_NUMBER(y) EG_FOLLOW_NUMBER(z) EG_FOLLOW_NUMBER(w)
}

// The same as eg_reduce_lane, of numbers: every NaN is beyond infinity in the order of bits, so `magnitude` says whether
// there was one. What is read twice, the first row and the last, changes nothing.
#define EG_FOLLOW_NUMBERS(i, x) eg_follow_numbers(total, x, magnitude);
EG_ACCUMULATORS eg_reduce_numbers(uint r, uint end, uint apart, out uint magnitude) {
  magnitude = 0u;
  if (r >= end) return eg_identities();
  EG_ACCUMULATORS total = eg_elements(r);
#if EG_UNROLL > 1
  for (; r < end; r += uint(EG_UNROLL) * apart) {
    EG_EACH_LOAD(EG_LOAD_INSIDE)
    EG_EACH_LOAD(EG_FOLLOW_NUMBERS)
  }
#else
  for (; r < end; r += apart) eg_follow_numbers(total, eg_elements(r), magnitude);
#endif
  return total;
}
#endif

// Every `apart`-th row, in order. The last ones are as many loads in flight, too.
EG_ACCUMULATORS eg_reduce_lane(uint r, uint end, uint apart) {
#ifdef EG_NANS_APART
  uint magnitude;
  EG_ACCUMULATORS numbers = eg_reduce_numbers(r, end, apart, magnitude);
  if (magnitude <= 0x7f800000u) return numbers;
#endif
  EG_ACCUMULATORS total = eg_identities();
#if EG_UNROLL > 1
  for (; r + uint(EG_UNROLL - 1) * apart < end; r += uint(EG_UNROLL) * apart) {
    EG_EACH_LOAD(EG_LOAD)
    EG_EACH_LOAD(EG_FOLLOW)
  }
  if (r < end) {
    EG_EACH_LOAD(EG_LOAD_INSIDE)
    EG_EACH_LOAD(EG_FOLLOW_INSIDE)
  }
#else
  for (; r < end; r += apart) total = eg_follow4(total, eg_elements(r));
#endif
  return total;
}

#ifndef EG_ROWS
// The lanes' values of a vector, in lane 0.
EG_PARTS eg_combine_lanes(EG_PARTS a, uint lane) {
  for (uint apart = eg_lanes / 2u; apart > 0u; apart >>= 1) {
    if (lane >= apart && lane < 2u * apart) eg_slots[gl_LocalInvocationID.x - apart * eg_side] = a;
    memoryBarrierShared();
    barrier();
    if (lane < apart) a = eg_merge(a, eg_slots[gl_LocalInvocationID.x]);
    memoryBarrierShared();
    barrier();
  }
  return a;
}
#endif

#ifdef EG_SHARED_TILES
shared uint eg_arrived;

// Whether the group is the last of a tile's to arrive; it can then read what all of them left.
bool eg_is_last(uint tile, uint groups) {
  memoryBarrierBuffer();
  memoryBarrierShared();
  barrier();
  if (gl_LocalInvocationID.x == 0u) {
    eg_arrived = eg_arrive(tile);
    if (eg_arrived == groups) eg_reset(tile);
  }
  memoryBarrierShared();
  barrier();
  bool last = eg_arrived == groups;
  memoryBarrierBuffer();
  return last;
}
#endif

#ifdef EG_ROWS
// The block whose accumulators the lanes from `lane` on have in shared memory.
EG_ACCUMULATORS eg_fold_lanes(uint lane, uint side) {
#define EG_LANE(j, name) eg_slots[(lane + uint(j)) * eg_side + side]
  return EG_FOLD(EG_LANE);
}

EG_ACCUMULATORS eg_left_of(uint place, uint block, uint blocks) {
  return block < blocks ? eg_left(place + block * eg_side) : eg_identities();
}

// The accumulator of every EG_ACCUMULATOR_COUNT-th of the blocks that groups left at `place`.
EG_ACCUMULATORS eg_reduce_left(uint place, uint block, uint blocks) {
#define EG_LEFT(i, x) \
  EG_ACCUMULATORS x = eg_left_of(place, block + uint(i) * uint(EG_ACCUMULATOR_COUNT), blocks);
#define EG_COMBINE(i, x) total = eg_combine4(total, x);
  EG_ACCUMULATORS total = eg_identities();
  for (; block < blocks; block += uint(EG_UNROLL * EG_ACCUMULATOR_COUNT)) {
    EG_EACH_LOAD(EG_LEFT)
    EG_EACH_LOAD(EG_COMBINE)
  }
  return total;
}

void main() {
  const uint accumulators = uint(EG_ACCUMULATOR_COUNT), at_once = eg_lanes / accumulators;
  uint side = gl_LocalInvocationID.x % eg_side, lane = gl_LocalInvocationID.x / eg_side, j = lane % accumulators;
  uint number = eg_divide(gl_WorkGroupID.x, eg_u[3], eg_u[4]), tile = gl_WorkGroupID.x - number * EG_TILES;
  uint blocks = (EG_LENGTH + uint(EG_ROWS - 1)) / uint(EG_ROWS), groups = EG_ITEMS / EG_TILES;
  uint vector = tile * eg_side + side;
  bool inside = vector < EG_VECTORS;
  vector = (inside ? vector : 0u) + EG_FIRST_VECTOR;
  eg_address(vector);
  uint first = number * EG_CHUNK, end = min(first + EG_CHUNK, blocks), place = tile * blocks * eg_side + side;
  for (uint block = first; block < end; block += at_once) {
    uint mine = block + lane / accumulators, r = mine * uint(EG_ROWS);
    uint last = inside && mine < end ? min(EG_LENGTH, r + uint(EG_ROWS)) : 0u;
    eg_slots[gl_LocalInvocationID.x] = eg_reduce_lane(r + j, last, accumulators);
    memoryBarrierShared();
    barrier();
    if (j == 0u && mine < end) eg_leave(place + mine * eg_side, eg_fold_lanes(lane, side));
    memoryBarrierShared();
    barrier();
  }
  if (!eg_is_last(tile, groups)) return;
  if (lane < accumulators) eg_slots[gl_LocalInvocationID.x] = eg_reduce_left(place, lane, blocks);
  memoryBarrierShared();
  barrier();
  if (lane == 0u && inside) eg_finish(vector, 0u, eg_fold_lanes(0u, side));
}
#else
void main() {
  uint side = gl_LocalInvocationID.x % eg_side, lane = gl_LocalInvocationID.x / eg_side;
  uint number = eg_divide(gl_WorkGroupID.x, eg_u[3], eg_u[4]), tile = gl_WorkGroupID.x - number * EG_TILES;
  uint vector = tile * eg_side + side;
  bool inside = vector < EG_VECTORS;
  uint first = number * EG_CHUNK, end = inside ? min(EG_LENGTH, first + EG_CHUNK) : first;
  eg_address((inside ? vector : 0u) + EG_FIRST_VECTOR);
  EG_PARTS result = eg_combine_lanes(eg_part(eg_reduce_lane(first + lane, end, eg_lanes)), lane);
#ifdef EG_SHARED_TILES
  uint groups = EG_ITEMS / EG_TILES, place = tile * groups * eg_side + side;
  if (lane == 0u) eg_leave(place + number * eg_side, result);
  if (!eg_is_last(tile, groups)) return;
  result = eg_no_part();
  // Several loads in flight: few lanes may have what many groups left, and one by one each would wait for memory.
#define EG_LEFT(i, x) EG_PARTS x = eg_left(place + min(number + uint(i) * eg_lanes, groups - 1u) * eg_side);
#define EG_COMBINE(i, x) \
  if (number + uint(i) * eg_lanes < groups) result = eg_merge(result, x);
  for (number = lane; number < groups; number += uint(EG_UNROLL) * eg_lanes) {
    EG_EACH_LOAD(EG_LEFT)
    EG_EACH_LOAD(EG_COMBINE)
  }
  result = eg_combine_lanes(result, lane);
#endif
  if (lane == 0u && inside) eg_finish(vector + EG_FIRST_VECTOR, 0u, result);
}
#endif
