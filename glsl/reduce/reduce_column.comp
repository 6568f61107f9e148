#version 430
// reduce_column: y[c] = combine over r of x(r, c), where neighbouring invocations take neighbouring columns.
// x is (n, columns), read through the hole eg_elements(r): the accumulators of row r in the four columns that
// eg_address(vector) selects. The rows are cut into blocks of EG_ROWS; row r of a block goes to accumulator r mod
// EG_ACCUMULATOR_COUNT, serially, and the accumulators combine in a binary tree (docs/reduction-tree.md). An item is
// one block of four columns. eg_finish(vector, block, result) stores; columns past the last repeat it and are not
// stored.
// Work group: EG_GROUP_SIZE invocations; a group works through a chunk of items. An invocation takes an item at a time,
// without shared memory. EG_SPLIT: an invocation takes one accumulator of an item, and they combine in
// shared memory. EG_TWO_LEVEL: a group takes a block of the next level, an accumulator of which each invocation has in
// shared memory; with EG_SPLIT an invocation takes one accumulator of a block, not all of them. EG_SPREAD: a group takes
// up to EG_SLOTS items a round, their accumulators in shared memory.
// EG_TRIPS, where every block has that many whole trips over the accumulators, lets compilers load many rows early.
// Bindings: declared by the generator, as are the macros that repeat text for each accumulator: EG_EACH_ACCUMULATOR(F)
// is F(0, eg_a0) F(1, eg_a1) ..., EG_FOLD(F) the tree over those; EG_EACH_LOAD(F) is F(0, eg_x0) F(1, eg_x1) and so on
// for EG_UNROLL rows.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_ROWS 32
#define EG_UNROLL 2
#define EG_EACH_LOAD(F) F(0, eg_x0) F(1, eg_x1)
#define EG_SLOTS 64
#define EG_ACCUMULATORS vec4
#define EG_ACCUMULATOR_COUNT 2
#define EG_EACH_ACCUMULATOR(F) F(0, eg_a0) F(1, eg_a1)
#define EG_FOLD(F) eg_combine4(F(0, eg_a0), F(1, eg_a1))
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
uint eg_vector;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
vec4 eg_identities() { return vec4(0.0); }
vec4 eg_combine4(vec4 a, vec4 b) { return a + b; }
vec4 eg_follow4(vec4 a, vec4 b) { return a + b; }
void eg_address(uint vector) { eg_vector = vector; }
vec4 eg_elements(uint r) { return eg_b0[r * eg_u[2] + eg_vector]; }
void eg_finish(uint vector, uint block, vec4 result) { eg_b1[block * eg_u[2] + vector] = result; }
#endif
#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_VECTORS eg_u[2]  // of four columns, of this dispatch; 3 and 4 divide by it
#define EG_FIRST_VECTOR eg_u[5]
#define EG_FIRST_BLOCK eg_u[6]
#define EG_ITEMS_AT_ONCE eg_u[7]  // under EG_SPREAD
#define EG_ALL_VECTORS eg_u[7]    // under EG_TWO_LEVEL, where 2 is the groups side by side, and 3 and 4 divide by that
#define EG_LENGTH eg_u[8]         // n

layout(local_size_x = EG_GROUP_SIZE) in;

#if defined(EG_SPREAD) || defined(EG_SERIAL) || defined(EG_SPLIT)
#define EG_ROW(i) (r + uint((i)*EG_ACCUMULATOR_COUNT))
#define EG_LOAD(i, x) EG_ACCUMULATORS x = eg_elements(EG_ROW(i));
#define EG_FOLLOW(i, x) total = eg_follow4(total, x);
#define EG_LOAD_INSIDE(i, x) EG_ACCUMULATORS x = eg_elements(min(EG_ROW(i), end - 1u));
#define EG_FOLLOW_INSIDE(i, x) \
  if (EG_ROW(i) < end) total = eg_follow4(total, x);

// One accumulator: every EG_ACCUMULATOR_COUNT-th row. The last rows are as many loads in flight, too: one by one, each
// would wait for memory.
EG_ACCUMULATORS eg_reduce_strided(uint first, uint end) {
  EG_ACCUMULATORS total = eg_identities();
  uint r = first;
#if EG_UNROLL > 1
  for (; EG_ROW(EG_UNROLL - 1) < end; r = EG_ROW(EG_UNROLL)) {
    EG_EACH_LOAD(EG_LOAD)
    EG_EACH_LOAD(EG_FOLLOW)
  }
#ifndef EG_SPREAD
  if (r < end) {
    EG_EACH_LOAD(EG_LOAD_INSIDE)
    EG_EACH_LOAD(EG_FOLLOW_INSIDE)
  }
  return total;
#endif
#endif
  for (; r < end; r += uint(EG_ACCUMULATOR_COUNT)) total = eg_follow4(total, eg_elements(r));
  return total;
}
#endif

