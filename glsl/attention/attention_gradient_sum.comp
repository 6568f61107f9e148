#version 430
// attention_gradient_sum: dq[i] = sum over p of x[p, i], the parts of q's gradient that attention_gradient_tile.comp
// gives by all, in their order. Part p has the tiles of columns p, p + a multiple of parts or more: under a causal mask
// rows before the step of the first column of tile p have none of it, and what lies there is not read.
//
// x (parts, items), items in dq's order; the row of item i is i / EG_LINE % EG_ROWS. Between the rows of dq lie EG_GAP
// others' items.
// Work group: EG_GROUP_SIZE invocations; a group works through EG_GROUP_ITEMS items, vec4s or elements. Nothing shared.
// Bindings: declared by the generator. Loop: EG_PARTS for each item.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_VALUE vec4
#define EG_CAUSAL
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict writeonly buffer EgBlock1 { vec4 eg_b1[]; };
layout(location = 0) uniform uint eg_u[9];
#define EG_X eg_b0
#define EG_Y eg_b1
#endif
#define EG_ITEMS eg_u[0]
#define EG_GROUP_ITEMS eg_u[1]
#define EG_PARTS eg_u[2]
#define EG_LINE eg_u[3]   // items from a row to the next
#define EG_ROWS eg_u[4]
#define EG_STEP eg_u[5]   // rows of a step
#define EG_TILE eg_u[6]   // columns of a tile
#define EG_FIRST eg_u[7]  // of dq, where it lies
#define EG_GAP eg_u[8]

layout(local_size_x = EG_GROUP_SIZE) in;

// The parts that the item's row has.
uint eg_parts_of(uint item) {
#ifdef EG_CAUSAL
  uint row = item / EG_LINE % EG_ROWS, end = (row / EG_STEP + 1u) * EG_STEP;
  return min(EG_PARTS, (end + EG_TILE - 1u) / EG_TILE);
#else
  return EG_PARTS;
#endif
}

void main() {
  uint start = gl_WorkGroupID.x * EG_GROUP_ITEMS, end = min(start + EG_GROUP_ITEMS, EG_ITEMS);
  for (uint i = start + gl_LocalInvocationID.x; i < end; i += uint(EG_GROUP_SIZE)) {
    uint parts = eg_parts_of(i);
    EG_VALUE sum = EG_X[i];
    for (uint p = 1u; p < parts; ++p) sum += EG_X[p * EG_ITEMS + i];
    EG_Y[EG_FIRST + i + i / EG_LINE * EG_GAP] = sum;
  }
}
