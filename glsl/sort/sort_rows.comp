#version 430
// sort_rows: sorts short rows in shared memory, each read once and written once: a stable radix sort over bytes of the
// keys.
// The records are (rows, n), read through eg_read(c) after eg_address(r); the first EG_POSITIONS of each row in order
// go to eg_write(r, place, record).
// EG_LANES invocations, whole subgroups of 32, sort a row of at most EG_LANES * EG_EACH records; a group has as many
// rows as fit. A pass ranks the records of each subgroup by digit, scans the counts in the order (digit, subgroup), and
// moves keys and then values to their positions.
// Work group: EG_GROUP_SIZE invocations, a multiple of EG_LANES. Shared memory: 8.25 words an invocation and one a
// subgroup.
// Ranks by ballots after Ashkiani, Davidson, Meyer and Owens, "GPU multisplit" (2016), as in sort_onesweep.comp.
#ifdef EG_STANDALONE
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define EG_GROUP_SIZE 256
#define EG_LANES 128
#define EG_EACH 8
#define EG_RECORD uvec2
#define EG_KEY(record) record.x
#define EG_VALUE(record) record.y
layout(location = 0) uniform uint eg_u[20];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uvec2 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uvec2 eg_b1[]; };
uint eg_row;
void eg_address(uint row) { eg_row = row * eg_u[1]; }
uvec2 eg_read(uint c) { return eg_b0[eg_row + c]; }
void eg_write(uint row, uint position, uvec2 record) { eg_b1[row * eg_u[1] + position] = record; }
uint eg_order(uint bits) { return bits; }
#endif
#define EG_ITEMS eg_u[0]      // rows
#define EG_LENGTH eg_u[1]     // n
#define EG_POSITIONS eg_u[2]  // of each row that are written
#define EG_BITS eg_u[3]       // of a key

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_size = uint(EG_GROUP_SIZE), eg_lanes = uint(EG_LANES), eg_each = uint(EG_EACH);
const uint eg_subgroups = eg_lanes / 32u, eg_at_once = eg_size / eg_lanes;  // of a row; rows
const uint eg_digits = 264u;                                                // counters of a subgroup, with gaps
const uint eg_run = eg_lanes < 256u ? 256u / eg_lanes : 1u;                 // digits that an invocation scans

shared uint eg_words[EG_GROUP_SIZE / 32 * 264];
shared uint eg_sums[EG_GROUP_SIZE / 32];

// Loops unroll, so that an invocation's records stay in registers, unless compiling costs more than running.
#ifdef EG_ROLLED
#define EG_TIMES(count) (EG_LENGTH == 0u ? 1u : count)
#else
#define EG_TIMES(count) count
#endif

EG_RECORD eg_records[EG_EACH];  // of the invocation
uint eg_ranks[EG_EACH];         // among those of its subgroup, with the digit in the upper half; then in the row
uint eg_me, eg_lane;            // the invocation in its row, and in its subgroup
uint eg_row_base, eg_counters;  // where the row's words and the subgroup's counters begin

void eg_synchronize() {
  memoryBarrierShared();
  barrier();
}

// One word in every 32 is padding, so that neighbours reach different banks when each scans its own run of digits.
uint eg_counter(uint digit) { return digit + (digit >> 5); }

// The invocations of the subgroup with the same digit.
uint eg_peers(uint digit) {
  uint peers = 0xffffffffu;
  for (uint bit = 0u; bit < 8u; ++bit) {
    bool set = (digit >> bit & 1u) != 0u;
    uint votes = subgroupBallot(set).x;
    peers &= set ? votes : ~votes;
  }
  return peers;
}

// A subgroup's records are consecutive, in the order of (i, invocation).
uint eg_place(uint i) { return (eg_me >> 5) * 32u * eg_each + i * 32u + eg_lane; }

// Padding, past a row's last record, counts as the last digit, after all others, and so stays last.
uint eg_digit(uint i, uint bit) {
  return eg_place(i) < EG_LENGTH ? eg_order(EG_KEY(eg_records[i])) >> bit & 255u : 255u;
}

