#version 430
// sort_tile_first: f(r, t) = the key's bits of the first record, in the order of the keys, of tile t of row r, and t.
// The keys are (rows, n), read once through the hole eg_read_key(c) after eg_address(r), and f is written through
// eg_write(r, t, record). eg_order(bits) is a key as an unsigned integer in the order of the sort.
// Of a row's tiles by f, equal ones in order, the first k hold its first k records: a record of another tile comes after
// the first ones of all of those. Tiles are consecutive, so this holds for equal keys too.
// Work group: EG_GROUP_SIZE invocations, EG_LANES of them (a power of two) a tile at a time: neighbours read neighbouring
// records or, under EG_SIDE_BY_SIDE, those of neighbouring rows, which then lie next to each other. Shared memory: a pair
// of words an invocation.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 256
#define EG_LANES 32
#define EG_EACH 8
layout(location = 0) uniform uint eg_u[20];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uint eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uvec2 eg_b1[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
void eg_address(uint row) { eg_row = row * eg_u[5]; }
uint eg_read_key(uint c) { return eg_b0[eg_row + c]; }
void eg_write(uint row, uint position, uvec2 record) { eg_b1[row * eg_u[2] + position] = record; }
uint eg_order(uint bits) { return bits; }
#endif
#define EG_ITEMS eg_u[0]   // tiles of all rows
#define EG_CHUNK eg_u[1]   // items of a group
#define EG_TILES eg_u[2]   // of a row, or under EG_SIDE_BY_SIDE the rows; 3 and 4 divide by it
#define EG_LENGTH eg_u[5]  // n
#define EG_TILE eg_u[6]    // elements of a tile; the last of a row may have fewer
#define EG_LAST eg_u[8]    // the bits of a key that comes last

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_lanes = uint(EG_LANES), eg_each = uint(EG_EACH), eg_at_once = uint(EG_GROUP_SIZE / EG_LANES);
#ifdef EG_SIDE_BY_SIDE
const uint eg_step = eg_at_once;  // between lanes
#else
const uint eg_step = 1u;
#endif
shared uvec2 eg_firsts[EG_GROUP_SIZE];

// A key as an unsigned integer, and its bits.
uvec2 eg_earlier(uvec2 a, uvec2 b) { return b.x < a.x ? b : a; }

uvec2 eg_first_of(uint c, uint stop) {
  uvec2 first = uvec2(0xffffffffu, EG_LAST);
  for (; c < stop; c += eg_each * eg_lanes) {
    uint bits[EG_EACH];  // all loads are in flight before the first is used
    for (uint i = 0u; i < eg_each; ++i)
      bits[i] = c + i * eg_lanes < stop ? eg_read_key(c + i * eg_lanes) : EG_LAST;
    for (uint i = 0u; i < eg_each; ++i) first = eg_earlier(first, uvec2(eg_order(bits[i]), bits[i]));
  }
  return first;
}

void main() {
  uint me = gl_LocalInvocationID.x, lane = me / eg_step % eg_lanes;
#ifdef EG_SIDE_BY_SIDE
  uint in_round = me % eg_at_once;
#else
  uint in_round = me / eg_lanes;
#endif
  uint end = min((gl_WorkGroupID.x + 1u) * EG_CHUNK, EG_ITEMS);
  for (uint items = gl_WorkGroupID.x * EG_CHUNK; items < end; items += eg_at_once) {
    uint item = min(items + in_round, end - 1u);
    uint outer = eg_divide(item, eg_u[3], eg_u[4]), inner = item - outer * EG_TILES;
#ifdef EG_SIDE_BY_SIDE
    uint row = inner, tile = outer;
#else
    uint row = outer, tile = inner;
#endif
    uint start = tile * EG_TILE;
    eg_address(row);
    eg_firsts[me] = eg_first_of(start + lane, min(start + EG_TILE, EG_LENGTH));
    memoryBarrierShared();
    barrier();
    for (uint apart = eg_lanes / 2u; apart > 0u; apart >>= 1) {
      if (lane < apart) eg_firsts[me] = eg_earlier(eg_firsts[me], eg_firsts[me + apart * eg_step]);
      memoryBarrierShared();
      barrier();
    }
    if (lane == 0u && items + in_round < end) eg_write(row, tile, uvec2(eg_firsts[me].y, tile));
    memoryBarrierShared();
    barrier();
  }
}
