#version 430
// sort_select_serial: the first EG_POSITIONS records (at most EG_CAPACITY) of each tile of a row in the order of their
// keys, equal keys in theirs: a heap of the best records so far, with the worst of them on top. Most records are
// compared with that one only.
// The records are (rows, n), read through eg_read_key(c) and eg_read(c) after eg_address(r), written through
// eg_write(i, place, record), i the number of the tile; a tile with too few is padded with records that come last.
// eg_order(bits) is a key as an unsigned integer.
// Work group: EG_GROUP_SIZE invocations, a tile each at a time, no barrier: for software devices. Shared memory:
// EG_CAPACITY pairs of words an invocation, those of the group side by side.
// Williams, "Algorithm 232: Heapsort" (1964).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 8
#define EG_CAPACITY 256
#define EG_RECORD uvec2
layout(location = 0) uniform uint eg_u[20];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uvec2 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uvec2 eg_b1[]; };
layout(std430, binding = 2) restrict buffer EgBlock2 { uint eg_b2[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
void eg_address(uint row) { eg_row = row * eg_u[9]; }
uvec2 eg_read(uint c) { return eg_b0[eg_row + c]; }
void eg_write(uint row, uint position, uvec2 record) { eg_b1[row * eg_u[9] + position] = record; }
uint eg_read_key(uint c) { return eg_b0[eg_row + c].x; }
uint eg_order(uint bits) { return bits; }
#endif
#define EG_ITEMS eg_u[0]  // tiles of all rows of this dispatch
#define EG_CHUNK eg_u[1]  // items of a group
#define EG_TILES eg_u[2]  // of a row, of this dispatch; 3 and 4 divide by it
#define EG_FIRST_TILE eg_u[5]
#define EG_TILE eg_u[6]    // elements of a tile; the last of a row may have fewer. 7 and 8 divide by it
#define EG_LENGTH eg_u[9]  // n
#define EG_POSITIONS eg_u[11]
#define EG_LAST eg_u[15]  // the bits of a key that comes last

layout(local_size_x = EG_GROUP_SIZE) in;

shared uvec2 eg_heap[EG_CAPACITY * EG_GROUP_SIZE];  // a key as an unsigned integer, and its position in the row

uint eg_slot(uint i) { return i * uint(EG_GROUP_SIZE) + gl_LocalInvocationID.x; }

bool eg_before(uvec2 a, uvec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }

// Adds an entry to a heap of `size`.
void eg_add(uvec2 entry, uint size) {
  uint place = size;
  while (place > 0u) {
    uvec2 parent = eg_heap[eg_slot((place - 1u) >> 1)];
    if (eg_before(entry, parent)) break;
    eg_heap[eg_slot(place)] = parent;
    place = (place - 1u) >> 1;
  }
  eg_heap[eg_slot(place)] = entry;
}

// Replaces the top of a heap of `size`.
void eg_replace(uvec2 entry, uint size) {
  uint place = 0u;
  for (uint child = 1u; child < size; child = 2u * place + 1u) {
    uvec2 larger = eg_heap[eg_slot(child)];
    uvec2 right = eg_heap[eg_slot(min(child + 1u, size - 1u))];
    child += eg_before(larger, right) ? 1u : 0u;
    larger = eg_before(larger, right) ? right : larger;
    if (eg_before(larger, entry)) break;
    eg_heap[eg_slot(place)] = larger;
    place = child;
  }
  eg_heap[eg_slot(place)] = entry;
}

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint item = first + gl_LocalInvocationID.x; item < end; item += uint(EG_GROUP_SIZE)) {
    uint row = eg_divide(item, eg_u[3], eg_u[4]);
    uint start = (item - row * EG_TILES + EG_FIRST_TILE) * EG_TILE;
    uint stop = min(start + EG_TILE, EG_LENGTH);
    uint size = min(EG_POSITIONS, stop - start);
    eg_address(row);
    for (uint i = 0u; i < size; ++i) eg_add(uvec2(eg_order(eg_read_key(start + i)), start + i), i);
    uint worst = eg_heap[eg_slot(0u)].x;
    for (uint c = start + size; c < stop; ++c) {
      uint key = eg_order(eg_read_key(c));
      if (key >= worst) continue;
      eg_replace(uvec2(key, c), size);
      worst = eg_heap[eg_slot(0u)].x;
    }
    for (uint left = size - 1u; left > 0u; --left) {  // moves the worst record left to its position
      uvec2 last = eg_heap[eg_slot(left)];
      eg_heap[eg_slot(left)] = eg_heap[eg_slot(0u)];
      eg_replace(last, left);
    }
    for (uint place = 0u; place < EG_POSITIONS; ++place) {
      EG_RECORD record = EG_RECORD(EG_LAST);
      if (place < size) record = eg_read(eg_heap[eg_slot(place)].y);
      eg_write(item + EG_FIRST_TILE, place, record);
    }
  }
}
