#version 430
// row: a chain of expressions and reductions over each row of n elements, in passes:
//   s[p] = combine over i of a[p](i), a[p] an expression of the row's operands and of s[0], ..., s[p - 1];
//   y(i) = an expression of them all, for each element or for the row.
// A softmax is s[0] = max of x, s[1] = sum of exp(x - s[0]), y = exp(x - s[0]) / s[1]. lower/row/text/text.cpp
// writes the hole eg_take(start, end), walk.cpp the passes in it, from graph/row/chain.hpp.
// An item is a row and a step four elements of it; under EG_STRIDED, for strided rows, an item is four neighbouring
// rows, a step one element of each, and EG_ROW, the type of a row's values, a vec4.
// EG_REGISTER_RESIDENT: a row is read once and stays in registers, EG_VECTORS steps an invocation; EG_WHOLE: the steps of
// all lanes are exactly a row. Else each pass reads it again, EG_VECTORS steps of a lane at a time.
// EG_TURNS: a subgroup's steps of a row follow each other; else those of the lanes of the row do.
// EG_APART: the four elements of a step are so far apart; element j of as many neighbouring steps lies side by side.
// EG_INNER: eg_inner says of a step that it is not a lane's last, so that all lanes have its four elements.
// EG_LAST_ELEMENTS: the last step of all lanes has no more of the row than so many of its four.
// Work group: EG_GROUP_SIZE invocations, EG_LANES to an item; a group works through EG_GROUP_ITEMS items. Lanes combine
// by shuffles under EG_SUBGROUPS; else one lane of each EG_LANES / EG_PARTIALS combines a share, and all lanes read
// those EG_PARTIALS.
// Shared memory: with shuffles 4 words for each subgroup; else an EG_ROW for each invocation and partial, or 2 for each
// invocation where EG_PARTIALS is EG_LANES.
// eg_report() lowers a flag to the least place of an index out of range that the invocation met, where rows have one.
// Bindings: declared by the generator.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_LANES 16
#define EG_PARTIALS 4
#define EG_VECTORS 4
#define EG_ROW float
#define EG_REGISTER_RESIDENT
#define EG_ITEMS eg_u[0]
#define EG_GROUP_ITEMS eg_u[1]
#define EG_STEPS eg_u[2]
#define EG_LENGTH eg_u[3]
#define EG_ITEMS_AT_ONCE uint(EG_GROUP_SIZE / EG_LANES)
#define EG_FOLDS EG_FOLD(eg_fold0, eg_join_sum, 0)
layout(location = 0) uniform uint eg_u[4];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict writeonly buffer EgBlock1 { float eg_b1[]; };
uint eg_lane, eg_place;
vec4 eg_within(uint step, vec4 v, float other);
uint eg_step(uint vector);
float eg_fold0(float v);
float eg_join_sum(float a, float b) { return a + b; }
void eg_take(uint start, uint end) {
  for (uint item = start; item < end; item += EG_ITEMS_AT_ONCE) {
    vec4 sum = vec4(0.0);
    for (uint u = 0u; u < uint(EG_VECTORS); ++u) sum += eg_within(eg_step(u), eg_b0[item * EG_STEPS + eg_step(u)], 0.0);
    float total = eg_fold0(sum.x + sum.y + sum.z + sum.w);
    if (eg_lane == 0u) eg_b1[item + eg_place] = total;
  }
}
void eg_report() {}
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

#ifdef EG_STRIDED
uint eg_slot(uint lane) { return lane * EG_ITEMS_AT_ONCE + eg_place; }

// v where the row has this step, else `other`.
vec4 eg_within(uint step, vec4 v, float other) {
#ifdef EG_INNER
  if (eg_inner) return v;
#endif
  return step < EG_LENGTH ? v : vec4(other);
}
#else
uint eg_slot(uint lane) { return eg_place * uint(EG_LANES) + lane; }

// v with `other` past the row's end.
vec4 eg_within(uint step, vec4 v, float other) {
#ifdef EG_WHOLE
  return v;
#endif
#ifdef EG_INNER
  if (eg_inner) return v;
#endif
#ifdef EG_APART
  uint i = step / uint(EG_APART) * uint(4 * EG_APART) + step % uint(EG_APART), apart = uint(EG_APART);
  if (i + 3u * apart < EG_LENGTH) return v;
  return vec4(i < EG_LENGTH ? v.x : other, i + apart < EG_LENGTH ? v.y : other,
              i + 2u * apart < EG_LENGTH ? v.z : other, other);
#else
  uint i = step * 4u;
  if (i + 4u <= EG_LENGTH) return v;
  return vec4(i < EG_LENGTH ? v.x : other, i + 1u < EG_LENGTH ? v.y : other, i + 2u < EG_LENGTH ? v.z : other, other);
#endif
}
#endif

