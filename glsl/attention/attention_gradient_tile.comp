#version 430
// attention_gradient_tile: the gradient of attention (attention_tile.comp) by q, by k and v, or by all. Of shares p(r,
// c) = exp(s(r, c) - logsumexp(r)), 0 where row r does not see column c, and d(r, c) = p(r, c) (sum over e of g[h, r,
// e] v[h, c, e] - delta(r)): dq[h, r, f] = scale * sum over c of d(r, c) k[h, c, f], dk[h, c, f] = scale * sum over r
// of d(r, c) q[h, r, f], dv[h, c, e] = sum over r of p(r, c) g[h, r, e]. Lines are what has the gradient, rows or
// columns, others what it sums over. A work group takes a tile of EG_TILE_LINES lines through all others,
// EG_TILE_OTHERS at a time; scores, their gradients and sums are in registers, and none of the former is stored in
// memory. Nothing is added by atomics: the same bits each time. Under a causal mask steps that no line has are left
// out, and the tiles with most steps come first. By all: lines are columns, and a group takes several tiles of them, a
// turn each, adding what they give to dq to what it has stored in its own part of dq, the same invocation the same
// elements each turn.
//
// q (heads, rows, features), k (heads, columns, features), v (heads, columns, results), g (heads, rows, results),
// logsumexp and delta (heads, rows), any strides, several heads of q to one of k and v; dq as q; dk and dv of
// EG_TOGETHER heads of q each, summed in their order; parts of dq, (parts, heads, rows, features), whose sum is dq
// (attention_gradient_sum.comp): under a causal mask rows before a part's first step have none of it.
// Through eg_put, eg_put_second and eg_put_other.
// Work group: EG_GROUP_SIZE = EG_LANES_X x lanes_y invocations: lane x has every EG_LANES_X-th other and vector of
// sums, lane y every lanes_y-th line. Pairs of neighbours lie along y, as in attention_tile.comp. Groups in x are
// heads, in y tiles of lines, or parts.
// A step: lines and others of q and k through shared memory, EG_SLOTS vectors of features at a time, to scores, and
// these to shares; shares and g to sums, EG_SUM_SLOTS vectors of others at a time; the same as for scores of g and v,
// to the scores' gradients; these and q (or k) to sums. A vector of shares is the four others that an invocation has
// EG_LANES_X apart, so that it is written whole; the rows beside it follow that order. By all: then gradients and k to
// others' sums, EG_LINE_SLOTS vectors of the four lines of an invocation at a time.
// Shared memory: EG_SHARED vec4s, at most 24 KiB. Slots are swizzled as in attention_tile.comp.
// Dao and others, "FlashAttention" (2022), the backward pass; Dao, "FlashAttention-2" (2023).
//
// Holes: as in attention_gradient_serial.comp; EG_TILE_OF(group, turn), EG_TURNS; EG_SYNC; EG_SCORE(j), EG_PRODUCT(j),
// EG_ADD(j) and EG_ADD_SECOND(j) of slot j; EG_PLAIN instead of EG_MASK where eg_hides_none(line, other): lines from
// `line` on have all others of the step from `other` on; EG_PUT(n) and EG_PUT_SECOND(n); EG_PUT_LINES(n),
// EG_ADD_LINES(j) and EG_STORE_OTHERS(first, adds), by all.
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) buffer EgBlock1 { vec4 eg_b1[]; };
layout(location = 0) uniform uint eg_u[4];
#define EG_ALL_LINES eg_u[0]
#define EG_FEATURES eg_u[1]
#define EG_RESULTS eg_u[1]
#define EG_TOGETHER 1u
#define EG_TILE_OF(group, turn) (group)
#define EG_TURNS 1u
#define EG_GROUP_SIZE 8
#define EG_LANES_X 1u
#define EG_SLOTS 1u
#define EG_SUM_SLOTS 1u
#define EG_VECTORS 1u
#define EG_STEPS 1u
#define EG_PERIOD 8u
#define EG_TILE_LINES 8u
#define EG_TILE_OTHERS 4u
#define EG_SHARED 16
#define EG_OTHERS_AT 8u
#define EG_VALUES_AT 8u
#define EG_SYNC memoryBarrierShared(); barrier();
void eg_head(uint head) {}
uint eg_begin(uint line) { return 0u; }
uint eg_end(uint line) { return eg_u[3]; }
bool eg_hides_none(uint line, uint other) { return true; }
#define EG_LINE_A(line, f) eg_b0[(line) + (f)]
#define EG_LINE_B(line, f) eg_b0[(line) + (f)]
#define EG_OTHER_A(other, f) eg_b0[(other) + (f)]
#define EG_OTHER_B(other, f) eg_b0[(other) + (f)]
#define EG_VALUE_A(other, e, end) eg_b0[(other) + (e)]
#define EG_DECLARE vec4 o = vec4(0.0);
#define EG_CLEAR float s = 0.0, d = 0.0;
#define EG_SCORE(j) s += dot(eg_tile[y], eg_tile[EG_OTHERS_AT + (j)]);
#define EG_PLAIN(first) s = exp(s);
#define EG_MASK(first) s = exp(s);
#define EG_PRODUCT(j) d += dot(eg_tile[y], eg_tile[EG_OTHERS_AT + (j)]);
#define EG_GRADIENTS(first) d *= s;
#define EG_PUT(n) eg_tile[y] = vec4(d);
#define EG_ADD(j) o += eg_tile[y] * eg_tile[EG_VALUES_AT + (j)];
#define EG_STORE eg_b1[first_line + y] = o;
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

