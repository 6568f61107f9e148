#version 430
// attention_gradient_serial: the gradient of attention (attention_serial.comp) by q, or by k and v. Of shares p(r, c) =
// exp(s(r, c) - logsumexp(r)), 0 where row r does not see column c, and d(r, c) = p(r, c) (sum over e of g[h, r, e]
// v[h, c, e] - delta(r)): dq[h, r, f] = scale * sum over c of d(r, c) k[h, c, f], dk[h, c, f] = scale * sum over r of
// d(r, c) q[h, r, f], dv[h, c, e] = sum over r of p(r, c) g[h, r, e]. Lines are what has the gradient, rows or columns,
// others what it sums over. An invocation takes EG_LINES lines through all others, EG_TILE_OTHERS at a time, with
// scores, their gradients and EG_ELEMENTS sums of a line in registers. No shared memory, no barriers.
//
// q (heads, rows, features), k (heads, columns, features), v (heads, columns, results), g (heads, rows, results),
// logsumexp and delta (heads, rows), any strides, several heads of q to one of k and v; dq as q; dk and dv of
// EG_TOGETHER heads of q each, summed in their order. Through eg_put and eg_put_second.
// Work group: EG_GROUP_SIZE invocations, neighbours along lines. Groups in x are heads, in z EG_ELEMENTS elements each.
// Loop: EG_TOGETHER times others / EG_TILE_OTHERS times (features + results) / 4.
// Shared memory: none.
// Dao and others, "FlashAttention" (2022), the backward pass; Dao, "FlashAttention-2" (2023).
//
// Holes: eg_head(head); EG_LINE_A and EG_OTHER_A(number, f), four features of q and k (or k and q); EG_LINE_B and
// EG_OTHER_B of g and v (or v and g); EG_VALUE_A and EG_VALUE_B(other, e, end), the same, zeros past the end; eg_base
// and eg_delta(row); eg_share(line, other, product, base); eg_begin(line) and eg_end(line): the others that lines from
// that one on, or before it, have; EG_DECLARE, EG_CLEAR, EG_SCORE(f), EG_MASK(first), EG_PRODUCT(f),
// EG_GRADIENTS(first), EG_ADD(first), EG_ADD_SECOND(first), EG_STORE: text over the invocation's lines, others and sums.
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) buffer EgBlock1 { vec4 eg_b1[]; };
layout(location = 0) uniform uint eg_u[4];
#define EG_ALL_LINES eg_u[0]
#define EG_FEATURES eg_u[1]
#define EG_RESULTS eg_u[1]
#define EG_TOGETHER 1u
#define EG_GROUP_SIZE 8
#define EG_LINES 1u
#define EG_ELEMENTS 4u
#define EG_TILE_OTHERS 1u
void eg_head(uint head) {}
uint eg_begin(uint line) { return 0u; }
uint eg_end(uint line) { return eg_u[2]; }
#define EG_DECLARE vec4 o = vec4(0.0);
#define EG_CLEAR float s = 0.0, d = 0.0;
#define EG_SCORE(f) s += dot(eg_b0[line], eg_b0[first]);
#define EG_MASK(first) s = exp(s);
#define EG_PRODUCT(f) d += dot(eg_b0[line], eg_b0[first]);
#define EG_GRADIENTS(first) d *= s;
#define EG_ADD(first) o += d * eg_b0[first];
#define EG_STORE eg_b1[line] = o;
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

void main() {
  uint line = gl_GlobalInvocationID.y * uint(EG_GROUP_SIZE) * EG_LINES + gl_LocalInvocationID.x * EG_LINES;
  if (line >= EG_ALL_LINES) return;
  uint e = gl_WorkGroupID.z * EG_ELEMENTS;
  EG_DECLARE
  for (uint number = 0u; number < EG_TOGETHER; ++number) {
    eg_head(gl_WorkGroupID.x * EG_TOGETHER + number);
    uint end = eg_end(line + EG_LINES);
    for (uint first = eg_begin(line); first < end; first += EG_TILE_OTHERS) {
      EG_CLEAR
      for (uint f = 0u; f < EG_FEATURES; f += 4u) {
        EG_SCORE(f)
      }
      EG_MASK(first)
      for (uint f = 0u; f < EG_RESULTS; f += 4u) {
        EG_PRODUCT(f)
      }
      EG_GRADIENTS(first)
#ifdef EG_SECOND
      EG_ADD_SECOND(first)
#endif
      EG_ADD(first)
    }
  }
  EG_STORE
}
