#version 430
// scatter_rows: y[column(t, k) + key(r) * step] combined with u[r, k] for the rows r of part t, in their order.
// One invocation combines a column k of a part: items are (t, k). The rows are cut into parts of EG_PART_ROWS; a
// dispatch takes EG_COUNT of each, from EG_FIRST on. A key from EG_PLACES on goes nowhere. The holes: eg_column(item),
// the element of y at key 0; eg_key(r), and eg_value(e), element e of the rows; eg_combine(a, b).
// Work group: EG_GROUP_SIZE invocations, no shared memory; neighbours have neighbouring columns.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_OUT eg_b2
#define EG_VALUE float
layout(location = 0) uniform uint eg_u[12];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uint eg_b0[]; };
layout(std430, binding = 1) restrict readonly buffer EgBlock1 { float eg_b1[]; };
layout(std430, binding = 2) restrict buffer EgBlock2 { float eg_b2[]; };
uint eg_divide(uint n, uint multiplier, uint shift) { return n; }
uint eg_column(uint item) { return item; }
uint eg_key(uint row) { return eg_b0[row]; }
float eg_value(uint element) { return eg_b1[element]; }
float eg_combine(float a, float b) {
  precise float result = a + b;
  return result;
}
#endif

#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_WIDTH eg_u[2]  // 3 and 4 divide by it
#define EG_ROWS eg_u[5]
#define EG_PART_ROWS eg_u[6]
#define EG_FIRST eg_u[7]
#define EG_COUNT eg_u[8]
#define EG_PLACES eg_u[9]
#define EG_STEP eg_u[10]

layout(local_size_x = EG_GROUP_SIZE) in;

void main() {
  uint last = min((gl_WorkGroupID.x + 1u) * EG_CHUNK, EG_ITEMS);
  for (uint item = gl_WorkGroupID.x * EG_CHUNK + gl_LocalInvocationID.x; item < last; item += uint(EG_GROUP_SIZE)) {
    uint part = eg_divide(item, eg_u[3], eg_u[4]), k = item - part * EG_WIDTH, column = eg_column(item);
    uint row = part * EG_PART_ROWS + EG_FIRST;
    uint end = min(part * EG_PART_ROWS + min(EG_FIRST + EG_COUNT, EG_PART_ROWS), EG_ROWS);
    for (; row < end; ++row) {
      uint key = eg_key(row);
      if (key >= EG_PLACES) continue;
      uint at = column + key * EG_STEP;
      EG_OUT[at] = eg_combine(EG_OUT[at], eg_value(row * EG_WIDTH + k));
    }
  }
}
