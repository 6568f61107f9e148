#version 430
// matmul_matrices: out[i, j] = sum over k of a[i, k] * b[k, j] for many small matrices. A work group copies EG_TOGETHER
// matrices of a and of b, as they lie in memory, into shared memory, and multiplies them there, EG_ROWS x EG_COLUMNS
// results an invocation at a time: of one alone a tile would be mostly empty.
//
// a (batch, m, k), b (batch, k, n), any strides; out (batch, m, n), through eg_put. Under a negative stride an operand
// begins at its last matrix, row or k; addresses that go back from the first one wrap around.
// Work group: EG_GROUP_SIZE invocations; groups along x are of the innermost batch axis, along y of the others. Rows of
// an invocation are a number of tiles apart, and so are its columns, so that neighbouring invocations read and write
// neighbouring elements; but columns of narrow results are neighbours, where four are whole words.
// Shared memory: EG_SHARED elements: all that lies between the lowest and the highest one of a's matrices, then b's.
//
// Holes: EG_LENGTH (of k), EG_BATCHES (of the innermost batch axis), EG_T (element type), EG_SYNC (orders shared
// memory), EG_A_BATCH and EG_B_BATCH (strides of that axis), EG_READ_A(at) and EG_READ_B(at) (an element in memory),
// EG_DECLARE (sums, and the addresses of the invocation's rows and columns in eg_matrices, where a's matrix begins at
// at_a and b's at at_b), EG_STEP (adds the products of one k, ka and kb elements further), EG_STORE: text over the
// results. eg_batch(batch).
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { float eg_b0[]; };
layout(std430, binding = 1) readonly buffer EgBlock1 { float eg_b1[]; };
layout(std430, binding = 2) buffer EgBlock2 { float eg_b2[]; };
layout(location = 0) uniform uint eg_u[16];
uint eg_a_base, eg_b_base;
void eg_batch(uint batch) {}
#define EG_ROWS 1u
#define EG_COLUMNS 1u
#define EG_GROUP_SIZE 32
#define EG_TOGETHER 1u
#define EG_BATCHES eg_u[12]
#define EG_SHARED 64
#define EG_T float
#define EG_SYNC memoryBarrierShared(); barrier();
#define EG_LENGTH eg_u[2]
#define EG_A_BATCH eg_u[13]
#define EG_B_BATCH eg_u[14]
#define EG_READ_A(at) eg_b0[at]
#define EG_READ_B(at) eg_b1[at]
#define EG_DECLARE float c = 0.0; uint a0 = at_a + row * eg_u[4], b0 = at_b + column * eg_u[8];
#define EG_STEP c += eg_matrices[a0 + ka] * eg_matrices[b0 + kb];
#define EG_STORE eg_b2[row * eg_u[10] + column] = c;
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

shared EG_T eg_matrices[EG_SHARED];

#define EG_FETCH(READ, x, i, from, span) EG_T x = READ(from + min(e + i * uint(EG_GROUP_SIZE), span - 1u));
#define EG_KEEP(x, i, to, span) \
  if (e + i * uint(EG_GROUP_SIZE) < span) eg_matrices[to + e + i * uint(EG_GROUP_SIZE)] = x;

/// Copies `span` elements, eight of an invocation on their way at a time: a multiprocessor has shared memory for few
/// groups, which wait for memory most of their time.
#define EG_COPY(READ, from, to, span) \
  for (uint e = gl_LocalInvocationID.x; e < span; e += 8u * uint(EG_GROUP_SIZE)) { \
    EG_FETCH(READ, x0, 0u, from, span) EG_FETCH(READ, x1, 1u, from, span) EG_FETCH(READ, x2, 2u, from, span) \
    EG_FETCH(READ, x3, 3u, from, span) EG_FETCH(READ, x4, 4u, from, span) EG_FETCH(READ, x5, 5u, from, span) \
    EG_FETCH(READ, x6, 6u, from, span) EG_FETCH(READ, x7, 7u, from, span) \
    EG_KEEP(x0, 0u, to, span) EG_KEEP(x1, 1u, to, span) EG_KEEP(x2, 2u, to, span) EG_KEEP(x3, 3u, to, span) \
    EG_KEEP(x4, 4u, to, span) EG_KEEP(x5, 5u, to, span) EG_KEEP(x6, 6u, to, span) EG_KEEP(x7, 7u, to, span) \
  }

// From the first element to the last of so many steps, and from the lowest to the first.
uint eg_reach(uint steps, uint stride) { return steps * uint(abs(int(stride))); }
uint eg_before(uint steps, uint stride) { return int(stride) < 0 ? eg_reach(steps, stride) : 0u; }

void main() {
  uint m = eg_u[0], n = eg_u[1], depth = EG_LENGTH;
  uint in_axis = gl_WorkGroupID.x * EG_TOGETHER + eg_u[11], count = min(EG_TOGETHER, EG_BATCHES - in_axis);
  uint first = gl_WorkGroupID.y * EG_BATCHES + in_axis;
  uint others = count - 1u;
  uint span_a = eg_reach(others, EG_A_BATCH) + eg_reach(m - 1u, eg_u[4]) + eg_reach(depth - 1u, eg_u[5]) + 1u;
  uint span_b = eg_reach(others, EG_B_BATCH) + eg_reach(depth - 1u, eg_u[7]) + eg_reach(n - 1u, eg_u[8]) + 1u;
  uint before_a = eg_before(others, EG_A_BATCH) + eg_before(m - 1u, eg_u[4]) + eg_before(depth - 1u, eg_u[5]);
  uint before_b = eg_before(others, EG_B_BATCH) + eg_before(depth - 1u, eg_u[7]) + eg_before(n - 1u, eg_u[8]);
  eg_batch(first);
  EG_COPY(EG_READ_A, (eg_a_base - before_a), 0u, span_a)
  EG_COPY(EG_READ_B, (eg_b_base - before_b), span_a, span_b)
  EG_SYNC
  uint across = (n + EG_COLUMNS - 1u) / EG_COLUMNS, down = (m + EG_ROWS - 1u) / EG_ROWS, tiles = across * down;
  for (uint tile = gl_LocalInvocationID.x; tile < count * tiles; tile += uint(EG_GROUP_SIZE)) {
    uint matrix = tile / tiles, row = tile % tiles / across, column = tile % tiles % across;
    uint at_a = before_a + matrix * EG_A_BATCH, at_b = span_a + before_b + matrix * EG_B_BATCH;
    eg_batch(first + matrix);
    EG_DECLARE
    for (uint k = 0u, ka = 0u, kb = 0u; k < depth; ++k, ka += eg_u[5], kb += eg_u[7]) {
      EG_STEP
    }
    EG_STORE
  }
}
