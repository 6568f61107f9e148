#version 430
// matmul_register: out[i, j] = sum over k of a[i, k] * b[k, j], batched; each invocation has a tile of EG_ROWS x
// EG_COLUMNS results in registers and reads both operands straight from memory. No shared memory, no barriers: for
// software drivers, where a barrier costs more than a load, and for many matrices, small ones or of a few rows.
//
// a (batch, m, k), b (batch, k, n), any strides; out (batch, m, n), through eg_put. Of contractions over groups of axes,
// convolutions among them, a and b are expressions: eg_a_address(row of all batches), eg_a(k), the same of b's columns.
// Work group: EG_LOCAL_X x EG_LOCAL_Y invocations, along columns and rows; groups in z are batches. Of many small
// matrices, of which one leaves most of a group idle, the tiles of all EG_BATCHES are numbered together, along x.
// Loop: k / 4 steps and the rest; the host cuts k where a driver bounds an invocation's loop trips. Where EG_STEP12 is
// defined, a trip is 12 steps, whole windows that overlap, and reads what neighbouring columns share once.
// Register tiling: Volkov and Demmel, "Benchmarking GPUs to tune dense linear algebra", 2008.
//
// Holes: EG_LENGTH (of k, or of the group's chunk of it), EG_DECLARE, EG_STEP4(k), EG_STEP1(k), EG_STORE: text over the
// tile, unrolled since drivers do not unroll it, but for rows that are stored. eg_batch(batch).
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { float eg_b0[]; };
layout(std430, binding = 1) readonly buffer EgBlock1 { float eg_b1[]; };
layout(std430, binding = 2) buffer EgBlock2 { float eg_b2[]; };
layout(location = 0) uniform uint eg_u[12];
#define EG_ROWS 1u
#define EG_COLUMNS 1u
#define EG_LOCAL_X 8
#define EG_LOCAL_Y 8
#define EG_LENGTH eg_u[2]
void eg_batch(uint batch) {}
#define EG_DECLARE float c = 0.0;
#define EG_STEP1(k) c += eg_b0[eg_u[3] + row * eg_u[4] + (k) * eg_u[5]] * eg_b1[eg_u[6] + (k) * eg_u[7] + column * eg_u[8]];
#define EG_STEP4(k) EG_STEP1(k) EG_STEP1(k + 1u) EG_STEP1(k + 2u) EG_STEP1(k + 3u)
#define EG_STORE eg_b2[eg_u[9] + row * eg_u[10] + column] = c;
#endif

layout(local_size_x = EG_LOCAL_X, local_size_y = EG_LOCAL_Y) in;

void main() {
  uint m = eg_u[0], n = eg_u[1];
#ifdef EG_BATCHES
  uint number = gl_GlobalInvocationID.x + eg_u[11];
  uint across = (n + EG_COLUMNS - 1u) / EG_COLUMNS, down = (m + EG_ROWS - 1u) / EG_ROWS;
  uint column = number % across * EG_COLUMNS, row = number / across % down * EG_ROWS, batch = number / across / down;
  if (batch >= EG_BATCHES) return;
#else
  uint row = gl_GlobalInvocationID.y * EG_ROWS, column = gl_GlobalInvocationID.x * EG_COLUMNS;
  uint batch = gl_WorkGroupID.z + eg_u[11];
  if (row >= m || column >= n) return;
#endif
  eg_batch(batch);
  uint depth = EG_LENGTH;
  EG_DECLARE
  uint k = 0u;
#ifdef EG_STEP12
  for (; k < depth; k += 12u) {
    EG_STEP12(k)
  }
#else
  for (; k + 4u <= depth; k += 4u) {
    EG_STEP4(k)
  }
  for (; k < depth; ++k) {
    EG_STEP1(k)
  }
#endif
  EG_STORE
}
