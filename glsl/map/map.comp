#version 430
// map: y[i] = value(i) for every element i of a domain, four elements a unit.
// The operands are read through the hole eg_load(unit), y is written through the hole eg_store(unit, value); both know
// the layouts. A unit is four elements that follow each other in the domain; the last may be partly outside.
// Work group: EG_GROUP_SIZE invocations, no shared memory. A group works through a contiguous chunk of units, side by
// side; the grid is what the device holds at a time, which keeps the pages in use few. With EG_SHORT_WAY a chunk of 0
// means a unit an invocation, and one row of groups. Bindings: the operands and y, declared by the generator.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_UNROLL 2
#define EG_SHORT_WAY
#define EG_VALUE vec4
#define EG_IN_ARRAY vec4
#define EG_UNITS eg_u[0]
#define EG_CHUNK eg_u[1]
layout(location = 0) uniform uint eg_u[2];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
vec4 eg_load(uint unit) { return eg_b0[unit]; }
void eg_store(uint unit, vec4 value) { eg_b1[unit] = value; }
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

void main() {
#ifdef EG_SHORT_WAY
  // The time of few units is that of fetching the instructions on their way.
  if (EG_CHUNK == 0u) {
    uint place = gl_WorkGroupID.x * uint(EG_GROUP_SIZE) + gl_LocalInvocationID.x;
    if (place < EG_UNITS) eg_store(place, eg_load(place));
    return;
  }
#endif
  uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_UNITS);
  uint unit = first + gl_LocalInvocationID.x;
#if EG_UNROLL > 1
  // Several loads in flight. EG_IN_ARRAY is uvec4 for booleans, of which zink can make no array.
  for (; unit + uint((EG_UNROLL - 1) * EG_GROUP_SIZE) < end; unit += uint(EG_UNROLL * EG_GROUP_SIZE)) {
    EG_IN_ARRAY values[EG_UNROLL];
    for (uint i = 0u; i < uint(EG_UNROLL); ++i) values[i] = EG_IN_ARRAY(eg_load(unit + i * uint(EG_GROUP_SIZE)));
    for (uint i = 0u; i < uint(EG_UNROLL); ++i) eg_store(unit + i * uint(EG_GROUP_SIZE), EG_VALUE(values[i]));
  }
#endif
  for (; unit < end; unit += uint(EG_GROUP_SIZE)) eg_store(unit, eg_load(unit));
}
