#version 430
// sort_tile: sorts tiles of a row by the bits of their keys from EG_FIRST_BIT to EG_END_BIT, in shared memory: a stable
// radix sort with digits of four bits.
// The records are (rows, n), read through eg_read(c) after eg_address(r). An item is a tile of a row.
// With EG_SCATTER: the scatter of one pass over eight bits. A tile is EG_GROUP_SIZE * EG_EACH records; after sorting,
// its records of one digit d are consecutive, and go to EG_COUNT(item, d) and the positions after it through
// eg_write(r, place, record), where place lies in the window of EG_POSITIONS from EG_FIRST_POSITION on: neighbours
// write neighbouring places.
// Otherwise: over all bits. A tile is a whole row, or a part of a long one of which only the first records matter;
// EG_LANES invocations work on a tile, and a group on as many tiles as fit. The first EG_POSITIONS records of tile i go
// to eg_write(i, place, record); a tile with too few is padded with records that come last.
// Work group: EG_GROUP_SIZE invocations, a multiple of 16, each with EG_EACH (odd, from 11 on) neighbouring records.
// Shared memory: EG_GROUP_SIZE * EG_EACH words, and 256 with EG_SCATTER: first counters, then the records, word by
// word.
// Ranks by counters of each invocation, two in a word, scanned in the order (tile, digit, invocation), after Satish,
// Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs" (2009), and Merrill and Grimshaw,
// "High performance and scalable radix sorting" (2011).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 128
#define EG_EACH 11
#define EG_SCATTER
#define EG_RECORD uvec2
#define EG_KEY(record) record.x
#define EG_VALUE(record) record.y
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
uint eg_order(uint bits) { return bits; }
#endif
#define EG_ITEMS eg_u[0]  // tiles of all rows of this dispatch
#define EG_CHUNK eg_u[1]  // items of a group
#define EG_TILES eg_u[2]  // of a row, of this dispatch; 3 and 4 divide by it
#define EG_FIRST_TILE eg_u[5]
#define EG_TILE eg_u[6]    // elements of a tile; the last of a row may have fewer. 7 and 8 divide by it
#define EG_LENGTH eg_u[9]  // n
#define EG_FIRST_POSITION eg_u[10]
#define EG_POSITIONS eg_u[11]
#define EG_FIRST_BIT eg_u[13]
#define EG_END_BIT eg_u[14]
#define EG_LAST eg_u[15]   // the bits of a key that comes last
#define EG_LANES eg_u[16]  // 17 and 18 divide by it

layout(local_size_x = EG_GROUP_SIZE) in;

shared uint eg_words[EG_GROUP_SIZE * EG_EACH];
#ifdef EG_SCATTER
shared uint eg_runs[256];  // by digit: the position of its run in the row, less that in the tile
#endif

const uint eg_size = uint(EG_GROUP_SIZE), eg_each = uint(EG_EACH);
const uint eg_sixteens = eg_size / 16u;

// Loops unroll, so that an invocation's records stay in registers, unless compiling costs more than running.
#ifdef EG_ROLLED
#define EG_TIMES(count) (EG_LENGTH == 0u ? 1u : count)
#else
#define EG_TIMES(count) count
#endif

// The contents of eg_words while ranks are computed: eight counters an invocation, the sums of those eight, the sums of
// sixteen such. One word in every 32 (in every 17 sums) is padding, so that neighbours reach different banks when each
// reads its own eight (sixteen).
uint eg_counter(uint i) { return i + (i >> 5); }
uint eg_sum(uint i) { return eg_size * 9u + i + (i >> 4); }
uint eg_sixteen_sum(uint i) { return eg_size * 10u + eg_sixteens + i; }

void eg_synchronize() {
  memoryBarrierShared();
  barrier();
}

