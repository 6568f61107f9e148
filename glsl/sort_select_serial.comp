#version 430
// sort_select_serial: the first EG_POSITIONS records (at most EG_CAPACITY) of each segment of a row in the order of their
// keys, equal keys in theirs: an insertion sort of the best so far, which most records only look at.
// The records are (rows, n), read through eg_read(c) after eg_seek(r), written through eg_write(i, place, record), i the
// number of the segment; a segment with too few is filled up with records that come last. eg_order(bits) is a key as an
// unsigned integer.
// Work group: EG_GROUP_SIZE invocations, a segment each at a time, no barrier: for software devices. Shared memory:
// EG_CAPACITY records an invocation.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 8
#define EG_CAPACITY 64
#define EG_RECORD uvec2
#define EG_KEY(record) record.x
layout(location = 0) uniform uint eg_u[20];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uvec2 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uvec2 eg_b1[]; };
layout(std430, binding = 2) restrict buffer EgBlock2 { uint eg_b2[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
void eg_seek(uint row) { eg_row = row * eg_u[9]; }
uvec2 eg_read(uint c) { return eg_b0[eg_row + c]; }
void eg_write(uint row, uint position, uvec2 record) { eg_b1[row * eg_u[9] + position] = record; }
uint eg_order(uint bits) { return bits; }
#endif
#define EG_ITEMS eg_u[0]     // segments of all rows of this dispatch
#define EG_CHUNK eg_u[1]     // items of a group
#define EG_SEGMENTS eg_u[2]  // of a row, of this dispatch; 3 and 4 divide by it
#define EG_FIRST_SEGMENT eg_u[5]
#define EG_SEGMENT eg_u[6]  // elements of a segment; the last of a row may have fewer. 7 and 8 divide by it
#define EG_LENGTH eg_u[9]   // n
#define EG_POSITIONS eg_u[11]
#define EG_LAST eg_u[15]  // the bits of a key that comes last

layout(local_size_x = EG_GROUP_SIZE) in;

shared EG_RECORD eg_best[EG_CAPACITY * EG_GROUP_SIZE];

uint eg_slot(uint i) { return i * uint(EG_GROUP_SIZE) + gl_LocalInvocationID.x; }

// Puts a record among the best: behind those that do not come after it.
void eg_insert(EG_RECORD record, uint key, uint before) {
  uint place = before;
  while (place > 0u) {
    EG_RECORD other = eg_best[eg_slot(place - 1u)];
    if (eg_order(EG_KEY(other)) <= key) break;
    eg_best[eg_slot(place)] = other;
    --place;
  }
  eg_best[eg_slot(place)] = record;
}

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint item = first + gl_LocalInvocationID.x; item < end; item += uint(EG_GROUP_SIZE)) {
    uint row = eg_divide(item, eg_u[3], eg_u[4]);
    uint start = (item - row * EG_SEGMENTS + EG_FIRST_SEGMENT) * EG_SEGMENT;
    uint stop = min(start + EG_SEGMENT, EG_LENGTH);
    eg_seek(row);
    uint held = 0u, worst = 0u;
    for (uint c = start; c < stop; ++c) {
      EG_RECORD record = eg_read(c);
      uint key = eg_order(EG_KEY(record));
      if (held == EG_POSITIONS && key >= worst) continue;
      eg_insert(record, key, min(held, EG_POSITIONS - 1u));
      held = min(held + 1u, EG_POSITIONS);
      worst = eg_order(EG_KEY(eg_best[eg_slot(held - 1u)]));
    }
    for (uint place = 0u; place < EG_POSITIONS; ++place)
      eg_write(item + EG_FIRST_SEGMENT, place, place < held ? eg_best[eg_slot(place)] : EG_RECORD(EG_LAST));
  }
}
