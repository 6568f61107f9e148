#version 430
// compact: y[EG_FIRST + k] = x[c] where a mask is true for the k-th time at c, c in row-major order.
// eg_chosen(vector) gives the mask's elements 4 vector .. 4 vector + 3 as a uvec4 of zeros and ones, eg_value(vector)
// those of x, and eg_put(k, value) writes y, or the value's coordinates. A tile is EG_GROUP_SIZE * EG_EACH vectors, of
// which each invocation takes EG_EACH neighbours; eg_end(tile) is how many elements of all tiles up to that one are
// chosen, or under EG_COUNTS of that one alone: then each group adds the counts of the tiles before its own. Those of
// a tile are put together in shared memory, so that neighbours write neighbours. Nothing is read of a tile with none,
// and of one with fewer than an EG_SPARSE-th only the vectors of x that have some.
// Work group: EG_GROUP_SIZE invocations; a group works through a contiguous chunk of tiles. Shared memory: a word for
// each element of a tile, two for each invocation and one. Under EG_SUBGROUPS counts are added by subgroups.
// Bindings: the operands of the mask and of x, the ends, EG_OUT.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_EACH 2
#define EG_VALUE float
#define EG_VALUES vec4
#define EG_SPARSE 8
#define EG_OUT eg_b3
layout(location = 0) uniform uint eg_u[4];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uvec4 eg_b0[]; };
layout(std430, binding = 1) restrict readonly buffer EgBlock1 { vec4 eg_b1[]; };
layout(std430, binding = 2) restrict readonly buffer EgBlock2 { uint eg_b2[]; };
layout(std430, binding = 3) restrict buffer EgBlock3 { float eg_b3[]; };
uvec4 eg_chosen(uint vector) { return eg_b0[vector]; }
vec4 eg_value(uint vector) { return eg_b1[vector]; }
uint eg_end(uint tile) { return eg_b2[tile]; }
#define EG_FIRST eg_u[3]
void eg_put(uint k, float value) { EG_OUT[EG_FIRST + k] = value; }
#endif
#define EG_TILES eg_u[0]
#define EG_CHUNK eg_u[1]     // tiles of a group
#define EG_ELEMENTS eg_u[2]  // of the mask

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_size = uint(EG_GROUP_SIZE), eg_each = uint(EG_EACH), eg_tile = 4u * eg_size * eg_each;

shared EG_VALUE eg_kept[EG_GROUP_SIZE * EG_EACH * 4];
shared uint eg_counts[EG_GROUP_SIZE * 2];

void eg_synchronize() {
  memoryBarrierShared();
  barrier();
}

#ifdef EG_SUBGROUPS
#define EG_ME (gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID)

// The sum of the counts of this invocation and those before it.
uint eg_sum_up_to(uint me, uint count) {
  uint sum = subgroupInclusiveAdd(count);
  if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u) eg_counts[gl_SubgroupID] = sum;
  eg_synchronize();
  for (uint i = 0u; i < gl_SubgroupID; ++i) sum += eg_counts[i];
  return sum;
}
#else
#define EG_ME gl_LocalInvocationID.x

uint eg_sum_up_to(uint me, uint count) {
  uint from = 0u;
  eg_counts[me] = count;
  eg_synchronize();
  for (uint distance = 1u; distance < eg_size; distance <<= 1u) {
    count += me < distance ? 0u : eg_counts[from + me - distance];
    from = eg_size - from;
    eg_counts[from + me] = count;
    eg_synchronize();
  }
  return count;
}
#endif

#ifdef EG_COUNTS
shared uint eg_before;

// How many are chosen before a tile. An invocation has four loads in flight.
uint eg_start(uint me, uint tile) {
  uvec4 sum = uvec4(0u);
  for (uint i = me; i < tile; i += 4u * eg_size) {
    uvec4 at = uvec4(i) + uvec4(0u, 1u, 2u, 3u) * eg_size;
    uvec4 counts = uvec4(eg_end(i), eg_end(min(at.y, tile)), eg_end(min(at.z, tile)), eg_end(min(at.w, tile)));
    sum += counts * uvec4(lessThan(at, uvec4(tile)));
  }
  uint before = eg_sum_up_to(me, sum.x + sum.y + sum.z + sum.w);
  if (me == eg_size - 1u) eg_before = before;
  eg_synchronize();
  return eg_before;
}

uint eg_last(uint start, uint tile) { return start + eg_end(tile); }
#else
uint eg_start(uint me, uint tile) { return tile == 0u ? 0u : eg_end(tile - 1u); }
uint eg_last(uint start, uint tile) { return eg_end(tile); }
#endif

// The mask's elements past the last are not chosen.
uvec4 eg_chosen_of(uint vector) {
  uvec4 at = uvec4(vector * 4u) + uvec4(0u, 1u, 2u, 3u);
  return at.x < EG_ELEMENTS ? eg_chosen(vector) * uvec4(lessThan(at, uvec4(EG_ELEMENTS))) : uvec4(0u);
}

// Puts what is chosen of the tile into eg_kept. All of the mask is loaded before it is used, and all of x.
void eg_keep_tile(uint me, uint tile, bool sparse) {
  uint vector = (tile * eg_size + me) * eg_each, count = 0u;
  uvec4 chosen[EG_EACH];
  EG_VALUES values[EG_EACH];
  for (uint i = 0u; i < eg_each; ++i) chosen[i] = eg_chosen_of(vector + i);
  for (uint i = 0u; i < eg_each; ++i) {
    bool wanted = sparse ? chosen[i] != uvec4(0u) : (vector + i) * 4u < EG_ELEMENTS;
    values[i] = wanted ? eg_value(vector + i) : EG_VALUES(0);
  }
  for (uint i = 0u; i < eg_each; ++i) count += chosen[i].x + chosen[i].y + chosen[i].z + chosen[i].w;
  uint place = eg_sum_up_to(me, count) - count;
  for (uint i = 0u; i < eg_each; ++i) {
    if (chosen[i].x != 0u) eg_kept[place++] = values[i].x;
    if (chosen[i].y != 0u) eg_kept[place++] = values[i].y;
    if (chosen[i].z != 0u) eg_kept[place++] = values[i].z;
    if (chosen[i].w != 0u) eg_kept[place++] = values[i].w;
  }
}

void main() {
  uint me = EG_ME, first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_TILES);
  uint start = eg_start(me, first);
  for (uint tile = first; tile < end; ++tile) {
    uint last = eg_last(start, tile), count = last - start;
    if (count == 0u) continue;
    eg_keep_tile(me, tile, count * uint(EG_SPARSE) < eg_tile);
    eg_synchronize();
    for (uint k = me; k < count; k += eg_size) eg_put(start + k, eg_kept[k]);
    eg_synchronize();
    start = last;
  }
}