// Counter i becomes the sum of those before it, for i up to and including 8 * eg_size.
void eg_scan(uint me) {
  uint counts[8];
  uint sum = 0u;
  for (uint i = 0u; i < EG_TIMES(8u); ++i) {
    counts[i] = sum;
    sum += eg_words[eg_counter(me * 8u + i)];
  }
  eg_words[eg_sum(me)] = sum;
  eg_synchronize();
  if (me < eg_sixteens) {
    uint sum_of_sums = 0u;
    for (uint i = 0u; i < EG_TIMES(16u); ++i) {
      uint at = eg_sum(me * 16u + i);
      uint word = eg_words[at];
      eg_words[at] = sum_of_sums;
      sum_of_sums += word;
    }
    eg_words[eg_sixteen_sum(me)] = sum_of_sums;
  }
  eg_synchronize();
  if (me < eg_sixteens) {
    uint before = 0u;
    for (uint i = 0u; i < EG_TIMES(eg_sixteens); ++i) before += i < me ? eg_words[eg_sixteen_sum(i)] : 0u;
    for (uint i = 0u; i < EG_TIMES(16u); ++i) eg_words[eg_sum(me * 16u + i)] += before;
  }
  eg_synchronize();
  uint before = eg_words[eg_sum(me)];
  for (uint i = 0u; i < EG_TIMES(8u); ++i) eg_words[eg_counter(me * 8u + i)] = before + counts[i];
  if (me == eg_size - 1u) eg_words[eg_counter(eg_size * 8u)] = before + sum;
  eg_synchronize();
}

EG_RECORD eg_records[EG_EACH];    // of the invocation
uint eg_ranks[EG_EACH];           // their positions in eg_words
uint eg_mine, eg_lane, eg_width;  // the invocation's tile, the invocation in it, words of a tile
bool eg_works;                    // the invocation has a tile

// Record `number` of those that the group reads: tiles from `first` on, one after another.
EG_RECORD eg_fetch(uint number, uint first, uint items) {
  uint which = eg_divide(number, eg_u[7], eg_u[8]);
  uint row = eg_divide(first + which, eg_u[3], eg_u[4]);
  uint c = (first + which - row * EG_TILES + EG_FIRST_TILE) * EG_TILE + number - which * EG_TILE;
  if (which >= items || c >= EG_LENGTH) return EG_RECORD(EG_LAST);
  eg_address(row);
  return eg_read(c);
}

// The position of that record in eg_words, or past the end.
uint eg_word_index(uint number, uint items) {
  uint which = eg_divide(number, eg_u[7], eg_u[8]);
  return which < items ? which * eg_width + number - which * EG_TILE : eg_size * eg_each;
}

// Neighbours read neighbouring records; then each takes neighbouring ones. count: the records of its tile.
void eg_load_records(uint me, uint first, uint items, uint count) {
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) eg_records[i] = eg_fetch(me + i * eg_size, first, items);
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
    eg_ranks[i] = eg_word_index(me + i * eg_size, items);
    if (eg_ranks[i] < eg_size * eg_each) eg_words[eg_ranks[i]] = EG_KEY(eg_records[i]);
  }
  eg_synchronize();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i)
    EG_KEY(eg_records[i]) = eg_lane * eg_each + i < count ? eg_words[me * eg_each + i] : EG_LAST;
  eg_synchronize();
#ifdef EG_VALUE
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i)
    if (eg_ranks[i] < eg_size * eg_each) eg_words[eg_ranks[i]] = EG_VALUE(eg_records[i]);
  eg_synchronize();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i)
    EG_VALUE(eg_records[i]) = eg_lane * eg_each + i < count ? eg_words[me * eg_each + i] : 0u;
  eg_synchronize();
#endif
}

// Ranks the records of each tile by four bits of their keys.
void eg_rank(uint me, uint bit) {
  uint lanes = EG_LANES, tile = eg_mine * 8u * lanes;
  // An invocation's counters, by digit; invocations without a tile keep the last ones zero.
  uint home = eg_works ? tile + eg_lane : me * 8u, step = eg_works ? lanes : 1u;
  for (uint i = 0u; i < EG_TIMES(8u); ++i) eg_words[eg_counter(home + i * step)] = 0u;
  if (eg_works) {
    for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
      uint digit = (eg_order(EG_KEY(eg_records[i])) >> bit) & 15u;
      uint at = eg_counter(home + (digit & 7u) * lanes), high = (digit >> 3) * 16u;
      uint word = eg_words[at];
      eg_ranks[i] = (word >> high) & 0xffffu;
      eg_words[at] = word + (1u << high);
    }
  }
  eg_synchronize();
  eg_scan(me);
  if (eg_works) {
    // The lower halves count digits 0 to 7 of the tile, all of which come before digits 8 to 15 in the upper.
    uint start = eg_words[eg_counter(tile)];
    uint lower = (eg_words[eg_counter(tile + 8u * lanes)] - start) & 0xffffu;
    for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
      uint digit = (eg_order(EG_KEY(eg_records[i])) >> bit) & 15u;
      uint word = eg_words[eg_counter(home + (digit & 7u) * lanes)] - start + (lower << 16);
      eg_ranks[i] += eg_mine * eg_width + ((word >> ((digit >> 3) * 16u)) & 0xffffu);
    }
  }
  eg_synchronize();
}

