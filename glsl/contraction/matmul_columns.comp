#version 430
// matmul_columns: out[i, j] = sum over k of a[i, k] * b[k, j] for batches of few rows, as groups of a convolution are:
// an invocation has all rows of a block, EG_ROWS, of EG_COLUMNS columns in registers. It reads b's elements for itself
// alone, each once for all rows; neighbouring invocations have neighbouring columns. A tile of more rows would be mostly
// empty, and a shared one would hold what no other invocation reads.
//
// a (batch, m, k), any strides, or an expression as b is: eg_b_address(column of all batches), eg_b_step(k), eg_b(). out
// (batch, m, n), through eg_put.
// Work group: EG_GROUP_SIZE invocations, whose columns are as far apart; groups along y are blocks of rows, along z
// batches.
// Shared memory: EG_DEPTH k of a's rows at a time, a vec4 for every four rows in the order [k][row / 4] (eg_rows), and
// what those k add to b's addresses, which takes divisions (EG_STEP_TABLE). Each is filled between two barriers.
// Lines past the last repeat it and are not stored.
//
// Holes: EG_LENGTH (of k, or of the group's chunk of it), EG_T4 (element type), EG_SYNC, EG_DECLARE (columns and sums),
// EG_SHARE (fills shared memory with `steps` k from `first` on), EG_UNROLLED, EG_STEPS(k) (so many steps from number k
// there on: loads, then multiplications), EG_STEP(k) (a single one), EG_STORE: text over the invocation's results.
// eg_batch(batch).
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { float eg_b0[]; };
layout(std430, binding = 1) readonly buffer EgBlock1 { float eg_b1[]; };
layout(std430, binding = 2) buffer EgBlock2 { float eg_b2[]; };
layout(location = 0) uniform uint eg_u[12];
#define EG_T4 vec4
#define EG_GROUP_SIZE 32
#define EG_ROWS 1u
#define EG_COLUMNS 1u
#define EG_DEPTH 32u
#define EG_SHARED 32
#define EG_LENGTH eg_u[2]
#define EG_SYNC memoryBarrierShared(); barrier();
void eg_batch(uint batch) {}
#define EG_DECLARE float c = 0.0; uint column = min(tile_column + thread, n - 1u);
#define EG_SHARE if (thread < steps) eg_rows[thread].x = eg_b0[eg_u[3] + tile_row * eg_u[4] + (first + thread) * eg_u[5]];
#define EG_UNROLLED 2u
#define EG_STEP(k) c += eg_rows[k].x * eg_b1[eg_u[6] + (first + (k)) * eg_u[7] + column * eg_u[8]];
#define EG_STEPS(k) EG_STEP(k) EG_STEP(k + 1u)
#define EG_STORE if (tile_column + thread < n) eg_b2[eg_u[9] + tile_row * eg_u[10] + column] = c;
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

shared EG_T4 eg_rows[EG_SHARED];
#ifdef EG_STEP_TABLE
shared uvec4 EG_STEP_TABLE;
#endif

void main() {
  uint m = eg_u[0], n = eg_u[1];
  uint thread = gl_LocalInvocationID.x;
  uint tile_row = gl_WorkGroupID.y * EG_ROWS, tile_column = gl_WorkGroupID.x * uint(EG_GROUP_SIZE) * EG_COLUMNS;
  eg_batch(gl_WorkGroupID.z + eg_u[11]);
  uint depth = EG_LENGTH;
  EG_DECLARE
  for (uint first = 0u; first < depth; first += EG_DEPTH) {
    uint steps = min(EG_DEPTH, depth - first);
    if (first > 0u) {
      EG_SYNC
    }
    EG_SHARE
    EG_SYNC
    uint k = 0u;
    for (; k + EG_UNROLLED <= steps; k += EG_UNROLLED) {
      EG_STEPS(k)
    }
    for (; k < steps; ++k) {
      EG_STEP(k)
    }
  }
  EG_STORE
}
