#version 430
// reduce_row: y[r] = combine over e of x(r, e), where the lanes of a group run along the reduced elements.
// x is (rows, n), read through the hole eg_elements(vector, e): the accumulators of elements e .. e + 3, e = 4 vector,
// of the row that eg_address(row) selects. Each row is cut into blocks of EG_LANES * 4 * EG_TRIPS elements; an item is
// one block of one row. A lane combines each of its four components over the trips serially, then those with each
// other; lanes combine in a binary tree (docs/reduction-tree.md). eg_finish(row, block, result) stores. Absent elements
// are the identity, which changes no bit, so short rows take only the lanes that have elements, and several rows share
// a group.
// Work group: EG_GROUP_SIZE invocations for EG_SLOTS lanes; a group works through a chunk of items. On software devices
// a group is one SIMD vector of the processor, and each invocation takes EG_LANES_EACH > 1 lanes of a block side by
// side, so that memory is read in order.
// EG_TWO_LEVEL: a group takes a whole row of up to 16 blocks, and combines those too. EG_SINGLE_PASS, for one long row:
// groups exchange the results of its blocks (eg_finish, eg_read_partial). The last group to finish a block of the next
// level combines it, and the last of those the rest, so that kernels need no barrier between them.
// Shared memory: EG_SLOTS accumulators. Bindings: declared by the generator.
// Two levels after Harris, "Optimizing Parallel Reduction in CUDA" (2007); the fixed blocks are ours. The last group's
// part is after NVIDIA's CUDA sample threadFenceReduction.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_SLOTS 64
#define EG_LANES 64
#define EG_TRIPS 32
#define EG_UNROLL 2
#define EG_LANES_EACH 1
#define EG_ACCUMULATOR float
#define EG_ACCUMULATORS vec4
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
#define EG_LANES_LOG2 eg_u[7]  // of the lanes that have elements, rounded up to a power of two
#define EG_LENGTH eg_u[8]      // n

layout(local_size_x = EG_GROUP_SIZE) in;

shared EG_ACCUMULATOR eg_slots[EG_SLOTS];

EG_ACCUMULATOR eg_reduce_lane(uint block, uint lane) {
  EG_ACCUMULATORS a = eg_identities();
  uint e = (block * uint(EG_TRIPS * EG_LANES) + lane) * 4u;
  uint end = min(EG_LENGTH, (block + 1u) * uint(EG_TRIPS * EG_LANES * 4));
#if EG_UNROLL > 1
  // Whole vectors, several loads in flight.
  for (; e + uint((EG_UNROLL - 1) * EG_LANES * 4 + 3) < end; e += uint(EG_UNROLL * EG_LANES * 4)) {
    EG_ACCUMULATORS x[EG_UNROLL];
    for (uint i = 0u; i < uint(EG_UNROLL); ++i) {
      uint at = e + i * uint(EG_LANES * 4);
      x[i] = eg_elements(at >> 2, at);
    }
    for (uint i = 0u; i < uint(EG_UNROLL); ++i) a = eg_follow4(a, x[i]);
  }
#endif
  for (; e < end; e += uint(EG_LANES * 4)) {
    EG_ACCUMULATORS x = eg_elements(e >> 2, e);
    if (end - e < 4u) x = eg_mask(x, end - e);
    a = eg_follow4(a, x);
  }
  return eg_fold(a);
}

#if EG_LANES_EACH > 1
#ifdef EG_ROLLED
#define EG_ACTIVE_LANES (EG_LANES_LOG2 == 0u ? 1u : uint(EG_LANES_EACH)) /* a count that drivers do not unroll */
#else
#define EG_ACTIVE_LANES uint(EG_LANES_EACH)
#endif
// All lanes of a block with more elements than lanes.
void eg_reduce_lanes(uint block) {
  EG_ACCUMULATORS a[EG_LANES_EACH];
  for (uint p = 0u; p < EG_ACTIVE_LANES; ++p) a[p] = eg_identities();
  uint e = (block * uint(EG_TRIPS * EG_LANES) + gl_LocalInvocationID.x) * 4u;
  uint end = min(EG_LENGTH, (block + 1u) * uint(EG_TRIPS * EG_LANES * 4));
  for (; e + uint((EG_LANES_EACH - 1) * EG_GROUP_SIZE * 4 + 3) < end; e += uint(EG_LANES * 4)) {
    for (uint p = 0u; p < EG_ACTIVE_LANES; ++p) {
      uint at = e + p * uint(EG_GROUP_SIZE * 4);
      a[p] = eg_follow4(a[p], eg_elements(at >> 2, at));
    }
  }
  if (e < end) {
    for (uint p = 0u; p < EG_ACTIVE_LANES; ++p) {
      uint at = e + p * uint(EG_GROUP_SIZE * 4);
      if (at < end) a[p] = eg_follow4(a[p], eg_mask(eg_elements(at >> 2, at), end - at));
    }
  }
  for (uint p = 0u; p < EG_ACTIVE_LANES; ++p)
    eg_slots[gl_LocalInvocationID.x + p * uint(EG_GROUP_SIZE)] = eg_fold(a[p]);
}
#endif