#ifdef EG_SCATTER
// Finds where each run of a digit starts in eg_words, where the keys are in order.
void eg_find_runs(uint me, uint item) {
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
    uint place = me + i * eg_size;
    uint digit = (eg_order(EG_KEY(eg_records[i])) >> EG_FIRST_BIT) & 255u;
    uint before = place == 0u ? 256u : (eg_order(eg_words[place - 1u]) >> EG_FIRST_BIT) & 255u;
    if (digit != before) eg_runs[digit] = EG_COUNT(item * 256u + digit) - place;
  }
}
#endif

// Records go to their ranks. Then an invocation takes neighbouring records again or, when they are written next,
// neighbours do.
void eg_exchange(uint me, uint first, bool last) {
  uint from = last ? me : me * eg_each, stride = last ? eg_size : 1u;
  if (eg_works)
    for (uint i = 0u; i < EG_TIMES(eg_each); ++i) eg_words[eg_ranks[i]] = EG_KEY(eg_records[i]);
  eg_synchronize();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) EG_KEY(eg_records[i]) = eg_words[from + i * stride];
#ifdef EG_SCATTER
  if (last) eg_find_runs(me, first);
#endif
  eg_synchronize();
#ifdef EG_VALUE
  if (eg_works)
    for (uint i = 0u; i < EG_TIMES(eg_each); ++i) eg_words[eg_ranks[i]] = EG_VALUE(eg_records[i]);
  eg_synchronize();
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) EG_VALUE(eg_records[i]) = eg_words[from + i * stride];
  eg_synchronize();
#endif
}

void eg_write_records(uint me, uint first, uint items, uint row, uint count) {
  for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
    uint place = me + i * eg_size;
#ifdef EG_SCATTER
    uint to = eg_runs[(eg_order(EG_KEY(eg_records[i])) >> EG_FIRST_BIT) & 255u] + place;
    if (place < count && to - EG_FIRST_POSITION < EG_POSITIONS) eg_write(row, to, eg_records[i]);
#else
    uint which = eg_divide(place / eg_each, eg_u[17], eg_u[18]);
    uint to = place - which * eg_width;
    if (which < items && to < EG_POSITIONS) eg_write(first + which + EG_FIRST_TILE, to, eg_records[i]);
#endif
  }
}

void main() {
  uint me = gl_LocalInvocationID.x;
  uint at_once = eg_divide(eg_size, eg_u[17], eg_u[18]);  // tiles
  eg_mine = eg_divide(me, eg_u[17], eg_u[18]);
  eg_lane = me - eg_mine * EG_LANES;
  eg_width = EG_LANES * eg_each;
  eg_works = eg_mine < at_once;
  uint end = min((gl_WorkGroupID.x + 1u) * EG_CHUNK, EG_ITEMS);
  for (uint first = gl_WorkGroupID.x * EG_CHUNK; first < end; first += at_once) {
    uint items = min(at_once, end - first);
    uint row = eg_divide(first + eg_mine, eg_u[3], eg_u[4]);
    uint start = (first + eg_mine - row * EG_TILES + EG_FIRST_TILE) * EG_TILE;
    uint count = eg_mine < items && start < EG_LENGTH ? min(EG_TILE, EG_LENGTH - start) : 0u;
    eg_load_records(me, first, items, count);
    for (uint bit = EG_FIRST_BIT; bit < EG_END_BIT; bit += 4u) {
      eg_rank(me, bit);
      eg_exchange(me, first, bit + 4u >= EG_END_BIT);
    }
    eg_write_records(me, first, items, row, count);
  }
}
