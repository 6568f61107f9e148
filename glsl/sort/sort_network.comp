#version 430
// sort_network: sorts rows of a few records in registers, each by one invocation, or EG_LANES of EG_RECORDS each.
// The records are (rows, n), read through eg_read(c) after eg_address(r); the first EG_POSITIONS of each row in order
// go to eg_write(r, place, record). n = EG_LENGTH.
// Each record goes where as many come before it: EG_EACH_RECORD(F) is F(0, eg_x0, eg_k0, eg_r0) ... of n records, keys
// and ranks, EG_EACH_TWO(F) is F(eg_ki, eg_ri, eg_kj, eg_rj) for each i < j. A pair takes three instructions, where a
// comparison of a network, which no two equal keys may exchange, takes eight, for half as many or a third.
// Several lanes of a row rank their own records so, and against each one of the others', which lies in shared memory:
// two instructions. A subgroup has the same lane of its rows.
// EG_PLACES: of the records only places are written, and shared.
// EG_TELLS: keys alone that tell their bits, of which equal ones are the same, go through a network instead.
// EG_EACH_KEY(F) is F(0, eg_k0) ... of n keys, EG_EACH_PAIR(F) is F(eg_ki, eg_kj) for each comparison, and eg_bits(key)
// the inverse of eg_order.
// EG_READS(i) and EG_WRITES(i): EG_ALONG, where neighbouring invocations take neighbouring records of a row, or
// EG_ACROSS, those of neighbouring rows.
//
// Work group: EG_GROUP_SIZE invocations, and rows for as many lanes. Shared memory: n | 1 records (EG_PLACES: words) a
// row; odd, so that neighbours reach different banks.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 128
#define EG_LENGTH 6
#define EG_LANES 2
#define EG_RECORDS 3
#define EG_RECORD uvec2
#define EG_KEY(record) record.x
#define EG_READS(i) EG_ALONG(i)
#define EG_WRITES(i) EG_ACROSS(i)
#define EG_EACH_RECORD(F) F(0, eg_x0, eg_k0, eg_r0) F(1, eg_x1, eg_k1, eg_r1) F(2, eg_x2, eg_k2, eg_r2)
#define EG_EACH_TWO(F) F(eg_k0, eg_r0, eg_k1, eg_r1) F(eg_k0, eg_r0, eg_k2, eg_r2) F(eg_k1, eg_r1, eg_k2, eg_r2)
layout(location = 0) uniform uint eg_u[20];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uvec2 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uvec2 eg_b1[]; };
uint eg_row;
void eg_address(uint row) { eg_row = row * 6u; }
uvec2 eg_read(uint c) { return eg_b0[eg_row + c]; }
uint eg_read_key(uint c) { return eg_read(c).x; }
void eg_write(uint row, uint position, uvec2 record) { eg_b1[row * 6u + position] = record; }
uint eg_order(uint bits) { return bits; }
#endif
#define EG_ITEMS eg_u[0]      // rows
#define EG_POSITIONS eg_u[1]  // of each row that are written

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_size = uint(EG_GROUP_SIZE), eg_rows = uint(EG_GROUP_SIZE / EG_LANES);
const uint eg_length = uint(EG_LENGTH), eg_pitch = eg_length | 1u;

// The row in the group and the place in it of the i-th of its records.
#define EG_ALONG(i) uvec2((i) / eg_length, (i) % eg_length)
#define EG_ACROSS(i) uvec2((i) % eg_rows, (i) / eg_rows)

#ifdef EG_PLACES
#define EG_SLOT uint
#define EG_READ_SLOT(c) eg_read_key(c)
#define EG_RECORD_OF(slot) uvec2(0u, slot)
#define EG_KEY_OF(slot) slot
#define EG_PLACED(i, slot) uint(i)
#else
#define EG_SLOT EG_RECORD
#define EG_READ_SLOT(c) eg_read(c)
#define EG_RECORD_OF(slot) slot
#define EG_KEY_OF(slot) EG_KEY(slot)
#define EG_PLACED(i, slot) slot
#endif