// Ranks the records among those of their subgroup with the same digit, and counts the digits.
void eg_rank(uint bit) {
  uint below = (1u << eg_lane) - 1u;
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
    uint digit = eg_digit(i, bit), peers = eg_peers(digit);
    uint before = uint(bitCount(peers & below)), sum = 0u;
    if (before == 0u) sum = atomicAdd(eg_words[eg_counters + eg_counter(digit)], uint(bitCount(peers)));
    eg_ranks[i] = (digit << 16) + subgroupShuffle(sum, uint(findLSB(peers))) + before;
  }
}

// The row's counters become positions in the row, in the order (digit, subgroup).
void eg_scan() {
  uint sum = 0u;
  if (eg_me < 256u)
    for (uint i = 0u; i < EG_TIMES(eg_run * eg_subgroups); ++i)
      sum += eg_words[eg_row_base + i % eg_subgroups * eg_digits + eg_counter(eg_me * eg_run + i / eg_subgroups)];
  uint before = subgroupExclusiveAdd(sum);
  if (eg_lane == 31u) eg_sums[gl_LocalInvocationID.x >> 5] = before + sum;
  eg_synchronize();
  uint mine = gl_LocalInvocationID.x >> 5, own = mine - (eg_me >> 5);
  for (uint i = 0u; i < EG_TIMES(eg_subgroups); ++i) before += own + i < mine ? eg_sums[own + i] : 0u;
  if (eg_me < 256u)
    for (uint i = 0u; i < EG_TIMES(eg_run * eg_subgroups); ++i) {
      uint at = eg_row_base + i % eg_subgroups * eg_digits + eg_counter(eg_me * eg_run + i / eg_subgroups);
      uint count = eg_words[at];
      eg_words[at] = before;
      before += count;
    }
  eg_synchronize();
}

// Records go to their ranks. Then a subgroup takes its part of the row again or, before they are written, neighbours
// take neighbouring records of the whole row.
void eg_exchange(bool last) {
  uint from = eg_row_base + (last ? eg_me : eg_place(0u)), stride = last ? eg_lanes : 32u;
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) eg_words[eg_row_base + eg_ranks[i]] = EG_KEY(eg_records[i]);
  eg_synchronize();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) EG_KEY(eg_records[i]) = eg_words[from + i * stride];
#ifdef EG_VALUE
  eg_synchronize();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) eg_words[eg_row_base + eg_ranks[i]] = EG_VALUE(eg_records[i]);
  eg_synchronize();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) EG_VALUE(eg_records[i]) = eg_words[from + i * stride];
#endif
  eg_synchronize();
}

void eg_pass(uint bit) {
  for (uint i = eg_lane; i < eg_digits; i += 32u) eg_words[eg_counters + i] = 0u;
  eg_synchronize();
  eg_rank(bit);
  eg_synchronize();
  eg_scan();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i)
    eg_ranks[i] = (eg_ranks[i] & 0xffffu) + eg_words[eg_counters + eg_counter(eg_ranks[i] >> 16)];
  eg_synchronize();
  eg_exchange(bit + 8u >= EG_BITS);
}

void main() {
  uint mine = gl_LocalInvocationID.x / eg_lanes;  // the invocation's row in the group
  eg_me = gl_LocalInvocationID.x - mine * eg_lanes;
  eg_lane = eg_me & 31u;
  eg_row_base = mine * eg_subgroups * eg_digits;
  eg_counters = eg_row_base + (eg_me >> 5) * eg_digits;
  for (uint first = gl_WorkGroupID.x * eg_at_once; first < EG_ITEMS; first += gl_NumWorkGroups.x * eg_at_once) {
    uint row = first + mine;
    bool works = row < EG_ITEMS;
    if (works) eg_address(row);
    for (uint i = 0u; i < EG_TIMES(eg_each); ++i)
      if (works && eg_place(i) < EG_LENGTH) eg_records[i] = eg_read(eg_place(i));
    for (uint bit = 0u; bit < EG_BITS; bit += 8u) eg_pass(bit);
    for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
      uint place = eg_me + i * eg_lanes;
      if (works && place < min(EG_LENGTH, EG_POSITIONS)) eg_write(row, place, eg_records[i]);
    }
  }
}
