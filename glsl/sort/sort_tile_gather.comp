#version 430
// sort_tile_gather: y(r, rank(j) * EG_TILE + i) = record i of tile t(r, j) of row r, where rank(j) is the number of
// smaller ones among the EG_CHOSEN tiles t(r, ...), which all differ: the records of the chosen tiles, in order.
// The records are (rows, n), read through the hole eg_read(c) after eg_address(r), and written through
// eg_write(r, position, record); those past the row's end are EG_LAST. t(r, j) is EG_TILE_OF(r * EG_CHOSEN + j).
// Work group: EG_GROUP_SIZE invocations, a tile at a time. Shared memory: a word.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 256
#define EG_RECORD uvec2
#define EG_TILE_OF(i) eg_b2[i].y
layout(location = 0) uniform uint eg_u[20];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uint eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uvec2 eg_b1[]; };
layout(std430, binding = 2) restrict readonly buffer EgBlock2 { uvec2 eg_b2[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
void eg_address(uint row) { eg_row = row * eg_u[5]; }
uvec2 eg_read(uint c) { return uvec2(eg_b0[eg_row + c], c); }
void eg_write(uint row, uint position, uvec2 record) { eg_b1[row * eg_u[2] * eg_u[6] + position] = record; }
#endif
#define EG_ITEMS eg_u[0]   // chosen tiles of all rows
#define EG_CHUNK eg_u[1]   // items of a group
#define EG_CHOSEN eg_u[2]  // tiles of a row; 3 and 4 divide by it
#define EG_LENGTH eg_u[5]  // n
#define EG_TILE eg_u[6]    // elements of a tile
#define EG_LAST eg_u[8]    // the bits of a key that comes last

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_size = uint(EG_GROUP_SIZE);
shared uint eg_rank;

void main() {
  uint me = gl_LocalInvocationID.x;
  uint end = min((gl_WorkGroupID.x + 1u) * EG_CHUNK, EG_ITEMS);
  for (uint item = gl_WorkGroupID.x * EG_CHUNK; item < end; ++item) {
    uint row = eg_divide(item, eg_u[3], eg_u[4]), tile = EG_TILE_OF(item), smaller = 0u;
    if (me == 0u) eg_rank = 0u;
    memoryBarrierShared();
    barrier();
    for (uint j = me; j < EG_CHOSEN; j += eg_size) smaller += EG_TILE_OF(row * EG_CHOSEN + j) < tile ? 1u : 0u;
    if (smaller > 0u) atomicAdd(eg_rank, smaller);  // integers: their order changes no result
    memoryBarrierShared();
    barrier();
    uint position = eg_rank * EG_TILE;
    eg_address(row);
    for (uint i = me; i < EG_TILE; i += eg_size) {
      uint c = tile * EG_TILE + i;
      EG_RECORD record = EG_RECORD(EG_LAST);
      if (c < EG_LENGTH) record = eg_read(c);
      eg_write(row, position + i, record);
    }
    memoryBarrierShared();
    barrier();
  }
}
