#version 430
// matmul_outer: out[i, j] = sum over k of a[i, k] * b[k, j] for a k of a few elements: a sum of few outer products,
// whose time is that of writing the results. An invocation holds b's elements of a few columns in registers and goes
// through EG_ROWS rows; a's elements, the same for neighbouring invocations, come from the cache, without a barrier. Where
// that is too few loads in flight, or takes longer than to write, as of narrow elements that are read one by one, a
// group's rows are read at once, into shared memory (EG_SHARED_ROWS, which EG_SHARE fills).
//
// a (batch, m, k), b (batch, k, n), any strides; out (batch, m, n), through eg_put.
// Work group: EG_LOCAL_X x EG_LOCAL_Y invocations, side by side along columns; its rows are EG_LOCAL_Y apart. Columns
// of an invocation are neighbours where rows of results are whole vec4s, else EG_LOCAL_X apart: neighbouring
// invocations write neighbouring elements.
// Under EG_ROWS_ANYWHERE results are narrow and their rows begin between vectors of memory: an invocation's four
// columns are a vector of memory, but for a row's first and last four, which overlap their neighbours; only those
// write parts of words. EG_LOCAL_Y is a multiple of four, so that vectors begin at the same columns in all rows of an
// invocation.
//
// Holes: EG_FIRST_COLUMN(lane) (of an invocation, in its tile), EG_DECLARE (b's elements, and a's address in `row`),
// EG_STEP (rows from one loop trip to the next: one row of an invocation, or two, whose elements of a are on their way
// together), EG_A_STEP (the same between a's elements), EG_ROW (computes and stores their results). eg_batch(batch).
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { float eg_b0[]; };
layout(std430, binding = 1) readonly buffer EgBlock1 { float eg_b1[]; };
layout(std430, binding = 2) buffer EgBlock2 { float eg_b2[]; };
layout(location = 0) uniform uint eg_u[12];
void eg_batch(uint batch) {}
#define EG_LOCAL_X 32
#define EG_LOCAL_Y 8
#define EG_ROWS 16u
#define EG_TILE_M 128u
#define EG_TILE_N 32u
#define EG_FIRST_COLUMN(lane) lane
#define EG_DECLARE float b0 = eg_b1[eg_u[6] + column * eg_u[8]]; uint at_a = eg_u[3] + row * eg_u[4];
#define EG_STEP 8u
#define EG_A_STEP 8u * eg_u[4]
#define EG_ROW eg_b2[eg_u[9] + row * eg_u[10] + column] = eg_b0[at_a] * b0;
#endif

layout(local_size_x = EG_LOCAL_X, local_size_y = EG_LOCAL_Y) in;
#ifdef EG_SHARED_ROWS
shared EG_SHARED_ROWS;
#endif

void main() {
  uint m = eg_u[0], n = eg_u[1];
  uint row = gl_WorkGroupID.y * EG_TILE_M + gl_LocalInvocationID.y;
  uint column = gl_WorkGroupID.x * EG_TILE_N + EG_FIRST_COLUMN(gl_LocalInvocationID.x);
  eg_batch(gl_WorkGroupID.z + eg_u[11]);
#ifdef EG_SHARED_ROWS
  EG_SHARE
  memoryBarrierShared();
  barrier();
#endif
#ifdef EG_ROWS_ANYWHERE
  uint before = (eg_out_base + row * eg_u[10]) & 3u;  // elements of the row's first vector that are of the row before
  if (row >= m || column >= n + before) return;
  column = min(max(column, before) - before, n - 4u);
#else
  if (row >= m || column >= n) return;
#endif
  EG_DECLARE
  uint end = min(m, row + EG_ROWS * uint(EG_LOCAL_Y));
  for (; row < end; row += EG_STEP, at_a += EG_A_STEP) {
    EG_ROW
  }
}
