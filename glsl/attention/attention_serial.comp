#version 430
// attention_serial: out[h, r, e] = sum over c of p(r, c) v[h, c, e], p(r, c) = exp(s(r, c) - max s) / sum exp(s - max s)
// over the columns c that row r sees, s(r, c) = scale * sum over f of q[h, r, f] k[h, c, f], plus a mask. An invocation
// takes EG_ROWS rows through all columns, EG_TILE_COLUMNS at a time, with scores and EG_RESULTS sums of a row in
// registers. No shared memory, no barriers: for software drivers, where a barrier costs more than a load.
//
// q (heads, rows, features), k (heads, columns, features), v (heads, columns, results), any strides, several heads of q
// to one of k and v; out (heads, rows, results), and each row's log(sum exp s), through eg_result and eg_put_logsumexp.
// Work group: EG_GROUP_SIZE invocations, neighbours along rows. Groups in x are heads, in z EG_RESULTS results each.
// Loop: columns / EG_TILE_COLUMNS times features / 4; the host cuts columns where a driver bounds the trips.
// Shared memory: none.
// Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018); Dao and others, "FlashAttention" (2022).
//
// Holes: eg_head(head, split); eg_q(row, f), eg_k(column, f), eg_value(column, e, end): four elements, zeros past the
// end; eg_row and eg_column (clamped); eg_score(row, column, dot, own): the score, -infinity where it is hidden, and the
// larger of it and `own`; eg_end(row): the columns that rows before that one see; EG_DECLARE, EG_CLEAR, EG_SCORE(f),
// EG_DECLARE_LARGEST, EG_MASK(first), EG_SHARES, EG_ADD(first), EG_STORE: text over the invocation's rows, columns and
// results.
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) buffer EgBlock1 { vec4 eg_b1[]; };
layout(location = 0) uniform uint eg_u[4];
#define EG_ALL_ROWS eg_u[0]
#define EG_FEATURES eg_u[1]
#define EG_GROUP_SIZE 8
#define EG_ROWS 1u
#define EG_RESULTS 4u
#define EG_TILE_COLUMNS 1u
void eg_head(uint head, uint split) {}
uint eg_end(uint row) { return eg_u[2]; }
#define EG_DECLARE vec4 o = vec4(0.0); float total = 0.0;
#define EG_CLEAR float s = 0.0;
#define EG_SCORE(f) s += dot(eg_b0[row], eg_b0[first]);
#define EG_DECLARE_LARGEST
#define EG_MASK(first)
#define EG_SHARES s = exp(s); total += s;
#define EG_ADD(first) o += s * eg_b0[first];
#define EG_STORE eg_b1[row] = o / total;
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

void main() {
  uint row = gl_GlobalInvocationID.y * uint(EG_GROUP_SIZE) * EG_ROWS + gl_LocalInvocationID.x * EG_ROWS;
  if (row >= EG_ALL_ROWS) return;
  eg_head(gl_WorkGroupID.x, 0u);
  uint e = gl_WorkGroupID.z * EG_RESULTS, end = eg_end(row + EG_ROWS);
  EG_DECLARE
  for (uint first = 0u; first < end; first += EG_TILE_COLUMNS) {
    EG_CLEAR
    for (uint f = 0u; f < EG_FEATURES; f += 4u) {
      EG_SCORE(f)
    }
    EG_DECLARE_LARGEST
    EG_MASK(first)
    EG_SHARES
    EG_ADD(first)
  }
  EG_STORE
}
