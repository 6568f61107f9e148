#version 430
// reduce_row: y[k] = combine over e of x(k, e), lanes along the reduced elements e; the row tree of docs/reduction-tree.md.
//
// x is (kept, reduced), read through the hole eg_fetch; a task is one block of EG_BLOCK elements of one row, and its value goes to the hole eg_put: a
// partial result, or the row's own where one block holds it all.
// Work group: EG_SIZE invocations in slices of EG_SLICE. A slice works through its tasks one after another; each of its invocations plays
// EG_PLAY lanes: lane p * EG_SLICE + its place in the slice. The order of combination is the tree's, whatever the slices.
// Shared memory: EG_SIZE accumulators. Two levels after Harris, "Optimizing Parallel Reduction in CUDA", 2007; the fixed blocks are ours.
//
// Holes: EgAcc (the accumulator: a value, or a value and its place), eg_identity, eg_merge, eg_load_seek(row), eg_fetch(unit, four results), eg_put; and
// as macros of uniforms EG_TASKS, EG_CHUNK (tasks of a group), EG_BLOCKS (blocks of a row in this dispatch), EG_FIRST_ROW, EG_FIRST_BLOCK, EG_COUNT (elements of a row).
#ifdef EG_STANDALONE
layout(location = 0) uniform uint eg_u[7];
layout(std430, binding = 0) readonly buffer eg_block0 { float eg_x[]; };
layout(std430, binding = 1) writeonly buffer eg_block1 { float eg_y[]; };
#define EG_SIZE 256u
#define EG_SLICE 32u
#define EG_PLAY 2u
#define EG_FOLDS 1
#define EG_BLOCK 8192u
#define EG_TASKS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_BLOCKS eg_u[2]
#define EG_FIRST_ROW eg_u[3]
#define EG_FIRST_BLOCK eg_u[4]
#define EG_COUNT eg_u[5]
#define EgAcc float
uint eg_row;
float eg_identity() { return 0.0; }
float eg_merge(float a, float b) { return a + b; }
void eg_load_seek(uint row) { eg_row = row; }
float eg_one(uint e) { return e < EG_COUNT ? eg_x[eg_row * EG_COUNT + e] : 0.0; }
void eg_fetch(uint unit, out float a, out float b, out float c, out float d) {
  a = eg_one(4u * unit);
  b = eg_one(4u * unit + 1u);
  c = eg_one(4u * unit + 2u);
  d = eg_one(4u * unit + 3u);
}
void eg_put(uint row, uint block, float value) { eg_y[row * EG_BLOCKS + block] = value; }
#endif

layout(local_size_x = EG_SIZE) in;

shared EgAcc eg_shared[EG_SIZE];

// The lanes that this invocation plays of one block, combined as far as they lie in one invocation.
EgAcc eg_play(uint block, uint place) {
  uint first = block * (EG_BLOCK / 4u);
  uint units = (min(EG_BLOCK, EG_COUNT - block * EG_BLOCK) + 3u) / 4u;
  EgAcc x[EG_PLAY], y[EG_PLAY], z[EG_PLAY], w[EG_PLAY];
  for (uint p = 0u; p < EG_PLAY; ++p) x[p] = y[p] = z[p] = w[p] = eg_identity();
  const uint lanes = EG_SLICE * EG_PLAY;
  uint trip = 0u;
  // Whole trips, two at a time: loads in flight before the first use.
  for (; (trip + 2u) * lanes <= units; trip += 2u) {
    for (uint p = 0u; p < EG_PLAY; ++p) {
      EgAcc a, b, c, d, e, f, g, h;
      uint unit = first + trip * lanes + p * EG_SLICE + place;
      eg_fetch(unit, a, b, c, d);
      eg_fetch(unit + lanes, e, f, g, h);
      x[p] = eg_merge(eg_merge(x[p], a), e);
      y[p] = eg_merge(eg_merge(y[p], b), f);
      z[p] = eg_merge(eg_merge(z[p], c), g);
      w[p] = eg_merge(eg_merge(w[p], d), h);
    }
  }
  for (; trip * lanes < units; ++trip) {
    for (uint p = 0u; p < EG_PLAY; ++p) {
      uint unit = trip * lanes + p * EG_SLICE + place;
      if (unit >= units) continue;
      EgAcc a, b, c, d;
      eg_fetch(first + unit, a, b, c, d);
      x[p] = eg_merge(x[p], a);
      y[p] = eg_merge(y[p], b);
      z[p] = eg_merge(z[p], c);
      w[p] = eg_merge(w[p], d);
    }
  }
  EgAcc lane[EG_PLAY];
  for (uint p = 0u; p < EG_PLAY; ++p) lane[p] = eg_merge(eg_merge(x[p], y[p]), eg_merge(z[p], w[p]));
  for (uint step = EG_PLAY / 2u; step > 0u; step >>= 1) {
    for (uint p = 0u; p < step; ++p) lane[p] = eg_merge(lane[p], lane[p + step]);
  }
  return lane[0];
}

void main() {
  uint self = gl_LocalInvocationID.x;
  uint place = self % EG_SLICE, slot = self / EG_SLICE;
  uint first = gl_WorkGroupID.x * EG_CHUNK, end = min(first + EG_CHUNK, EG_TASKS);
  // The trip count is the same for the whole group, so that all meet at the barriers.
  for (uint base = first; base < end; base += EG_SIZE / EG_SLICE) {
    uint task = base + slot;
    bool working = task < end;
    uint row = EG_FIRST_ROW + task / EG_BLOCKS, block = EG_FIRST_BLOCK + task % EG_BLOCKS;
    EgAcc total = eg_identity();
    if (working) {
      eg_load_seek(row);
      total = eg_play(block, place);
    }
#if EG_FOLDS
    eg_shared[self] = total;
    memoryBarrierShared();
    barrier();
    for (uint half_slice = EG_SLICE / 2u; half_slice > 0u; half_slice >>= 1) {
      if (place < half_slice) {
        total = eg_merge(total, eg_shared[self + half_slice]);
        eg_shared[self] = total;
      }
      memoryBarrierShared();
      barrier();
    }
#endif
    if (working && place == 0u) eg_put(row, block, total);
  }
}
