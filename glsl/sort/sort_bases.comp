#version 430
// sort_bases: counts(r, t, d) becomes the position in row r of the first key with digit d in tile t: after all keys of
// lower digits, and those of digit d in the tiles before t. An exclusive scan in the order (d, t).
// counts is (rows, tiles, 256); tiles are those of the row, or chunks of them (sort_totals.comp).
// Work group: EG_GROUP_SIZE invocations, which take a row at a time, a digit each; with EG_SERIAL (software devices)
// each takes a row by itself, without a barrier. Shared memory: 272 words, or none. Bindings: counts.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 128
#define EG_COUNT(i) eg_b0[i]
layout(location = 0) uniform uint eg_u[3];
layout(std430, binding = 0) restrict buffer EgBlock0 { uint eg_b0[]; };
#endif
#define EG_ROWS eg_u[0]
#define EG_CHUNK eg_u[1]  // rows of a group
#define EG_TILES eg_u[2]

layout(local_size_x = EG_GROUP_SIZE) in;

#ifdef EG_SERIAL
void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ROWS);
  for (uint row = first + gl_LocalInvocationID.x; row < end; row += uint(EG_GROUP_SIZE)) {
    uint sum = 0u;
    for (uint digit = 0u; digit < 256u; ++digit) {
      for (uint tile = 0u; tile < EG_TILES; ++tile) {
        uint at = (row * EG_TILES + tile) * 256u + digit, count = EG_COUNT(at);
        EG_COUNT(at) = sum;
        sum += count;
      }
    }
  }
}
#else
shared uint eg_digits[256];
shared uint eg_sixteens[16];

uint eg_total(uint row, uint digit) {
  uint sum = 0u;
  for (uint tile = 0u; tile < EG_TILES; tile += 8u) {
    uint counts[8];  // several loads in flight
    for (uint i = 0u; i < 8u; ++i)
      counts[i] = tile + i < EG_TILES ? EG_COUNT((row * EG_TILES + tile + i) * 256u + digit) : 0u;
    for (uint i = 0u; i < 8u; ++i) sum += counts[i];
  }
  return sum;
}

void eg_replace(uint row, uint digit, uint sum) {
  for (uint tile = 0u; tile < EG_TILES; tile += 8u) {
    uint at = (row * EG_TILES + tile) * 256u + digit;
    uint counts[8];
    for (uint i = 0u; i < 8u; ++i) counts[i] = tile + i < EG_TILES ? EG_COUNT(at + i * 256u) : 0u;
    for (uint i = 0u; i < 8u; ++i) {
      if (tile + i < EG_TILES) EG_COUNT(at + i * 256u) = sum;
      sum += counts[i];
    }
  }
}

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ROWS);
  uint me = gl_LocalInvocationID.x;
  for (uint row = first; row < end; ++row) {
    for (uint d = me; d < 256u; d += uint(EG_GROUP_SIZE)) eg_digits[d] = eg_total(row, d);
    memoryBarrierShared();
    barrier();
    for (uint s = me; s < 16u; s += uint(EG_GROUP_SIZE)) {
      uint sum = 0u;
      for (uint i = 0u; i < 16u; ++i) sum += eg_digits[s * 16u + i];
      eg_sixteens[s] = sum;
    }
    memoryBarrierShared();
    barrier();
    for (uint s = me; s < 16u; s += uint(EG_GROUP_SIZE)) {
      uint sum = 0u;
      for (uint i = 0u; i < 16u; ++i) sum += i < s ? eg_sixteens[i] : 0u;
      for (uint i = 0u; i < 16u; ++i) {
        uint count = eg_digits[s * 16u + i];
        eg_digits[s * 16u + i] = sum;
        sum += count;
      }
    }
    memoryBarrierShared();
    barrier();
    for (uint d = me; d < 256u; d += uint(EG_GROUP_SIZE)) eg_replace(row, d, eg_digits[d]);
    memoryBarrierShared();
    barrier();
  }
}
#endif
