#version 430
// sort_histogram: h(r, p, d) += the number of keys in row r with digit d in bits 8 p to 8 p + 7, for EG_PASSES digits;
// and clears EG_CLEARED words from EG_DESCRIPTORS on: the initial state of sort_onesweep.comp's passes.
// The keys are (rows, n), read once through the hole eg_read_key(c) after eg_address(r); eg_order(bits) is the key as
// an unsigned integer in the order of the sort.
// Work group: EG_GROUP_SIZE invocations, which count whole tiles of EG_TILE keys by atomic integer additions, whose
// order changes no result. Shared memory: EG_PASSES * 256 words.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 128
#define EG_EACH 8
#define EG_PASSES 4
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
#define EG_ITEMS eg_u[0]   // tiles of all rows
#define EG_CHUNK eg_u[1]   // items of a group
#define EG_TILES eg_u[2]   // of a row; 3 and 4 divide by it
#define EG_LENGTH eg_u[5]  // n
#define EG_TILE eg_u[6]    // a multiple of EG_GROUP_SIZE * EG_EACH
#define EG_HISTOGRAM eg_u[8]
#define EG_DESCRIPTORS eg_u[9]
#define EG_CLEARED eg_u[10]

layout(local_size_x = EG_GROUP_SIZE) in;

shared uint eg_counts[EG_PASSES * 256];

const uint eg_size = uint(EG_GROUP_SIZE), eg_each = uint(EG_EACH), eg_all = uint(EG_PASSES) * 256u;

void eg_synchronize() {
  memoryBarrierShared();
  barrier();
}

void eg_count(uint start, uint stop) {
  uint bits[EG_EACH];  // all loads are in flight before the first is used
  for (uint i = 0u; i < eg_each; ++i) bits[i] = start + i * eg_size < stop ? eg_read_key(start + i * eg_size) : 0u;
  for (uint i = 0u; i < eg_each; ++i) {
    uint order = eg_order(bits[i]);
    for (uint pass = 0u; pass < uint(EG_PASSES); ++pass)
      if (start + i * eg_size < stop) atomicAdd(eg_counts[pass * 256u + (order >> (pass * 8u) & 255u)], 1u);
  }
}

void main() {
  uint me = gl_LocalInvocationID.x;
  for (uint i = gl_WorkGroupID.x * eg_size + me; i < EG_CLEARED; i += gl_NumWorkGroups.x * eg_size)
    EG_STATE(EG_DESCRIPTORS + i) = 0u;
  uint end = min((gl_WorkGroupID.x + 1u) * EG_CHUNK, EG_ITEMS);
  for (uint item = gl_WorkGroupID.x * EG_CHUNK; item < end; ++item) {
    for (uint i = me; i < eg_all; i += eg_size) eg_counts[i] = 0u;
    eg_synchronize();
    uint row = eg_divide(item, eg_u[3], eg_u[4]), start = (item - row * EG_TILES) * EG_TILE;
    uint stop = min(start + EG_TILE, EG_LENGTH);
    eg_address(row);
    for (uint at = start; at < stop; at += eg_size * eg_each) eg_count(at + me, stop);
    eg_synchronize();
    for (uint i = me; i < eg_all; i += eg_size)
      if (eg_counts[i] != 0u) atomicAdd(EG_STATE(EG_HISTOGRAM + row * eg_all + i), eg_counts[i]);
    eg_synchronize();
  }
}
