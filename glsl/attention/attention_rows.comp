#version 430
// attention_rows: out[h, r, e] = sum over c of p(r, c) v[h, c, e], p(r, c) = exp(s(r, c) - max s) / sum exp(s - max s)
// over the columns c that row r sees, s(r, c) = scale * sum over f of q[h, r, f] k[h, c, f], plus a mask. A work group
// takes a tile of EG_TILE_ROWS rows through a split of the columns, EG_TILE_COLUMNS at a time. Queries and sums stay in
// registers, keys and values go through shared memory, and no share leaves the invocations that computed it. Under a
// causal mask the steps above the diagonal are left out, and the tiles with most steps come first. Of one of
// several splits results are sums that are not divided yet, as in attention_tile.comp.
//
// q (heads, rows, features), k (heads, columns, features), v (heads, columns, results), any strides, several heads of q
// to one of k and v; out (heads, rows, results), and each row's log(sum exp s), through eg_result and eg_put_logsumexp.
// Work group: EG_GROUP_SIZE invocations. EG_LANES neighbours of a subgroup have the same EG_ROWS rows, EG_APART apart,
// and of those every EG_LANES-th vector of features and of results. Each computes its part of all scores of EG_CHUNK
// columns; by shuffles a score is added up in one of the lanes, which computes its share, and the share given back to
// all. A subgroup has one band of rows, and leaves out the chunks above its diagonal or past the last column; one
// without rows leaves out all. Groups in x are heads, in y tiles of rows, in z splits of the columns. Of short sequences
// a group has EG_HEADS heads, each with invocations and shared memory of its own.
// Shared memory: EG_SHARED vec4s, of each head keys of a step and then values. The lanes of a row read from different
// banks, those of a subgroup and a head the same EG_LANES vectors.
// A row's shares are relative to a base, its largest score when the base was last raised: it is raised where a score is
// more than 8 above it, so that sums are seldom scaled and shares stay below exp(8).
// Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018); Dao and others, "FlashAttention" (2022).
//
// Holes: as in attention_tile.comp, but for EG_CHUNK columns from `c` of a step on: EG_SCORE(c) of an invocation's own
// features, EG_ACROSS (over the lanes of a row), EG_PLAIN or EG_MASK(first), EG_SHARES, EG_ADD(c); EG_TOTAL.
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) buffer EgBlock1 { vec4 eg_b1[]; };
layout(location = 0) uniform uint eg_u[4];
#define EG_ALL_ROWS eg_u[0]
#define EG_TILES eg_u[2]
#define EG_GROUP_SIZE 8
#define EG_FIRST_COLUMN 0u
#define EG_LANES 1u
#define EG_APART 32u
#define EG_ROWS 1u
#define EG_TILE_ROWS 8u
#define EG_TILE_COLUMNS 4u
#define EG_CHUNK 4u
#define EG_KEY_VECTORS 1u
#define EG_VECTORS 1u
#define EG_SHARED 8
#define EG_VALUES 4u
#define EG_SYNC memoryBarrierShared(); barrier();
void eg_head(uint head, uint split) {}
uint eg_end(uint row) { return eg_u[3]; }
uint eg_row(uint row) { return row; }
uint eg_column(uint column) { return column; }
vec4 eg_k(uint column, uint f) { return eg_b0[column + f]; }
vec4 eg_value(uint column, uint e, uint end) { return eg_b0[column + e]; }
bool eg_hides_none(uint row, uint end) { return true; }
#define EG_DECLARE vec4 q = eg_b0[tile_row + line], o = vec4(0.0); float total = 0.0;
#define EG_SCORE(c) float s = dot(q, eg_tile[c]);
#define EG_ACROSS
#define EG_DECLARE_LARGEST
#define EG_PLAIN
#define EG_MASK(first)
#define EG_SHARES s = exp(s); total += s;
#define EG_ADD(c) o += s * eg_tile[EG_VALUES + (c)];
#define EG_TOTAL
#define EG_STORE eg_b1[tile_row + line] = o / total;
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