#ifdef EG_TWO_LEVEL
// A row of few blocks: a group reduces all its lanes at once, then the next level, which is one trip.
EG_ACCUMULATOR eg_block(uint b) {
  return b < uint(EG_GROUP_SIZE / EG_LANES) ? eg_slots[b * uint(EG_LANES)] : eg_identity();
}

EG_ACCUMULATOR eg_next_lane(uint lane) {
  uint b = lane * 4u;
  return eg_combine(eg_combine(eg_block(b), eg_block(b + 1u)), eg_combine(eg_block(b + 2u), eg_block(b + 3u)));
}

void main() {
  uint slot = gl_LocalInvocationID.x, lane = slot % uint(EG_LANES);
  for (uint item = gl_WorkGroupID.x; item < EG_ITEMS; item += gl_NumWorkGroups.x) {
    eg_address(item + EG_FIRST_ROW);
    eg_slots[slot] = eg_reduce_lane(slot / uint(EG_LANES), lane);
    memoryBarrierShared();
    barrier();
    for (uint h = uint(EG_LANES) / 2u; h > 0u; h >>= 1) {
      if (lane < h) eg_slots[slot] = eg_combine(eg_slots[slot], eg_slots[slot + h]);
      memoryBarrierShared();
      barrier();
    }
    if (slot == 0u)
      eg_finish(
          item + EG_FIRST_ROW, 0u,
          eg_combine(eg_combine(eg_next_lane(0u), eg_next_lane(2u)), eg_combine(eg_next_lane(1u), eg_next_lane(3u))));
    memoryBarrierShared();
    barrier();
  }
}
#else
#ifdef EG_SINGLE_PASS
// An invocation for each component of each lane of a block of the next level.
#define EG_BLOCK uint(EG_TRIPS* EG_LANES * 4)
#define EG_COMPONENTS uint(EG_LANES * 4)
const uint eg_unroll = 8u;
shared uint eg_arrived;

// Combines `count` partials, from number `first` on, as a block.
EG_ACCUMULATOR eg_reduce_partials(uint first, uint count) {
  uint i = gl_LocalInvocationID.x, e = i;
  EG_ACCUMULATOR a = eg_identity();
  for (; e + (eg_unroll - 1u) * EG_COMPONENTS < count; e += eg_unroll * EG_COMPONENTS) {
    EG_ACCUMULATOR x[eg_unroll];
    for (uint k = 0u; k < eg_unroll; ++k) x[k] = eg_read_partial(first + e + k * EG_COMPONENTS);
    for (uint k = 0u; k < eg_unroll; ++k) a = eg_combine(a, x[k]);
  }
  for (; e < count; e += EG_COMPONENTS) a = eg_combine(a, eg_read_partial(first + e));
  eg_slots[i] = a;
  memoryBarrierShared();
  barrier();
  for (uint apart = 1u; apart < 4u; apart <<= 1) {
    if (i % (2u * apart) == 0u) eg_slots[i] = eg_combine(eg_slots[i], eg_slots[i + apart]);
    memoryBarrierShared();
    barrier();
  }
  for (uint apart = EG_COMPONENTS / 2u; apart >= 4u; apart >>= 1) {
    if (i % 4u == 0u && i < apart) eg_slots[i] = eg_combine(eg_slots[i], eg_slots[i + apart]);
    memoryBarrierShared();
    barrier();
  }
  return eg_slots[0];
}

