#version 430
// scatter_sorted_rows: y[column(k) + key * step] combined with u[r, k] for the rows r of each key, which lie side by
// side: one level. As scatter_segments.comp, but a pair's value is a row, and one invocation combines column k of a run
// of EG_RUN rows: items are (run, k). A segment (the rows of one key) within one run goes to y. A run leaves two rows
// and their keys, the partial results of a segment that began before it and of one that continues after it: the next
// level's, in the same order.
// A key from EG_PLACES on goes nowhere. The holes: eg_column(k), the element of y at key 0; eg_key(i), sorted row i's;
// eg_row(i), where it lies among the values; eg_value(e), an element of these; eg_combine(a, b) and its eg_identity().
// Work group: EG_GROUP_SIZE invocations, no shared memory; neighbours have neighbouring columns.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_RUN 32
#define EG_OUT eg_b3
#define EG_END_KEYS eg_b4
#define EG_END_VALUES eg_b5
#define EG_VALUE float
layout(location = 0) uniform uint eg_u[12];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uint eg_b0[]; };
layout(std430, binding = 1) restrict readonly buffer EgBlock1 { uint eg_b1[]; };
layout(std430, binding = 2) restrict readonly buffer EgBlock2 { float eg_b2[]; };
layout(std430, binding = 3) restrict buffer EgBlock3 { float eg_b3[]; };
layout(std430, binding = 4) restrict writeonly buffer EgBlock4 { uint eg_b4[]; };
layout(std430, binding = 5) restrict writeonly buffer EgBlock5 { float eg_b5[]; };
uint eg_divide(uint n, uint multiplier, uint shift) { return n; }
uint eg_column(uint k) { return k; }
uint eg_key(uint i) { return eg_b0[i]; }
uint eg_row(uint i) { return eg_b1[i]; }
float eg_value(uint element) { return eg_b2[element]; }
float eg_identity() { return uintBitsToFloat(0x80000000u); }
float eg_combine(float a, float b) {
  precise float result = a + b;
  return result;
}
#endif

#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_WIDTH eg_u[2]  // 3 and 4 divide by it
#define EG_ROWS eg_u[5]
#define EG_PLACES eg_u[6]
#define EG_STEP eg_u[7]

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_none = 0xffffffffu, eg_ahead = 4u;  // rows that are read before the first is used

uint eg_first_element;                // of y, of the column
uint eg_segment;                      // the current one's key
EG_VALUE eg_total;                    // of its rows in this run so far
bool eg_began;                        // whether it began before this run
uint eg_before_key, eg_after_key;     // what the run leaves
EG_VALUE eg_before, eg_after;

void eg_close(bool goes_on) {
  if (eg_began) {
    eg_before_key = eg_segment;
    eg_before = eg_total;
    if (goes_on) eg_after_key = eg_segment;
  } else if (goes_on) {
    eg_after_key = eg_segment;
    eg_after = eg_total;
  } else if (eg_segment < EG_PLACES) {
    uint at = eg_first_element + eg_segment * EG_STEP;
    EG_OUT[at] = eg_combine(EG_OUT[at], eg_total);
  }
}

void eg_add(uint key, EG_VALUE value) {
  if (key != eg_segment) {
    eg_close(false);
    eg_segment = key;
    eg_total = eg_identity();
    eg_began = false;
  }
  eg_total = eg_combine(eg_total, value);
}

void eg_add_run(uint first, uint end, uint k) {
  uint at = first;
  for (; at + eg_ahead <= end; at += eg_ahead) {
    uint keys[eg_ahead];
    EG_VALUE values[eg_ahead];
    for (uint i = 0u; i < eg_ahead; ++i) {
      keys[i] = eg_key(at + i);
      values[i] = eg_value(eg_row(at + i) * EG_WIDTH + k);
    }
    for (uint i = 0u; i < eg_ahead; ++i) eg_add(keys[i], values[i]);
  }
  for (; at < end; ++at) eg_add(eg_key(at), eg_value(eg_row(at) * EG_WIDTH + k));
}

void main() {
  uint last = min((gl_WorkGroupID.x + 1u) * EG_CHUNK, EG_ITEMS);
  for (uint item = gl_WorkGroupID.x * EG_CHUNK + gl_LocalInvocationID.x; item < last; item += uint(EG_GROUP_SIZE)) {
    uint run = eg_divide(item, eg_u[3], eg_u[4]), k = item - run * EG_WIDTH;
    uint first = run * uint(EG_RUN), end = min(first + uint(EG_RUN), EG_ROWS);
    eg_first_element = eg_column(k);
    eg_segment = eg_key(first);
    eg_total = eg_identity();
    eg_began = first > 0u && eg_key(first - 1u) == eg_segment;
    eg_before_key = eg_after_key = eg_none;
    eg_before = eg_after = eg_identity();
    eg_add_run(first, end, k);
    eg_close(end < EG_ROWS && eg_key(end) == eg_segment);
    if (k == 0u) {
      EG_END_KEYS[2u * run] = eg_before_key;
      EG_END_KEYS[2u * run + 1u] = eg_after_key;
    }
    EG_END_VALUES[2u * run * EG_WIDTH + k] = eg_before;
    EG_END_VALUES[(2u * run + 1u) * EG_WIDTH + k] = eg_after;
  }
}
