#version 430
// matmul_matrices: out[i, j] = sum over k of a[i, k] * b[k, j] for many small matrices. A work group copies EG_TOGETHER
// matrices of a and of b, as they lie in memory, into shared memory, and multiplies them there, EG_ROWS x EG_COLUMNS
// results an invocation at a time: of one alone a tile would be mostly empty. Under EG_IN_ORDER it has the results there,
// too, and stores them one after the other.
//
// a (batch, m, k), b (batch, k, n), any strides; out (batch, m, n), through eg_put, or in order through eg_result. Under
// a negative stride an operand begins at its last matrix, row or k; addresses that go back from the first wrap around.
// Work group: EG_GROUP_SIZE invocations; groups along x are of the innermost batch axis, along y of the others. Rows of
// an invocation are a number of tiles apart, and so are its columns, so that neighbouring invocations read and write
// neighbouring elements; but columns of narrow results are neighbours, where four are whole words.
// Shared memory: EG_SHARED elements: all vectors of memory from the lowest to the highest element of a's matrices, then
// b's; results in order behind those, or under EG_OVER_OPERANDS, where an invocation has one tile, in their place. A
// multiprocessor has it for few groups, which wait for memory most of their time: so all loads of a group come before
// its first store. Under EG_AHEAD there are as many groups as the device holds, and each loads its next matrices while it
// multiplies.
//
// Holes: EG_LENGTH (of k), EG_BATCHES (of the innermost batch axis), EG_T and EG_VECTOR (element type, and four),
// EG_SYNC (orders shared memory), EG_A_BATCH and EG_B_BATCH (strides of that axis), EG_READ_A(i) and EG_READ_B(i) (a
// vector of memory), text over an invocation's vectors: EG_VECTORS (declares them), EG_LOAD (EG_FETCH for each), EG_KEEP
// (EG_KEEP_VECTOR for each); EG_DECLARE (sums, and
// the addresses of the invocation's rows and columns in eg_matrices, where a's matrix begins at at_a and b's at at_b),
// EG_STEP (adds the products of one k, ka and kb elements further), EG_STORE: text over the results, in order from
// eg_matrices[at] on; EG_WIDTH and EG_DELIVER(number, i): so many of these, from a number among all and an address on.
// EG_FOUR_STEPS: the loop takes four steps a trip. eg_batch(batch).
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) readonly buffer EgBlock1 { vec4 eg_b1[]; };
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
#define EG_VECTOR vec4
#define EG_SYNC memoryBarrierShared(); barrier();
#define EG_LENGTH eg_u[2]
#define EG_A_BATCH eg_u[13]
#define EG_B_BATCH eg_u[14]
#define EG_READ_A(i) eg_b0[i]
#define EG_READ_B(i) eg_b1[i]
#define EG_VECTORS vec4 a0;
#define EG_LOAD EG_FETCH(EG_READ_A, a0, 0u, from_a, span_a)
#define EG_KEEP EG_KEEP_VECTOR(a0, 0u, 0u, span_a)
#define EG_DECLARE float c = 0.0; uint a0 = at_a + row * eg_u[4], b0 = at_b + column * eg_u[8];
#define EG_STEP c += eg_matrices[a0 + ka] * eg_matrices[b0 + kb];
#define EG_STORE eg_b2[row * eg_u[10] + column] = c;
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

shared EG_T eg_matrices[EG_SHARED];

// Vector i of an invocation, of the `span` elements from element `from` on, both multiples of four.
#define EG_PLACE(i) (gl_LocalInvocationID.x + i * uint(EG_GROUP_SIZE))
#define EG_FETCH(READ, x, i, from, span) x = READ((from >> 2) + min(EG_PLACE(i), (span >> 2) - 1u));
#define EG_KEEP_VECTOR(x, i, to, span) if (4u * EG_PLACE(i) < span) eg_keep(to + 4u * EG_PLACE(i), x);

#define EG_NEXT { EG_STEP } ka += eg_u[5]; kb += eg_u[7];

void eg_keep(uint at, EG_VECTOR x) {
  eg_matrices[at] = x.x;
  eg_matrices[at + 1u] = x.y;
  eg_matrices[at + 2u] = x.z;
  eg_matrices[at + 3u] = x.w;
}

// From the first element to the last of so many steps, and from the lowest to the first.
uint eg_reach(uint steps, uint stride) { return steps * uint(abs(int(stride))); }
uint eg_before(uint steps, uint stride) { return int(stride) < 0 ? eg_reach(steps, stride) : 0u; }

