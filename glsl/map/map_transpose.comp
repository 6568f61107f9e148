#version 430
// map_transpose: y[i] = value(i) for every element i of a domain with transposed operands: contiguous not along the
// last axis (the columns), as y is, but along another one (the lines).
// The domain is (planes, lines, columns), in tiles of EG_LINES x EG_COLUMNS. Tiles are numbered in bands, column by
// column, so that the active groups touch few pages on either side. A group first reads a tile of each transposed
// operand along its lines, then computes and writes the tile along its columns: both in whole sectors of memory.
// Holes: eg_fetch(number, left, slot) stages a block of 4 x 4 elements, the first with row-major index `number` and
// `left` more lines below it, in those operands' tiles; eg_load(number) is the value of four columns, with transposed
// operands from slot eg_slot of their tiles; eg_store(number, value) writes them. Where columns are no multiple of four
// the last vector overlaps the one before. With EG_ACROSS the results are narrow, or made of random numbers, which have
// a block in fours, and their lines begin between vectors of memory (eg_place(number) is the address of a result):
// vectors within a line are those of memory, which lie in two slots (from element eg_left of eg_slot on, and in
// eg_next); only a line's first and last may write a part of a word, which takes atomics, or numbers of two blocks:
// eg_store_end(number, ends, count) writes the first `count` of four columns, or the last. Of the last slot of a line
// what lies eg_right columns beyond the first repeats the last column. A tile then has four columns more than it
// advances by: the vector of memory that begins in it and ends in the next is its own.
// With EG_JOINT a line is made of short ones along another axis, which follow one another in memory:
// eg_plane_start(plane) is the number of a plane's first result, and line `line` begins eg_line_start(line) behind it.
// Work group: EG_GROUP_SIZE invocations. Shared memory: EG_LINES * EG_COLUMNS elements for each transposed operand,
// four columns a slot; blocks are transposed in registers on their way there. The vectors of a line are swizzled by an
// exclusive or with the number of the block of lines, so that eight invocations that write one column, or read one
// line, use all banks.
// Bindings: declared by the generator.
// After Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA" (2009).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_LINES 32
#define EG_COLUMNS 32
layout(location = 0) uniform uint eg_u[19];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
uint eg_slot;
shared vec4 eg_tile[256];
uint eg_divide(uint n, uint multiplier, uint shift) { return n / shift; }
void eg_fetch(uint number, uint left, uint slot) { eg_tile[slot] = eg_b0[number]; }
vec4 eg_load(uint number) { return eg_tile[eg_slot]; }
void eg_store(uint number, vec4 value) { eg_b1[number] = value; }
#endif
#define EG_TILES eg_u[0]
#define EG_ALL_LINES eg_u[1]
#define EG_ALL_COLUMNS eg_u[2]
#define EG_BETWEEN eg_u[3]      // planes between one line and the next; 4 and 5 divide by it
#define EG_PLANE_TILES eg_u[6]  // of a plane; 7 and 8 divide by it
#define EG_BAND_TILES eg_u[9]   // of a whole band; 10 and 11 divide by it
#define EG_BAND eg_u[12]        // rows of tiles in a band; 13 and 14 divide by it
                                // 15 to 17: of the last one
#define EG_LAST_BAND eg_u[18]

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_vectors = uint(EG_COLUMNS) / 4u, eg_blocks = uint(EG_LINES) / 4u;

// The slot, in its line, of vector `vector` of a line of block `block`.
uint eg_swizzled(uint vector, uint block) { return vector ^ ((block * max(1u, 8u / eg_blocks)) & (eg_vectors - 1u)); }

#ifdef EG_JOINT
#define EG_LINE_START(line) eg_line_start(line)
#else
#define EG_LINE_START(line) ((line) * pitch)
#endif

#ifdef EG_ACROSS
#define EG_ADVANCE uint(EG_COLUMNS - 4)
// How many columns of the line whose first result has number `row` come before the first vector of memory.
uint eg_skipped(uint row) { return (0u - eg_place(row)) & 3u; }

// What eg_load() reads of tiles is from column `column` of a line on.
void eg_seek(uint in_tile, uint column) {
  uint slots = in_tile * eg_vectors, block = in_tile >> 2, slot = column >> 2;
  eg_left = column & 3u;
  eg_slot = slots + eg_swizzled(slot, block);
  eg_next = eg_left == 0u ? eg_slot : slots + eg_swizzled(slot + 1u, block);
}
#else
#define EG_ADVANCE uint(EG_COLUMNS)
#endif

// i / n for n = 1 / inverse, exact for i < 2^13: (i + 1/2) / n is 1 / (2 n) from any integer, and n <= 2^11.
#define EG_QUOTIENT(i) uint((float(i) + 0.5) * inverse)

