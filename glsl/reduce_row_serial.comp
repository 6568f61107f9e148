#version 430
// reduce_row_serial: y[k] = combine over e of x(k, e), the row tree of docs/reduction-tree.md with one invocation playing every lane of a block:
// for software drivers, where a barrier costs more than a long loop. No shared memory.
//
// x is (kept, reduced), read through the hole eg_fetch; a task is one block of EG_BLOCK elements of one row, and its value goes to eg_put.
// Work group: EG_SIZE invocations, a task each. Lanes are played in bit-reversed order, in which the tree's binary fold (lane l with lane l + lanes / 2, and so on)
// combines neighbours: a binary counter of partial results, one for each level, is all the memory it takes.
//
// Holes: as in reduce_row.comp; EG_LANES and EG_LANE_BITS are the lanes that hold elements at all, rounded up to a power of two, and its logarithm.
#ifdef EG_STANDALONE
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) readonly buffer eg_block0 { float eg_x[]; };
layout(std430, binding = 1) writeonly buffer eg_block1 { float eg_y[]; };
#define EG_SIZE 64u
#define EG_BLOCK 8192u
#define EG_TASKS eg_u[0]
#define EG_FIRST_TASK eg_u[1]
#define EG_BLOCKS eg_u[2]
#define EG_FIRST_ROW eg_u[3]
#define EG_FIRST_BLOCK eg_u[4]
#define EG_COUNT eg_u[5]
#define EG_LANES eg_u[6]
#define EG_LANE_BITS eg_u[7]
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

EgAcc eg_lane(uint first, uint lane, uint units) {
  EgAcc x = eg_identity(), y = x, z = x, w = x;
  for (uint unit = lane; unit < units; unit += EG_LANES) {
    EgAcc a, b, c, d;
    eg_fetch(first + unit, a, b, c, d);
    x = eg_merge(x, a);
    y = eg_merge(y, b);
    z = eg_merge(z, c);
    w = eg_merge(w, d);
  }
  return eg_merge(eg_merge(x, y), eg_merge(z, w));
}

void main() {
  uint task = EG_FIRST_TASK + gl_GlobalInvocationID.x;
  if (task >= EG_TASKS) return;
  uint row = EG_FIRST_ROW + task / EG_BLOCKS, block = EG_FIRST_BLOCK + task % EG_BLOCKS;
  eg_load_seek(row);
  uint units = (min(EG_BLOCK, EG_COUNT - block * EG_BLOCK) + 3u) / 4u;
  EgAcc waiting[8];
  for (uint i = 0u; i < EG_LANES; ++i) {
    uint lane = EG_LANE_BITS == 0u ? 0u : bitfieldReverse(i) >> (32u - EG_LANE_BITS);
    EgAcc value = eg_lane(block * (EG_BLOCK / 4u), lane, units);
    uint level = 0u;
    for (uint bits = i; (bits & 1u) != 0u; bits >>= 1) {
      value = eg_merge(waiting[level], value);
      ++level;
    }
    waiting[level] = value;
  }
  eg_put(row, block, waiting[EG_LANE_BITS]);
}