shared vec4 eg_tile[EG_SHARED];

// Of a group's invocations, those of one head.
#ifdef EG_HEADS
const uint eg_own_group = uint(EG_GROUP_SIZE) / EG_HEADS;
#else
const uint eg_own_group = uint(EG_GROUP_SIZE);
#endif

// What an invocation loads of `count` vectors: all before the first is stored, so that none waits for another.
// Numbers past the last are the last, which several store alike.
#define EG_STEP_KEYS (EG_TILE_COLUMNS * EG_KEY_VECTORS)
#define EG_STEP_VALUES (EG_TILE_COLUMNS * EG_VECTORS)
#define EG_LOADS(count) (((count) + eg_own_group - 1u) / eg_own_group)
#define EG_EACH(count) for (uint n = 0u; n < EG_LOADS(count); ++n)
uint eg_numbered(uint me, uint n, uint count) { return min(me + n * eg_own_group, count - 1u); }

void main() {
#ifdef EG_SUBGROUPS
  uint me = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
#else
  uint me = gl_LocalInvocationID.x;
#endif
#ifdef EG_HEADS
  uint number = me / eg_own_group, head = gl_WorkGroupID.x * EG_HEADS + number;
  uint tile_at = number * (uint(EG_SHARED) / EG_HEADS);
  me %= eg_own_group;
  eg_head(min(head, EG_ALL_HEADS - 1u), gl_WorkGroupID.z);
#else
  const uint tile_at = 0u;
  eg_head(gl_WorkGroupID.x, gl_WorkGroupID.z);
#endif
  uint x = me % EG_LANES, y = me / EG_LANES;
  uint band = y / EG_APART * (EG_APART * EG_ROWS), line = band + y % EG_APART;
  uint tile_row = (EG_TILES - 1u - gl_WorkGroupID.y) * EG_TILE_ROWS;
  uint end = eg_end(tile_row + EG_TILE_ROWS);
  uint own_end = tile_row + band < EG_ALL_ROWS ? eg_end(tile_row + band + EG_APART * EG_ROWS) : 0u;
  EG_DECLARE
  for (uint first = EG_FIRST_COLUMN; first < end; first += EG_TILE_COLUMNS) {
    vec4 keys[EG_LOADS(EG_STEP_KEYS)], values[EG_LOADS(EG_STEP_VALUES)];
    EG_EACH(EG_STEP_KEYS) {
      uint i = eg_numbered(me, n, EG_STEP_KEYS);
      keys[n] = eg_k(eg_column(first + i / EG_KEY_VECTORS), i % EG_KEY_VECTORS * 4u);
    }
    EG_EACH(EG_STEP_VALUES) {
      uint i = eg_numbered(me, n, EG_STEP_VALUES);
      values[n] = eg_value(first + i / EG_VECTORS, i % EG_VECTORS * 4u, end);
    }
    EG_SYNC
    EG_EACH(EG_STEP_KEYS) eg_tile[tile_at + eg_numbered(me, n, EG_STEP_KEYS)] = keys[n];
    EG_EACH(EG_STEP_VALUES) eg_tile[tile_at + EG_VALUES + eg_numbered(me, n, EG_STEP_VALUES)] = values[n];
    EG_SYNC
    if (first < own_end) {
      uint seen = min(own_end - first, EG_TILE_COLUMNS);
      for (uint c = 0u; c < seen; c += EG_CHUNK) {
        EG_SCORE(c)
        EG_ACROSS
        EG_DECLARE_LARGEST
        if (eg_hides_none(tile_row + band, first + c + EG_CHUNK)) {
          EG_PLAIN
        } else {
          EG_MASK(first + c)
        }
        EG_SHARES
        EG_ADD(c)
      }
    }
  }
  EG_TOTAL
#ifdef EG_HEADS
  if (head >= EG_ALL_HEADS) return;  // the last group's, which computed the last head once more
#endif
  EG_STORE
}
