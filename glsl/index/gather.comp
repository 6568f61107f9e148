#version 430
// gather: y[c] = epilogue(x[start(c) + i * stride]), i = index[c], for every element c of a domain, four a unit.
// The hole eg_index(unit) gives the indices of a unit, eg_gather(unit, index, value) what x holds there, or false where
// that lies outside the part of x that this dispatch binds: eg_epilogue and eg_store pass such units over. An index out
// of range reads nothing and counts as 0; eg_report() lowers a flag to the first place of one that an invocation met.
// Work group: EG_GROUP_SIZE invocations, no shared memory; a group works through a contiguous chunk of units, side by
// side, several loads in flight, as in map.comp. Where one index serves a unit and x continues there, a row is copied
// by vec4; under EG_ROW_UNITS, of units to a row, row by row, each index read once: eg_start(unit, index) is the vec4 of
// x, eg_read(vec4), at which the row of `unit` begins, or eg_nowhere.
// Bindings: the index's operands, x, the epilogue's operands, y, the flags.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_UNROLL 2
#define EG_INDEX ivec4
#define EG_VALUE vec4
#define EG_IN_ARRAY vec4
#define EG_UNITS eg_u[0]
#define EG_CHUNK eg_u[1]
layout(location = 0) uniform uint eg_u[4];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { ivec4 eg_b0[]; };
layout(std430, binding = 1) restrict readonly buffer EgBlock1 { vec4 eg_b1[]; };
layout(std430, binding = 2) restrict buffer EgBlock2 { vec4 eg_b2[]; };
ivec4 eg_index(uint unit) { return eg_b0[unit]; }
bool eg_gather(uint unit, ivec4 index, out vec4 value) {
  value = eg_b1[uint(index.x) + unit];
  return true;
}
vec4 eg_epilogue(uint unit, vec4 accumulator) { return accumulator; }
void eg_store(uint unit, vec4 value) { eg_b2[unit] = value; }
void eg_report() {}
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_UNITS);
  uint unit = first + gl_LocalInvocationID.x;
#ifdef EG_ROW_UNITS
  for (uint start = first - first % EG_ROW_UNITS; start < end; start += EG_ROW_UNITS) {
    uint from = eg_start(start, eg_index(start)), last = min(start + EG_ROW_UNITS, end);
    if (from != eg_nowhere)
      for (unit = max(start, first) + gl_LocalInvocationID.x; unit < last; unit += uint(EG_GROUP_SIZE))
        eg_store(unit, eg_epilogue(unit, eg_read(from + (unit - start))));
  }
#else
#if EG_UNROLL > 1
  // All indices are under way before the first is used, and all elements before the first is stored.
  for (; unit + uint((EG_UNROLL - 1) * EG_GROUP_SIZE) < end; unit += uint(EG_UNROLL * EG_GROUP_SIZE)) {
    // No array of bool, also not in EG_IN_ARRAY: zink makes integers of one bit of it, which Vulkan refuses.
    EG_INDEX indices[EG_UNROLL];
    EG_IN_ARRAY values[EG_UNROLL];
    uint found[EG_UNROLL];
    for (uint i = 0u; i < uint(EG_UNROLL); ++i) indices[i] = eg_index(unit + i * uint(EG_GROUP_SIZE));
    for (uint i = 0u; i < uint(EG_UNROLL); ++i) {
      EG_VALUE value;
      found[i] = uint(eg_gather(unit + i * uint(EG_GROUP_SIZE), indices[i], value));
      values[i] = EG_IN_ARRAY(value);
    }
    for (uint i = 0u; i < uint(EG_UNROLL); ++i) {
      uint at = unit + i * uint(EG_GROUP_SIZE);
      if (found[i] != 0u) eg_store(at, eg_epilogue(at, EG_VALUE(values[i])));
    }
  }
#endif
  for (; unit < end; unit += uint(EG_GROUP_SIZE)) {
    EG_VALUE value;
    if (eg_gather(unit, eg_index(unit), value)) eg_store(unit, eg_epilogue(unit, value));
  }
#endif
  eg_report();
}
