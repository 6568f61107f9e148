#version 430
// sort_rows_serial: the first EG_POSITIONS records of each row in the order of their keys, equal keys in theirs: a
// bottom-up merge sort of rows of at most EG_CAPACITY records, one invocation a row.
// The records are (rows, n), read through eg_read(c) after eg_address(r), written through eg_write(r, place, record).
// eg_order(bits) is a key as an unsigned integer.
// EG_RUN, for records that are keys alone: runs of so many are sorted in registers first, unless the row has a key that
// does not tell its record's bits. EG_EACH_KEY(F) is F(0, eg_k0) F(1, eg_k1) ..., EG_EACH_PAIR(F) is F(eg_ki, eg_kj) for
// each comparison of a sorting network. eg_bits(key) is the inverse of eg_order.
// Work group: EG_GROUP_SIZE invocations, no barrier: for software devices. Shared memory: 2 * EG_CAPACITY records an
// invocation, those of the group's rows side by side.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 8
#define EG_CAPACITY 128
#define EG_RECORD uvec2
#define EG_KEY(record) record.x
layout(location = 0) uniform uint eg_u[20];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uvec2 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uvec2 eg_b1[]; };
layout(std430, binding = 2) restrict buffer EgBlock2 { uint eg_b2[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
void eg_address(uint row) { eg_row = row * eg_u[9]; }
uvec2 eg_read(uint c) { return eg_b0[eg_row + c]; }
void eg_write(uint row, uint position, uvec2 record) { eg_b1[row * eg_u[9] + position] = record; }
uint eg_order(uint bits) { return bits; }
#endif
#define EG_ITEMS eg_u[0]  // tiles of all rows of this dispatch
#define EG_CHUNK eg_u[1]  // items of a group
#define EG_TILES eg_u[2]  // of a row, of this dispatch; 3 and 4 divide by it
#define EG_FIRST_TILE eg_u[5]
#define EG_TILE eg_u[6]    // elements of a tile; the last of a row may have fewer. 7 and 8 divide by it
#define EG_LENGTH eg_u[9]  // n
#define EG_POSITIONS eg_u[11]

layout(local_size_x = EG_GROUP_SIZE) in;

shared EG_RECORD eg_slots[2 * EG_CAPACITY * EG_GROUP_SIZE];

uint eg_slot(uint side, uint i) {
  return (side * uint(EG_CAPACITY) + i) * uint(EG_GROUP_SIZE) + gl_LocalInvocationID.x;
}

#ifdef EG_RUN
// Places behind the row's end have the largest key.
uint eg_key(uint place, inout bool tells) {
  if (place >= EG_LENGTH) return 0xffffffffu;
  uint bits = eg_read(place), key = eg_order(bits);
  tells = tells && eg_bits(key) == bits;
  return key;
}

void eg_sort_run(uint base, inout bool tells) {
#define EG_LOAD(i, key) uint key = eg_key(base + uint(i), tells);
#define EG_EXCHANGE(a, b) \
  low = min(a, b);        \
  b = max(a, b);          \
  a = low;
#define EG_STORE(i, key) \
  if (base + uint(i) < EG_LENGTH) eg_slots[eg_slot(0u, base + uint(i))] = eg_bits(key);
  uint low;
  EG_EACH_KEY(EG_LOAD)
  EG_EACH_PAIR(EG_EXCHANGE)
  EG_EACH_KEY(EG_STORE)
}
#endif

// Merges records [left, middle) and [middle, stop) of one side to the other.
void eg_merge(uint side, uint left, uint middle, uint stop) {
  uint right = middle;
  for (uint to = left; to < stop; ++to) {
    EG_RECORD low = eg_slots[eg_slot(side, min(left, middle - 1u))];
    EG_RECORD high = eg_slots[eg_slot(side, min(right, stop - 1u))];
    bool is_low = right >= stop || (left < middle && eg_order(EG_KEY(low)) <= eg_order(EG_KEY(high)));
    eg_slots[eg_slot(1u - side, to)] = is_low ? low : high;
    left += is_low ? 1u : 0u;
    right += is_low ? 0u : 1u;
  }
}

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint row = first + gl_LocalInvocationID.x; row < end; row += uint(EG_GROUP_SIZE)) {
    eg_address(row);
    uint side = 0u, run = 1u;
#ifdef EG_RUN
    bool tells = true;
    for (uint base = 0u; base < EG_LENGTH; base += uint(EG_RUN)) eg_sort_run(base, tells);
    if (tells) run = uint(EG_RUN);
#endif
    if (run == 1u)
      for (uint c = 0u; c < EG_LENGTH; ++c) eg_slots[eg_slot(0u, c)] = eg_read(c);
    for (uint width = run; width < EG_LENGTH; width <<= 1) {
      for (uint left = 0u; left < EG_LENGTH; left += 2u * width)
        eg_merge(side, left, min(left + width, EG_LENGTH), min(left + 2u * width, EG_LENGTH));
      side = 1u - side;
    }
    for (uint place = 0u; place < EG_POSITIONS; ++place) eg_write(row, place, eg_slots[eg_slot(side, place)]);
  }
}
