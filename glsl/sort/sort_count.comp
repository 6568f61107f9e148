#version 430
// sort_count: counts(r, t, d) = the number of keys in tile t of row r with digit d, the eight bits from EG_FIRST_BIT
// on.
// The keys are (rows, n), read through the hole eg_read_key(c) after eg_address(r) selects a row; eg_digit(bits) is the
// digit. The first step of a pass of a radix sort that reduces, scans and scatters, after Merrill and Grimshaw, "High
// performance and scalable radix sorting" (2011).
// Work group: EG_GROUP_SIZE invocations, which count a tile of EG_GROUP_SIZE * EG_EACH keys together by atomic integer
// additions, whose order changes no result. With EG_SERIAL (software devices) an invocation counts a tile of any length
// by itself, without a barrier.
// Shared memory: 256 words, or with EG_SERIAL as many for each invocation.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 128
#define EG_EACH 11
#define EG_COUNT(i) eg_b1[i]
layout(location = 0) uniform uint eg_u[20];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uint eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uint eg_b1[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
void eg_address(uint row) { eg_row = row * eg_u[9]; }
uint eg_read_key(uint c) { return eg_b0[eg_row + c]; }
uint eg_digit(uint bits) { return (bits >> eg_u[13]) & 255u; }
#endif
#define EG_ITEMS eg_u[0]  // tiles of all rows of this dispatch
#define EG_CHUNK eg_u[1]  // items of a group
#define EG_TILES eg_u[2]  // of a row, of this dispatch; 3 and 4 divide by it
#define EG_FIRST_TILE eg_u[5]
#define EG_TILE eg_u[6]    // elements of a tile; the last of a row may have fewer. 7 and 8 divide by it
#define EG_LENGTH eg_u[9]  // n

layout(local_size_x = EG_GROUP_SIZE) in;

#ifdef EG_SERIAL
shared uint eg_counts[256 * EG_GROUP_SIZE];

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  uint me = gl_LocalInvocationID.x;
  for (uint item = first + me; item < end; item += uint(EG_GROUP_SIZE)) {
    for (uint d = 0u; d < 256u; ++d) eg_counts[d * uint(EG_GROUP_SIZE) + me] = 0u;
    uint row = eg_divide(item, eg_u[3], eg_u[4]);
    uint start = (item - row * EG_TILES + EG_FIRST_TILE) * EG_TILE;
    uint stop = min(start + EG_TILE, EG_LENGTH);
    eg_address(row);
    for (uint c = start; c < stop; ++c) eg_counts[eg_digit(eg_read_key(c)) * uint(EG_GROUP_SIZE) + me] += 1u;
    for (uint d = 0u; d < 256u; ++d) EG_COUNT(item * 256u + d) = eg_counts[d * uint(EG_GROUP_SIZE) + me];
  }
}
#else
shared uint eg_counts[256];

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  uint me = gl_LocalInvocationID.x;
  for (uint item = first; item < end; ++item) {
    for (uint d = me; d < 256u; d += uint(EG_GROUP_SIZE)) eg_counts[d] = 0u;
    memoryBarrierShared();
    barrier();
    uint row = eg_divide(item, eg_u[3], eg_u[4]);
    uint start = (item - row * EG_TILES + EG_FIRST_TILE) * EG_TILE + me;
    eg_address(row);
    uint bits[EG_EACH];  // all loads are in flight before the first is used
    for (uint i = 0u; i < uint(EG_EACH); ++i) {
      uint c = start + i * uint(EG_GROUP_SIZE);
      bits[i] = c < EG_LENGTH ? eg_read_key(c) : 0u;
    }
    for (uint i = 0u; i < uint(EG_EACH); ++i)
      if (start + i * uint(EG_GROUP_SIZE) < EG_LENGTH) atomicAdd(eg_counts[eg_digit(bits[i])], 1u);
    memoryBarrierShared();
    barrier();
    for (uint d = me; d < 256u; d += uint(EG_GROUP_SIZE)) EG_COUNT(item * 256u + d) = eg_counts[d];
    memoryBarrierShared();
    barrier();
  }
}
#endif