// The matrices of a group: the first's number, and how many they are.
uint eg_first, eg_count;
// The vectors of memory that they lie in: the first's first element, all elements, and those before the first matrix.
uint from_a, from_b, span_a, span_b, before_a, before_b;

void eg_locate(uint group) {
  uint m = eg_u[0], n = eg_u[1], depth = EG_LENGTH;
  uint in_axis = group * EG_TOGETHER + eg_u[11];
  eg_count = min(EG_TOGETHER, EG_BATCHES - in_axis);
  eg_first = gl_WorkGroupID.y * EG_BATCHES + in_axis;
  uint others = eg_count - 1u;
  before_a = eg_before(others, EG_A_BATCH) + eg_before(m - 1u, eg_u[4]) + eg_before(depth - 1u, eg_u[5]);
  before_b = eg_before(others, EG_B_BATCH) + eg_before(depth - 1u, eg_u[7]) + eg_before(n - 1u, eg_u[8]);
  span_a = eg_reach(others, EG_A_BATCH) + eg_reach(m - 1u, eg_u[4]) + eg_reach(depth - 1u, eg_u[5]) + 1u;
  span_b = eg_reach(others, EG_B_BATCH) + eg_reach(depth - 1u, eg_u[7]) + eg_reach(n - 1u, eg_u[8]) + 1u;
  eg_batch(eg_first);
  from_a = eg_a_base - before_a;
  from_b = eg_b_base - before_b;
  before_a += from_a & 3u;
  before_b += from_b & 3u;
  span_a = (span_a + (from_a & 3u) + 3u) & ~3u;
  span_b = (span_b + (from_b & 3u) + 3u) & ~3u;
}

// What is in shared memory, which eg_locate() told.
void eg_multiply(uint first, uint count, uint before_a, uint before_b, uint span_a, uint span_b) {
  uint m = eg_u[0], n = eg_u[1], depth = EG_LENGTH;
  uint across = (n + EG_COLUMNS - 1u) / EG_COLUMNS, down = (m + EG_ROWS - 1u) / EG_ROWS, tiles = across * down;
#ifdef EG_OVER_OPERANDS
  uint results = 0u;
#else
  uint results = span_a + span_b;
#endif
  for (uint begin = 0u; begin < count * tiles; begin += uint(EG_GROUP_SIZE)) {
    uint tile = begin + gl_LocalInvocationID.x, steps = tile < count * tiles ? depth : 0u;
    uint matrix = tile / tiles, row = tile % tiles / across, column = tile % tiles % across;
    uint at_a = before_a + matrix * EG_A_BATCH, at_b = span_a + before_b + matrix * EG_B_BATCH;
    EG_DECLARE
    uint k = 0u, ka = 0u, kb = 0u;
#ifdef EG_FOUR_STEPS
    for (; k + 3u < steps; k += 4u) {
      EG_NEXT EG_NEXT EG_NEXT EG_NEXT
    }
#endif
    for (; k < steps; ++k) {
      EG_NEXT
    }
#ifdef EG_OVER_OPERANDS
    EG_SYNC
#endif
    if (steps > 0u) {
#ifdef EG_IN_ORDER
      uint at = results + matrix * m * n;
#else
      eg_batch(first + matrix);
#endif
      EG_STORE
    }
  }
#ifdef EG_IN_ORDER
  EG_SYNC
  for (uint i = EG_WIDTH * gl_LocalInvocationID.x; i < count * m * n; i += EG_WIDTH * uint(EG_GROUP_SIZE)) {
    EG_DELIVER(first * m * n + i, results + i)
  }
#endif
}

void main() {
  uint group = gl_WorkGroupID.x;
  EG_VECTORS
  eg_locate(group);
  EG_LOAD
#ifdef EG_AHEAD
  for (;;) {
    EG_KEEP
    EG_SYNC
    uint first = eg_first, count = eg_count, at_a = before_a, at_b = before_b, of_a = span_a, of_b = span_b;
    group += gl_NumWorkGroups.x;
    bool more = group * EG_TOGETHER < EG_BATCHES;
    if (more) {
      eg_locate(group);
      EG_LOAD
    }
    eg_multiply(first, count, at_a, at_b, of_a, of_b);
    if (!more) break;
    EG_SYNC
  }
#else
  EG_KEEP
  EG_SYNC
  eg_multiply(eg_first, eg_count, before_a, before_b, span_a, span_b);
#endif
}
