#version 430
// attention_tile: out[h, r, e] = sum over c of p(r, c) v[h, c, e], p(r, c) = exp(s(r, c) - max s) / sum exp(s - max s)
// over the columns c that row r sees, s(r, c) = scale * sum over f of q[h, r, f] k[h, c, f], plus a mask. A work group
// takes a tile of EG_TILE_ROWS rows through a split of the columns, EG_TILE_COLUMNS at a time; scores and sums are in
// registers, and no score is stored in memory. Under a causal mask the steps above the diagonal are left out, and the
// tiles with most steps come first. Of one of several splits the results are sums, not divided by their rows' sums of
// shares, and each row's largest score and that sum are stored beside them, for a map that merges the splits.
//
// q (heads, rows, features), k (heads, columns, features), v (heads, columns, results), any strides, several heads of q
// to one of k and v; out (heads, rows, results), and each row's log(sum exp s), through eg_result and eg_put_logsumexp.
// Work group: EG_GROUP_SIZE = EG_LANES_X x lanes_y invocations: lane x has every EG_LANES_X-th column and vector of
// results, lane y EG_ROWS rows, EG_APART apart. The EG_APART lanes y of a subgroup of 32 have one band of rows, and
// leave out the steps above its diagonal, of the last one the second half of its scores where an invocation has eight
// columns and the band sees none of that half, and the steps of values behind what the band sees; features past the
// last; and all where the band is past the last row. Pairs of neighbours lie along y, so that eight neighbours read few
// different words of shared memory at a time. Groups in x are heads, in y tiles of rows, in z splits of the columns.
// A step: queries and keys through shared memory, EG_SLOTS vectors of features at a time, to scores; the largest of
// each row over its lanes; shares, and what the largest changes of earlier sums; shares and values through shared
// memory, EG_VALUE_SLOTS vectors of columns at a time, to sums. A vector of shares is the four columns that an
// invocation has EG_LANES_X apart, so that it is written whole; the rows of values follow that order.
// Shared memory: EG_SHARED vec4s, at most 24 KiB, so that two groups are resident. Slots are swizzled by exclusive or
// (eg_swizzled): eight neighbouring lanes read from different banks.
// Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018); Dao and others, "FlashAttention" (2022);
// Dao, "FlashAttention-2" (2023).
//
// Holes: as in attention_serial.comp; EG_SYNC (memoryBarrierShared and barrier, or the latter alone where it is known
// to suffice), EG_FIRST_COLUMN of the group's split (eg_end gives its end), EG_SCORE(j) and EG_ADD(j) of slot j,
// EG_SCORE_FIRST(j) of the first half of a step's columns where an invocation has eight, EG_PLAIN instead of EG_MASK
// where eg_hides_none(row, end): rows from `row` on see each column before `end`; EG_LARGEST and EG_TOTAL (over a row's
// lanes, by shuffles under EG_SUBGROUPS), EG_PUT_SHARES(n).
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) buffer EgBlock1 { vec4 eg_b1[]; };
layout(location = 0) uniform uint eg_u[4];
#define EG_ALL_ROWS eg_u[0]
#define EG_FEATURES eg_u[1]
#define EG_TILES eg_u[2]
#define EG_GROUP_SIZE 8
#define EG_FIRST_COLUMN 0u
#define EG_LANES_X 1u
#define EG_SLOTS 1u
#define EG_VALUE_SLOTS 1u
#define EG_VECTORS 1u
#define EG_STEPS 1u
#define EG_APART 2u
#define EG_ROWS 1u
#define EG_TILE_ROWS 8u
#define EG_TILE_COLUMNS 4u
#define EG_SHARED 16
#define EG_KEYS 8u
#define EG_VALUES 8u
#define EG_SYNC memoryBarrierShared(); barrier();
void eg_head(uint head, uint split) {}
uint eg_end(uint row) { return eg_u[3]; }
uint eg_row(uint row) { return row; }
uint eg_column(uint column) { return column; }
vec4 eg_q(uint row, uint f) { return eg_b0[row + f]; }
vec4 eg_k(uint column, uint f) { return eg_b0[column + f]; }
vec4 eg_value(uint column, uint e, uint end) { return eg_b0[column + e]; }
#define EG_DECLARE vec4 o = vec4(0.0); float total = 0.0;
#define EG_CLEAR float s = 0.0;
#define EG_SCORE(j) s += dot(eg_tile[line], eg_tile[EG_KEYS + (j)]);
#define EG_DECLARE_LARGEST
#define EG_PLAIN
#define EG_MASK(first)
bool eg_hides_none(uint row, uint end) { return true; }
#define EG_LARGEST
#define EG_TOTAL
#define EG_SHARES s = exp(s); total += s;
#define EG_PUT_SHARES(n) eg_tile[line] = vec4(s);
#define EG_ADD(j) o += eg_tile[line] * eg_tile[EG_VALUES + (j)];
#define EG_STORE eg_b1[tile_row + line] = o / total;
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

shared vec4 eg_tile[EG_SHARED];

// A line's slot, of `slots` (a power of two, at most 8): lines that share their banks have slots in different orders,
// which repeat after `period` lines.
uint eg_swizzled(uint line, uint slot, uint slots, uint period) {
  return slot ^ (((line % period) * slots / 8u) % slots);
}

