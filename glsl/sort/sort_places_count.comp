#version 430
// sort_places_count: h(r, p, d) += the number of keys of row r that begin as the key at place p of the sorted row does,
// and go on with digit d: one of the passes that find the keys at a few places of sorted rows without sorting them.
// The keys are (rows, n), of which a dispatch counts some rows and columns, read through the hole eg_read_key(c) after
// eg_address(r); eg_order(bits) is the key as an unsigned integer in the order of the sort. What is known of the key at
// place p is in the state, (rows, EG_PLACES) pairs of its first bits and of its place among the keys that begin so; of
// places that know the same, the first alone counts.
// Work group: EG_GROUP_SIZE invocations, which count whole tiles of EG_TILE keys by atomic integer additions, whose
// order changes no result. Shared memory: EG_PLACES * 2048 words.
// After Alabi, Blanchard, Gordon and Steinbach, "Fast k-selection algorithms for graphics processing units" (2012).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 128
#define EG_EACH 8
#define EG_PLACES 3
#define EG_STATE(i) eg_b1[i]
layout(location = 0) uniform uint eg_u[20];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uint eg_b0[]; };
layout(std430, binding = 1) coherent volatile buffer EgBlock1 { uint eg_b1[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
void eg_address(uint row) { eg_row = row * eg_u[5]; }
uint eg_read_key(uint c) { return eg_b0[eg_row + c]; }
uint eg_order(uint bits) { return bits; }
#endif
#define EG_ITEMS eg_u[0]   // tiles of all rows: the first of each row, the second of each
#define EG_CHUNK eg_u[1]   // items of a group
#define EG_ROWS eg_u[2]    // 3 and 4 divide by it
#define EG_END eg_u[5]     // the last column that is counted, plus one
#define EG_TILE eg_u[6]    // a multiple of EG_GROUP_SIZE * EG_EACH
#define EG_KNOWN eg_u[8]   // where the state begins
#define EG_COUNTS eg_u[9]  // where h does
#define EG_LOW eg_u[10]    // bits of a key behind the digit
#define EG_WIDTH eg_u[11]  // bits of the digit, at most 11
#define EG_FIRST eg_u[12]  // 1 where nothing is known yet
#define EG_START eg_u[13]  // the first column that is counted

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_size = uint(EG_GROUP_SIZE), eg_each = uint(EG_EACH), eg_digits = 2048u;
shared uint eg_counts[EG_PLACES * 2048];

void eg_synchronize() {
  memoryBarrierShared();
  barrier();
}

uint eg_known[EG_PLACES];
uint eg_counted[EG_PLACES];  // 1 where no place before knows the same, else 0

void eg_read_state(uint row) {
  for (int p = 0; p < EG_PLACES; ++p) {
    eg_known[p] = EG_FIRST != 0u ? 0u : EG_STATE(EG_KNOWN + 2u * (row * uint(EG_PLACES) + uint(p)));
    eg_counted[p] = p == 0 || eg_known[p] != eg_known[p - 1] ? 1u : 0u;
  }
}

void eg_count(uint start, uint stop) {
  uint bits[EG_EACH];  // all loads are in flight before the first is used
  for (uint i = 0u; i < eg_each; ++i) bits[i] = start + i * eg_size < stop ? eg_read_key(start + i * eg_size) : 0u;
  for (uint i = 0u; i < eg_each; ++i) {
    if (start + i * eg_size >= stop) continue;
    uint order = eg_order(bits[i]) >> EG_LOW, digit = order & ((1u << EG_WIDTH) - 1u);
    uint begins = EG_FIRST != 0u ? 0u : order >> EG_WIDTH;
    for (int p = 0; p < EG_PLACES; ++p)
      if (eg_counted[p] != 0u && begins == eg_known[p]) atomicAdd(eg_counts[uint(p) * eg_digits + digit], 1u);
  }
}

void eg_merge(uint to, uint from, uint me) {
  for (uint i = me; i < eg_digits; i += eg_size)
    if (eg_counts[from + i] != 0u) atomicAdd(EG_STATE(to + i), eg_counts[from + i]);
}

void main() {
  uint me = gl_LocalInvocationID.x;
  uint end = min((gl_WorkGroupID.x + 1u) * EG_CHUNK, EG_ITEMS);
  for (uint item = gl_WorkGroupID.x * EG_CHUNK; item < end; ++item) {
    uint tile = eg_divide(item, eg_u[3], eg_u[4]), row = item - tile * EG_ROWS, start = EG_START + tile * EG_TILE;
    uint stop = min(start + EG_TILE, EG_END), counts = EG_COUNTS + row * uint(EG_PLACES) * eg_digits;
    eg_address(row);
    eg_read_state(row);
    for (int p = 0; p < EG_PLACES; ++p)
      if (eg_counted[p] != 0u)
        for (uint i = me; i < eg_digits; i += eg_size) eg_counts[uint(p) * eg_digits + i] = 0u;
    eg_synchronize();
    for (uint at = start; at < stop; at += eg_size * eg_each) eg_count(at + me, stop);
    eg_synchronize();
    for (int p = 0; p < EG_PLACES; ++p)
      if (eg_counted[p] != 0u) eg_merge(counts + uint(p) * eg_digits, uint(p) * eg_digits, me);
    eg_synchronize();
  }
}
