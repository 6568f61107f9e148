#version 430
// sort_onesweep: one pass of a stable radix sort over eight bits, from EG_FIRST_BIT on, which reads and writes the
// records once: y = the records of each row in the order of those bits.
// The records are (rows, n), read through eg_read(c) after eg_address(r), and written through eg_write(r, place,
// record).
// A row is cut into tiles of EG_GROUP_SIZE * EG_EACH records. A group takes the next tile, ranks its records by digit,
// publishes its count of each digit, and looks back: it adds up the counts of the tiles before it, EG_LOOK_BACK_WINDOW
// at a time, down to one that has published its prefix. The prefix gives the positions of its records, which are sorted
// in shared memory and written as runs.
// EG_STATE(i) has, in words: EG_TAKEN, the tiles taken in this pass; from EG_HISTOGRAM on, (rows, EG_HISTOGRAM_ROW),
// the number of keys in the row with each digit (sort_histogram.comp); from EG_DESCRIPTORS on, (rows, tiles, 256), the
// tiles' descriptors: 0 at first, 2^30 + the tile's count, or 2^31 + the position after its last record of the digit.
// The next pass's descriptors are from EG_CLEARED on; each group clears its own part.
// Tiles are taken in order, so that a group waits only for running groups (Target::forward_progress): by a counter, or,
// where each group takes one tile, in the order in which the device starts them, which is ascending on the hardware
// that this is for. EG_ONE_TILE is then a program without the loop, which costs a fifth of the time even where it ends
// after the first tile. After EG_SPIN_LIMIT polls of a tile that has published nothing, a group lowers EG_STALL_ERROR and
// goes on with any number: positions outside a row are not written.
// Work group: EG_GROUP_SIZE invocations, in subgroups of 32, at least 256. Shared memory: EG_GROUP_SIZE * EG_EACH words
// (first the counters of each subgroup by digit, then the keys, then the values), and 265.
// Adinets and Merrill, "Onesweep: A faster least significant digit radix sort for GPUs" (2022); ranks by ballots after
// Ashkiani, Davidson, Meyer and Owens, "GPU multisplit" (2016).
#ifdef EG_STANDALONE
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define EG_GROUP_SIZE 256
#define EG_EACH 11
#define EG_LOOK_BACK_WINDOW 8
#define EG_RECORD uvec2
#define EG_KEY(record) record.x
#define EG_VALUE(record) record.y
#define EG_STATE(i) eg_b2[i]
#define EG_STALL_ERROR eg_b3[0]
layout(location = 0) uniform uint eg_u[20];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uvec2 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uvec2 eg_b1[]; };
layout(std430, binding = 2) coherent volatile buffer EgBlock2 { uint eg_b2[]; };
layout(std430, binding = 3) restrict buffer EgBlock3 { uint eg_b3[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
void eg_address(uint row) { eg_row = row * eg_u[5]; }
uvec2 eg_read(uint c) { return eg_b0[eg_row + c]; }
void eg_write(uint row, uint position, uvec2 record) { eg_b1[row * eg_u[5] + position] = record; }
uint eg_digit(uint bits) { return (bits >> eg_u[8]) & 255u; }
#endif
#define EG_ITEMS eg_u[0]      // tiles of all rows
#define EG_TRIPS eg_u[1]      // the most tiles of a group
#define EG_TILES eg_u[2]      // of a row; 3 and 4 divide by it
#define EG_LENGTH eg_u[5]     // n
#define EG_POSITIONS eg_u[6]  // positions of a row that are written
#define EG_TAKEN eg_u[9]
#define EG_HISTOGRAM eg_u[10]
#define EG_HISTOGRAM_ROW eg_u[11]
#define EG_DESCRIPTORS eg_u[12]
#define EG_CLEARED eg_u[13]
#define EG_SPIN_LIMIT eg_u[14]

layout(local_size_x = EG_GROUP_SIZE) in;

shared uint eg_words[EG_GROUP_SIZE * EG_EACH];
shared uint eg_runs[256];  // by digit: the position of its run in the row, less that in the tile
shared uint eg_sums[8];
#ifndef EG_ONE_TILE
shared uint eg_taken;
#endif

const uint eg_size = uint(EG_GROUP_SIZE), eg_each = uint(EG_EACH), eg_subgroups = eg_size / 32u;
const uint eg_look_back_window = uint(EG_LOOK_BACK_WINDOW);
const uint eg_aggregate_flag = 0x40000000u, eg_prefix_flag = 0x80000000u;  // added to descriptors

// Loops unroll, so that an invocation's records stay in registers, unless compiling costs more than running.
#ifdef EG_ROLLED
#define EG_TIMES(count) (EG_LENGTH == 0u ? 1u : count)
#else
#define EG_TIMES(count) count
#endif

EG_RECORD eg_records[EG_EACH];  // of the invocation
uint eg_ranks[EG_EACH];         // among those of its subgroup, with the digit in the upper half; then in the tile

void eg_synchronize() {
  memoryBarrierShared();
  barrier();
}

// The sum of the values of the invocations before this one, among the first 256; the others have 0.
uint eg_scan(uint me, uint value) {
  uint inside = subgroupExclusiveAdd(value);
  if ((me & 31u) == 31u && me < 256u) eg_sums[me >> 5] = inside + value;
  eg_synchronize();
  uint before = inside;
  for (uint i = 0u; i < 8u; ++i) before += i < (me >> 5) ? eg_sums[i] : 0u;
  eg_synchronize();
  return before;
}

// The invocations of the subgroup that agree in one bit of the digit; and those with the same digit.
uint eg_agreeing(uint digit, uint bit) {
  bool set = (digit & bit) != 0u;
  return subgroupBallot(set).x ^ (set ? 0u : 0xffffffffu);
}

uint eg_peers(uint digit) {
  return eg_agreeing(digit, 1u) & eg_agreeing(digit, 2u) & eg_agreeing(digit, 4u) & eg_agreeing(digit, 8u) &
         eg_agreeing(digit, 16u) & eg_agreeing(digit, 32u) & eg_agreeing(digit, 64u) & eg_agreeing(digit, 128u);
}

// Padding, past a row's last record, counts as the last digit, after all others.
uint eg_digit_at(uint i, uint c) { return c < EG_LENGTH ? eg_digit(EG_KEY(eg_records[i])) : 255u; }

// Ranks the records among those of their subgroup with the same digit, and counts the digits. A subgroup's records are
// consecutive, in the order of (i, invocation). The last of equal ones counts them: its own rank and one.
void eg_rank(uint me, uint first) {
  uint lane = me & 31u, counters = (me >> 5) * 256u, below = (1u << lane) - 1u;
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
    uint digit = eg_digit_at(i, first + i * 32u);
    uint peers = eg_peers(digit), before = uint(bitCount(peers & below)), sum = 0u;
    if (peers >> lane == 1u) sum = atomicAdd(eg_words[counters + digit], before + 1u);
    eg_ranks[i] = (digit << 16) + subgroupShuffle(sum, uint(findMSB(peers))) + before;
  }
}

// A digit's counters become positions in the tile, the first of them `start`.
void eg_spread(uint digit, uint start) {
  for (uint i = 0u; i < EG_TIMES(eg_subgroups); ++i) {
    uint at = i * 256u + digit, count = eg_words[at];
    eg_words[at] = start;
    start += count;
  }
}

uint eg_total(uint digit) {
  uint total = 0u;
  for (uint i = 0u; i < EG_TIMES(eg_subgroups); ++i) total += eg_words[i * 256u + digit];
  return total;
}

// The digit's start in the row plus its records in the tiles before this one. Reads EG_LOOK_BACK_WINDOW descriptors at
// a time, for memory's latency; those past an unpublished one do not count yet.
uint eg_look_back(uint descriptors, uint tile, uint digit) {
  uint before = 0u, silent = 0u;
  while (true) {
    uint words[EG_LOOK_BACK_WINDOW], seen = 0u;
    for (uint i = 0u; i < eg_look_back_window; ++i)
      words[i] = tile > i ? EG_STATE(descriptors + (tile - 1u - i) * 256u + digit) : eg_prefix_flag;
    bool going = true;
    for (uint i = 0u; i < eg_look_back_window; ++i) {
      going = going && words[i] != 0u;
      if (!going) continue;
      before += words[i] & (eg_aggregate_flag - 1u);
      if (words[i] >= eg_prefix_flag) return before;
      ++seen;
    }
    tile -= seen;
    if (seen != 0u || ++silent < EG_SPIN_LIMIT) continue;
    atomicMin(EG_STALL_ERROR, 0u);
    return before;
  }
}

// The position in the row of the tile's first record of the digit, which is published; tile 0 has published it before.
uint eg_find_run(uint descriptors, uint tile, uint digit, uint count) {
  uint start = eg_look_back(descriptors, tile, digit);
  EG_STATE(descriptors + tile * 256u + digit) = eg_prefix_flag + start + count;
  return start;
}

void eg_sort_tile(uint me, uint item) {
  uint row = eg_divide(item, eg_u[3], eg_u[4]), tile = item - row * EG_TILES;
  uint start = tile * eg_size * eg_each, first = start + (me >> 5) * 32u * eg_each + (me & 31u);
  uint count = min(eg_size * eg_each, EG_LENGTH - start), descriptors = EG_DESCRIPTORS + row * EG_TILES * 256u;
  eg_address(row);
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
    uint c = first + i * 32u;
    if (c < EG_LENGTH) eg_records[i] = eg_read(c);
  }
  eg_rank(me, first);
  eg_synchronize();

  // The number of records with digit `me`: published as early as possible.
  uint total = me < 256u ? eg_total(me) : 0u, own = total - (me == 255u ? eg_size * eg_each - count : 0u);
  uint base = 0u;
  if (tile == 0u) {
    base = eg_scan(me, me < 256u ? EG_STATE(EG_HISTOGRAM + row * EG_HISTOGRAM_ROW + me) : 0u);
    if (me < 256u) EG_STATE(descriptors + me) = eg_prefix_flag + base + own;
  } else if (me < 256u) {
    EG_STATE(descriptors + tile * 256u + me) = eg_aggregate_flag + own;
  }
  if (me < 256u) EG_STATE(EG_CLEARED + item * 256u + me) = 0u;

  uint place = eg_scan(me, total);
  if (me < 256u) eg_spread(me, place);
  eg_synchronize();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i)
    eg_ranks[i] = (eg_ranks[i] & 0xffffu) + eg_words[(me >> 5) * 256u + (eg_ranks[i] >> 16)];
  eg_synchronize();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) eg_words[eg_ranks[i]] = EG_KEY(eg_records[i]);
  if (me < 256u) eg_runs[me] = (tile == 0u ? base : eg_find_run(descriptors, tile, me, own)) - place;
  eg_synchronize();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) EG_KEY(eg_records[i]) = eg_words[me + i * eg_size];
