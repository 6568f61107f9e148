#version 430
// scan_row: y[r, e] = x[r, 0] o ... o x[r, e], o = eg_combine, along contiguous rows; under EG_EXCLUSIVE without x[r,
// e], so that y[r, 0] is the identity.
// x is (rows, n), read through the hole eg_load(vector): elements 4 vector .. 4 vector + 3 of the row that
// eg_address(row) selects. eg_finish(vector, values) stores. A row is cut into chunks of EG_TILES tiles of EG_SLOTS
// vectors. A group scans a chunk tile by tile, under EG_CARRIES from eg_carry(chunk) on, the total of all chunks before
// it. Under EG_REDUCE it only passes its chunk's total to eg_total(chunk, total). Under EG_ROWS rows are no longer than
// a tile, and as many as fit share one, each on a power of two of slots.
// Work group: EG_GROUP_SIZE invocations with EG_VECTORS vectors each, neighbours reading neighbours; a group works
// through EG_GROUP_ITEMS chunks (or rows). A vector is scanned serially, and its total goes to a slot. Slots are
// scanned by eights: one invocation scans eight neighbours serially and puts their total on the next level, until a row
// has one (a tile takes one barrier for each factor of 8, not two for each factor of 2).
// Shared memory: EG_SHARED values, EG_SLOTS * 1.2. No bank conflicts: slot i lies at i + i / 32. 32 neighbours reading
// their own slots touch 32 words in a row; neighbours s reading slot 8 s + k touch words 8 s + s / 4 + k, which differ
// modulo 32 for 32 values of s; and those reading a higher level's slot i / 8 share a word or read the next one.
// Bindings: declared by the generator.
// Reduce, then scan, of Dotsenko et al., "Fast Scan Algorithms on Graphics Processors" (2008), and Merrill and
// Grimshaw, "Parallel Scan for Stream Architectures" (2009).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_VECTORS 4
#define EG_SLOTS_LOG2 8
#define EG_SHARED 320
#define EG_CARRIES
#define EG_VALUE float
#define EG_VALUES vec4
layout(location = 0) uniform uint eg_u[8];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
layout(std430, binding = 2) restrict readonly buffer EgBlock2 { float eg_b2[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
float eg_identity() { return 0.0; }
float eg_combine(float a, float b) { return a + b; }
void eg_address(uint row) { eg_row = row; }
vec4 eg_load(uint vector) { return eg_b0[eg_row * eg_u[5] + vector]; }
void eg_finish(uint vector, vec4 values) { eg_b1[eg_row * eg_u[5] + vector] = values; }
float eg_carry(uint chunk) { return eg_b2[eg_row * eg_u[2] + chunk]; }
void eg_total(uint chunk, float total) { eg_b1[chunk] = vec4(total); }
#endif
#define EG_ITEMS eg_u[0]        // chunks of all rows of this dispatch; rows under EG_ROWS
#define EG_GROUP_ITEMS eg_u[1]  // items of a group
#define EG_CHUNKS eg_u[2]       // of a row; 3 and 4 divide by it
#define EG_LENGTH eg_u[5]       // vectors of a row
#define EG_TILES eg_u[6]        // of a chunk
#define EG_SLOTS (1u << EG_SLOTS_LOG2)
#ifdef EG_ROWS
#define EG_ROW_LOG2 eg_u[7]  // slots of a row
#else
#define EG_ROW_LOG2 uint(EG_SLOTS_LOG2)
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

shared EG_VALUE eg_totals[EG_SHARED];

uint eg_place(uint slot) { return slot + (slot >> 5); }

uint eg_level_after(uint level, uint count) { return level + count + (count >> 5) + 1u; }

EG_VALUES eg_scan_vector(EG_VALUES x) {
  x.y = eg_combine(x.x, x.y);
  x.z = eg_combine(x.y, x.z);
  x.w = eg_combine(x.z, x.w);
  return x;
}

// A vector's results from the prefix before it and its own scan.
EG_VALUES eg_results(EG_VALUE before, EG_VALUES x) {
#ifdef EG_EXCLUSIVE
  return EG_VALUES(before, eg_combine(before, x.x), eg_combine(before, x.y), eg_combine(before, x.z));
#else
  return EG_VALUES(eg_combine(before, x.x), eg_combine(before, x.y), eg_combine(before, x.z), eg_combine(before, x.w));
#endif
}

// Eight neighbouring slots of a level: each gets the prefix before it in its row; their total goes to the next level.
void eg_scan_eight(uint level, uint next, uint count, uint level_log2, uint eight) {
  uint slot = eight * 8u, row = (1u << EG_ROW_LOG2) - 1u;
  EG_VALUE totals[8];
  for (uint k = 0u; k < 8u; ++k) totals[k] = slot + k < count ? eg_totals[level + eg_place(slot + k)] : eg_identity();
  EG_VALUE before = eg_identity();
  for (uint k = 0u; k < 8u; ++k) {
    if (slot + k < count) {
      if ((((slot + k) << level_log2) & row) == 0u) before = eg_identity();
      eg_totals[level + eg_place(slot + k)] = before;
      before = eg_combine(before, totals[k]);
    }
  }
  eg_totals[next + eg_place(eight)] = before;
}

// Scans the written slots of all rows of a tile. Returns where a tile of one row has its total.
uint eg_scan_slots() {
  uint level = 0u, count = EG_SLOTS;
  for (uint level_log2 = 0u; level_log2 < EG_ROW_LOG2; level_log2 += 3u) {
    memoryBarrierShared();
    barrier();
    uint next = eg_level_after(level, count), eights = (count + 7u) >> 3;
    for (uint eight = gl_LocalInvocationID.x; eight < eights; eight += uint(EG_GROUP_SIZE))
      eg_scan_eight(level, next, count, level_log2, eight);
    level = next;
    count = eights;
  }
  memoryBarrierShared();
  barrier();
  return level;
}

// After eg_scan_slots(): the prefix before this slot in its row.
EG_VALUE eg_before(uint slot) {
  EG_VALUE before = eg_identity();
  uint level = 0u, count = EG_SLOTS;
  for (uint level_log2 = 0u; level_log2 < EG_ROW_LOG2; level_log2 += 3u) {
    before = eg_combine(eg_totals[level + eg_place(slot >> level_log2)], before);
    level = eg_level_after(level, count);
    count = (count + 7u) >> 3;
  }
  return before;
}

// The vector of a slot in its row, or one past the row where the slot has none; selects the row where a tile has
// several. first: the row, or else the vector, of slot 0.
uint eg_vector_of(uint slot, uint first, uint rows_end) {
#ifdef EG_ROWS
  uint row = first + (slot >> EG_ROW_LOG2);
  if (row >= rows_end) return EG_LENGTH;
  eg_address(row);
  return slot & ((1u << EG_ROW_LOG2) - 1u);
#else
  return first + slot;
#endif
}

// Scans one tile; returns the total of it and all before it.
EG_VALUE eg_scan_tile(uint first, uint rows_end, EG_VALUE carry) {
  EG_VALUES x[EG_VECTORS];
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {
    uint vector = eg_vector_of(u * uint(EG_GROUP_SIZE) + gl_LocalInvocationID.x, first, rows_end);
    x[u] = vector < EG_LENGTH ? eg_load(vector) : EG_VALUES(eg_identity());
  }
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {
    x[u] = eg_scan_vector(x[u]);
    eg_totals[eg_place(u * uint(EG_GROUP_SIZE) + gl_LocalInvocationID.x)] = x[u].w;
  }
  EG_VALUE total = eg_totals[eg_scan_slots()];
#ifndef EG_REDUCE
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {
    uint slot = u * uint(EG_GROUP_SIZE) + gl_LocalInvocationID.x, vector = eg_vector_of(slot, first, rows_end);
    if (vector < EG_LENGTH) eg_finish(vector, eg_results(eg_combine(carry, eg_before(slot)), x[u]));
  }
#endif
  memoryBarrierShared();
  barrier();
  return eg_combine(carry, total);
}

void main() {
  uint first = gl_WorkGroupID.x * EG_GROUP_ITEMS;
  uint end = min(first + EG_GROUP_ITEMS, EG_ITEMS);
#ifdef EG_ROWS
  for (uint row = first; row < end; row += EG_SLOTS >> EG_ROW_LOG2) eg_scan_tile(row, end, eg_identity());
#else
  for (uint item = first; item < end; ++item) {
    uint row = eg_divide(item, eg_u[3], eg_u[4]);
    uint chunk = item - row * EG_CHUNKS;
    eg_address(row);
#ifdef EG_CARRIES
    EG_VALUE carry = eg_carry(chunk);
#else
    EG_VALUE carry = eg_identity();
#endif
    for (uint tile = 0u; tile < EG_TILES; ++tile)
      carry = eg_scan_tile((chunk * EG_TILES + tile) << EG_SLOTS_LOG2, EG_ITEMS, carry);
#ifdef EG_REDUCE
    if (gl_LocalInvocationID.x == 0u) eg_total(chunk, carry);
#endif
  }
#endif
}
