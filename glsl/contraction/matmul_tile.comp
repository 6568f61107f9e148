#version 430
// matmul_tile: out[i, j] = sum over k of a[i, k] * b[k, j], batched; a work group computes a tile of EG_TILE_M x
// EG_TILE_N results from tiles of a and b that it loads into shared memory, EG_DEPTH of k at a time; each invocation
// has a part of the results in registers.
//
// a (batch, m, k), b (batch, k, n), any strides; out (batch, m, n), through eg_put. Of contractions over groups of axes,
// convolutions among them, a and b are expressions: eg_a_address(row of all batches), eg_a(k), the same of b's columns.
// Work group: EG_GROUP_SIZE = EG_LOCAL_X x EG_LOCAL_Y x slices invocations. Every 32 of them have a patch of the tile
// (64 x 64 of 128 x 128), in 4 x 8 positions with pairs side by side in a column, so that they read few different words
// of shared memory at a time. With slices, each half or quarter of the invocations takes its part of every k-step, for
// products with too few tiles to fill the device; in the end the slices are added in order.
// Shared memory: EG_SHARED vec4s: at least 2 EG_SLOTS, or under EG_ONE_STEP (k <= EG_DEPTH) one pair of tiles. While
// one pair of tiles is multiplied, the next goes through registers into the other: one barrier a step. Under
// EG_ONE_BUFFER there is one pair, filled between two barriers, and more groups have room; both of its tiles are in the
// order [k][line], into which an operand that lies along k is turned by storing single elements. Where k is no
// multiple of EG_DEPTH the first step is the short one, with zeros past its end, so that the loop needs no guards.
// Of a convolution and its like, where what a k adds to an address takes divisions, EG_STEP_TABLES keep it for the k of
// a step, computed once for all lines while the step before is multiplied (EG_FIRST_STEPS, EG_NEXT_STEPS).
// Of k in EG_CHUNKS chunks, each with a group of its own (eg_chunk) for a tile, groups join them: neighbouring chunks,
// then neighbouring runs of two, of four and so on make pairs. Of a pair's groups the one that arrives first stores its
// partial sums and ends; the other adds them to its own and goes on, and the last one stores. So no group waits for
// another, and the order of a sum's terms is always the same. A pair is the bit of the tile's word whose number is the
// chunk in its middle: set while one of its groups has arrived, so that all are zero again in the end.
// Lines past the last repeat it and are not stored. Every invocation takes part in every barrier. Under
// EG_SAVE_REGISTERS an invocation's position is spilled to shared memory during the loop (eg_spilled, a word each), and
// b's address ends the loop.
// After Volkov and Demmel, "Benchmarking GPUs to tune dense linear algebra", 2008, and the block and warp tiles of
// NVIDIA's CUTLASS documents.
//
// Holes: EG_LENGTH (of k, or of the group's chunk of it), EG_T4 (element type), EG_SYNC (memoryBarrierShared and
// barrier, or the latter alone where it is known to suffice), EG_DECLARE, EG_FETCH and EG_FETCH_HEAD(head) (memory to
// registers: the next whole step, or one of `head` k), EG_STEPS (the head of the loop over whole steps), EG_STORE_TILE
// and EG_STORE_HEAD (the registers of a whole step, or of one of `head` k, to the tile at `half_at`), EG_MULTIPLY (the
// tile at `half_at`), EG_ONE_BUFFER (the declarations of its tiles), EG_ADD_SLICES, EG_STORE_PARTIALS and
// EG_ADD_PARTIALS (at `at`), EG_STORE: text over the invocation's results, unrolled since drivers do not unroll it.
// EG_TEST_AND_CLEAR(tile, pair), EG_TEST_AND_FLIP(tile, pair): the tile's word as it was before that bit of it is
// cleared, or flipped. eg_batch(batch).
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { float eg_b0[]; };
layout(std430, binding = 1) readonly buffer EgBlock1 { float eg_b1[]; };
layout(std430, binding = 2) buffer EgBlock2 { float eg_b2[]; };
layout(location = 0) uniform uint eg_u[12];
#define EG_T4 vec4
#define EG_LOCAL_X 8
#define EG_LOCAL_Y 4
#define EG_LENGTH eg_u[2]
#define EG_GROUP_SIZE 32
#define EG_TILE_M 4u
#define EG_TILE_N 8u
#define EG_DEPTH 1u
#define EG_SLOTS 12u
#define EG_SHARED 24
#define EG_SYNC memoryBarrierShared(); barrier();
void eg_batch(uint batch) {}
#define EG_DECLARE \
  vec4 c = vec4(0.0), a, b; \
  uint k = 0u; \
  uint row = min(tile_row + lane_row, m - 1u), column = min(tile_column + lane_column, n - 1u);
#define EG_FETCH \
  a.x = eg_b0[eg_u[3] + row * eg_u[4] + k * eg_u[5]]; \
  b.x = eg_b1[eg_u[6] + k * eg_u[7] + column * eg_u[8]]; \
  ++k;
#define EG_FETCH_HEAD(head) EG_FETCH
#define EG_STEPS for (uint first = head; first < depth; first += EG_DEPTH)
#define EG_STORE_TILE eg_tile[half_at + lane_row] = a; eg_tile[half_at + 4u + lane_column] = b;
#define EG_STORE_HEAD EG_STORE_TILE
#define EG_MULTIPLY c += eg_tile[half_at + lane_row].x * eg_tile[half_at + 4u + lane_column];
#define EG_STORE eg_b2[eg_u[9] + row * eg_u[10] + column] = c.x;
layout(std430, binding = 3) coherent buffer EgBlock3 { vec4 eg_b3[]; };
layout(std430, binding = 4) coherent buffer EgBlock4 { uint eg_b4[]; };
uint eg_batch_number, eg_chunk;
#define EG_CHUNKS 2u
#define EG_TEST_AND_CLEAR(tile, pair) atomicAnd(eg_b4[tile], ~(pair))
#define EG_TEST_AND_FLIP(tile, pair) atomicXor(eg_b4[tile], pair)
#define EG_STORE_PARTIALS eg_b3[at] = c;
#define EG_ADD_PARTIALS c += eg_b3[at];
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

