#version 430
// sort_places_find: the next digit of the key at each of a few places of sorted rows, from sort_places_count.comp's
// counts: the digit d with h(0) + ... + h(d - 1) <= the place among the keys that begin so < h(0) + ... + h(d). After
// the last digit the key is written, through eg_write(r, p, bits) for the p-th of the places; eg_bits(key) is eg_order's
// inverse. Else it clears the counts of the pass that follows.
// Work group: EG_GROUP_SIZE invocations for each of rows * EG_PLACES. Shared memory: a word an invocation.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_PLACES 3
#define EG_RECORD uint
#define EG_STATE(i) eg_b0[i]
layout(location = 0) uniform uint eg_u[20];
layout(std430, binding = 0) restrict buffer EgBlock0 { uint eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { uint eg_b1[]; };
void eg_write(uint row, uint position, uint record) { eg_b1[row * eg_u[3] + position] = record; }
uint eg_bits(uint key) { return key; }
#endif
#define EG_ITEMS eg_u[0]   // rows * EG_PLACES
#define EG_KNOWN eg_u[1]   // where the state of this pass begins
#define EG_COUNTS eg_u[2]  // where its counts do
#define EG_NEXT eg_u[4]    // where the state that is written begins
#define EG_CLEARED eg_u[5] // where the next pass' counts begin
#define EG_WIDTH eg_u[6]   // bits of the digit, at most 11
#define EG_STAGE eg_u[7]   // 1: nothing is known yet, 2: the key is known afterwards, 3: both
#define EG_PLACE(p) eg_u[8u + p]

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_size = uint(EG_GROUP_SIZE), eg_digits = 2048u, eg_each = eg_digits / eg_size;
shared uint eg_sums[EG_GROUP_SIZE];

// The first place of the row that knows what this one does: its counts are of all.
uint eg_counted(uint item, uint place, uint known) {
  if ((EG_STAGE & 1u) != 0u) return item - place;
  uint first = item;
  while (first > item - place && EG_STATE(EG_KNOWN + 2u * (first - 1u)) == known) --first;
  return first;
}

void main() {
  uint me = gl_LocalInvocationID.x;
  for (uint item = gl_WorkGroupID.x; item < EG_ITEMS; item += gl_NumWorkGroups.x) {
    uint row = item / uint(EG_PLACES), place = item - row * uint(EG_PLACES);
    bool is_first = (EG_STAGE & 1u) != 0u;
    uint known = is_first ? 0u : EG_STATE(EG_KNOWN + 2u * item);
    uint wanted = is_first ? EG_PLACE(place) : EG_STATE(EG_KNOWN + 2u * item + 1u);
    uint from = EG_COUNTS + eg_counted(item, place, known) * eg_digits + me * eg_each;
    uint sum = 0u;
    for (uint i = 0u; i < eg_each; ++i) sum += EG_STATE(from + i);
    bool is_last = (EG_STAGE & 2u) != 0u;
    if (!is_last)
      for (uint i = me; i < eg_digits; i += eg_size) EG_STATE(EG_CLEARED + item * eg_digits + i) = 0u;
    eg_sums[me] = sum;
    memoryBarrierShared();
    barrier();
    uint before = 0u;
    for (uint i = 0u; i < me; ++i) before += eg_sums[i];
    if (before <= wanted && wanted < before + sum) {
      uint digit = me * eg_each, count = EG_STATE(from);
      while (before + count <= wanted) {
        before += count;
        ++digit;
        count = EG_STATE(from + digit - me * eg_each);
      }
      known = known << EG_WIDTH | digit;
      EG_STATE(EG_NEXT + 2u * item) = known;
      EG_STATE(EG_NEXT + 2u * item + 1u) = wanted - before;
      if (is_last) eg_write(row, place, eg_bits(known));
    }
    memoryBarrierShared();
    barrier();
  }
}
