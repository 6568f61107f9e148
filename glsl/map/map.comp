#version 430
// map: y[i] = value(i) for every element i of a domain, in vectors of four elements.
// The hole eg_load(vector) reads the operands, the hole eg_store(vector, value) writes y; both have the layouts. The
// last vector may be partial.
// Work group: EG_GROUP_SIZE invocations, no shared memory. A group works through a contiguous chunk of vectors, side by
// side; the grid is what the device holds at a time, so that few pages are in use. With EG_SHORT_PATH a chunk of 0
// means a vector an invocation, and one row of groups. Bindings: the operands and y, declared by the generator.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_UNROLL 2
#define EG_SHORT_PATH
#define EG_VALUE vec4
#define EG_IN_ARRAY vec4
#define EG_VECTORS eg_u[0]
#define EG_CHUNK eg_u[1]
layout(location = 0) uniform uint eg_u[2];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
vec4 eg_load(uint vector) { return eg_b0[vector]; }
void eg_store(uint vector, vec4 value) { eg_b1[vector] = value; }
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

void main() {
#ifdef EG_SHORT_PATH
  // Few vectors take as long as fetching the instructions on their path.
  if (EG_CHUNK == 0u) {
    uint place = gl_WorkGroupID.x * uint(EG_GROUP_SIZE) + gl_LocalInvocationID.x;
    if (place < EG_VECTORS) eg_store(place, eg_load(place));
    return;
  }
#endif
  uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_VECTORS);
  uint vector = first + gl_LocalInvocationID.x;
#if EG_UNROLL > 1
  // Several loads in flight. EG_IN_ARRAY is uvec4 for booleans: zink has no arrays of bool.
  for (; vector + uint((EG_UNROLL - 1) * EG_GROUP_SIZE) < end; vector += uint(EG_UNROLL * EG_GROUP_SIZE)) {
    EG_IN_ARRAY values[EG_UNROLL];
    for (uint i = 0u; i < uint(EG_UNROLL); ++i) values[i] = EG_IN_ARRAY(eg_load(vector + i * uint(EG_GROUP_SIZE)));
    for (uint i = 0u; i < uint(EG_UNROLL); ++i) eg_store(vector + i * uint(EG_GROUP_SIZE), EG_VALUE(values[i]));
  }
#endif
  for (; vector < end; vector += uint(EG_GROUP_SIZE)) eg_store(vector, eg_load(vector));
}
