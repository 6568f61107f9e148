#version 430
// gather: y[c] = epilogue(x[start(c) + i * stride]), i = index[c], for every element c of a domain, in vectors of four.
// The hole eg_index(vector) gives the indices of a vector, eg_gather(vector, index, value) the elements of x there, or
// false outside the window of x that this dispatch binds: such vectors are skipped. An index out of range reads 0;
// eg_report() lowers a flag to the smallest position of one that the invocation met.
// Work group: EG_GROUP_SIZE invocations, no shared memory; a group works through a contiguous chunk of vectors, side by
// side, EG_UNROLL of an invocation at a time: EG_EACH(F) is F(number, index, value, found) for each, by the names of
// its variables. Where a vector has one index and x is contiguous, it is copied at
// once; under EG_ROW_VECTORS (vectors of a row) row by row, with one read of the index: eg_row_address(vector, index)
// is the row's first element of x, or eg_no_address, eg_read(element) four elements.
// Bindings: the index's operands, x, the epilogue's operands, y, the flags.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_UNROLL 2
#define EG_INDEX ivec4
#define EG_VALUE vec4
#define EG_EACH(F) F(0u, eg_index0, eg_value0, eg_found0) F(1u, eg_index1, eg_value1, eg_found1)
#define EG_VECTORS eg_u[0]
#define EG_CHUNK eg_u[1]
layout(location = 0) uniform uint eg_u[4];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { ivec4 eg_b0[]; };
layout(std430, binding = 1) restrict readonly buffer EgBlock1 { vec4 eg_b1[]; };
layout(std430, binding = 2) restrict buffer EgBlock2 { vec4 eg_b2[]; };
ivec4 eg_index(uint vector) { return eg_b0[vector]; }
bool eg_gather(uint vector, ivec4 index, out vec4 value) {
  value = eg_b1[uint(index.x) + vector];
  return true;
}
vec4 eg_epilogue(uint vector, vec4 accumulator) { return accumulator; }
void eg_store(uint vector, vec4 value) { eg_b2[vector] = value; }
void eg_report() {}
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_VECTORS);
  uint vector = first + gl_LocalInvocationID.x;
#ifdef EG_ROW_VECTORS
  for (uint start = first - first % EG_ROW_VECTORS; start < end; start += EG_ROW_VECTORS) {
    uint from = eg_row_address(start, eg_index(start)), last = min(start + EG_ROW_VECTORS, end);
    if (from != eg_no_address)
      for (vector = max(start, first) + gl_LocalInvocationID.x; vector < last; vector += uint(EG_GROUP_SIZE))
        eg_store(vector, eg_epilogue(vector, eg_read(from + ((vector - start) << 2))));
  }
#else
#if EG_UNROLL > 1
  // All indices are loaded before the first is used, and all elements before the first is stored. Names, not arrays,
  // which drivers may leave in memory.
#define EG_AT(i) (vector + i * uint(EG_GROUP_SIZE))
#define EG_READ_INDEX(i, index, value, found) EG_INDEX index = eg_index(EG_AT(i));
#define EG_READ_VALUE(i, index, value, found) \
  EG_VALUE value;                             \
  bool found = eg_gather(EG_AT(i), index, value);
#define EG_WRITE(i, index, value, found) \
  if (found) eg_store(EG_AT(i), eg_epilogue(EG_AT(i), value));
  for (; vector + uint((EG_UNROLL - 1) * EG_GROUP_SIZE) < end; vector += uint(EG_UNROLL * EG_GROUP_SIZE)) {
    EG_EACH(EG_READ_INDEX)
    EG_EACH(EG_READ_VALUE)
    EG_EACH(EG_WRITE)
  }
#endif
  for (; vector < end; vector += uint(EG_GROUP_SIZE)) {
    EG_VALUE value;
    if (eg_gather(vector, eg_index(vector), value)) eg_store(vector, eg_epilogue(vector, value));
  }
#endif
  eg_report();
}
