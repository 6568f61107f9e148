#version 430
// row: each element of a row x of n elements, or the row, becomes a result that depends on two values of the row:
//   first  = eg_first(x[0] o x[1] o ..., n), o = eg_combine: the largest element, or the mean;
//   second = eg_second(sum over i of eg_weight(v[i]), first, n), v[i] = eg_shift(x[i], first);
//   y[i]   = eg_finish(v[i], second), or under EG_REDUCES y = second.
// Softmax: first the largest, v = exp(x - first), weight v, second 1 / sum, y = v * second. lower/row/text.cpp has the
// holes.
// x is (rows, n), read through the hole eg_load(step) after eg_load_address(item). An item is a row and a step four
// elements of it; under EG_STRIDED, for strided rows, an item is four neighbouring rows, a step one element of each,
// and EG_ROW, the type of a row's values, a vec4. y goes to eg_write(step, v) after eg_output_address(item), or to
// eg_result(item, y, first).
// EG_PARAMETER: of the operation (an epsilon). EG_CENTERED: elements count relative to the mean of the row, or of its
// beginning, so that neither a mean nor an element far from the others rounds anything away; eg_first of those corrects
// it. EG_UNSHIFTED: eg_first is 0, whatever the elements.
// EG_REGISTER_RESIDENT: a row is read once and stays in registers, EG_VECTORS steps an invocation; EG_WHOLE: the steps of
// all lanes are exactly a row. EG_PREFETCH: the
// next row is loaded before the reductions of this one. Else a row is read twice: first for the two values, where a
// lane takes EG_VECTORS steps at a time and combines their sums by rebasing them (eg_partial, eg_rebase) from the
// steps' own first to that of all; then for y.
// Work group: EG_GROUP_SIZE invocations, EG_LANES to an item; a group works through EG_GROUP_ITEMS items. Lanes combine
// by shuffles under EG_SUBGROUPS; else one lane of each EG_LANES / EG_PARTIALS adds up a share, and all lanes read
// those EG_PARTIALS.
// Shared memory: with shuffles 2 words for each subgroup; else an EG_ROW for each invocation and partial, or 2 for each
// invocation where EG_PARTIALS is EG_LANES.
// Bindings: declared by the generator.
// The single read is that of Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_LANES 16
#define EG_PARTIALS 4
#define EG_VECTORS 4
#define EG_ROW float
layout(location = 0) uniform uint eg_u[4];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
uint eg_row, eg_row_out;
void eg_load_address(uint item) { eg_row = item * eg_u[2]; }
vec4 eg_load(uint step) { return eg_b0[eg_row + step]; }
void eg_output_address(uint item) { eg_row_out = item * eg_u[2]; }
void eg_write(uint step, vec4 v) { eg_b1[eg_row_out + step] = v; }
float eg_identity() { return 0.0; }
float eg_combine(float a, float b) { return a + b; }
vec4 eg_combine(vec4 a, vec4 b) { return a + b; }
EG_ROW eg_first(EG_ROW c, EG_ROW count) { return c / count; }
vec4 eg_shift(vec4 x, EG_ROW first) { return x - first; }
vec4 eg_weight(vec4 v) { return v * v; }
EG_ROW eg_second(EG_ROW second, EG_ROW first, EG_ROW count) { return inversesqrt(second / count); }
vec4 eg_finish(vec4 v, EG_ROW second) { return v * second; }
EG_ROW eg_partial(EG_ROW partial, EG_ROW count) { return partial * count; }
EG_ROW eg_rebase(EG_ROW second, EG_ROW partial, EG_ROW count, EG_ROW first) {
  return second + count * (partial - first) * (partial - first);
}
#endif
#define EG_ITEMS eg_u[0]
#define EG_GROUP_ITEMS eg_u[1]  // items of a group
#define EG_STEPS eg_u[2]        // of an item
#define EG_LENGTH eg_u[3]       // elements of a row
#define EG_ITEMS_AT_ONCE uint(EG_GROUP_SIZE / EG_LANES)

layout(local_size_x = EG_GROUP_SIZE) in;

// The invocation among the lanes of its item, and the item among those of the group.
uint eg_lane, eg_place;

#ifdef EG_STRIDED
EG_ROW eg_gathered(vec4 a) { return a; }
EG_ROW eg_summed(vec4 a) { return a; }
uint eg_slot(uint lane) { return lane * EG_ITEMS_AT_ONCE + eg_place; }

// v where the row has this step, else `other`.
vec4 eg_within(uint step, vec4 v, float other) { return step < EG_LENGTH ? v : vec4(other); }
float eg_count(uint step) { return step < EG_LENGTH ? 1.0 : 0.0; }
#else
EG_ROW eg_gathered(vec4 a) { return eg_combine(eg_combine(a.x, a.y), eg_combine(a.z, a.w)); }
EG_ROW eg_summed(vec4 a) { return (a.x + a.y) + (a.z + a.w); }
uint eg_slot(uint lane) { return eg_place * uint(EG_LANES) + lane; }

