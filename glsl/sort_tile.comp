#version 430
// sort_tile: sorts tiles of a row by some bits of their keys, those from EG_FIRST_BIT to EG_END_BIT, in shared memory: a
// stable radix sort with digits of four bits.
// The records are (rows, n), read through eg_read(c) after eg_seek(r). An item is a segment of a row.
// With EG_SCATTER: the scatter of one pass over eight bits. A segment is EG_GROUP_SIZE * EG_EACH records; sorted, its
// records of one digit d lie side by side, and go to EG_COUNT(item, d) and the places after it through eg_write(r, place,
// record), where place lies in the window of EG_POSITIONS from EG_FIRST_POSITION on: neighbours write neighbouring places.
// Otherwise: over all bits. A segment is a whole row, or a piece of a long one of which only the first records can count;
// EG_LANES invocations work on a segment, and a group on as many as it holds. The first EG_POSITIONS records of segment i
// go to eg_write(i, place, record); a segment with too few is filled up with records that come last.
// Work group: EG_GROUP_SIZE invocations, a multiple of 16, each with EG_EACH (odd, from 11 on) neighbouring records.
// Shared memory: EG_GROUP_SIZE * EG_EACH words, and 256 with EG_SCATTER: first counters, then the records, word by word.
// Ranks by counters of each invocation, two in a word, scanned in the order (segment, digit, invocation), after Satish,
// Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs" (2009), and Merrill and Grimshaw, "High
// performance and scalable radix sorting" (2011).
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
#define EG_FIRST_POSITION eg_u[10]
#define EG_POSITIONS eg_u[11]
#define EG_FIRST_BIT eg_u[13]
#define EG_END_BIT eg_u[14]
#define EG_LAST eg_u[15]   // the bits of a key that comes last
#define EG_LANES eg_u[16]  // 17 and 18 divide by it

layout(local_size_x = EG_GROUP_SIZE) in;

shared uint eg_words[EG_GROUP_SIZE * EG_EACH];
#ifdef EG_SCATTER
shared uint eg_runs[256];  // by digit: where its run goes, less where it lies in the tile
#endif

const uint eg_size = uint(EG_GROUP_SIZE), eg_each = uint(EG_EACH);
const uint eg_parts = eg_size / 16u;

// Loops unroll, so that an invocation's records stay in registers, unless compiling is dearer than running.
#ifdef EG_ROLLED
#define EG_TIMES(count) (EG_LENGTH == 0u ? 1u : count)
#else
#define EG_TIMES(count) count
#endif

// Where eg_words holds what, while ranks are computed: eight counters an invocation, the sums of those eight, the sums of
// sixteen such. One word is left out in every 32 (in every 17 sums), so that neighbours reach different banks when each
// walks through its own eight (sixteen).
uint eg_counter(uint i) { return i + (i >> 5); }
uint eg_sum(uint i) { return eg_size * 9u + i + (i >> 4); }
uint eg_part(uint i) { return eg_size * 10u + eg_parts + i; }

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
  if (me < eg_parts) {
    uint part = 0u;
    for (uint i = 0u; i < EG_TIMES(16u); ++i) {
      uint at = eg_sum(me * 16u + i);
      uint word = eg_words[at];
      eg_words[at] = part;
      part += word;
    }
    eg_words[eg_part(me)] = part;
  }
  eg_synchronize();
  if (me < eg_parts) {
    uint before = 0u;
    for (uint i = 0u; i < EG_TIMES(eg_parts); ++i) before += i < me ? eg_words[eg_part(i)] : 0u;
    for (uint i = 0u; i < EG_TIMES(16u); ++i) eg_words[eg_sum(me * 16u + i)] += before;
  }
  eg_synchronize();
  uint before = eg_words[eg_sum(me)];
  for (uint i = 0u; i < EG_TIMES(8u); ++i) eg_words[eg_counter(me * 8u + i)] = before + counts[i];
  if (me == eg_size - 1u) eg_words[eg_counter(eg_size * 8u)] = before + sum;
  eg_synchronize();
}

void main() {
  uint me = gl_LocalInvocationID.x;
  uint lanes = EG_LANES, width = lanes * eg_each;        // of a segment in eg_words
  uint at_once = eg_divide(eg_size, eg_u[17], eg_u[18]);  // segments
  uint mine = eg_divide(me, eg_u[17], eg_u[18]), lane = me - mine * lanes;
  bool works = mine < at_once;
  // An invocation's counters, by digit; those that do not work keep the last ones zero.
  uint home = works ? mine * 8u * lanes + lane : me * 8u, step = works ? lanes : 1u;
  uint end = min((gl_WorkGroupID.x + 1u) * EG_CHUNK, EG_ITEMS);
  for (uint first = gl_WorkGroupID.x * EG_CHUNK; first < end; first += at_once) {
    uint items = min(at_once, end - first);
    EG_RECORD records[EG_EACH];

    // Neighbours read neighbouring records; then each takes neighbouring ones out of shared memory.
    for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
      uint number = me + i * eg_size;
      uint which = eg_divide(number, eg_u[7], eg_u[8]), c = number - which * EG_SEGMENT;
      uint row = eg_divide(first + which, eg_u[3], eg_u[4]);
      uint start = (first + which - row * EG_SEGMENTS + EG_FIRST_SEGMENT) * EG_SEGMENT;
      bool there = which < items && start + c < EG_LENGTH;
      records[i] = EG_RECORD(EG_LAST);
      if (there) {
        eg_seek(row);
        records[i] = eg_read(start + c);
      }
    }
    uint my_row = eg_divide(first + mine, eg_u[3], eg_u[4]);
    uint my_start = (first + mine - my_row * EG_SEGMENTS + EG_FIRST_SEGMENT) * EG_SEGMENT;
    uint count = works && mine < items && my_start < EG_LENGTH ? min(EG_SEGMENT, EG_LENGTH - my_start) : 0u;
    for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
      uint number = me + i * eg_size;
      uint which = eg_divide(number, eg_u[7], eg_u[8]);
      if (which < items) eg_words[which * width + number - which * EG_SEGMENT] = EG_KEY(records[i]);
    }
    eg_synchronize();