#ifdef EG_SPREAD
// All items of a round, one accumulator after the other: a few rows of each item, then the next rows, so that a
// software device reads memory in order. An invocation alone uses its slots of shared memory: no barriers.
shared EG_ACCUMULATORS eg_totals[EG_ACCUMULATOR_COUNT * EG_SLOTS];

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint items = first; items < end; items += EG_ITEMS_AT_ONCE) {
    uint round_end = min(end, items + EG_ITEMS_AT_ONCE);
    for (uint j = 0u; j < uint(EG_ACCUMULATOR_COUNT); ++j) {
      for (uint item = items + gl_LocalInvocationID.x; item < round_end; item += uint(EG_GROUP_SIZE)) {
        uint block = eg_divide(item, eg_u[3], eg_u[4]);
        eg_address(item - block * EG_VECTORS + EG_FIRST_VECTOR);
        block += EG_FIRST_BLOCK;
        uint last = min(EG_LENGTH, (block + 1u) * uint(EG_ROWS));
        eg_totals[(item - items) * uint(EG_ACCUMULATOR_COUNT) + j] = eg_reduce_strided(block * uint(EG_ROWS) + j, last);
      }
    }
    for (uint item = items + gl_LocalInvocationID.x; item < round_end; item += uint(EG_GROUP_SIZE)) {
      uint block = eg_divide(item, eg_u[3], eg_u[4]);
      uint slot = (item - items) * uint(EG_ACCUMULATOR_COUNT);
#define EG_ENTRY(j, name) eg_totals[slot + uint(j)]
      eg_finish(item - block * EG_VECTORS + EG_FIRST_VECTOR, block + EG_FIRST_BLOCK, EG_FOLD(EG_ENTRY));
    }
  }
}
#elif defined(EG_SPLIT) && !defined(EG_TWO_LEVEL)
// As many invocations an item as accumulators. EG_NEIGHBOURS neighbours (a power of two) take the same accumulator of
// neighbouring items, those of a row, and the next ones the next row; a round that is not full repeats the last item.
const uint eg_items_at_once = uint(EG_GROUP_SIZE / EG_ACCUMULATOR_COUNT);
shared EG_ACCUMULATORS eg_partials[EG_GROUP_SIZE];

void main() {
  uint row = gl_LocalInvocationID.x / uint(EG_NEIGHBOURS), j = row % uint(EG_ACCUMULATOR_COUNT);
  uint in_round = row / uint(EG_ACCUMULATOR_COUNT) * uint(EG_NEIGHBOURS) + gl_LocalInvocationID.x % uint(EG_NEIGHBOURS);
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint items = first; items < end; items += eg_items_at_once) {
    uint item = min(items + in_round, end - 1u);
    uint block = eg_divide(item, eg_u[3], eg_u[4]);
    uint vector = item - block * EG_VECTORS + EG_FIRST_VECTOR;
    block += EG_FIRST_BLOCK;
    eg_address(vector);
    uint last = min(EG_LENGTH, (block + 1u) * uint(EG_ROWS));
    eg_partials[j * eg_items_at_once + in_round] = eg_reduce_strided(block * uint(EG_ROWS) + j, last);
    memoryBarrierShared();
    barrier();
#define EG_PARTIAL(j, name) eg_partials[uint(j) * eg_items_at_once + in_round]
    if (j == 0u && items + in_round < end) eg_finish(vector, block, EG_FOLD(EG_PARTIAL));
    memoryBarrierShared();
    barrier();
  }
}
#else
#ifdef EG_SERIAL
// One accumulator after the other: the prologue's text is not repeated.
EG_ACCUMULATORS eg_reduce_block(uint first, uint end) {
  EG_ACCUMULATORS a[EG_ACCUMULATOR_COUNT];
  for (uint j = 0u; j < uint(EG_ACCUMULATOR_COUNT); ++j) a[j] = eg_reduce_strided(first + j, end);
#define EG_ENTRY(j, name) a[j]
  return EG_FOLD(EG_ENTRY);
}
#elif !defined(EG_SPLIT)
// All accumulators at once: as many loads in flight.
EG_ACCUMULATORS eg_reduce_block(uint first, uint end) {
#define EG_DECLARE(j, a) EG_ACCUMULATORS a = eg_identities();
#define EG_STEP(j, a)                                              \
  {                                                               \
    EG_ACCUMULATORS x = eg_elements(min(r + uint(j), end - 1u));  \
    if (r + uint(j) < end) a = eg_follow4(a, x);                  \
  }
#define EG_WHOLE_STEP(j, a) a = eg_follow4(a, eg_elements(r + uint(j)));
#define EG_VARIABLE(j, a) a
  EG_EACH_ACCUMULATOR(EG_DECLARE)
  uint r = first;
#ifdef EG_TRIPS
  for (uint t = 0u; t < uint(EG_TRIPS); ++t, r += uint(EG_ACCUMULATOR_COUNT)) {
    EG_EACH_ACCUMULATOR(EG_WHOLE_STEP)
  }
#else
  for (; r + uint(EG_ACCUMULATOR_COUNT) <= end; r += uint(EG_ACCUMULATOR_COUNT)) {
    EG_EACH_ACCUMULATOR(EG_WHOLE_STEP)
  }
  if (r < end) {
    EG_EACH_ACCUMULATOR(EG_STEP)
  }
#endif
  return EG_FOLD(EG_VARIABLE);
}
#endif

