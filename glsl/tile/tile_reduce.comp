#version 430
// tile_reduce: y[t] = combine over the elements of tile t of x, for each tile of a grid of ceil(n / tile) along each
// axis.
// x is read in vectors of four neighbouring elements (or of one) through the hole eg_vector(vector), in the tile that
// eg_address(tile) selects; vectors are numbered row-major in the tile shape, and those that an edge tile lacks are
// identities.
// Lane l of a tile combines vectors l, l + lanes, l + 2 lanes, ... in runs of EG_RUN and then the runs, so that
// rounding errors do not grow with the tile; then a vector's components; then lanes l and l + h, for h = lanes / 2,
// ..., 1: first rows, then columns. eg_finish(tile, result) stores.
// Work group: EG_GROUP_SIZE invocations, 2^EG_LANES_LOG2 to a tile: one large tile, or several small neighbouring
// tiles, whose rows are then read as one. A group works through a chunk of tiles in order.
// Shared memory: EG_GROUP_SIZE values; none with EG_ALONE, where one invocation takes a whole tile.
// Bindings: declared by the generator.
// Two levels after Harris, "Optimizing Parallel Reduction in CUDA" (2007).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_RUN 128
#define EG_UNROLL 2
#define EG_VALUE float
#define EG_VECTOR vec4
layout(location = 0) uniform uint eg_u[5];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { float eg_b1[]; };
uint eg_first;
float eg_identity() { return 0.0; }
float eg_combine(float a, float b) { return a + b; }
vec4 eg_identities() { return vec4(0.0); }
vec4 eg_combines(vec4 a, vec4 b) { return a + b; }
float eg_fold(vec4 a) { return (a.x + a.y) + (a.z + a.w); }
void eg_address(uint tile) { eg_first = tile * eg_u[3]; }
vec4 eg_vector(uint vector) { return eg_b0[eg_first + vector]; }
void eg_finish(uint tile, float result) { eg_b1[tile] = result; }
#endif
#define EG_TILES eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_LANES_LOG2 eg_u[2]
#define EG_VECTORS eg_u[3]  // of a whole tile

layout(local_size_x = EG_GROUP_SIZE) in;

EG_VALUE eg_reduce_lane(uint lane, uint lanes_log2) {
  EG_VECTOR total = eg_identities();
  for (uint vector = lane; vector < EG_VECTORS;) {
    EG_VECTOR a = eg_identities();
    uint end = min(EG_VECTORS, vector + (uint(EG_RUN) << lanes_log2));
#if EG_UNROLL > 1
    // Several loads in flight.
    for (; vector + (uint(EG_UNROLL - 1) << lanes_log2) < end; vector += uint(EG_UNROLL) << lanes_log2) {
      EG_VECTOR x[EG_UNROLL];
      for (uint i = 0u; i < uint(EG_UNROLL); ++i) x[i] = eg_vector(vector + (i << lanes_log2));
      for (uint i = 0u; i < uint(EG_UNROLL); ++i) a = eg_combines(a, x[i]);
    }
#endif
    for (; vector < end; vector += 1u << lanes_log2) a = eg_combines(a, eg_vector(vector));
    total = eg_combines(total, a);
  }
  return eg_fold(total);
}

#ifdef EG_ALONE
void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_TILES);
  for (uint tile = first + gl_LocalInvocationID.x; tile < end; tile += uint(EG_GROUP_SIZE)) {
    eg_address(tile);
    eg_finish(tile, eg_reduce_lane(0u, 0u));
  }
}
#else
shared EG_VALUE eg_slots[EG_GROUP_SIZE];

void main() {
  uint lanes_log2 = EG_LANES_LOG2, slot = gl_LocalInvocationID.x;
  uint lane = slot & ((1u << lanes_log2) - 1u);
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_TILES);
  for (uint tiles = first; tiles < end; tiles += uint(EG_GROUP_SIZE) >> lanes_log2) {
    uint tile = tiles + (slot >> lanes_log2);
    EG_VALUE result = eg_identity();
    if (tile < end) {
      eg_address(tile);
      result = eg_reduce_lane(lane, lanes_log2);
    }
    eg_slots[slot] = result;
    memoryBarrierShared();
    barrier();
    for (uint h = (1u << lanes_log2) >> 1; h > 0u; h >>= 1) {
      if (lane < h) eg_slots[slot] = eg_combine(eg_slots[slot], eg_slots[slot + h]);
      memoryBarrierShared();
      barrier();
    }
    if (lane == 0u && tile < end) eg_finish(tile, eg_slots[slot]);
    memoryBarrierShared();
    barrier();
  }
}
#endif