// Whether the group is the last to arrive, when `all` have; it can then read all partials.
bool eg_is_last(uint counter, uint count, uint all) {
  memoryBarrierBuffer();
  memoryBarrierShared();
  barrier();
  if (gl_LocalInvocationID.x == 0u) {
    eg_arrived = eg_arrive(counter, count) + count;
    if (eg_arrived == all) eg_reset(counter);
  }
  memoryBarrierShared();
  barrier();
  bool last = eg_arrived == all;
  memoryBarrierBuffer();
  memoryBarrierShared();
  barrier();
  return last;
}

EG_ACCUMULATOR eg_outer(uint block, uint count) {
  return block < count ? eg_read_partial(EG_ITEMS + block) : eg_identity();
}

// After items `first` to `end`. The next level has at most four blocks, which one invocation combines.
void eg_finish_row(uint first, uint end) {
  uint outer = (EG_ITEMS + EG_BLOCK - 1u) / EG_BLOCK;
  for (uint block = first / EG_BLOCK; block * EG_BLOCK < end; ++block) {
    uint start = block * EG_BLOCK, count = min(EG_ITEMS - start, EG_BLOCK);
    if (!eg_is_last(block + 1u, min(end, start + count) - max(first, start), count)) continue;
    EG_ACCUMULATOR result = eg_reduce_partials(start, count);
    if (gl_LocalInvocationID.x == 0u) eg_finish(0u, EG_ITEMS + block, result);
    if (!eg_is_last(0u, 1u, outer)) continue;
    result = eg_combine(eg_combine(eg_outer(0u, outer), eg_outer(1u, outer)),
                        eg_combine(eg_outer(2u, outer), eg_outer(3u, outer)));
    if (gl_LocalInvocationID.x == 0u) eg_deliver(result);
  }
}
#endif

void eg_reduce_slots(uint items, uint end, uint lanes_log2) {
  for (uint slot = gl_LocalInvocationID.x; slot < uint(EG_SLOTS); slot += uint(EG_GROUP_SIZE)) {
    uint item = items + (slot >> lanes_log2);
    EG_ACCUMULATOR result = eg_identity();
    if (item < end) {
      uint row = eg_divide(item, eg_u[3], eg_u[4]);
      uint block = item - row * EG_BLOCKS;
      eg_address(row + EG_FIRST_ROW);
      result = eg_reduce_lane(block + EG_FIRST_BLOCK, slot & ((1u << lanes_log2) - 1u));
    }
    eg_slots[slot] = result;
  }
}

void main() {
  uint lanes_log2 = EG_LANES_LOG2;
  uint items_at_once = uint(EG_SLOTS) >> lanes_log2;
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_ITEMS);
  for (uint items = first; items < end; items += items_at_once) {
#if EG_LANES_EACH > 1
    if (items_at_once == 1u) {
      uint row = eg_divide(items, eg_u[3], eg_u[4]);
      eg_address(row + EG_FIRST_ROW);
      eg_reduce_lanes(items - row * EG_BLOCKS + EG_FIRST_BLOCK);
    } else {
      eg_reduce_slots(items, end, lanes_log2);
    }
#else
    eg_reduce_slots(items, end, lanes_log2);
#endif
    memoryBarrierShared();
    barrier();
    for (uint level = lanes_log2; level > 0u; --level) {
      uint half_log2 = level - 1u;
      uint pairs = items_at_once << half_log2;
      for (uint pair = gl_LocalInvocationID.x; pair < pairs; pair += uint(EG_GROUP_SIZE)) {
        uint slot = ((pair >> half_log2) << lanes_log2) + (pair & ((1u << half_log2) - 1u));
        eg_slots[slot] = eg_combine(eg_slots[slot], eg_slots[slot + (1u << half_log2)]);
      }
      memoryBarrierShared();
      barrier();
    }
    for (uint i = gl_LocalInvocationID.x; i < items_at_once; i += uint(EG_GROUP_SIZE)) {
      uint item = items + i;
      if (item < end) {
        uint row = eg_divide(item, eg_u[3], eg_u[4]);
        eg_finish(row + EG_FIRST_ROW, item - row * EG_BLOCKS + EG_FIRST_BLOCK, eg_slots[i << lanes_log2]);
      }
    }
    memoryBarrierShared();
    barrier();
  }
#ifdef EG_SINGLE_PASS
  if (first < end) eg_finish_row(first, end);
#endif
}
#endif
