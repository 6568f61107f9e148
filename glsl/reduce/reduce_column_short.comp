#version 430
// reduce_column_short: y[c] = combine over r of x(r, c) of many columns of n < 16 rows, where neighbouring invocations
// take neighbouring columns.
// x is (n, columns), read through the hole eg_elements(r): row r in the four columns that eg_address(vector) selects,
// as accumulators. An invocation loads its n rows before it combines them, and combines nothing else: EG_RESULT is the
// value of eg_x0, eg_x1, ... in the order of docs/reduction-tree.md. eg_finish(vector, block, result) stores; columns
// past the last repeat it and are not stored. EG_FOUR is what rows are loaded as; EG_ACCUMULATORS may also tell of NaN.
// Work group: EG_GROUP_SIZE invocations; a group works through a chunk of items, an item four columns. No shared
// memory. Bindings: declared by the generator, as are the macros that repeat text: EG_EACH_LOAD(F) is F(0, eg_x0) F(1,
// eg_x1) and so on for the n rows.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_FOUR vec4
#define EG_ACCUMULATORS vec4
#define EG_EACH_LOAD(F) F(0, eg_x0) F(1, eg_x1) F(2, eg_x2)
#define EG_RESULT ((eg_x0 + eg_x1) + eg_x2)
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
uint eg_vector;
void eg_address(uint vector) { eg_vector = vector; }
vec4 eg_elements(uint r) { return eg_b0[r * eg_u[2] + eg_vector]; }
void eg_finish(uint vector, uint block, vec4 result) { eg_b1[vector] = result; }
#endif
#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_FIRST_VECTOR eg_u[5]

layout(local_size_x = EG_GROUP_SIZE) in;

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK, end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint item = first + gl_LocalInvocationID.x; item < end; item += uint(EG_GROUP_SIZE)) {
    uint vector = item + EG_FIRST_VECTOR;
    eg_address(vector);
#define EG_LOAD(r, x) EG_FOUR x = eg_elements(uint(r));
    EG_EACH_LOAD(EG_LOAD)
    eg_finish(vector, 0u, EG_RESULT);
  }
}