#ifdef EG_ONE_BUFFER
EG_ONE_BUFFER
#else
shared EG_T4 eg_tile[EG_SHARED];
#endif
#ifdef EG_STEP_TABLES
EG_STEP_TABLES
#endif
#ifdef EG_SAVE_REGISTERS
shared uint eg_spilled[EG_GROUP_SIZE];
#endif

#ifdef EG_EXCHANGES
// low of the upper one of two lanes for high of the lower one.
void eg_swap(bool upper, uint apart, inout EG_EXCHANGES low, inout EG_EXCHANGES high) {
  EG_EXCHANGES other = subgroupShuffleXor(upper ? low : high, apart);
  low = upper ? other : low;
  high = upper ? high : other;
}

// Eight lanes, two apart, have four neighbours each, 4 p + i; then every eighth, p, p + 8, ... in the order x, z, y, w.
// A swap exchanges a bit of the lane's number for one of the component's.
EG_T4 eg_exchange(EG_T4 x, uint lane) {
  eg_swap((lane & 2u) != 0u, 2u, x.x, x.y);
  eg_swap((lane & 2u) != 0u, 2u, x.z, x.w);
  eg_swap((lane & 4u) != 0u, 4u, x.x, x.z);
  eg_swap((lane & 4u) != 0u, 4u, x.y, x.w);
  eg_swap((lane & 8u) != 0u, 8u, x.x, x.y);
  eg_swap((lane & 8u) != 0u, 8u, x.z, x.w);
  return x;
}
#endif

#ifdef EG_CHUNKS
shared bool eg_arrived;

// Whether the other group of a pair has arrived: its partial sums then lie in memory. stored: so do the group's own,
// and if it is the first, the pair's bit tells the other one.
bool eg_other_arrived(uint tile, uint pair, bool stored) {
  memoryBarrierBuffer();
  EG_SYNC
  if (gl_LocalInvocationID.x == 0u)
    eg_arrived = ((stored ? EG_TEST_AND_FLIP(tile, pair) : EG_TEST_AND_CLEAR(tile, pair)) & pair) != 0u;
  EG_SYNC
  bool arrived = eg_arrived;
  memoryBarrierBuffer();
  return arrived;
}

// Where the partial sums of a tile lie of the chunk, or of the run of chunks that begins with it.
uint eg_partials_of(uint tile, uint chunk) {
  return (tile * EG_CHUNKS + chunk) * (EG_TILE_M * EG_TILE_N / 4u) + gl_LocalInvocationID.x;
}
#endif

const uint lanes = uint(EG_LOCAL_X * EG_LOCAL_Y), patches_down = uint(EG_LOCAL_Y) / 4u;

void main() {
  uint m = eg_u[0], n = eg_u[1];
  uint thread = gl_LocalInvocationID.x, lane = thread % lanes, slice = thread / lanes;
  uint patch_number = lane / 32u;
  uint patch_row = patch_number % patches_down, lane_row = (lane & 1u) | ((lane >> 3) & 2u);
  uint patch_column = patch_number / patches_down, lane_column = (lane >> 1) & 7u;

  uint tile_row = gl_WorkGroupID.y * EG_TILE_M, tile_column = gl_WorkGroupID.x * EG_TILE_N;
  eg_batch(gl_WorkGroupID.z + eg_u[11]);
  uint depth = EG_LENGTH;
  EG_DECLARE
  uint half_at = 0u;
  uint head = min(depth, (depth - 1u) % EG_DEPTH + 1u);
#ifdef EG_STEP_TABLES
  EG_FIRST_STEPS
#endif
  EG_FETCH_HEAD(head)
  EG_STORE_HEAD
#ifdef EG_STEP_TABLES
  EG_NEXT_STEPS
#endif
  EG_SYNC
#ifndef EG_ONE_STEP
  EG_STEPS {
    EG_FETCH
    EG_MULTIPLY
#ifdef EG_ONE_BUFFER
    EG_SYNC
#else
    half_at = EG_SLOTS - half_at;
#endif
    EG_STORE_TILE
#ifdef EG_STEP_TABLES
    EG_NEXT_STEPS
#endif
    EG_SYNC
  }
#endif
  EG_MULTIPLY
#ifdef EG_ADD_SLICES
  EG_ADD_SLICES
#endif
#ifdef EG_CHUNKS
  uint across = (n + EG_TILE_N - 1u) / EG_TILE_N, down = (m + EG_TILE_M - 1u) / EG_TILE_M;
  uint tile = (eg_batch_number * down + gl_WorkGroupID.y) * across + gl_WorkGroupID.x;
  for (uint run = 1u; run < EG_CHUNKS; run *= 2u) {
    uint own = eg_chunk & ~(run - 1u), middle = own | run;
    if (middle >= EG_CHUNKS) continue;
    uint at = eg_partials_of(tile, own), pair = 1u << middle;
    if (!eg_other_arrived(tile, pair, false)) {
      EG_STORE_PARTIALS
      if (!eg_other_arrived(tile, pair, true)) return;
    }
    at = eg_partials_of(tile, own ^ run);
    EG_ADD_PARTIALS
  }
#endif
  EG_STORE
}