// v with `other` past the row's end.
vec4 eg_within(uint step, vec4 v, float other) {
#ifdef EG_WHOLE
  return v;
#endif
  uint i = step * 4u;
  if (i + 4u <= EG_LENGTH) return v;
  return vec4(i < EG_LENGTH ? v.x : other, i + 1u < EG_LENGTH ? v.y : other, i + 2u < EG_LENGTH ? v.z : other, other);
}
float eg_count(uint step) { return float(clamp(int(EG_LENGTH) - int(step * 4u), 0, 4)); }
#endif

EG_ROW eg_add(EG_ROW a, EG_ROW b) { return a + b; }

// What elements count relative to. Under EG_CENTERED: first the row's first element, then a mean, which is that
// element if all are equal.
EG_ROW eg_center;

#ifdef EG_CENTERED
EG_ROW eg_corner() {
#ifdef EG_STRIDED
  return eg_load(0u);
#else
  return eg_load(0u).x;
#endif
}
vec4 eg_relative(vec4 x) {
  EG_PRECISE vec4 relative = x - eg_center;
  return relative;
}
#else
EG_ROW eg_corner() { return EG_ROW(0.0); }
vec4 eg_relative(vec4 x) { return x; }
#endif

// Reductions over the lanes of an item, with the result in every lane: eg_fold_first by eg_combine, eg_fold_second by
// addition. The two alternate between halves of the shared memory, so that nothing is overwritten before it is read.
#if EG_LANES == 1
#define EG_FOLD(NAME, JOIN, HALF) EG_ROW NAME(EG_ROW v) { return v; }
#elif defined(EG_SUBGROUPS)
#if EG_LANES > 32
shared EG_ROW eg_partials[2 * (EG_GROUP_SIZE / 32)];
#define EG_FOLD(NAME, JOIN, HALF)                                                                                \
  EG_ROW NAME(EG_ROW v) {                                                                                        \
    for (uint apart = 16u; apart > 0u; apart >>= 1) v = JOIN(v, subgroupShuffleXor(v, apart));                   \
    if (gl_SubgroupInvocationID == 0u) eg_partials[HALF * (EG_GROUP_SIZE / 32) + int(gl_SubgroupID)] = v;        \
    memoryBarrierShared();                                                                                       \
    barrier();                                                                                                   \
    uint first = eg_place * uint(EG_LANES / 32) + uint(HALF * (EG_GROUP_SIZE / 32));                             \
    v = eg_partials[first + (gl_SubgroupInvocationID & uint(EG_LANES / 32 - 1))];                                \
    for (uint apart = uint(EG_LANES / 64); apart > 0u; apart >>= 1) v = JOIN(v, subgroupShuffleXor(v, apart));   \
    return v;                                                                                                    \
  }
#else
#define EG_FOLD(NAME, JOIN, HALF)                                                                                \
  EG_ROW NAME(EG_ROW v) {                                                                                        \
    for (uint apart = uint(EG_LANES / 2); apart > 0u; apart >>= 1) v = JOIN(v, subgroupShuffleXor(v, apart));    \
    return v;                                                                                                    \
  }
#endif
#elif EG_PARTIALS == EG_LANES
shared EG_ROW eg_slots[2 * EG_GROUP_SIZE];
#define EG_FOLD(NAME, JOIN, HALF)                                                                                \
  EG_ROW NAME(EG_ROW v) {                                                                                        \
    eg_slots[eg_slot(eg_lane) + uint(HALF * EG_GROUP_SIZE)] = v;                                                 \
    memoryBarrierShared();                                                                                       \
    barrier();                                                                                                   \
    v = eg_slots[eg_slot(0u) + uint(HALF * EG_GROUP_SIZE)];                                                      \
    for (uint i = 1u; i < uint(EG_LANES); ++i) v = JOIN(v, eg_slots[eg_slot(i) + uint(HALF * EG_GROUP_SIZE)]);   \
    return v;                                                                                                    \
  }