// Of a step: the column whose share is number `part` of a slot.
uint eg_column_of(uint slot, uint part) {
  return (slot / EG_LANES_X * 4u + part) * EG_LANES_X + slot % EG_LANES_X;
}

// What an invocation loads of `count` vectors: all before the first is stored, so that none waits for another.
// Numbers past the last are the last, which several store alike.
#define EG_QUERIES (EG_TILE_ROWS * EG_SLOTS)
#define EG_STEP_KEYS (EG_TILE_COLUMNS * EG_SLOTS)
#define EG_STEP_VALUES (EG_VALUE_SLOTS * 4u * EG_VECTORS)
#define EG_LOADS(count) (((count) + uint(EG_GROUP_SIZE) - 1u) / uint(EG_GROUP_SIZE))
#define EG_EACH(count) for (uint n = 0u; n < EG_LOADS(count); ++n)
uint eg_numbered(uint me, uint n, uint count) { return min(me + n * uint(EG_GROUP_SIZE), count - 1u); }

void main() {
#ifdef EG_SUBGROUPS
  uint me = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
#else
  uint me = gl_LocalInvocationID.x;
#endif
  uint x = me / 2u % EG_LANES_X, y = me / (2u * EG_LANES_X) * 2u + me % 2u;
  uint band = y / EG_APART * (EG_APART * EG_ROWS), line = band + y % EG_APART;
  uint tile_row = (EG_TILES - 1u - gl_WorkGroupID.y) * EG_TILE_ROWS;
  eg_head(gl_WorkGroupID.x, gl_WorkGroupID.z);
  uint end = eg_end(tile_row + EG_TILE_ROWS);
  uint own_end = tile_row + band < EG_ALL_ROWS ? eg_end(tile_row + band + EG_APART * EG_ROWS) : 0u;
  EG_DECLARE
  for (uint first = EG_FIRST_COLUMN; first < end; first += EG_TILE_COLUMNS) {
    bool sees = first < own_end;
    EG_CLEAR
    for (uint f = 0u; f < EG_FEATURES; f += 4u * EG_SLOTS) {
      vec4 queries[EG_LOADS(EG_QUERIES)], keys[EG_LOADS(EG_STEP_KEYS)];
      EG_EACH(EG_QUERIES) {
        uint i = eg_numbered(me, n, EG_QUERIES), at = i / EG_SLOTS;
        queries[n] = eg_q(eg_row(tile_row + at), f + 4u * (i % EG_SLOTS));
      }
      EG_EACH(EG_STEP_KEYS) {
        uint i = eg_numbered(me, n, EG_STEP_KEYS), at = i / EG_SLOTS;
        keys[n] = eg_k(eg_column(first + at), f + 4u * (i % EG_SLOTS));
      }
      EG_SYNC
      EG_EACH(EG_QUERIES) {
        uint i = eg_numbered(me, n, EG_QUERIES), at = i / EG_SLOTS;
        eg_tile[at * EG_SLOTS + eg_swizzled(at, i % EG_SLOTS, EG_SLOTS, EG_APART)] = queries[n];
      }
      EG_EACH(EG_STEP_KEYS) {
        uint i = eg_numbered(me, n, EG_STEP_KEYS), at = i / EG_SLOTS;
        eg_tile[EG_KEYS + at * EG_SLOTS + eg_swizzled(at, i % EG_SLOTS, EG_SLOTS, 8u)] = keys[n];
      }
      EG_SYNC
      uint slots = sees ? min(EG_SLOTS, (EG_FEATURES - f + 3u) / 4u) : 0u;
#ifdef EG_SCORE_FIRST
      if (own_end <= first + EG_TILE_COLUMNS / 2u) {
        for (uint j = 0u; j < slots; ++j) {
          EG_SCORE_FIRST(j)
        }
        slots = 0u;
      }
#endif
      for (uint j = 0u; j < slots; ++j) {
        EG_SCORE(j)
      }
    }
    EG_DECLARE_LARGEST
    if (sees) {
      if (eg_hides_none(tile_row + band, first + EG_TILE_COLUMNS)) {
        EG_PLAIN
      } else {
        EG_MASK(first)
      }
    }
    EG_LARGEST
    if (sees) {
      EG_SHARES
    }
    for (uint step = 0u; step < EG_STEPS; ++step) {
      uint first_value = first + eg_column_of(step * EG_VALUE_SLOTS, 0u);  // the least of the slots'
      if (first_value >= end) break;
      vec4 values[EG_LOADS(EG_STEP_VALUES)];
      EG_EACH(EG_STEP_VALUES) {
        uint i = eg_numbered(me, n, EG_STEP_VALUES), part = i / EG_VECTORS;
        uint column = eg_column_of(step * EG_VALUE_SLOTS + part / 4u, part % 4u);
        values[n] = eg_value(first + column, i % EG_VECTORS * 4u, end);
      }
      EG_SYNC
      EG_PUT_SHARES(step)
      EG_EACH(EG_STEP_VALUES) eg_tile[EG_VALUES + eg_numbered(me, n, EG_STEP_VALUES)] = values[n];
      EG_SYNC
      if (first_value < own_end) {
        for (uint j = 0u; j < EG_VALUE_SLOTS; ++j) {
          EG_ADD(j)
        }
      }
    }
  }
  EG_TOTAL
  EG_STORE
}
