#version 430
// reduce_column: y[k] = combine over r of x(r, k), lanes along the kept elements k; the column tree of docs/reduction-tree.md.
//
// x is (reduced, kept), read through the hole eg_fetch; a task is one block of EG_BLOCK rows r of one unit of four neighbouring k; its four values go to
// the hole eg_put. Row r belongs to accumulator r % EG_ACCUMULATORS, which adds its rows in order; the accumulators fold as a binary tree.
// Work group: EG_SIZE invocations; neighbours take neighbouring units, so that a row is read whole. No shared memory, no barriers.
//
// Holes: EgAcc (the accumulator: a value, or a value and its place), eg_identity, eg_merge, eg_load_seek(unit), eg_fetch(row, four results),
// eg_put(unit, block, four values); and as macros of uniforms EG_TASKS, EG_CHUNK (tasks of a group), EG_UNITS (units in this dispatch), EG_FIRST_UNIT, EG_FIRST_BLOCK,
// EG_COUNT (rows).
#ifdef EG_STANDALONE
layout(location = 0) uniform uint eg_u[7];
layout(std430, binding = 0) readonly buffer eg_block0 { vec4 eg_x[]; };
layout(std430, binding = 1) writeonly buffer eg_block1 { vec4 eg_y[]; };
#define EG_SIZE 64u
#define EG_BLOCK 128u
#define EG_ACCUMULATORS 8u
#define EG_TASKS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_UNITS eg_u[2]
#define EG_FIRST_UNIT eg_u[3]
#define EG_FIRST_BLOCK eg_u[4]
#define EG_COUNT eg_u[5]
#define EgAcc float
uint eg_unit;
float eg_identity() { return 0.0; }
float eg_merge(float a, float b) { return a + b; }
void eg_load_seek(uint unit) { eg_unit = unit; }
void eg_fetch(uint row, out float a, out float b, out float c, out float d) {
  vec4 v = eg_x[row * EG_UNITS + eg_unit];
  a = v.x;
  b = v.y;
  c = v.z;
  d = v.w;
}
void eg_put(uint unit, uint block, float a, float b, float c, float d) { eg_y[block * EG_UNITS + unit] = vec4(a, b, c, d); }
#endif

layout(local_size_x = EG_SIZE) in;

struct EgFour {
  EgAcc a, b, c, d;
};

EgFour eg_merge4(EgFour x, EgFour y) {
  return EgFour(eg_merge(x.a, y.a), eg_merge(x.b, y.b), eg_merge(x.c, y.c), eg_merge(x.d, y.d));
}

EgFour eg_fetch4(uint row) {
  EgFour v;
  eg_fetch(row, v.a, v.b, v.c, v.d);
  return v;
}

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK, end = min(first + EG_CHUNK, EG_TASKS);
  for (uint task = first + gl_LocalInvocationID.x; task < end; task += EG_SIZE) {
    uint unit = EG_FIRST_UNIT + task % EG_UNITS, block = EG_FIRST_BLOCK + task / EG_UNITS;
    eg_load_seek(unit);
    uint row = block * EG_BLOCK, stop = min(row + EG_BLOCK, EG_COUNT);
    EgFour sum[EG_ACCUMULATORS];
    EgAcc none = eg_identity();
    for (uint j = 0u; j < EG_ACCUMULATORS; ++j) sum[j] = EgFour(none, none, none, none);
    for (; row + EG_ACCUMULATORS <= stop; row += EG_ACCUMULATORS) {
      EgFour v[EG_ACCUMULATORS];
      for (uint j = 0u; j < EG_ACCUMULATORS; ++j) v[j] = eg_fetch4(row + j);
      for (uint j = 0u; j < EG_ACCUMULATORS; ++j) sum[j] = eg_merge4(sum[j], v[j]);
    }
    for (uint j = 0u; j < EG_ACCUMULATORS; ++j) {
      if (row + j < stop) sum[j] = eg_merge4(sum[j], eg_fetch4(row + j));
    }
    for (uint step = 1u; step < EG_ACCUMULATORS; step <<= 1) {
      for (uint j = 0u; j + step < EG_ACCUMULATORS; j += 2u * step) sum[j] = eg_merge4(sum[j], sum[j + step]);
    }
    eg_put(unit, block, sum[0].a, sum[0].b, sum[0].c, sum[0].d);
  }
}