shared vec4 eg_tile[EG_SHARED];

// A line's slot, of `slots` (a power of two, at most 8): lines that share their banks have slots in different orders,
// which repeat after `period` lines.
uint eg_swizzled(uint line, uint slot, uint slots, uint period) {
  return slot ^ (((line % period) * slots / 8u) % slots);
}

// The number in a step of the other that is component `part` of slot `slot`.
uint eg_other_of(uint slot, uint part) { return (slot / EG_LANES_X * 4u + part) * EG_LANES_X + slot % EG_LANES_X; }

// What an invocation loads of `count` vectors: all before the first is stored, so that none waits for another.
// Numbers past the last are the last, which several store alike.
#define EG_LOADS(count) (((count) + uint(EG_GROUP_SIZE) - 1u) / uint(EG_GROUP_SIZE))
#define EG_EACH(count) for (uint n = 0u; n < EG_LOADS(count); ++n)
uint eg_numbered(uint me, uint n, uint count) { return min(me + n * uint(EG_GROUP_SIZE), count - 1u); }

// EG_SLOTS vectors, from element f on, of a tile's lines and of a step's others.
#define EG_STEP_LINES (EG_TILE_LINES * EG_SLOTS)
#define EG_STEP_OTHERS (EG_TILE_OTHERS * EG_SLOTS)
#define EG_STAGE(line_of, other_of)                                                                       \
  vec4 lines[EG_LOADS(EG_STEP_LINES)], others[EG_LOADS(EG_STEP_OTHERS)];                                  \
  EG_EACH(EG_STEP_LINES) {                                                                                \
    uint i = eg_numbered(me, n, EG_STEP_LINES);                                                           \
    lines[n] = line_of(first_line + i / EG_SLOTS, f + 4u * (i % EG_SLOTS));                               \
  }                                                                                                       \
  EG_EACH(EG_STEP_OTHERS) {                                                                               \
    uint i = eg_numbered(me, n, EG_STEP_OTHERS);                                                          \
    others[n] = other_of(first + i / EG_SLOTS, f + 4u * (i % EG_SLOTS));                                  \
  }                                                                                                       \
  EG_SYNC                                                                                                 \
  EG_EACH(EG_STEP_LINES) {                                                                                \
    uint i = eg_numbered(me, n, EG_STEP_LINES), at = i / EG_SLOTS;                                        \
    eg_tile[at * EG_SLOTS + eg_swizzled(at, i % EG_SLOTS, EG_SLOTS, EG_PERIOD)] = lines[n];               \
  }                                                                                                       \
  EG_EACH(EG_STEP_OTHERS) {                                                                               \
    uint i = eg_numbered(me, n, EG_STEP_OTHERS), at = i / EG_SLOTS;                                       \
    eg_tile[EG_OTHERS_AT + at * EG_SLOTS + eg_swizzled(at, i % EG_SLOTS, EG_SLOTS, 8u)] = others[n];      \
  }                                                                                                       \
  EG_SYNC