void main() {
  for (uint tile = gl_WorkGroupID.x; tile < EG_TILES; tile += gl_NumWorkGroups.x) {
    uint plane = eg_divide(tile, eg_u[7], eg_u[8]);
    uint in_plane = tile - plane * EG_PLANE_TILES;
    uint band = eg_divide(in_plane, eg_u[10], eg_u[11]), in_band = in_plane - band * EG_BAND_TILES, height, tile_column;
    if (band == EG_LAST_BAND) {
      height = eg_u[15];
      tile_column = eg_divide(in_band, eg_u[16], eg_u[17]);
    } else {
      height = EG_BAND;
      tile_column = eg_divide(in_band, eg_u[13], eg_u[14]);
    }
    uint first_line = (band * EG_BAND + in_band - tile_column * height) * uint(EG_LINES);
    uint first_column = tile_column * EG_ADVANCE;
#ifdef EG_JOINT
    uint start = eg_plane_start(plane);
#else
    uint before = eg_divide(plane, eg_u[4], eg_u[5]);
    uint pitch = EG_BETWEEN * EG_ALL_COLUMNS;
    uint start = before * EG_ALL_LINES * pitch + (plane - before * EG_BETWEEN) * EG_ALL_COLUMNS;
#endif
#ifndef EG_ACROSS
    uint last_column = EG_ALL_COLUMNS - 4u;  // at which a vector may start
#endif
    for (uint i = gl_LocalInvocationID.x; i < eg_blocks * eg_vectors; i += uint(EG_GROUP_SIZE)) {
      uint block = i % eg_blocks, vector = i / eg_blocks;
      uint line = first_line + block * 4u, column = first_column + vector * 4u;
      if (line < EG_ALL_LINES && column < EG_ALL_COLUMNS) {
#ifdef EG_ACROSS
        eg_right = EG_ALL_COLUMNS - 1u - column;
#else
        column = min(column, last_column);
#endif
        eg_fetch(start + EG_LINE_START(line) + column, EG_ALL_LINES - 1u - line,
                 block * 4u * eg_vectors + eg_swizzled(vector, block));
      }
    }
    memoryBarrierShared();
    barrier();
#ifdef EG_ACROSS
    uint staged = min(uint(EG_COLUMNS), EG_ALL_COLUMNS - first_column);
    bool is_last = first_column + uint(EG_COLUMNS) >= EG_ALL_COLUMNS;
    uint vectors = is_last ? staged >> 2 : eg_vectors - 1u;
    float inverse = 1.0 / float(vectors);
    for (uint i = gl_LocalInvocationID.x; i < uint(EG_LINES) * vectors; i += uint(EG_GROUP_SIZE)) {
      uint in_tile = EG_QUOTIENT(i), line = first_line + in_tile, row = start + EG_LINE_START(line);
      uint column = (i - in_tile * vectors) * 4u + eg_skipped(row), number = row + first_column + column;
      if (line < EG_ALL_LINES && column + 4u <= staged) {
        eg_seek(in_tile, column);
        eg_store(number, eg_load(number));
      }
    }
    // Lines' first and last results apart, so that the others' invocations do not wait for their atomics.
    for (uint i = (first_column == 0u ? 0u : uint(EG_LINES)) + gl_LocalInvocationID.x;
         i < uint(EG_LINES) * (is_last ? 2u : 1u); i += uint(EG_GROUP_SIZE)) {
      bool ends = i >= uint(EG_LINES);
      uint in_tile = ends ? i - uint(EG_LINES) : i, line = first_line + in_tile, row = start + EG_LINE_START(line);
      uint skipped = eg_skipped(row), count = ends ? (staged - skipped) & 3u : skipped;
      if (line < EG_ALL_LINES && count > 0u) {
        eg_seek(in_tile, ends ? staged - 4u : 0u);
        eg_store_end(row + (ends ? EG_ALL_COLUMNS - 4u : 0u), ends, count);
      }
    }
#else
    // What a line of the tile has of these columns: of the last tile's no invocation is left idle.
    uint vectors = min(eg_vectors, (EG_ALL_COLUMNS - first_column + 3u) >> 2);
    float inverse = 1.0 / float(vectors);
    for (uint i = gl_LocalInvocationID.x; i < uint(EG_LINES) * vectors; i += uint(EG_GROUP_SIZE)) {
      uint in_tile = EG_QUOTIENT(i), vector = i - in_tile * vectors;
      uint line = first_line + in_tile, column = first_column + vector * 4u;
      if (line < EG_ALL_LINES) {
        uint number = start + EG_LINE_START(line) + min(column, last_column);
        eg_slot = in_tile * eg_vectors + eg_swizzled(vector, in_tile >> 2);
        eg_store(number, eg_load(number));
      }
    }
#endif
    memoryBarrierShared();
    barrier();
  }
}
