#version 430
// reduce_row_subgroup: y[r] = combine over e of x(r, e) of many rows, as reduce_row, where each subgroup of 32 reduces
// blocks of rows by itself: with shuffles, without shared memory or a barrier.
// x is (rows, n), read through the hole eg_elements(vector, e): the accumulators of elements e .. e + 3, e = 4 vector,
// of the row that eg_address(row) selects. Each row is cut into blocks of EG_VECTORS_OF_BLOCK * 4 elements; an item is
// one block of one row. An invocation takes EG_LANES_EACH lanes of the tree, each of them 32 further along; lanes
// combine in a binary tree (docs/reduction-tree.md). eg_finish(row, block, result) stores. Absent elements are the
// identity, which changes no bit.
// EG_VECTORS > 0, of rows of one block: an invocation loads so many vectors of a row, and those of EG_ITEMS_EACH rows,
// before it combines the first; past the end of a row the last vector is loaded again, and left out. 0: it loops over a
// block, EG_UNROLL loads in flight, as many as EG_EACH_LOAD has. EG_EACH_ITEM(F) is F(result, lane, second lane) for
// each item, EG_EACH_LOAD(F) F(item, vector, name, lane) for each load, by the names of its variables.
// EG_BEFORE, of what any order gives: vectors are those of memory, and a row's first begins so many elements before it;
// eg_within(x, e) leaves out what is not of the row. Rows have one block.
// EG_APART, of floats: rows are short runs of memory, and eg_apart(e) gives elements e, e + 32, e + 64 and e + 96.
// Lanes load 32 neighbours at a time, which touch a quarter of the lines that their vectors do, and exchange them.
// Work group: EG_GROUP_SIZE invocations, whose subgroups work through a chunk of items. Shared memory: none.
// Bindings: declared by the generator.
// After Luitjens, "Faster Parallel Reductions on Kepler" (2014).
#ifdef EG_STANDALONE
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define EG_GROUP_SIZE 64
#define EG_LANES_EACH 2
#define EG_VECTORS_OF_BLOCK 2048
#define EG_VECTORS 3
#define EG_ITEMS_EACH 1
#define EG_EACH_ITEM(F) F(eg_r0, eg_even, eg_odd)
#define EG_EACH_LOAD(F) F(0, 0, eg_x0, eg_even) F(0, 1, eg_x1, eg_odd) F(0, 2, eg_x2, eg_even)
#define EG_UNROLL 4
#define EG_ACCUMULATOR float
#define EG_ACCUMULATORS vec4
#define EG_SHUFFLED(a, apart) subgroupShuffleXor(a, apart)
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { float eg_b1[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
float eg_identity() { return 0.0; }
vec4 eg_identities() { return vec4(0.0); }
vec4 eg_follow4(vec4 a, vec4 b) { return a + b; }
float eg_combine(float a, float b) { return a + b; }
float eg_fold(vec4 a) { return (a.x + a.y) + (a.z + a.w); }
vec4 eg_mask(vec4 a, uint count) { return mix(vec4(0.0), a, lessThan(uvec4(0u, 1u, 2u, 3u), uvec4(count))); }
void eg_address(uint row) { eg_row = row; }
vec4 eg_elements(uint vector, uint e) { return eg_b0[eg_row * eg_u[8] + vector]; }
void eg_finish(uint row, uint block, float result) { eg_b1[row * eg_u[2] + block] = result; }
#endif
#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_BLOCKS eg_u[2]  // in each row, of this dispatch; 3 and 4 divide by it
#define EG_FIRST_ROW eg_u[5]
#define EG_FIRST_BLOCK eg_u[6]
#define EG_LENGTH eg_u[8]  // n

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_subgroup = 32u, eg_at_once = uint(EG_GROUP_SIZE / 32 * EG_ITEMS_EACH);

#if EG_LANES_EACH == 2
#define EG_OF_LANES(a, b) eg_combine(eg_fold(a), eg_fold(b))  // the second lane is 32 further along
#else
#define EG_OF_LANES(a, b) eg_fold(a)
#endif

#ifdef EG_APART
// Lanes of subgroups load together, whatever of the row is theirs.
#define EG_FIRST(vector) ((vector) - lane)
#define EG_LAST(vector) ((vector) - lane + eg_subgroup - 1u)
#define EG_PLACE(k) (lane + uint(k) * eg_subgroup)

// Of lane 8 g + q the elements 4 q + g of each 32 of 128 become those from 32 g + 4 q on: four lanes with one q
// exchange what each of them has.
vec4 eg_turned(vec4 x, uint lane) {
  bool high = (lane & 16u) != 0u, odd = (lane & 8u) != 0u;
  float got = EG_SHUFFLED_BY(high ? x.x : x.z, 16u), next = EG_SHUFFLED_BY(high ? x.y : x.w, 16u);
  x = high ? vec4(got, next, x.zw) : vec4(x.xy, got, next);
  got = EG_SHUFFLED_BY(odd ? x.x : x.y, 8u);
  next = EG_SHUFFLED_BY(odd ? x.z : x.w, 8u);
  return odd ? vec4(got, x.y, next, x.w) : vec4(x.x, got, x.z, next);
}

EG_ACCUMULATORS eg_elements(uint vector, uint e) {
  uint lane = gl_LocalInvocationID.x % eg_subgroup;
  return eg_turned(eg_apart((vector - lane) * 4u + (lane & 7u) * 4u + (lane >> 3)), lane);
}
#else
#define EG_FIRST(vector) (vector)
#define EG_LAST(vector) (vector)
#define EG_PLACE(k) min(lane + uint(k) * eg_subgroup, last_vector)
#endif

#ifdef EG_BEFORE
#define EG_ELEMENT(vector) ((vector) * 4u - EG_BEFORE)
#define EG_WITHIN(x, vector) eg_within(x, EG_ELEMENT(vector))
#define EG_END (EG_LENGTH + EG_BEFORE)  // of a row in its vectors
#else
#define EG_ELEMENT(vector) ((vector) * 4u)
#define EG_WITHIN(x, vector) eg_mask(x, end - (vector) * 4u)
#endif

#if EG_VECTORS > 0 && defined(EG_BEFORE)
// The first vector may begin before the row, and either of the last two of an invocation may end behind it, or be absent.
#define EG_LOAD(i, k, x, a)                                                                               \
  if (k == 0) eg_address(min(items + mine + uint(i), end - 1u) + EG_FIRST_ROW);                           \
  EG_ACCUMULATORS x = eg_elements(min(lane + uint(k) * eg_subgroup, (EG_END - 1u) / 4u),                  \
                                  EG_ELEMENT(min(lane + uint(k) * eg_subgroup, (EG_END - 1u) / 4u)));     \
  if (k == 0 || k + 2 >= EG_VECTORS) x = EG_WITHIN(x, lane + uint(k) * eg_subgroup);
#define EG_FOLLOW(i, k, x, a) a = eg_follow4(a, x);
#define EG_BEGIN(r, a, b) EG_ACCUMULATORS a = eg_identities(), b = eg_identities();
#define EG_JOIN(r, a, b) EG_ACCUMULATOR r = EG_OF_LANES(a, b);
#define EG_REDUCE_LANES \
  EG_EACH_LOAD(EG_LOAD) EG_EACH_ITEM(EG_BEGIN) EG_EACH_LOAD(EG_FOLLOW) EG_EACH_ITEM(EG_JOIN)
#elif EG_VECTORS > 0
// Names, not arrays, which drivers may leave in memory.
#define EG_LOAD(i, k, x, a)                                                     \
  if (k == 0) eg_address(min(items + mine + uint(i), end - 1u) + EG_FIRST_ROW); \
  EG_ACCUMULATORS x = eg_elements(EG_PLACE(k), EG_PLACE(k) * 4u);
#define EG_FOLLOW(i, k, x, a) \
  if (k + 1 < EG_VECTORS)     \
    a = eg_follow4(a, x);     \
  else if (count > 0u)        \
    a = eg_follow4(a, eg_mask(x, count));
#define EG_BEGIN(r, a, b) EG_ACCUMULATORS a = eg_identities(), b = eg_identities();
#define EG_JOIN(r, a, b) EG_ACCUMULATOR r = EG_OF_LANES(a, b);
#define EG_REDUCE_LANES                                                                  \
  uint last_vector = (EG_LENGTH - 1u) / 4u;                                              \
  /* The last vector of an invocation is the only one that may be absent, or in part. */ \
  uint tail = lane + uint(EG_VECTORS - 1) * eg_subgroup;                                 \
  uint count = tail > last_vector ? 0u : min(EG_LENGTH - tail * 4u, 4u);                 \
  EG_EACH_LOAD(EG_LOAD) EG_EACH_ITEM(EG_BEGIN) EG_EACH_LOAD(EG_FOLLOW) EG_EACH_ITEM(EG_JOIN)
#else
#define EG_LOAD(i, k, x, a) \
  EG_ACCUMULATORS x = eg_elements(vector + uint(k) * eg_subgroup, EG_ELEMENT(vector + uint(k) * eg_subgroup));
#define EG_FOLLOW(i, k, x, a) a = eg_follow4(a, x);
#define EG_TAKE(a, at)                                                       \
  {                                                                          \
    EG_ACCUMULATORS x = eg_elements(at, EG_ELEMENT(at));                     \
    if ((at) * 4u < end) a = eg_follow4(a, EG_WITHIN(x, at));                \
  }
EG_ACCUMULATOR eg_reduce_lanes(uint item, uint lane) {
  uint row = eg_divide(item, eg_u[3], eg_u[4]), block = item - row * EG_BLOCKS + EG_FIRST_BLOCK;
  eg_address(row + EG_FIRST_ROW);
#ifdef EG_BEFORE
  uint start = 0u, end = EG_END;
#else
  uint start = block * uint(EG_VECTORS_OF_BLOCK), end = min(EG_LENGTH, (start + uint(EG_VECTORS_OF_BLOCK)) * 4u);
#endif
  EG_ACCUMULATORS eg_even0 = eg_identities(), eg_odd0 = eg_identities();
  uint vector = start + lane;
#ifdef EG_BEFORE
  EG_TAKE(eg_even0, vector)
  vector += eg_subgroup;
#endif
  // Whole vectors, several loads in flight.
  for (; (EG_LAST(vector) + uint(EG_UNROLL - 1) * eg_subgroup) * 4u + 3u < end;
       vector += uint(EG_UNROLL) * eg_subgroup) {
    EG_EACH_LOAD(EG_LOAD)
    EG_EACH_LOAD(EG_FOLLOW)
  }
  for (; EG_FIRST(vector) * 4u < end; vector += uint(EG_LANES_EACH) * eg_subgroup) {
    EG_TAKE(eg_even0, vector)
#if EG_LANES_EACH == 2
    if (EG_FIRST(vector + eg_subgroup) * 4u < end) EG_TAKE(eg_odd0, vector + eg_subgroup)
#endif
  }
  return EG_OF_LANES(eg_even0, eg_odd0);
}
#define EG_REDUCE_LANES EG_ACCUMULATOR eg_r0 = eg_reduce_lanes(min(items + mine, end - 1u), lane);
#endif

// The lower lane's comes first in every lane that counts.
#define EG_EXCHANGE(r, a, b) r = eg_combine(r, EG_SHUFFLED(r, apart));
#define EG_FINISH(r, a, b)                                                     \
  if (item < end) {                                                            \
    uint row = eg_divide(item, eg_u[3], eg_u[4]);                              \
    eg_finish(row + EG_FIRST_ROW, item - row * EG_BLOCKS + EG_FIRST_BLOCK, r); \
  }                                                                            \
  ++item;

void main() {
  uint lane = gl_LocalInvocationID.x % eg_subgroup, mine = gl_LocalInvocationID.x / eg_subgroup * uint(EG_ITEMS_EACH);
  uint first = gl_WorkGroupID.x * EG_CHUNK, end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint items = first; items < end; items += eg_at_once) {
    EG_REDUCE_LANES
    for (uint apart = eg_subgroup / 2u; apart > 0u; apart >>= 1) {
      EG_EACH_ITEM(EG_EXCHANGE)
    }
    uint item = items + mine;
    if (lane == 0u) {
      EG_EACH_ITEM(EG_FINISH)
    }
  }
}
