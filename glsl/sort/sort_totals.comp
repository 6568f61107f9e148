#version 430
// sort_totals: total(r, k, d) = sum of counts(r, t, d) over the tiles t of chunk k of a row. With EG_REPLACE the way
// back: each count becomes total(r, k, d), by then the position of the chunk's first key with digit d, plus the counts
// of the chunk's tiles before it.
// counts is (rows, tiles, 256) and total (rows, chunks, 256); chunk k is EG_EACH tiles from k * EG_EACH on.
// Work group: EG_GROUP_SIZE invocations, one digit of one chunk each at a time: neighbours read neighbouring words. No
// shared memory. Bindings: counts, total.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 128
#define EG_REPLACE
#define EG_COUNT(i) eg_b0[i]
#define EG_TOTAL(i) eg_b1[i]
layout(location = 0) uniform uint eg_u[8];
layout(std430, binding = 0) restrict buffer EgBlock0 { uint eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uint eg_b1[]; };
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
#endif
#define EG_ITEMS eg_u[0]   // digits of chunks of rows, of this dispatch
#define EG_CHUNK eg_u[1]   // items of a group
#define EG_CHUNKS eg_u[2]  // of a row, of this dispatch; 3 and 4 divide by it
#define EG_FIRST eg_u[5]   // chunk of a row
#define EG_TILES eg_u[6]
#define EG_EACH eg_u[7]

layout(local_size_x = EG_GROUP_SIZE) in;

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint item = first + gl_LocalInvocationID.x; item < end; item += uint(EG_GROUP_SIZE)) {
    uint row = eg_divide(item >> 8, eg_u[3], eg_u[4]);
    uint tile = ((item >> 8) - row * EG_CHUNKS + EG_FIRST) * EG_EACH;
    uint stop = min(tile + EG_EACH, EG_TILES);
    uint at = (row * EG_TILES + tile) * 256u + (item & 255u);
#ifdef EG_REPLACE
    uint sum = EG_TOTAL(item);
#else
    uint sum = 0u;
#endif
    for (; tile < stop; tile += 8u) {
      uint counts[8];  // several loads in flight
      for (uint i = 0u; i < 8u; ++i) counts[i] = tile + i < stop ? EG_COUNT(at + i * 256u) : 0u;
      for (uint i = 0u; i < 8u; ++i) {
#ifdef EG_REPLACE
        if (tile + i < stop) EG_COUNT(at + i * 256u) = sum;
#endif
        sum += counts[i];
      }
      at += 8u * 256u;
    }
#ifndef EG_REPLACE
    EG_TOTAL(item) = sum;
#endif
  }
}