#else
shared EG_ROW eg_slots[EG_GROUP_SIZE];
shared EG_ROW eg_partials[EG_GROUP_SIZE / EG_LANES * EG_PARTIALS];
#define EG_FOLD(NAME, JOIN, HALF)                                                                                \
  EG_ROW NAME(EG_ROW v) {                                                                                        \
    eg_slots[eg_slot(eg_lane)] = v;                                                                              \
    memoryBarrierShared();                                                                                       \
    barrier();                                                                                                   \
    if (eg_lane < uint(EG_PARTIALS)) {                                                                           \
      for (uint i = eg_lane + uint(EG_PARTIALS); i < uint(EG_LANES); i += uint(EG_PARTIALS))                     \
        v = JOIN(v, eg_slots[eg_slot(i)]);                                                                       \
      eg_partials[eg_lane * EG_ITEMS_AT_ONCE + eg_place] = v;                                                    \
    }                                                                                                            \
    memoryBarrierShared();                                                                                       \
    barrier();                                                                                                   \
    v = eg_partials[eg_place];                                                                                   \
    for (uint i = 1u; i < uint(EG_PARTIALS); ++i) v = JOIN(v, eg_partials[i * EG_ITEMS_AT_ONCE + eg_place]);     \
    return v;                                                                                                    \
  }
#endif
EG_FOLD(eg_fold_second, eg_add, 1)
// Stands between two writes of eg_fold_second to the same half.
void eg_separate() {
#if EG_LANES > 32 || EG_LANES > 1 && !defined(EG_SUBGROUPS)
  barrier();
#endif
}
#ifndef EG_UNSHIFTED
EG_FOLD(eg_fold_first, eg_combine, 0)
#else
EG_ROW eg_fold_first(EG_ROW v) {
  eg_separate();
  return v;
}
#endif
#ifdef EG_CENTERED
// From what the lanes added up relative to the row's first element, over `count` elements.
void eg_move_center(EG_ROW sum, uint count) {
  eg_separate();
  eg_center += eg_fold_second(sum) / float(count);
}
#endif

void eg_deliver(uint item, bool mine, EG_ROW first, EG_ROW second) {
#ifdef EG_REDUCES
  if (mine && eg_lane == 0u) eg_result(item, second, first);
#endif
}

#ifdef EG_REGISTER_RESIDENT
uint eg_step(uint vector) { return vector * uint(EG_LANES) + eg_lane; }

void eg_read(uint item, out vec4 x[EG_VECTORS], out EG_ROW corner) {
  eg_load_address(min(item, EG_ITEMS - 1u));
  corner = eg_corner();
#ifdef EG_WHOLE
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) x[u] = eg_load(eg_step(u));
#else
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) x[u] = eg_load(min(eg_step(u), EG_STEPS - 1u));
#endif
}

void eg_make(uint item, bool mine, vec4 x[EG_VECTORS], EG_ROW corner) {
#ifdef EG_CENTERED
  eg_center = corner;
  vec4 all = vec4(0.0);
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) all += eg_within(eg_step(u), eg_relative(x[u]), 0.0);
  eg_move_center(eg_summed(all), EG_LENGTH);
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) x[u] = eg_relative(x[u]);
#endif
  vec4 sum = eg_within(eg_step(0u), x[0], eg_identity());
  for (uint u = 1u; u < uint(EG_VECTORS); ++u) sum = eg_combine(sum, eg_within(eg_step(u), x[u], eg_identity()));
  EG_ROW count = EG_ROW(float(EG_LENGTH));
  EG_ROW first = eg_first(eg_fold_first(eg_gathered(sum)), count);
  sum = vec4(0.0);
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {
    x[u] = eg_shift(x[u], first);
    sum += eg_within(eg_step(u), eg_weight(x[u]), 0.0);
  }
  EG_ROW second = eg_second(eg_fold_second(eg_summed(sum)), first, count);
  eg_deliver(item, mine, first, second);
#ifndef EG_REDUCES
  if (!mine) return;
  eg_output_address(item);
#ifdef EG_WHOLE
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) eg_write(eg_step(u), eg_finish(x[u], second));
#else
  for (uint u = 0u; u < uint(EG_VECTORS); ++u)
    if (eg_step(u) < EG_STEPS) eg_write(eg_step(u), eg_finish(x[u], second));
#endif
#endif
}

void eg_take(uint start, uint end) {
  vec4 x[EG_VECTORS];
  EG_ROW corner;
#ifdef EG_PREFETCH
  eg_read(start + eg_place, x, corner);
  for (uint item = start; item < end; item += EG_ITEMS_AT_ONCE) {
    vec4 next[EG_VECTORS];
    EG_ROW next_corner;
    // Past the end the same row again: no other memory is touched.
    eg_read(item + EG_ITEMS_AT_ONCE < end ? item + EG_ITEMS_AT_ONCE + eg_place : item + eg_place, next, next_corner);
    eg_make(item + eg_place, item + eg_place < end, x, corner);
    for (uint u = 0u; u < uint(EG_VECTORS); ++u) x[u] = next[u];
    corner = next_corner;
  }
#else
  for (uint item = start; item < end; item += EG_ITEMS_AT_ONCE) {
    eg_read(item + eg_place, x, corner);
    eg_make(item + eg_place, item + eg_place < end, x, corner);
  }
#endif
}
#else
#define EG_ROUND uint(EG_LANES * EG_VECTORS)

