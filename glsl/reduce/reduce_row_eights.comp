#version 430
// reduce_row_eights: y[r] = combine over e of x(r, e) of many rows of 65 to 256 elements, eight lanes of a subgroup
// each: few lanes are idle at a row's end, and three exchanges combine the lanes of four rows.
// x is (rows, n), read through the hole eg_elements(vector, e): the accumulators of elements e .. e + 3, e = 4 vector,
// of the row that eg_address(row) selects. Lane l loads vectors l, l + 8, ..., EG_VECTORS of them, of EG_ITEMS_EACH rows
// before it combines the first; past the end of a row the last vector is loaded again, and left out. What any order
// gives is combined as it comes, else as the lanes of the tree of docs/reduction-tree.md: an invocation's are those that
// the tree combines first. eg_finish(row, block, result) stores. Absent elements are the identity, which changes no bit.
// EG_BEFORE: vectors are those of memory, and the first begins so many elements before the row. eg_within(x, e) leaves
// out what is not of the row.
// EG_EACH_LOAD(F) is F(row, vector, name) for each load, EG_EACH_ITEM(F) F(row, name, the lane's result,
// the index of its first NaN) for each row. EG_NANS_APART (argmax and argmin): eg_fold gives NaN where there is one.
// Work group: EG_GROUP_SIZE invocations, whose subgroups work through a chunk of rows. Shared memory: none.
// Bindings: declared by the generator.
#ifdef EG_STANDALONE
#extension GL_KHR_shader_subgroup_shuffle : require
#define EG_GROUP_SIZE 64
#define EG_VECTORS 3
#define EG_ITEMS_EACH 1
#define EG_ACCUMULATOR float
#define EG_ACCUMULATORS vec4
#define EG_EACH_LOAD(F) F(0, 0, eg_x0_0) F(0, 1, eg_x0_1) F(0, 2, eg_x0_2)
#define EG_EACH_ITEM(F) F(0, eg_r0, eg_combine(eg_combine(eg_fold(eg_x0_0), eg_fold(eg_x0_2)), eg_fold(eg_x0_1)), 0u)
#define EG_SHUFFLED(a, apart) subgroupShuffleXor(a, apart)
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { float eg_b1[]; };
uint eg_row;
float eg_combine(float a, float b) { return a + b; }
float eg_fold(vec4 a) { return (a.x + a.y) + (a.z + a.w); }
vec4 eg_within(vec4 a, uint e) { return mix(vec4(0.0), a, lessThan(uvec4(e) + uvec4(0u, 1u, 2u, 3u), uvec4(eg_u[8]))); }
void eg_address(uint row) { eg_row = row; }
vec4 eg_elements(uint vector, uint e) { return eg_b0[eg_row * eg_u[8] + vector]; }
void eg_finish(uint row, uint block, float result) { eg_b1[row] = result; }
#endif
#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_FIRST_ROW eg_u[5]
#define EG_LENGTH eg_u[8]  // n

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_lanes = 8u, eg_rows = uint(EG_GROUP_SIZE) / eg_lanes;

#ifdef EG_BEFORE
#define EG_FIRST_ELEMENT(vector) ((vector) * 4u - EG_BEFORE)
#define EG_LAST_VECTOR ((EG_LENGTH + EG_BEFORE - 1u) / 4u)
// The first vector may begin before the row; of the last two lines of vectors either may end behind it.
#define EG_IS_WHOLE(k) ((k) > 0 && (k) + 2 < EG_VECTORS)
#else
#define EG_FIRST_ELEMENT(vector) ((vector) * 4u)
#define EG_LAST_VECTOR ((EG_LENGTH - 1u) / 4u)
#define EG_IS_WHOLE(k) ((k) + 1 < EG_VECTORS)
#endif

#define EG_ROW(i) (rows + uint(i) * eg_rows + mine)
#define EG_VECTOR(k) (lane + uint(k) * eg_lanes)
#define EG_THERE(k) (EG_IS_WHOLE(k) ? EG_VECTOR(k) : min(EG_VECTOR(k), EG_LAST_VECTOR))
#define EG_LOAD(i, k, x)                                                          \
  if (k == 0) eg_address(min(EG_ROW(i), end - 1u) + EG_FIRST_ROW);                \
  EG_ACCUMULATORS x = eg_elements(EG_THERE(k), EG_FIRST_ELEMENT(EG_THERE(k)));    \
  if (!EG_IS_WHOLE(k)) x = eg_within(x, EG_FIRST_ELEMENT(EG_VECTOR(k)));
#define EG_COMBINE(i, r, x, first_nan) EG_ACCUMULATOR r = x;
#define EG_MARK(i, r, x, first_nan) \
  if (eg_isnan(r.value)) r.index = first_nan;
// The lower lane's comes first in every lane that counts.
#define EG_EXCHANGE(i, r, x, first_nan) r = eg_combine(r, EG_SHUFFLED(r, apart));
#define EG_FINISH(i, r, x, first_nan) \
  if (EG_ROW(i) < end) eg_finish(EG_ROW(i) + EG_FIRST_ROW, 0u, r);

void main() {
  uint lane = gl_LocalInvocationID.x % eg_lanes, mine = gl_LocalInvocationID.x / eg_lanes;
  uint first = gl_WorkGroupID.x * EG_CHUNK, end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint rows = first; rows < end; rows += eg_rows * uint(EG_ITEMS_EACH)) {
    EG_EACH_LOAD(EG_LOAD)
    EG_EACH_ITEM(EG_COMBINE)
#ifdef EG_NANS_APART
    EG_EACH_ITEM(EG_MARK)
#endif
    for (uint apart = eg_lanes / 2u; apart > 0u; apart >>= 1) {
      EG_EACH_ITEM(EG_EXCHANGE)
    }
    if (lane == 0u) {
      EG_EACH_ITEM(EG_FINISH)
    }
  }
}