shared EG_SLOT eg_slots[(EG_GROUP_SIZE / EG_LANES) * (EG_LENGTH | 1)];

void eg_synchronize() {
  memoryBarrierShared();
  barrier();
}

// Of absent rows the last one again: no load waits for a condition.
void eg_read_rows(uint first) {
  for (uint i = gl_LocalInvocationID.x; i < eg_rows * eg_length; i += eg_size) {
    uvec2 at = EG_READS(i);
    eg_address(min(first + at.x, EG_ITEMS - 1u));
    eg_slots[at.x * eg_pitch + at.y] = EG_READ_SLOT(at.y);
  }
}

#ifdef EG_TELLS
#define EG_LOAD(i, key) uint key = eg_order(eg_slots[mine + uint(i)]);
#define EG_EXCHANGE(a, b) \
  low = min(a, b);        \
  b = max(a, b);          \
  a = low;
#define EG_STORE(i, key) eg_slots[mine + uint(i)] = eg_bits(key);
void eg_sort_row(uint mine, uint from) {
  uint low;
  EG_EACH_KEY(EG_LOAD)
  EG_EACH_PAIR(EG_EXCHANGE)
  EG_EACH_KEY(EG_STORE)
}
#else
// Of a last lane's absent records the key is the last one: they come before none of their own lane.
#define EG_LOAD(i, x, key, rank)                                              \
  EG_SLOT x = eg_slots[mine + min(from + uint(i), eg_length - 1u)];           \
  uint key = from + uint(i) < eg_length ? eg_order(EG_KEY_OF(x)) : ~0u;       \
  uint rank = uint(i);
#define EG_RANK(a, rank_a, b, rank_b) \
  if (b < a) {                        \
    ++rank_a;                         \
    --rank_b;                         \
  }
#define EG_BEHIND_ONE(i, x, key, rank) \
  if (other <= key) ++rank;
#define EG_BEFORE_ONE(i, x, key, rank) \
  if (other < key) ++rank;
#define EG_STORE(i, x, key, rank) \
  if (from + uint(i) < eg_length) eg_slots[mine + rank] = EG_PLACED(from + uint(i), x);
uint eg_other(uint at) {
  EG_SLOT slot = eg_slots[at];
  return eg_order(EG_KEY_OF(slot));
}
void eg_sort_row(uint mine, uint from) {
  EG_EACH_RECORD(EG_LOAD)
  EG_EACH_TWO(EG_RANK)
#if EG_LANES > 1
  for (uint j = 0u; j < from; ++j) {
    uint other = eg_other(mine + j);
    EG_EACH_RECORD(EG_BEHIND_ONE)
  }
  for (uint j = from + uint(EG_RECORDS); j < eg_length; ++j) {
    uint other = eg_other(mine + j);
    EG_EACH_RECORD(EG_BEFORE_ONE)
  }
  eg_synchronize();
#endif
  EG_EACH_RECORD(EG_STORE)
}
#endif

void eg_write_rows(uint first) {
  for (uint i = gl_LocalInvocationID.x; i < eg_rows * eg_length; i += eg_size) {
    uvec2 at = EG_WRITES(i);
    EG_SLOT slot = eg_slots[at.x * eg_pitch + at.y];
    if (first + at.x < EG_ITEMS && at.y < EG_POSITIONS) eg_write(first + at.x, at.y, EG_RECORD_OF(slot));
  }
}

// Rows past the last are the last one again.
void main() {
  uint row = gl_LocalInvocationID.x % eg_rows, lane = gl_LocalInvocationID.x / eg_rows;
  for (uint first = gl_WorkGroupID.x * eg_rows; first < EG_ITEMS; first += gl_NumWorkGroups.x * eg_rows) {
    eg_read_rows(first);
    eg_synchronize();
    eg_sort_row(row * eg_pitch, lane * uint(EG_RECORDS));
    eg_synchronize();
    eg_write_rows(first);
    eg_synchronize();
  }
}