// Beside scores, or their gradients, of `slots` vectors from slot `step` * slots on (EG_PUT...): what they are
// multiplied by, `vectors` vectors of each of the 4 * slots others or lines.
#define EG_STAGE_BESIDE(value_of, put, values_at, slots, vectors)                                         \
  vec4 values[EG_LOADS((slots) * 4u * (vectors))];                                                        \
  EG_EACH((slots) * 4u * (vectors)) {                                                                     \
    uint i = eg_numbered(me, n, (slots) * 4u * (vectors)), part = i / (vectors);                          \
    values[n] = value_of(step * (slots) + part / 4u, part % 4u, i % (vectors) * 4u);                      \
  }                                                                                                       \
  EG_SYNC                                                                                                 \
  put(step)                                                                                               \
  EG_EACH((slots) * 4u * (vectors)) eg_tile[(values_at) + eg_numbered(me, n, (slots) * 4u * (vectors))] = values[n]; \
  EG_SYNC
#define EG_OTHER_VALUE_A(slot, part, e) EG_VALUE_A(first + eg_other_of(slot, part), e, end)
#define EG_OTHER_VALUE_B(slot, part, e) EG_VALUE_B(first + eg_other_of(slot, part), e, end)
#define EG_LINE_VALUE(slot, part, e) eg_line_value(first_line + (slot) + (part) * EG_LANES_Y, e)

void main() {
  uint me = gl_LocalInvocationID.x, x = me / 2u % EG_LANES_X, y = me / (2u * EG_LANES_X) * 2u + me % 2u;
#ifdef EG_OF_ALL
  eg_part = gl_WorkGroupID.y;
#endif
  for (uint turn = 0u; turn < EG_TURNS; ++turn) {
    uint first_line = EG_TILE_OF(gl_WorkGroupID.y, turn) * EG_TILE_LINES;
    EG_DECLARE
    for (uint number = 0u; number < EG_TOGETHER; ++number) {
      eg_head(gl_WorkGroupID.x * EG_TOGETHER + number);
      uint end = eg_end(first_line + EG_TILE_LINES), begin = eg_begin(first_line);
      for (uint first = begin; first < end; first += EG_TILE_OTHERS) {
        EG_CLEAR
        for (uint f = 0u; f < EG_FEATURES; f += 4u * EG_SLOTS) {
          EG_STAGE(EG_LINE_A, EG_OTHER_A)
          for (uint j = 0u; j < EG_SLOTS; ++j) {
            EG_SCORE(j)
          }
        }
        if (eg_hides_none(first_line, first)) {
          EG_PLAIN(first)
        } else {
          EG_MASK(first)
        }
#ifdef EG_SECOND
        for (uint step = 0u; step < EG_STEPS; ++step) {
          EG_STAGE_BESIDE(EG_OTHER_VALUE_B, EG_PUT_SECOND, EG_VALUES_AT, EG_SUM_SLOTS, EG_SECOND_VECTORS)
          for (uint j = 0u; j < EG_SUM_SLOTS; ++j) {
            EG_ADD_SECOND(j)
          }
        }
#endif
        for (uint f = 0u; f < EG_RESULTS; f += 4u * EG_SLOTS) {
          EG_STAGE(EG_LINE_B, EG_OTHER_B)
          for (uint j = 0u; j < EG_SLOTS; ++j) {
            EG_PRODUCT(j)
          }
        }
        EG_GRADIENTS(first)
        for (uint step = 0u; step < EG_STEPS; ++step) {
          EG_STAGE_BESIDE(EG_OTHER_VALUE_A, EG_PUT, EG_VALUES_AT, EG_SUM_SLOTS, EG_VECTORS)
          for (uint j = 0u; j < EG_SUM_SLOTS; ++j) {
            EG_ADD(j)
          }
        }
#ifdef EG_OF_ALL
        EG_CLEAR_OTHERS
        for (uint step = 0u; step < EG_LINE_STEPS; ++step) {
          EG_STAGE_BESIDE(EG_LINE_VALUE, EG_PUT_LINES, EG_LINES_AT, EG_LINE_SLOTS, EG_VECTORS)
          for (uint j = 0u; j < EG_LINE_SLOTS; ++j) {
            EG_ADD_LINES(j)
          }
        }
        EG_STORE_OTHERS(first, turn > 0u)
#endif
      }
    }
    EG_STORE
  }
}
