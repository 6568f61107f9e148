#version 430
// scan_tile: y[r, e] = x[r, 0] o ... o x[r, e], o = eg_combine, along contiguous rows; under EG_EXCLUSIVE without x[r,
// e], so that y[r, 0] is the identity. Each element is read once and written once.
// x is (rows, n), read through the hole eg_load(vector): elements 4 vector .. 4 vector + 3 of the row that
// eg_address(row) selects. eg_finish(vector, values) stores.
// Where vectors are not whole ones in memory, as of rows from the back or of odd lengths, under EG_LOADS_SINGLY
// eg_load(element) reads, and under EG_STORES_SINGLY eg_finish(element, value) stores one element: neighbours access
// neighbours, and the lanes of a warp exchange what they hold. Vectors element by element would access a fourth of each
// sector of memory at a time.
// A tile is in the registers of EG_LANES lanes of EG_WARPS warps, EG_VECTORS vectors each, neighbours reading
// neighbours. Without EG_LOOK_BACK a tile is a row, and a group works through EG_GROUP_ITEMS rows, as many at a time as
// fit. Under EG_LOOK_BACK rows are cut into tiles, one a group (under EG_ONE_ROW each group has only one, all of one
// row).
// Look-back: a tile publishes its total before it is scanned, the last of each 32 the total of all 32, and the last of
// each 32 of those likewise. The prefix of a tile combines at most 31 tiles of its own run of 32, the 32 of the run
// before, at most 31 runs, and all runs of 1024 tiles before them: always these partials in this order, whichever is
// done first. A warp waits for each of the four, all at the same time. (The run before is read as tiles, which are
// known sooner than its total.)
// A partial is published as (bits, bits ^ EG_KEY) over zeros, so that half of one is never taken for a whole. After
// EG_SPIN_LIMIT polls a group computes the missing tile itself, to the same bits: no result depends on the progress of
// other groups, only speed does.
// Work group: EG_GROUP_SIZE invocations, warps of 32: subgroups under EG_SUBGROUPS, else neighbours that exchange
// values in shared memory.
// Shared memory: two values for each warp, four partials and the tile's total; without EG_SUBGROUPS EG_GROUP_SIZE
// values. No bank conflicts: neighbours touch neighbours, or all the same word.
// EG_IN_ARRAY is the element type of arrays of EG_VALUES, EG_ONE_IN_ARRAY of EG_VALUE: uvec4 and uint for booleans,
// since zink has no arrays of bool.
// Bindings: declared by the generator; with look-back one is (coherent) state, for eg_arrived and eg_publish.
// After Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (NVR-2016-002), with fixed
// partials in place of whatever prefix is there; the fallback is that of Smith, Levien and Owens, "Decoupled Fallback"
// (SPAA 2025).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 128
#define EG_VECTORS 4
#define EG_LANES 32
#define EG_WARPS 4
#define EG_LOOK_BACK
#define EG_VALUE float
#define EG_VALUES vec4
#define EG_IN_ARRAY vec4
#define EG_ONE_IN_ARRAY float
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
layout(std430, binding = 2) restrict coherent volatile buffer EgBlock2 { uvec2 eg_b2[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
float eg_identity() { return 0.0; }
float eg_combine(float a, float b) { return a + b; }
void eg_address(uint row) { eg_row = row; }
vec4 eg_load(uint vector) { return eg_b0[eg_row * eg_u[5] + vector]; }
void eg_finish(uint vector, vec4 values) { eg_b1[eg_row * eg_u[5] + vector] = values; }
bool eg_arrived(uint partial, out float value) {
  uvec2 found = eg_b2[partial];
  value = uintBitsToFloat(found.x);
  return (found.x ^ 1u) == found.y;
}
void eg_publish(uint partial, float value) {
  eg_b2[partial] = uvec2(floatBitsToUint(value), floatBitsToUint(value) ^ 1u);
}
#endif
#define EG_ITEMS eg_u[0]         // rows of this dispatch, or tiles of all its rows
#define EG_GROUP_ITEMS eg_u[1]   // rows of a group
#define EG_WINDOW_TILES eg_u[2]  // tiles of a row in this dispatch; 3 and 4 divide by it
#define EG_LENGTH eg_u[5]        // vectors of a row in this dispatch
#define EG_FIRST eg_u[6]         // the first tile's number in its row
#define EG_TILES eg_u[7]         // of a whole row
#define EG_SPIN_LIMIT eg_u[8]
#define EG_ELEMENTS eg_u[9]      // of a row in this dispatch

layout(local_size_x = EG_GROUP_SIZE) in;

shared EG_VALUE eg_totals[EG_GROUP_SIZE / 32];
#ifdef EG_SUBGROUPS
#define EG_WARP gl_SubgroupID
#define EG_LANE gl_SubgroupInvocationID
EG_VALUE eg_from(EG_VALUE x, uint lane) { return subgroupShuffle(x, lane); }
#else
#define EG_WARP (gl_LocalInvocationID.x >> 5)
#define EG_LANE (gl_LocalInvocationID.x & 31u)
shared EG_VALUE eg_exchanged[EG_GROUP_SIZE];
EG_VALUE eg_from(EG_VALUE x, uint lane) {
  memoryBarrierShared();
  barrier();
  eg_exchanged[gl_LocalInvocationID.x] = x;
  memoryBarrierShared();
  barrier();
  return eg_exchanged[(gl_LocalInvocationID.x & ~31u) + lane];
}
#endif

// The prefix up to and including this lane, among each `lanes` neighbours.
EG_VALUE eg_scan_lanes(EG_VALUE x, uint lanes) {
  for (uint distance = 1u; distance < lanes; distance <<= 1u) {
    EG_VALUE before = eg_from(x, (EG_LANE - distance) & 31u);
    if ((EG_LANE & (lanes - 1u)) >= distance) x = eg_combine(before, x);
  }
  return x;
}

EG_VALUES eg_scan_vector(EG_VALUES x) {
  x.y = eg_combine(x.x, x.y);
  x.z = eg_combine(x.y, x.z);
  x.w = eg_combine(x.z, x.w);
  return x;
}

// A vector's results from the prefix before it and its own scan.
EG_VALUES eg_results(EG_VALUE before, EG_VALUES x) {
#ifdef EG_EXCLUSIVE
  return EG_VALUES(before, eg_combine(before, x.x), eg_combine(before, x.y), eg_combine(before, x.z));
#else
  return EG_VALUES(eg_combine(before, x.x), eg_combine(before, x.y), eg_combine(before, x.z), eg_combine(before, x.w));
#endif
}

// The vector, in its row or tile, that is number u of this invocation.
uint eg_vector_of(uint u) {
  uint warp = EG_WARP & uint(EG_WARPS - 1), lane = EG_LANE & uint(EG_LANES - 1);
  return (warp * uint(EG_VECTORS) + u) * uint(EG_LANES) + lane;
}

#if defined(EG_LOADS_SINGLY) || defined(EG_STORES_SINGLY)
const uint eg_quarter = uint(EG_LANES) / 4u;

// Component k is x's (k + by) % 4.
EG_VALUES eg_rotated(EG_VALUES x, uint by) {
  if ((by & 1u) != 0u) x = x.yzwx;
  if ((by & 2u) != 0u) x = x.zwxy;
  return x;
}
EG_VALUES eg_exchanged_four(EG_VALUES x, uvec4 lanes) {
  lanes += EG_LANE & ~uint(EG_LANES - 1);
  x.x = eg_from(x.x, lanes.x);
  x.y = eg_from(x.y, lanes.y);
  x.z = eg_from(x.z, lanes.z);
  x.w = eg_from(x.w, lanes.w);
  return x;
}

// The first of the four elements, EG_LANES apart, that an invocation accesses for its vector number u of a tile.
uint eg_single_of(uint u) {
  uint lane = EG_LANE & uint(EG_LANES - 1);
  return 4u * (eg_vector_of(u) - lane) + lane;
}
#endif

#ifdef EG_LOADS_SINGLY
// The elements of a lane's vector, 4 lane .. 4 lane + 3, from x, of which lane l has l, l + EG_LANES and so on. In each
// of four rounds every lane sends one: in round r component (lane + r) % 4.
EG_VALUES eg_joined_vector(EG_VALUES x) {
  uint lane = EG_LANE & uint(EG_LANES - 1), part = lane / eg_quarter, first = lane % eg_quarter * 4u;
  x = eg_exchanged_four(eg_rotated(x, lane), first + ((part - uvec4(0u, 1u, 2u, 3u)) & 3u));
  return eg_rotated(x.xwzy, 0u - part);
}

EG_VALUE eg_load_single(uint element, uint end) { return element < end ? eg_load(element) : eg_identity(); }

void eg_load_tile(uint first, uint end, out EG_IN_ARRAY x[EG_VECTORS]) {
  uint elements = min(4u * end, EG_ELEMENTS);
  const uint lanes = uint(EG_LANES);
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {
    uint element = 4u * first + eg_single_of(u);
    x[u] = EG_IN_ARRAY(EG_VALUES(eg_load_single(element, elements), eg_load_single(element + lanes, elements),
                                 eg_load_single(element + 2u * lanes, elements),
                                 eg_load_single(element + 3u * lanes, elements)));
  }
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) x[u] = EG_IN_ARRAY(eg_joined_vector(EG_VALUES(x[u])));
}
#else
void eg_load_tile(uint first, uint end, out EG_IN_ARRAY x[EG_VECTORS]) {
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {
    uint vector = first + eg_vector_of(u);
    x[u] = EG_IN_ARRAY(vector < end ? eg_load(vector) : EG_VALUES(eg_identity()));
  }
}
#endif

// Scans each warp's part of a tile, each vector into its results. Returns the total of the warps before this one.
EG_VALUE eg_scan_tile(inout EG_IN_ARRAY x[EG_VECTORS]) {
  EG_VALUE total = eg_identity();
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {
    EG_VALUES own = eg_scan_vector(EG_VALUES(x[u]));
    EG_VALUE lanes = eg_scan_lanes(own.w, uint(EG_LANES));
    EG_VALUE earlier = eg_from(lanes, (EG_LANE - 1u) & 31u);
    if ((EG_LANE & uint(EG_LANES - 1)) == 0u) earlier = eg_identity();
    x[u] = EG_IN_ARRAY(eg_results(eg_combine(total, earlier), own));
    total = eg_combine(total, eg_from(lanes, EG_LANE | uint(EG_LANES - 1)));
  }
  EG_VALUE before = eg_identity();
#if EG_WARPS > 1
  if (EG_LANE == 31u) eg_totals[EG_WARP] = total;
  memoryBarrierShared();
  barrier();
  uint warp = EG_WARP & uint(EG_WARPS - 1);
  EG_VALUE warps = EG_LANE < uint(EG_WARPS) ? eg_totals[EG_WARP - warp + EG_LANE] : eg_identity();
  warps = eg_scan_lanes(warps, uint(EG_WARPS));
  EG_VALUE earlier = eg_from(warps, (warp - 1u) & 31u);
  if (warp > 0u) before = earlier;
#endif
  return before;
}

#ifdef EG_STORES_SINGLY
// The other way round.
EG_VALUES eg_singles(EG_VALUES x) {
  uint lane = EG_LANE & uint(EG_LANES - 1);
  uvec4 parts = (lane + uvec4(0u, 1u, 2u, 3u)) & 3u;
  x = eg_exchanged_four(eg_rotated(x.xwzy, 0u - lane / eg_quarter), parts * eg_quarter + lane / 4u);
  return eg_rotated(x, 0u - lane);
}

void eg_finish_tile(uint first, uint end, EG_VALUE before, EG_IN_ARRAY x[EG_VECTORS]) {
  uint elements = min(4u * end, EG_ELEMENTS);
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {
    EG_VALUES own = EG_VALUES(x[u]);
    own = eg_singles(EG_VALUES(eg_combine(before, own.x), eg_combine(before, own.y), eg_combine(before, own.z),
                               eg_combine(before, own.w)));
    uint element = 4u * first + eg_single_of(u);
    if (element < elements) eg_finish(element, own.x);
    if ((element += uint(EG_LANES)) < elements) eg_finish(element, own.y);
    if ((element += uint(EG_LANES)) < elements) eg_finish(element, own.z);
    if ((element += uint(EG_LANES)) < elements) eg_finish(element, own.w);
  }
}
#else
void eg_finish_tile(uint first, uint end, EG_VALUE before, EG_IN_ARRAY x[EG_VECTORS]) {
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {
    uint vector = first + eg_vector_of(u);
    EG_VALUES own = EG_VALUES(x[u]);
    if (vector < end)
      eg_finish(vector, EG_VALUES(eg_combine(before, own.x), eg_combine(before, own.y), eg_combine(before, own.z),
                                  eg_combine(before, own.w)));
  }
}
#endif

#ifdef EG_LOOK_BACK
const uint eg_none = 0xffffffffu;
shared EG_VALUE eg_reduced[EG_GROUP_SIZE / 32];
shared EG_VALUE eg_found[4];
shared EG_VALUE eg_whole;  // the tile's total: in a register of every invocation it costs too much (docs/scan.md)
shared uint eg_missing;

// In the last lane, the total of 32 neighbours, to the bits of eg_scan_lanes.
EG_VALUE eg_reduce_lanes(EG_VALUE x) {
  for (uint distance = 1u; distance < 32u; distance <<= 1u) x = eg_combine(eg_from(x, (EG_LANE - distance) & 31u), x);
  return x;
}

// In the last lane of the first warp, the tile's total, to the bits of eg_scan_tile but sooner. The vectors' shuffles,
// which have a long latency, are interleaved.
EG_VALUE eg_reduce_tile(EG_IN_ARRAY x[EG_VECTORS]) {
  EG_ONE_IN_ARRAY lanes[EG_VECTORS];
  for (uint u = 0u; u < uint(EG_VECTORS); ++u) lanes[u] = EG_ONE_IN_ARRAY(eg_scan_vector(EG_VALUES(x[u])).w);
  for (uint distance = 1u; distance < 32u; distance <<= 1u)
    for (uint u = 0u; u < uint(EG_VECTORS); ++u) {
      EG_VALUE own = EG_VALUE(lanes[u]);
      lanes[u] = EG_ONE_IN_ARRAY(eg_combine(eg_from(own, (EG_LANE - distance) & 31u), own));
    }
  EG_VALUE total = EG_VALUE(lanes[0]);
  for (uint u = 1u; u < uint(EG_VECTORS); ++u) total = eg_combine(total, EG_VALUE(lanes[u]));
  if (EG_LANE == 31u) eg_reduced[EG_WARP] = total;
  memoryBarrierShared();
  barrier();
#ifdef EG_SUBGROUPS
  if (EG_WARP == 0u)
#endif
    total =
        eg_reduce_lanes(EG_LANE + uint(EG_WARPS) < 32u ? eg_identity() : eg_reduced[EG_LANE + uint(EG_WARPS) - 32u]);
  return total;
}

bool eg_await(uint partial, out EG_VALUE value) {
  for (uint spin = 0u; spin < EG_SPIN_LIMIT; ++spin)
    if (eg_arrived(partial, value)) return true;
  return eg_arrived(partial, value);
}

// A warp's look-back window: `count` partials, each of `each` tiles, from `first` on; stored from `level` on.
struct EgPartials {
  uint level, first, count, each;
};

EgPartials eg_partials_of(uint tile) {
  uint run = tile >> 5, far = max(run, 1u) - 1u;
  if (EG_WARP == 0u) return EgPartials(0u, run << 5, tile & 31u, 1u);
  if (EG_WARP == 1u) return EgPartials(0u, far << 5, (run - far) << 5, 1u);
  if (EG_WARP == 2u) return EgPartials(EG_TILES, far & ~31u, far & 31u, 32u);
  return EgPartials(EG_TILES + (EG_TILES >> 5), 0u, EG_WARP == 3u ? far >> 5 : 0u, 1024u);
}

// In all lanes, the total of the warp's partials; `here`: whether all arrived in time.
EG_VALUE eg_await_partials(uint tile, out bool here) {
  EgPartials partials = eg_partials_of(tile);
  EG_VALUE found = eg_identity();
  here = true;
  for (uint round = 0u; round == 0u || round < tile >> 10; round += 32u) {
    uint partial = partials.first + round + EG_LANE;
    EG_VALUE value = eg_identity();
    if (round + EG_LANE < partials.count && !eg_await(partials.level + partial, value)) {
      here = false;
      atomicMin(eg_missing, (partial + 1u) * partials.each - 1u);
    }
    found = eg_combine(found, eg_from(eg_scan_lanes(value, 32u), 31u));
  }
#ifdef EG_SUBGROUPS
  here = subgroupAll(here);
#else
  memoryBarrierShared();
  barrier();
  here = eg_missing == eg_none;
#endif
  return found;
}

// The prefix of the tile in its row; publishes the totals of its runs. Returns a tile that has yet to publish a missing
// partial, or eg_none.
uint eg_look_back(uint tile, out EG_VALUE before) {
  bool here = true;
  EG_VALUE found = eg_identity();
#ifdef EG_SUBGROUPS
  if (EG_WARP < 4u)
#endif
    found = eg_await_partials(tile, here);
  // Published first: other groups wait for it.
  if (here && gl_LocalInvocationID.x == 0u && (tile & 31u) == 31u)
    eg_publish(EG_TILES + (tile >> 5), eg_combine(found, eg_whole));
  if (EG_LANE == 0u && EG_WARP < 4u) eg_found[EG_WARP] = found;
  memoryBarrierShared();
  barrier();
  EG_VALUE runs = eg_combine(eg_found[2], eg_found[1]);
  before = eg_combine(eg_combine(eg_found[3], runs), eg_found[0]);
  if (eg_missing == eg_none && gl_LocalInvocationID.x == 0u && (tile & 1023u) == 1023u)
    eg_publish(EG_TILES + (EG_TILES >> 5) + (tile >> 10), eg_combine(runs, eg_combine(eg_found[0], eg_whole)));
  return eg_missing;
}

void eg_start_tile() {
  memoryBarrierShared();
  barrier();
  if (gl_LocalInvocationID.x == 0u) eg_missing = eg_none;
}

void eg_do_tile(uint row, uint tile) {
  const uint vectors = uint(EG_VECTORS * EG_GROUP_SIZE);
  uint now = tile, missing = eg_none;
  eg_address(row);
  EG_IN_ARRAY x[EG_VECTORS];
  EG_VALUE tiles, warps;
  for (;;) {
    eg_start_tile();
    eg_load_tile((now - EG_FIRST) * vectors, EG_LENGTH, x);
    // Published first: other groups wait for it.
    EG_VALUE total = eg_reduce_tile(x);
    if (gl_LocalInvocationID.x == 31u) {
      eg_publish(now, total);
      eg_whole = total;
    }
    warps = eg_scan_tile(x);  // and a barrier, before eg_whole is read
    missing = eg_look_back(now, tiles);
    if (missing == eg_none && now == tile) break;
    now = missing == eg_none ? tile : missing;
  }
  eg_finish_tile((tile - EG_FIRST) * vectors, EG_LENGTH, eg_combine(tiles, warps), x);
}

void main() {
  uint item = gl_WorkGroupID.x;
#ifdef EG_ONE_ROW
  eg_do_tile(0u, item + EG_FIRST);
#else
  for (; item < EG_ITEMS; item += gl_NumWorkGroups.x) {
    uint row = eg_divide(item, eg_u[3], eg_u[4]);
    eg_do_tile(row, item - row * EG_WINDOW_TILES + EG_FIRST);
  }
#endif
}
#else
void main() {
  const uint at_once = uint(EG_GROUP_SIZE / (EG_LANES * EG_WARPS));
  uint first = gl_WorkGroupID.x * EG_GROUP_ITEMS, end = min(first + EG_GROUP_ITEMS, EG_ITEMS);
  for (uint rows = first; rows < end; rows += at_once) {
    uint row = rows + (EG_WARP * 32u + EG_LANE) / uint(EG_LANES * EG_WARPS);
    uint length = row < end ? EG_LENGTH : 0u;
    eg_address(min(row, end - 1u));
    EG_IN_ARRAY x[EG_VECTORS];
    eg_load_tile(0u, length, x);
    EG_VALUE warps = eg_scan_tile(x);
    eg_finish_tile(0u, length, warps, x);
#if EG_WARPS > 1
    memoryBarrierShared();
    barrier();
#endif
  }
}
#endif
