#version 430
// map: y[i] = value(i) for every element i of a domain, in vectors of four elements.
// The hole eg_load(vector) reads the operands, the hole eg_store(vector, value) writes y; both have the layouts. The
// last vector may be partial.
// Work group: EG_GROUP_SIZE invocations, no shared memory. A group works through a contiguous chunk of vectors, side by
// side; the grid is what the device holds at a time, so that few pages are in use. With EG_SHORT_PATH a chunk of 0
// means a vector an invocation, and one row of groups. Bindings: the operands and y, declared by the generator.
// With EG_TILE_LINES the domain is (before, lines, between, columns), and EG_VECTORS and EG_CHUNK count tiles of so many
// lines of EG_GROUP_SIZE vectors: a software device uses up the cache lines of an operand that is contiguous along the
// lines, hardware the lines of a stencil's neighbours. A vector belongs to the row in which it starts.
// EG_EACH_LOAD(F) is F(0, eg_x0) F(1, eg_x1) and so on for the EG_UNROLL vectors that are loaded before the first is
// stored.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_UNROLL 2
#define EG_SHORT_PATH
#define EG_VALUE vec4
#define EG_EACH_LOAD(F) F(0, eg_x0) F(1, eg_x1)
#define EG_VECTORS eg_u[0]
#define EG_CHUNK eg_u[1]
layout(location = 0) uniform uint eg_u[2];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
vec4 eg_load(uint vector) { return eg_b0[vector]; }
void eg_store(uint vector, vec4 value) { eg_b1[vector] = value; }
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

#ifdef EG_TILE_LINES
#define EG_ALL_LINES eg_u[2]
#define EG_ALL_COLUMNS eg_u[3]
#define EG_BETWEEN eg_u[4]       // planes between one line and the next; 5 and 6 divide by it
#define EG_TILES_ACROSS eg_u[7]  // 8 and 9 divide by it
#define EG_TILES_DOWN eg_u[10]   // 11 and 12 divide by it
void eg_store_tile(uint tile) {
  uint above = eg_divide(tile, eg_u[8], eg_u[9]), plane = eg_divide(above, eg_u[11], eg_u[12]);
  uint before = eg_divide(plane, eg_u[5], eg_u[6]);
  uint line = (above - plane * EG_TILES_DOWN) * uint(EG_TILE_LINES), in_row = tile - above * EG_TILES_ACROSS;
  uint row = (before * EG_ALL_LINES + line) * EG_BETWEEN + plane - before * EG_BETWEEN;
  uint lines = min(EG_ALL_LINES - line, uint(EG_TILE_LINES)), pitch = EG_BETWEEN * EG_ALL_COLUMNS;
  uint start = row * EG_ALL_COLUMNS + 3u, in_line = in_row * uint(EG_GROUP_SIZE) + gl_LocalInvocationID.x;
  for (; lines > 0u; --lines) {
    uint vector = start / 4u + in_line;
    if (vector < (start + EG_ALL_COLUMNS) / 4u) eg_store(vector, eg_load(vector));
    start += pitch;
  }
}
#endif

#define EG_LOAD(I, X) EG_VALUE X = eg_load(vector + uint(I * EG_GROUP_SIZE));
#define EG_STORE(I, X) eg_store(vector + uint(I * EG_GROUP_SIZE), X);

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
  // Several loads in flight.
  for (; vector + uint((EG_UNROLL - 1) * EG_GROUP_SIZE) < end; vector += uint(EG_UNROLL * EG_GROUP_SIZE)) {
    EG_EACH_LOAD(EG_LOAD)
    EG_EACH_LOAD(EG_STORE)
  }
#endif
#ifdef EG_TILE_LINES
  for (uint tile = first; tile < end; ++tile) eg_store_tile(tile);
#else
  for (; vector < end; vector += uint(EG_GROUP_SIZE)) eg_store(vector, eg_load(vector));
#endif
}
