#version 430
// map_transpose_registers: y[i] = value(i) for every element i of a contiguous domain (planes, lines, columns) with one
// transposed operand: contiguous along the lines, not along the columns, as y is.
// An invocation transposes a block of four lines and columns in registers: it reads vectors of four lines, one for each
// of its columns, and computes and writes vectors of four neighbours of y, which are memory's where y begins at one,
// wherever a line does: those of line k of a block begin (-k * columns) % 4 columns after it, a constant of the
// program; a block reads as many columns more as that is at most. A line's last vector may end in the next line: every
// element is written once, by whole vectors but for y's last one.
// Holes: eg_fetch(plane, line, column) reads the columns of a block; EG_EACH_VECTOR(F) is F(line, column, name, take)
// for the vectors of a block, `take` a statement that sets what eg_load() takes of the transposed operand;
// eg_load(vector) is the value of a vector of y, eg_store(vector, value) writes it.
// Work group: EG_GROUP_SIZE invocations; EG_BLOCKS neighbours have blocks side by side along the lines, which read
// whole sectors of memory (of bytes half of one), the next ones those of the next columns, so that lines are written in
// runs. No shared memory and no barrier: all that fits in registers is in flight. Bindings: declared by the generator.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_BLOCKS 8
#define EG_VALUE vec4
#define EG_EACH_VECTOR(F) F(0, 0, eg_x0, eg_now = 0u) F(1, 0, eg_x1, eg_now = 1u)
layout(location = 0) uniform uint eg_u[10];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
uint eg_now;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / shift; }
void eg_fetch(uint plane, uint line, uint column) {}
vec4 eg_load(uint vector) { return eg_b0[vector]; }
void eg_store(uint vector, vec4 value) { eg_b1[vector] = value; }
#endif
#define EG_INVOCATIONS eg_u[0]
#define EG_LINES eg_u[1]
#define EG_ALL_COLUMNS eg_u[2]
#define EG_ACROSS eg_u[3]  // blocks of a line; 4 and 5 divide by it
#define EG_BANDS eg_u[6]   // of EG_BLOCKS blocks, in a plane; 7 and 8 divide by it
#define EG_LAST_VECTOR eg_u[9]

layout(local_size_x = EG_GROUP_SIZE) in;

#define EG_EXISTS(K, C) (line + uint(K) < EG_LINES && column + uint(C) < EG_ALL_COLUMNS)
#define EG_VECTOR(K, C) ((start + uint(K) * EG_ALL_COLUMNS + uint(C)) >> 2)
// No branch around loads, so that all are in flight together.
#define EG_VALUE_OF(K, C, X, TAKE) \
  TAKE;                            \
  EG_VALUE X = eg_load(min(EG_VECTOR(K, C), EG_LAST_VECTOR));
#define EG_STORE(K, C, X, TAKE) \
  if (EG_EXISTS(K, C)) eg_store(EG_VECTOR(K, C), X);

void main() {
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * uint(EG_GROUP_SIZE) + gl_LocalInvocationID.x;
  if (i >= EG_INVOCATIONS) return;
  uint block = i / uint(EG_BLOCKS), band = eg_divide(block, eg_u[4], eg_u[5]);
  uint column = (block - band * EG_ACROSS) * 4u, plane = eg_divide(band, eg_u[7], eg_u[8]);
  uint line = ((band - plane * EG_BANDS) * uint(EG_BLOCKS) + i % uint(EG_BLOCKS)) * 4u;
  if (line >= EG_LINES) return;
  uint start = (plane * EG_LINES + line) * EG_ALL_COLUMNS + column;
  eg_fetch(plane, line, column);
  EG_EACH_VECTOR(EG_VALUE_OF)
  EG_EACH_VECTOR(EG_STORE)
}