#ifdef EG_VALUE
    EG_RECORD strided[EG_EACH];
    for (uint i = 0u; i < EG_TIMES(eg_each); ++i) strided[i] = records[i];
#endif
    for (uint i = 0u; i < EG_TIMES(eg_each); ++i)
      EG_KEY(records[i]) = lane * eg_each + i < count ? eg_words[me * eg_each + i] : EG_LAST;
    eg_synchronize();
#ifdef EG_VALUE
    for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
      uint number = me + i * eg_size;
      uint which = eg_divide(number, eg_u[7], eg_u[8]);
      if (which < items) eg_words[which * width + number - which * EG_SEGMENT] = EG_VALUE(strided[i]);
    }
    eg_synchronize();
    for (uint i = 0u; i < EG_TIMES(eg_each); ++i)
      EG_VALUE(records[i]) = lane * eg_each + i < count ? eg_words[me * eg_each + i] : 0u;
    eg_synchronize();
#endif

    for (uint bit = EG_FIRST_BIT; bit < EG_END_BIT; bit += 4u) {
      bool last = bit + 4u >= EG_END_BIT;
      uint ranks[EG_EACH];
      for (uint i = 0u; i < EG_TIMES(8u); ++i) eg_words[eg_counter(home + i * step)] = 0u;
      if (works) {
        for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
          uint digit = (eg_order(EG_KEY(records[i])) >> bit) & 15u;
          uint at = eg_counter(home + (digit & 7u) * lanes), high = (digit >> 3) * 16u;
          uint word = eg_words[at];
          ranks[i] = (word >> high) & 0xffffu;
          eg_words[at] = word + (1u << high);
        }
      }
      eg_synchronize();
      eg_scan(me);
      if (works) {
        // The lower halves count digits 0 to 7 of the segment, all of which come before digits 8 to 15 in the upper.
        uint start = eg_words[eg_counter(mine * 8u * lanes)];
        uint lower = (eg_words[eg_counter((mine + 1u) * 8u * lanes)] - start) & 0xffffu;
        for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
          uint digit = (eg_order(EG_KEY(records[i])) >> bit) & 15u;
          uint word = eg_words[eg_counter(home + (digit & 7u) * lanes)] - start + (lower << 16);
          ranks[i] += mine * width + ((word >> ((digit >> 3) * 16u)) & 0xffffu);
        }
      }
      eg_synchronize();
      // Back to neighbouring records for each invocation, or, to be written, for neighbouring invocations.
      uint from = last ? me : me * eg_each, stride = last ? eg_size : 1u;
      if (works)
        for (uint i = 0u; i < EG_TIMES(eg_each); ++i) eg_words[ranks[i]] = EG_KEY(records[i]);
      eg_synchronize();
      for (uint i = 0u; i < EG_TIMES(eg_each); ++i) EG_KEY(records[i]) = eg_words[from + i * stride];
#ifdef EG_SCATTER
      for (uint i = 0u; last && i < EG_TIMES(eg_each); ++i) {
        uint place = from + i * stride;
        uint digit = (eg_order(EG_KEY(records[i])) >> EG_FIRST_BIT) & 255u;
        uint before = place == 0u ? 256u : (eg_order(eg_words[place - 1u]) >> EG_FIRST_BIT) & 255u;
        if (digit != before) eg_runs[digit] = EG_COUNT(first * 256u + digit) - place;
      }
#endif
      eg_synchronize();
#ifdef EG_VALUE
      if (works)
        for (uint i = 0u; i < EG_TIMES(eg_each); ++i) eg_words[ranks[i]] = EG_VALUE(records[i]);
      eg_synchronize();
      for (uint i = 0u; i < EG_TIMES(eg_each); ++i) EG_VALUE(records[i]) = eg_words[from + i * stride];
      eg_synchronize();
#endif
    }

    for (uint i = 0u; i < EG_TIMES(eg_each); ++i) {
      uint place = me + i * eg_size;
#ifdef EG_SCATTER
      uint to = eg_runs[(eg_order(EG_KEY(records[i])) >> EG_FIRST_BIT) & 255u] + place;
      if (place < count && to - EG_FIRST_POSITION < EG_POSITIONS) eg_write(my_row, to, records[i]);
#else
      uint which = eg_divide(place / eg_each, eg_u[17], eg_u[18]);
      uint to = place - which * width;
      if (which < items && to < EG_POSITIONS) eg_write(first + which + EG_FIRST_SEGMENT, to, records[i]);
#endif
    }
  }
}