#ifdef EG_VALUE
  eg_synchronize();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) eg_words[eg_ranks[i]] = EG_VALUE(eg_records[i]);
  eg_synchronize();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) EG_VALUE(eg_records[i]) = eg_words[me + i * eg_size];
#endif
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
    uint at = me + i * eg_size, to = eg_runs[eg_digit(EG_KEY(eg_records[i]))] + at;
    if (at < count && to < EG_POSITIONS) eg_write(row, to, eg_records[i]);
  }
}

void eg_clear_counters(uint me) {
  for (uint i = me; i < eg_subgroups * 256u; i += eg_size) eg_words[i] = 0u;
}

void main() {
  uint me = gl_LocalInvocationID.x;
#ifdef EG_ONE_TILE
  eg_clear_counters(me);
  eg_synchronize();
  eg_sort_tile(me, gl_WorkGroupID.x);
#else
  for (uint trip = 0u; trip < EG_TRIPS; ++trip) {
    if (me == 0u) eg_taken = EG_TRIPS == 1u ? gl_WorkGroupID.x : atomicAdd(EG_STATE(EG_TAKEN), 1u);
    eg_clear_counters(me);
    eg_synchronize();
    uint item = eg_taken;
    if (item < EG_ITEMS) eg_sort_tile(me, item);
    eg_synchronize();
  }
#endif
}
