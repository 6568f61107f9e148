#version 430
// sort_scatter_serial: y[r, place] = record for each record of a row, in order, where place is EG_COUNT of its tile and
// digit plus the number of records of that digit before it in the tile: the last step of a pass, which preserves the
// order of equal digits.
// The records are (rows, n), read through eg_read(c) after eg_address(r), written through eg_write(r, place, record)
// where place lies in the window of EG_POSITIONS from EG_FIRST_POSITION on. eg_digit(bits) is the digit of a key.
// Work group: EG_GROUP_SIZE invocations, a tile each at a time, no barrier: for software devices. Shared memory: 256
// words an invocation.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 8
#define EG_RECORD uvec2
#define EG_KEY(record) record.x
#define EG_COUNT(i) eg_b2[i]
layout(location = 0) uniform uint eg_u[20];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uvec2 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uvec2 eg_b1[]; };
layout(std430, binding = 2) restrict buffer EgBlock2 { uint eg_b2[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
void eg_address(uint row) { eg_row = row * eg_u[9]; }
uvec2 eg_read(uint c) { return eg_b0[eg_row + c]; }
void eg_write(uint row, uint position, uvec2 record) { eg_b1[row * eg_u[9] + position] = record; }
uint eg_digit(uint bits) { return (bits >> eg_u[13]) & 255u; }
#endif
#define EG_ITEMS eg_u[0]  // tiles of all rows of this dispatch
#define EG_CHUNK eg_u[1]  // items of a group
#define EG_TILES eg_u[2]  // of a row, of this dispatch; 3 and 4 divide by it
#define EG_FIRST_TILE eg_u[5]
#define EG_TILE eg_u[6]    // elements of a tile; the last of a row may have fewer. 7 and 8 divide by it
#define EG_LENGTH eg_u[9]  // n
#define EG_FIRST_POSITION eg_u[10]
#define EG_POSITIONS eg_u[11]

layout(local_size_x = EG_GROUP_SIZE) in;

shared uint eg_next[256 * EG_GROUP_SIZE];

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  uint me = gl_LocalInvocationID.x;
  for (uint item = first + me; item < end; item += uint(EG_GROUP_SIZE)) {
    for (uint d = 0u; d < 256u; ++d) eg_next[d * uint(EG_GROUP_SIZE) + me] = EG_COUNT(item * 256u + d);
    uint row = eg_divide(item, eg_u[3], eg_u[4]);
    uint start = (item - row * EG_TILES + EG_FIRST_TILE) * EG_TILE;
    uint stop = min(start + EG_TILE, EG_LENGTH);
    eg_address(row);
    for (uint c = start; c < stop; ++c) {
      EG_RECORD record = eg_read(c);
      uint at = eg_digit(EG_KEY(record)) * uint(EG_GROUP_SIZE) + me;
      uint place = eg_next[at];
      eg_next[at] = place + 1u;
      if (place - EG_FIRST_POSITION < EG_POSITIONS) eg_write(row, place, record);
    }
  }
}
