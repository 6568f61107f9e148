#version 430
// sort_choose: f(r, 0 .. k - 1) = the k records of row r that come first in the order of the sort, equal ones in their
// order in the row, written in their order in the row: what sorts f sorts the first k records of each row.
// The records are (rows, n), read through the hole eg_read(c) after eg_address(r), and f is written through
// eg_write(r, position, record). eg_order(bits) is a key as an unsigned integer in the order of the sort.
// A group finds the k-th key of a row digit by digit, from the highest on: it counts the digits of the keys that begin
// as that one does. Where more records have that key than are wanted, it finds the last one's place in the same way.
// The row is read once for each digit, from the cache after the first, and once more to collect the k records.
// Work group: EG_GROUP_SIZE invocations (a multiple of 32, at most 1024), a row each group at a time. Shared memory:
// 2048 counters, a word an invocation, 32 sums of those, and EG_MOST places.
// After Alabi, Blanchard, Gordon and Steinbach, "Fast k-selection algorithms for graphics processing units" (2012).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 256
#define EG_MOST 256
#define EG_RECORD uint
#define EG_KEY(record) record
layout(location = 0) uniform uint eg_u[7];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uint eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uint eg_b1[]; };
uint eg_row;
void eg_address(uint row) { eg_row = row * eg_u[1]; }
uint eg_read(uint c) { return eg_b0[eg_row + c]; }
void eg_write(uint row, uint position, uint record) { eg_b1[row * eg_u[2] + position] = record; }
uint eg_order(uint bits) { return bits; }
#endif
#define EG_ROWS eg_u[0]
#define EG_LENGTH eg_u[1]      // n
#define EG_KEEP eg_u[2]        // k, at most EG_MOST
#define EG_KEY_BITS eg_u[4]    // the lowest ones of a key, which alone are compared
#define EG_PLACE_BITS eg_u[5]  // of a place in a row

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_size = uint(EG_GROUP_SIZE), eg_digit_bits = 11u, eg_digits = 1u << eg_digit_bits;
shared uint eg_counts[eg_digits], eg_lane_sums[EG_GROUP_SIZE], eg_sums[32], eg_chosen[EG_MOST];
shared uint eg_found, eg_left, eg_whole, eg_taken;

void eg_synchronize() {
  memoryBarrierShared();
  barrier();
}

// The bits of the k-th record's key and place that are known, and which those are.
uint eg_key, eg_key_mask, eg_place, eg_place_mask;

uint eg_key_at(uint c) { return eg_order(EG_KEY(eg_read(c))); }

void eg_count(uint key, uint c, bool of_places, uint low, uint width) {
  if ((key & eg_key_mask) != eg_key || (c & eg_place_mask) != eg_place) return;
  atomicAdd(eg_counts[((of_places ? c : key) >> low) & ((1u << width) - 1u)], 1u);
}

// Finds the digit in which the number `eg_left` of the counted records lies, how many of that digit are wanted, and
// whether all of them are.
void eg_find_digit(uint me) {
  uint each = (eg_digits + eg_size - 1u) / eg_size, first = me * each, end = min(first + each, eg_digits);
  uint sum = 0u;
  for (uint i = first; i < end; ++i) sum += eg_counts[i];
  eg_lane_sums[me] = sum;
  eg_synchronize();
  if (me < eg_size / 32u) {
    uint of_lanes = 0u;
    for (uint i = 0u; i < 32u; ++i) of_lanes += eg_lane_sums[me * 32u + i];
    eg_sums[me] = of_lanes;
  }
  eg_synchronize();
  uint before = 0u, wanted = eg_left;
  for (uint i = 0u; i < me / 32u; ++i) before += eg_sums[i];
  for (uint i = me & ~31u; i < me; ++i) before += eg_lane_sums[i];
  eg_synchronize();
  for (uint i = first; i < end; ++i) {
    uint count = eg_counts[i];
    if (before < wanted && wanted <= before + count) {
      eg_found = i;
      eg_left = wanted - before;
      eg_whole = uint(wanted == before + count);
    }
    before += count;
  }
  eg_synchronize();
}

// The next digit of the k-th record's key or place, of those bits.
uint eg_next_digit(uint me, bool of_places, uint low, uint width) {
  for (uint i = me; i < eg_digits; i += eg_size) eg_counts[i] = 0u;
  eg_synchronize();
  uint last = EG_LENGTH - 1u;
  for (uint c = me; c <= last; c += 4u * eg_size) {
    uint c1 = c + eg_size, c2 = c1 + eg_size, c3 = c2 + eg_size;  // four loads in flight
    uint key = eg_key_at(c), key1 = eg_key_at(min(c1, last)), key2 = eg_key_at(min(c2, last)),
         key3 = eg_key_at(min(c3, last));
    eg_count(key, c, of_places, low, width);
    if (c1 <= last) eg_count(key1, c1, of_places, low, width);
    if (c2 <= last) eg_count(key2, c2, of_places, low, width);
    if (c3 <= last) eg_count(key3, c3, of_places, low, width);
  }
  eg_synchronize();
  eg_find_digit(me);
  return eg_found << low;
}

void eg_find_last(uint me) {
  for (uint top = EG_KEY_BITS; top > 0u && eg_whole == 0u;) {
    uint low = top - min(top, eg_digit_bits), width = top - low;
    uint digit = eg_next_digit(me, false, low, width);
    eg_key |= digit;
    eg_key_mask |= ((1u << width) - 1u) << low;
    top = low;
  }
  for (uint top = EG_PLACE_BITS; top > 0u && eg_whole == 0u;) {
    uint low = top - min(top, eg_digit_bits), width = top - low;
    uint digit = eg_next_digit(me, true, low, width);
    eg_place |= digit;
    eg_place_mask |= ((1u << width) - 1u) << low;
    top = low;
  }
}

void eg_collect(uint me) {
  for (uint c = me; c < EG_LENGTH; c += eg_size) {
    uint key = eg_key_at(c) & eg_key_mask;
    if (key < eg_key || (key == eg_key && (c & eg_place_mask) <= eg_place)) eg_chosen[atomicAdd(eg_taken, 1u)] = c;
  }
}

void main() {
  uint me = gl_LocalInvocationID.x;
  for (uint row = gl_WorkGroupID.x; row < EG_ROWS; row += gl_NumWorkGroups.x) {
    eg_address(row);
    eg_key = eg_key_mask = eg_place = eg_place_mask = 0u;
    if (me == 0u) {
      eg_left = EG_KEEP;
      eg_whole = eg_taken = 0u;
    }
    eg_synchronize();
    eg_find_last(me);
    eg_collect(me);
    eg_synchronize();
    for (uint i = me; i < EG_KEEP; i += eg_size) {
      uint place = eg_chosen[i], position = 0u;
      for (uint j = 0u; j < EG_KEEP; ++j) position += uint(eg_chosen[j] < place);
      eg_write(row, position, eg_read(place));
    }
    eg_synchronize();
  }
}
