#version 430
// matmul_shared: out[i, j] = sum over k of a[i, k] * b[k, j], batched; a work group computes a tile of EG_TILE_M x EG_TILE_N results from tiles of a and
// b that it brings into shared memory EG_DEPTH steps of k at a time; each invocation holds EG_ROWS x EG_COLUMNS of them in registers.
//
// a (batch, m, k), b (batch, k, n), any strides; out (batch, m, n), rows of stride eg_u[10].
// Bindings: 0 a, 1 b, 2 out. Work group: EG_LOCAL_X x EG_LOCAL_Y invocations, across columns and rows; groups in z are batches.
// Shared memory: EG_DEPTH x (EG_TILE_M + EG_TILE_N + 8) elements, both tiles with k outermost, so that the inner loop reads vec4s; each row is four
// elements longer than it must be, so that the transposing stores of neighbouring rows fall into different banks.
// An element outside of a or b counts as 0: every invocation takes part in every barrier.
// After Volkov and Demmel, "Benchmarking GPUs to tune dense linear algebra", 2008.
//
// Holes: EG_T, EG_T4 (element types), EG_DECLARE, EG_STEP (one k of the tiles), EG_STORE; eg_a_at(row, k), eg_b_at(k, column); eg_batch(batch).
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer eg_block0 { float eg_a[]; };
layout(std430, binding = 1) readonly buffer eg_block1 { float eg_b[]; };
layout(std430, binding = 2) buffer eg_block2 { float eg_out[]; };
layout(location = 0) uniform uint eg_u[13];
#define EG_T float
#define EG_T4 vec4
#define EG_ROWS 4u
#define EG_COLUMNS 4u
#define EG_LOCAL_X 16
#define EG_LOCAL_Y 16
#define EG_TILE_M 64u
#define EG_TILE_N 64u
#define EG_DEPTH 16u
#define EG_A_K_FIRST 1
#define EG_B_K_FIRST 0
uint eg_a_base, eg_b_base, eg_out_base;
void eg_batch(uint batch) {
  eg_a_base = eg_u[3];
  eg_b_base = eg_u[6];
  eg_out_base = eg_u[9];
}
float eg_a_at(uint row, uint k) { return eg_a[eg_a_base + row * eg_u[4] + k * eg_u[5]]; }
float eg_b_at(uint k, uint column) { return eg_b[eg_b_base + k * eg_u[7] + column * eg_u[8]]; }
#define EG_DECLARE vec4 c = vec4(0.0);
#define EG_STEP c += eg_tile_a[a_at].x * eg_tile_b[b_at];
#define EG_STORE if (row < m && column < n) eg_out[eg_out_base + row * eg_u[10] + column] = c.x;
#endif

layout(local_size_x = EG_LOCAL_X, local_size_y = EG_LOCAL_Y) in;

// Rows of vec4s: element [k][i] is component i % 4 of number k * (tile / 4 + 1) + i / 4.
shared EG_T4 eg_tile_a[EG_DEPTH * (EG_TILE_M / 4u + 1u)];
shared EG_T4 eg_tile_b[EG_DEPTH * (EG_TILE_N / 4u + 1u)];

const uint group_size = uint(EG_LOCAL_X * EG_LOCAL_Y);

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint tile_row = gl_WorkGroupID.y * EG_TILE_M, tile_column = gl_WorkGroupID.x * EG_TILE_N;
  uint m = eg_u[0], n = eg_u[1], depth = eg_u[2];
  eg_batch(gl_WorkGroupID.z + eg_u[12]);
  EG_DECLARE
  for (uint first = 0u; first < depth; first += EG_DEPTH) {
    for (uint e = lane; e < EG_TILE_M * EG_DEPTH; e += group_size) {
#if EG_A_K_FIRST
      uint i = e / EG_DEPTH, k = e % EG_DEPTH;
#else
      uint i = e % EG_TILE_M, k = e / EG_TILE_M;
#endif
      EG_T value = EG_T(0);
      if (tile_row + i < m && first + k < depth) value = eg_a_at(tile_row + i, first + k);
      eg_tile_a[k * (EG_TILE_M / 4u + 1u) + i / 4u][i % 4u] = value;
    }
    for (uint e = lane; e < EG_TILE_N * EG_DEPTH; e += group_size) {
#if EG_B_K_FIRST
      uint i = e / EG_DEPTH, k = e % EG_DEPTH;
#else
      uint i = e % EG_TILE_N, k = e / EG_TILE_N;
#endif
      EG_T value = EG_T(0);
      if (tile_column + i < n && first + k < depth) value = eg_b_at(first + k, tile_column + i);
      eg_tile_b[k * (EG_TILE_N / 4u + 1u) + i / 4u][i % 4u] = value;
    }
    memoryBarrierShared();
    barrier();
    uint a_at = gl_LocalInvocationID.y * (EG_ROWS / 4u), b_at = gl_LocalInvocationID.x * (EG_COLUMNS / 4u);
    for (uint k = 0u; k < EG_DEPTH; ++k) {
      EG_STEP
      a_at += EG_TILE_M / 4u + 1u;
      b_at += EG_TILE_N / 4u + 1u;
    }
    memoryBarrierShared();
    barrier();
  }
  uint row = tile_row + gl_LocalInvocationID.y * EG_ROWS, column = tile_column + gl_LocalInvocationID.x * EG_COLUMNS;
  EG_STORE
}