uint eg_step(uint round, uint vector) { return round + vector * uint(EG_LANES) + eg_lane; }

vec4 eg_element(uint step) { return eg_relative(eg_load(min(step, EG_STEPS - 1u))); }

#ifdef EG_CENTERED
// The mean of a sixteenth of the row, or of a round: at most 4 standard deviations from that of the whole, wherever its
// outliers are.
void eg_find_center() {
  eg_center = eg_corner();
  vec4 sum = vec4(0.0);
  uint round = 0u;
  for (; round * 16u < EG_STEPS; round += EG_ROUND)
    for (uint u = 0u; u < uint(EG_VECTORS); ++u)
      sum += eg_within(eg_step(round, u), eg_element(eg_step(round, u)), 0.0);
#ifdef EG_STRIDED
  eg_move_center(eg_summed(sum), min(round, EG_LENGTH));
#else
  eg_move_center(eg_summed(sum), min(round * 4u, EG_LENGTH));
#endif
}
#endif

// Combines the sums of a round of the lane's steps with those of earlier rounds.
void eg_add_round(uint round, inout EG_ROW first, inout EG_ROW second, inout float count) {
  vec4 x[EG_VECTORS], sum = vec4(eg_identity());
  float own_count = 0.0;
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) x[u] = eg_element(eg_step(round, u));
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {
    sum = eg_combine(sum, eg_within(eg_step(round, u), x[u], eg_identity()));
    own_count += eg_count(eg_step(round, u));
  }
  EG_ROW own_first = eg_first(eg_gathered(sum), EG_ROW(own_count));
  sum = vec4(0.0);
  for (uint u = 0u; u < uint(EG_VECTORS); ++u)
    sum += eg_within(eg_step(round, u), eg_weight(eg_shift(x[u], own_first)), 0.0);
  EG_ROW partials = eg_combine(eg_partial(first, EG_ROW(count)), eg_partial(own_first, EG_ROW(own_count)));
  EG_ROW joint = eg_first(partials, EG_ROW(count + own_count));
  second = eg_rebase(second, first, EG_ROW(count), joint) +
           eg_rebase(eg_summed(sum), own_first, EG_ROW(own_count), joint);
  first = joint;
  count += own_count;
}

void eg_make(uint item, bool mine) {
  eg_load_address(min(item, EG_ITEMS - 1u));
#ifdef EG_CENTERED
  eg_find_center();
#endif
  EG_ROW own_first = eg_first(EG_ROW(eg_identity()), EG_ROW(0.0)), own_second = EG_ROW(0.0);
  float own_count = 0.0;
  for (uint round = 0u; round < EG_STEPS; round += EG_ROUND) eg_add_round(round, own_first, own_second, own_count);
  EG_ROW count = EG_ROW(float(EG_LENGTH));
  EG_ROW first = eg_first(eg_fold_first(eg_partial(own_first, EG_ROW(own_count))), count);
  EG_ROW sum = eg_fold_second(eg_rebase(own_second, own_first, EG_ROW(own_count), first));
  EG_ROW second = eg_second(sum, first, count);
  eg_deliver(item, mine, first, second);
#ifndef EG_REDUCES
  if (!mine) return;
  eg_output_address(item);
  for (uint round = 0u; round < EG_STEPS; round += EG_ROUND) {
    vec4 x[EG_VECTORS];
    for (uint u = 0u; u < uint(EG_VECTORS); ++u) x[u] = eg_element(eg_step(round, u));
    for (uint u = 0u; u < uint(EG_VECTORS); ++u)
      if (eg_step(round, u) < EG_STEPS) eg_write(eg_step(round, u), eg_finish(eg_shift(x[u], first), second));
  }
#endif
}

void eg_take(uint start, uint end) {
  for (uint item = start; item < end; item += EG_ITEMS_AT_ONCE) eg_make(item + eg_place, item + eg_place < end);
}
#endif

void main() {
#ifdef EG_SUBGROUPS
  uint me = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
#else
  uint me = gl_LocalInvocationID.x;
#endif
#ifdef EG_STRIDED
  eg_lane = me / EG_ITEMS_AT_ONCE;
  eg_place = me % EG_ITEMS_AT_ONCE;
#else
  eg_lane = me % uint(EG_LANES);
  eg_place = me / uint(EG_LANES);
#endif
  uint start = gl_WorkGroupID.x * EG_GROUP_ITEMS;
  eg_take(start, min(start + EG_GROUP_ITEMS, EG_ITEMS));
}
