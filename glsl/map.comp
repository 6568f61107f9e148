#version 430
// map: y(i) = f(x0(i), x1(i), ...) for every coordinate i of a domain, numbered in row-major order.
//
// The fused expression is the hole eg_load(unit), the strided output the hole eg_sink(unit, value); a unit is EG_WIDTH neighbouring elements.
// Work group: EG_SIZE invocations. A group streams through its own contiguous chunk of EG_CHUNK units: on large GPUs a resident grid that does so reaches twice the
// bandwidth of one wave of groups after another (docs/performance.md). No shared memory.
#ifdef EG_STANDALONE
layout(location = 0) uniform uint eg_u[3];
layout(std430, binding = 0) readonly buffer eg_block0 { vec4 eg_x[]; };
layout(std430, binding = 1) writeonly buffer eg_block1 { vec4 eg_y[]; };
#define EG_SIZE 64u
#define EG_FIRST eg_u[0]
#define EG_UNITS eg_u[1]
#define EG_CHUNK eg_u[2]
vec4 eg_load(uint unit) { return eg_x[unit]; }
void eg_sink(uint unit, vec4 value) { eg_y[unit] = value; }
#endif

layout(local_size_x = EG_SIZE) in;

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK, end = min(first + EG_CHUNK, EG_UNITS);
  for (uint i = first + gl_LocalInvocationID.x; i < end; i += EG_SIZE) {
    uint unit = EG_FIRST + i;
    eg_sink(unit, eg_load(unit));
  }
}