#ifdef EG_TWO_LEVEL
// A group takes EG_TWO_LEVEL vectors and, several at a time, the blocks of one block of the next level. Their results
// combine in shared memory into that level's accumulators, in its order; the first EG_ACCUMULATOR_COUNT rows of
// invocations have one each.
const uint eg_rows = uint(EG_GROUP_SIZE / EG_TWO_LEVEL);
shared EG_ACCUMULATORS eg_blocks[EG_GROUP_SIZE];

#ifdef EG_SPLIT
// Of the blocks from `block` on, as many rows of invocations each as there are accumulators.
const uint eg_blocks_at_once = eg_rows / uint(EG_ACCUMULATOR_COUNT);
EG_ACCUMULATORS eg_share(uint block, uint row, uint end) {
  uint first = (block + row / uint(EG_ACCUMULATOR_COUNT)) * uint(EG_ROWS);
  return eg_reduce_strided(min(first + row % uint(EG_ACCUMULATOR_COUNT), end), min(end, first + uint(EG_ROWS)));
}
EG_ACCUMULATORS eg_of_block(uint number, uint in_row) {
#define EG_PART(j, name) eg_blocks[(number * uint(EG_ACCUMULATOR_COUNT) + uint(j)) * uint(EG_TWO_LEVEL) + in_row]
  return EG_FOLD(EG_PART);
}
#else
const uint eg_blocks_at_once = eg_rows;
EG_ACCUMULATORS eg_share(uint block, uint row, uint end) {
  uint first = (block + row) * uint(EG_ROWS);
  return eg_reduce_block(min(first, end), min(end, first + uint(EG_ROWS)));
}
EG_ACCUMULATORS eg_of_block(uint number, uint in_row) { return eg_blocks[number * uint(EG_TWO_LEVEL) + in_row]; }
#endif

void main() {
  uint in_row = gl_LocalInvocationID.x % uint(EG_TWO_LEVEL), row = gl_LocalInvocationID.x / uint(EG_TWO_LEVEL);
  for (uint item = gl_WorkGroupID.x; item < EG_ITEMS; item += gl_NumWorkGroups.x) {
    uint outer = eg_divide(item, eg_u[3], eg_u[4]);
    uint vector = (item - outer * eg_u[2]) * uint(EG_TWO_LEVEL) + in_row;
    bool inside = vector < EG_ALL_VECTORS;
    vector = min(vector, EG_ALL_VECTORS - 1u) + EG_FIRST_VECTOR;
    outer += EG_FIRST_BLOCK;
    eg_address(vector);
    uint end = min(EG_LENGTH, (outer + 1u) * uint(EG_ROWS * EG_ROWS));
    EG_ACCUMULATORS total = eg_identities();
    for (uint block = outer * uint(EG_ROWS); block * uint(EG_ROWS) < end; block += eg_blocks_at_once) {
      eg_blocks[gl_LocalInvocationID.x] = eg_share(block, row, end);
      memoryBarrierShared();
      barrier();
      if (row < uint(EG_ACCUMULATOR_COUNT)) {
        for (uint k = (row - block) % uint(EG_ACCUMULATOR_COUNT); k < eg_blocks_at_once;
             k += uint(EG_ACCUMULATOR_COUNT))
          total = eg_combine4(total, eg_of_block(k, in_row));
      }
      memoryBarrierShared();
      barrier();
    }
    eg_blocks[gl_LocalInvocationID.x] = total;
    memoryBarrierShared();
    barrier();
#define EG_TOTAL(j, name) eg_blocks[uint(j * EG_TWO_LEVEL) + in_row]
    if (row == 0u && inside) eg_finish(vector, outer, EG_FOLD(EG_TOTAL));
    memoryBarrierShared();
    barrier();
  }
}
#else
void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint item = first + gl_LocalInvocationID.x; item < end; item += uint(EG_GROUP_SIZE)) {
    uint block = eg_divide(item, eg_u[3], eg_u[4]);
    uint vector = item - block * EG_VECTORS + EG_FIRST_VECTOR;
    block += EG_FIRST_BLOCK;
    eg_address(vector);
    eg_finish(vector, block, eg_reduce_block(block * uint(EG_ROWS), min(EG_LENGTH, (block + 1u) * uint(EG_ROWS))));
  }
}
#endif
#endif