#ifdef EG_LAST_ELEMENTS
// v, and zeros for what no lane has of its last step.
#define EG_HAD(VECTOR, ZERO)                                                                                     \
  VECTOR eg_had(uint vector, VECTOR v) {                                                                         \
    if (vector + 1u < uint(EG_VECTORS)) return v;                                                                \
    return VECTOR(v.x, EG_LAST_ELEMENTS > 1 ? v.y : ZERO, EG_LAST_ELEMENTS > 2 ? v.z : ZERO, ZERO);              \
  }
EG_HAD(vec4, 0.0)
EG_HAD(ivec4, 0)
EG_HAD(uvec4, 0u)
EG_HAD(bvec4, false)
#endif

// The steps of a lane: of the row, or of a round.
#ifdef EG_TURNS
uint eg_step(uint vector) { return ((eg_lane & ~31u) * uint(EG_VECTORS)) + vector * 32u + (eg_lane & 31u); }
#elif defined(EG_REGISTER_RESIDENT)
uint eg_step(uint vector) { return vector * uint(EG_LANES) + eg_lane; }
#else
uint eg_step(uint round, uint vector) { return round + vector * uint(EG_LANES) + eg_lane; }
#endif

// Reductions over the lanes of an item, with the result in every lane. They alternate between halves of the shared
// memory, so that nothing is overwritten before it is read.
#if EG_LANES == 1
#define EG_FOLD(NAME, JOIN, HALF) EG_ROW NAME(EG_ROW v) { return v; }
#elif defined(EG_SUBGROUPS)
#if EG_LANES > 32
shared EG_ROW eg_partials[4 * (EG_GROUP_SIZE / 32)];
#define EG_FOLD(NAME, JOIN, HALF)                                                                                \
  EG_ROW NAME(EG_ROW v) {                                                                                        \
    for (uint apart = 16u; apart > 0u; apart >>= 1) v = JOIN(v, subgroupShuffleXor(v, apart));                   \
    if (gl_SubgroupInvocationID == 0u) eg_partials[HALF * (EG_GROUP_SIZE / 16) + int(gl_SubgroupID)] = v;        \
    memoryBarrierShared();                                                                                       \
    barrier();                                                                                                   \
    uint first = eg_place * uint(EG_LANES / 32) + uint(HALF * (EG_GROUP_SIZE / 16));                             \
    v = eg_partials[first + (gl_SubgroupInvocationID & uint(EG_LANES / 32 - 1))];                                \
    for (uint apart = uint(EG_LANES / 64); apart > 0u; apart >>= 1) v = JOIN(v, subgroupShuffleXor(v, apart));   \
    return v;                                                                                                    \
  }
// Two reductions that share a barrier.
#define EG_FOLD_PAIR(NAME, JOIN_A, JOIN_B, HALF)                                                                 \
  void NAME(inout EG_ROW a, inout EG_ROW b) {                                                                    \
    for (uint apart = 16u; apart > 0u; apart >>= 1) {                                                            \
      a = JOIN_A(a, subgroupShuffleXor(a, apart));                                                               \
      b = JOIN_B(b, subgroupShuffleXor(b, apart));                                                               \
    }                                                                                                            \
    uint first = uint(HALF * (EG_GROUP_SIZE / 16));                                                              \
    if (gl_SubgroupInvocationID == 0u) {                                                                         \
      eg_partials[first + gl_SubgroupID] = a;                                                                    \
      eg_partials[first + uint(EG_GROUP_SIZE / 32) + gl_SubgroupID] = b;                                         \
    }                                                                                                            \
    memoryBarrierShared();                                                                                       \
    barrier();                                                                                                   \
    first += eg_place * uint(EG_LANES / 32) + (gl_SubgroupInvocationID & uint(EG_LANES / 32 - 1));               \
    a = eg_partials[first];                                                                                      \
    b = eg_partials[first + uint(EG_GROUP_SIZE / 32)];                                                           \
    for (uint apart = uint(EG_LANES / 64); apart > 0u; apart >>= 1) {                                            \
      a = JOIN_A(a, subgroupShuffleXor(a, apart));                                                               \
      b = JOIN_B(b, subgroupShuffleXor(b, apart));                                                               \
    }                                                                                                            \
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
EG_FOLDS
// Stands between two folds that write the same memory.
void eg_separate() {
#if EG_LANES > 32 || EG_LANES > 1 && !defined(EG_SUBGROUPS)
  barrier();
#endif
}

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
  eg_report();
}
