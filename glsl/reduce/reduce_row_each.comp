#version 430
// reduce_row_each: y[r, j] = combine over e of x(r, j, e) of many rows that read little memory each, such as the
// distances of a point to few others; EG_TOGETHER neighbouring rows j at once, which read these in common.
// x is (rows / EG_TOGETHER, EG_TOGETHER, n), n at most a block, read as in reduce_row_together.comp: eg_load(vector, x0,
// x1, ...) for the rows that eg_address(r) selects. An invocation takes its rows alone, all at the same elements, so
// that what these read is one access for a subgroup. What any order gives (EG_ANY_ORDER) is one vector of accumulators.
// Else lane l of the tree of docs/reduction-tree.md adds vectors l, l + EG_LANES, ..., and lanes are taken in
// bit-reversed order, in which those that combine are neighbours: of each level of the tree one result waits.
// EG_NANS_APART (argmax and argmin): a row whose value is NaN then is read again; eg_first_nan(x, e) is the index of the
// first NaN among x, elements e to e + 3, or the largest index there is.
// eg_finish(row, block, y) stores.
// Work group: EG_GROUP_SIZE invocations, an item each at a time; a group works through a chunk of items. No shared
// memory. Bindings: declared by the generator, as are the macros that repeat text for each row
// (reduce_row_together.comp).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_LANES 64
#define EG_TOGETHER 2
#define EG_ACCUMULATOR float
#define EG_ACCUMULATORS vec4
#define EG_EACH_ROW(F) F(0, eg_a0, eg_x0) F(1, eg_a1, eg_x1)
#define EG_LOADED eg_x0, eg_x1
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { float eg_b1[]; };
uint eg_rows;
vec4 eg_identities() { return vec4(0.0); }
vec4 eg_follow4(vec4 a, vec4 b) { return a + b; }
float eg_combine(float a, float b) { return a + b; }
float eg_fold(vec4 a) { return (a.x + a.y) + (a.z + a.w); }
vec4 eg_elements(vec4 x, uint e) { return x; }
vec4 eg_mask(vec4 a, uint count) { return mix(vec4(0.0), a, lessThan(uvec4(0u, 1u, 2u, 3u), uvec4(count))); }
void eg_address(uint rows) { eg_rows = rows * 2u; }
void eg_load(uint vector, out vec4 x0, out vec4 x1) {
  x0 = eg_b0[eg_rows * eg_u[8] + vector];
  x1 = eg_b0[(eg_rows + 1u) * eg_u[8] + vector];
}
void eg_finish(uint row, uint block, float result) { eg_b1[row] = result; }
#endif
#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_FIRST_ROWS eg_u[5]  // of EG_TOGETHER each
#define EG_LANES_LOG2 eg_u[7]  // of the lanes that have elements, rounded up to a power of two
#define EG_LENGTH eg_u[8]      // n

layout(local_size_x = EG_GROUP_SIZE) in;

#define EG_MEMBER(j, a, x) EG_ACCUMULATOR a;
struct EgRows {
  EG_EACH_ROW(EG_MEMBER)
};

// Elements e .. e + 3, e = first, first + step, ..., of each row.
EgRows eg_reduce_lane(uint first, uint step) {
#define EG_DECLARE(j, a, x)            \
  EG_ACCUMULATORS a = eg_identities(); \
  vec4 x;
#define EG_STEP(j, a, x) a = eg_follow4(a, eg_elements(x, e));
#define EG_LAST_STEP(j, a, x) a = eg_follow4(a, eg_mask(eg_elements(x, e), EG_LENGTH - e));
#define EG_FOLD(j, a, x) rows.a = eg_fold(a);
  EG_EACH_ROW(EG_DECLARE)
  uint e = first;
  for (; e + 3u < EG_LENGTH; e += step) {
    eg_load(e >> 2, EG_LOADED);
    EG_EACH_ROW(EG_STEP)
  }
  if (e < EG_LENGTH) {
    eg_load(e >> 2, EG_LOADED);
    EG_EACH_ROW(EG_LAST_STEP)
  }
  EgRows rows;
  EG_EACH_ROW(EG_FOLD)
  return rows;
}

#ifdef EG_ANY_ORDER
#ifdef EG_NANS_APART
EgRows eg_at_first_nan(EgRows rows) {
  bool some = false;
#define EG_MARK(j, a, x)        \
  if (eg_isnan(rows.a.value)) { \
    rows.a.index = 0xffffffffu; \
    some = true;                \
  }
#define EG_VALUES(j, a, x) vec4 x;
#define EG_FIND(j, a, x) \
  if (eg_isnan(rows.a.value)) rows.a.index = min(rows.a.index, eg_first_nan(x, e));
  EG_EACH_ROW(EG_MARK)
  for (uint e = 0u; some && e < EG_LENGTH; e += 4u) {
    EG_EACH_ROW(EG_VALUES)
    eg_load(e >> 2, EG_LOADED);
    EG_EACH_ROW(EG_FIND)
  }
  return rows;
}
#else
EgRows eg_at_first_nan(EgRows rows) { return rows; }
#endif

EgRows eg_reduce_rows() { return eg_at_first_nan(eg_reduce_lane(0u, 4u)); }
#else
EgRows eg_combine_rows(EgRows p, EgRows q) {
#define EG_COMBINE(j, a, x) p.a = eg_combine(p.a, q.a);
  EG_EACH_ROW(EG_COMBINE)
  return p;
}

// A result joins those that wait where its lane's number ends in ones, and then waits itself.
EgRows eg_reduce_rows() {
  EgRows result, waiting0, waiting1, waiting2, waiting3, waiting4, waiting5;
  for (uint i = 0u; i < 1u << EG_LANES_LOG2; ++i) {
    uint lane = EG_LANES_LOG2 == 0u ? 0u : bitfieldReverse(i) >> (32u - EG_LANES_LOG2);
    result = eg_reduce_lane(lane * 4u, uint(EG_LANES * 4));
#define EG_JOIN(k, waiting)                     \
  if ((i >> k & 1u) == 0u) {                    \
    waiting = result;                           \
    continue;                                   \
  }                                             \
  result = eg_combine_rows(waiting, result);
    EG_JOIN(0, waiting0)
    EG_JOIN(1, waiting1)
    EG_JOIN(2, waiting2)
    EG_JOIN(3, waiting3)
    EG_JOIN(4, waiting4)
    EG_JOIN(5, waiting5)
  }
  return result;
}
#endif

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK, end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint item = first + gl_LocalInvocationID.x; item < end; item += uint(EG_GROUP_SIZE)) {
    uint rows = item + EG_FIRST_ROWS;
    eg_address(rows);
    EgRows result = eg_reduce_rows();
#define EG_STORE(j, a, x) eg_finish(rows * uint(EG_TOGETHER) + uint(j), 0u, result.a);
    EG_EACH_ROW(EG_STORE)
  }
}
