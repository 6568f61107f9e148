#version 430
// matmul_fitted: out[i, j] = sum over k of a[i, k] * b[k, j] for many matrices of up to some hundred rows and columns. A
// work group has as many invocations as the results of its matrices, or of its part of one, take: EG_ROWS x EG_COLUMNS
// results each. Tiles of fixed sizes would be half empty where lengths are a little more than theirs, or less.
//
// a (batch, m, k), b (batch, k, n), any strides; out (batch, m, n), through eg_put, or in order through eg_result.
// Work group: EG_GROUP_SIZE invocations, a multiple of 32. Groups along x have EG_TOGETHER matrices of the innermost
// batch axis each, along y are those of the other axes, along z parts of EG_TILE_M x EG_TILE_N results of a matrix.
// Shared memory: EG_SHARED elements: EG_DEPTH of k of both operands, the lines of a k side by side. There is one such
// step at a time, and the next waits in registers: more groups then share a multiprocessor's memory, and each covers the
// others' waits. Under EG_IN_ORDER it takes the results, EG_WINDOW at a time, which are stored one after the other.
// Four neighbours are written and read by statements of their own, which drivers join: vectors in shared memory of which
// one component is written took up to 3.7 times as long on NVIDIA.
//
// Holes: EG_LENGTH (of k), EG_BATCHES (of the innermost batch axis), EG_T (element type), EG_SYNC (orders shared memory),
// EG_A_BATCH and EG_B_BATCH (strides of that axis); text over what an invocation loads in a step: EG_DECLARE (its lines
// and slots, and the sums), EG_FETCH (memory to registers, from `first_k` on), EG_KEEP (registers to shared memory);
// EG_STEP(k) (adds the products of one k in shared memory, of a's lines at at_a and b's at at_b), EG_MULTIPLY (EG_STEP
// of all); EG_STORE: text over the results, in order to eg_tiles[to]; EG_WIDTH and EG_DELIVER(number, i): so many of
// these, from a number among all and an address on. eg_batch(batch).
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { float eg_b0[]; };
layout(std430, binding = 1) readonly buffer EgBlock1 { float eg_b1[]; };
layout(std430, binding = 2) buffer EgBlock2 { float eg_b2[]; };
layout(location = 0) uniform uint eg_u[16];
uint eg_a_base, eg_b_base;
void eg_batch(uint batch) {}
#define EG_ROWS 1u
#define EG_COLUMNS 1u
#define EG_DOWN 4u
#define EG_ACROSS 8u
#define EG_TILE_M 4u
#define EG_TILE_N 8u
#define EG_GROUP_SIZE 32
#define EG_TOGETHER 1u
#define EG_BATCHES eg_u[12]
#define EG_DEPTH 1u
#define EG_A_LINES 4u
#define EG_B_LINES 8u
#define EG_SHARED 12
#define EG_T float
#define EG_SYNC memoryBarrierShared(); barrier();
#define EG_LENGTH eg_u[2]
#define EG_A_BATCH eg_u[13]
#define EG_B_BATCH eg_u[14]
#define EG_DECLARE \
  float c = 0.0, a, b; \
  uint line_a = min(first_row + thread % 4u, m - 1u), line_b = min(first_column + thread % 8u, n - 1u);
#define EG_FETCH \
  a = eg_b0[eg_a_base + line_a * eg_u[4] + first_k * eg_u[5]]; \
  b = eg_b1[eg_b_base + first_k * eg_u[7] + line_b * eg_u[8]];
#define EG_KEEP if (thread < 4u) eg_tiles[thread] = a; if (thread < 8u) eg_tiles[4u + thread] = b;
#define EG_STEP(k) c += eg_tiles[at_a] * eg_tiles[at_b];
#define EG_MULTIPLY EG_STEP(0u)
#define EG_STORE eg_b2[(first_row + row) * eg_u[10] + first_column + column] = c;
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

shared EG_T eg_tiles[EG_SHARED];

void main() {
  uint m = eg_u[0], n = eg_u[1], depth = EG_LENGTH, thread = gl_LocalInvocationID.x;
  uint in_axis = gl_WorkGroupID.x * EG_TOGETHER + eg_u[11];
  uint count = min(EG_TOGETHER, EG_BATCHES - in_axis), first = gl_WorkGroupID.y * EG_BATCHES + in_axis;
  uint parts_across = (n + EG_TILE_N - 1u) / EG_TILE_N;
  uint first_row = gl_WorkGroupID.z / parts_across * EG_TILE_M;
  uint first_column = gl_WorkGroupID.z % parts_across * EG_TILE_N;
  eg_batch(first);

  // Invocations past the last tile have that one once more, and store nothing.
  const uint tiles = EG_DOWN * EG_ACROSS;
  uint tile = min(thread, EG_TOGETHER * tiles - 1u), matrix = tile / tiles;
  uint row = tile % tiles / EG_ACROSS * EG_ROWS, column = tile % EG_ACROSS * EG_COLUMNS;
  bool stores = thread < EG_TOGETHER * tiles && matrix < count;
  uint at_a = matrix * (EG_A_LINES * EG_DEPTH) + row;
  uint at_b = EG_TOGETHER * EG_A_LINES * EG_DEPTH + matrix * (EG_B_LINES * EG_DEPTH) + column;
  uint first_k = 0u;
  EG_DECLARE
  EG_FETCH
  for (;;) {
    EG_KEEP
    EG_SYNC
    uint left = depth - first_k;
    if (left > EG_DEPTH) {
      first_k += EG_DEPTH;
      EG_FETCH
    }
    if (left >= EG_DEPTH) {
      EG_MULTIPLY
    } else {
      for (uint k = 0u; k < left; ++k) {
        EG_STEP(k)
      }
    }
    if (left <= EG_DEPTH) break;
    EG_SYNC
  }
#ifdef EG_IN_ORDER
  uint rows = EG_TOGETHER > 1u ? count * m : min(EG_TILE_M, m - first_row);
  uint begin = (first * m + first_row) * n, total = rows * n;
  for (uint from = 0u; from < total; from += EG_WINDOW) {
    EG_SYNC
    if (stores) {
      uint to = (matrix * m + row) * n + column - from;
      EG_STORE
    }
    EG_SYNC
    uint most = min(EG_WINDOW, total - from);
    for (uint i = EG_WIDTH * thread; i < most; i += EG_WIDTH * uint(EG_GROUP_SIZE)) {
      EG_DELIVER(begin + from + i, i)
    }
  }
#else
  if (stores) {
    eg_batch(first + matrix);
    EG_STORE
  }
#endif
}
