#version 430
// row_short: a chain of expressions and reductions over each row of n elements, as row.comp, of rows that are short and
// begin anywhere. A group takes EG_ITEMS_AT_ONCE rows, which lie one behind the other, to shared memory: eg_read(first,
// vectors) by vec4 of the memory, all lanes side by side; each invocation then walks its own EG_ROWS_EACH rows there,
// pass by pass: eg_make(item, mine), four elements a step; and eg_write(first, vectors) stores the results as they were
// read. No lane combines with another.
// What lies side by side in neighbouring rows is read so, four rows a vec4, and put in its rows' places.
// The shortest rows have EG_STEPS and EG_LENGTH as constants: what the passes keep of them is in registers.
// Shared memory: EG_SLOTS values of each element, EG_SLOT_WORDS words each. Rows of an odd length meet in no bank as
// lanes walk them, those of twice an odd one two by two. Lanes that store or load four neighbours begin, eight by
// eight, at another of the four each, so that these meet in no bank either.
// Work group: EG_GROUP_SIZE invocations; a group works through EG_GROUP_ITEMS rows.
// eg_report() lowers a flag to the least place of an index out of range that the invocation met, where rows have one.
// Bindings: declared by the generator.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_LANES 1
#define EG_ROWS_EACH 1
#define EG_VECTORS 2
#define EG_SLOTS 1
#define EG_SLOT_WORDS 512
#define EG_ITEMS eg_u[0]
#define EG_GROUP_ITEMS eg_u[1]
#define EG_STEPS eg_u[2]
#define EG_LENGTH eg_u[3]
#define EG_ITEMS_AT_ONCE uint(EG_GROUP_SIZE * EG_ROWS_EACH)
#define EG_FOLDS EG_FOLD(eg_fold0, eg_join_sum, 0)
layout(location = 0) uniform uint eg_u[4];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict writeonly buffer EgBlock1 { float eg_b1[]; };
uint eg_lane, eg_row, eg_item, eg_rows;
vec4 eg_within(uint step, vec4 v, float other);
float eg_fold0(float v);
void eg_stage(uint slot, uint vector, vec4 value);
vec4 eg_kept(uint slot, uint step);
void eg_read(uint first, uint vectors) {
  for (uint vector = eg_lane; vector < vectors; vector += uint(EG_GROUP_SIZE))
    eg_stage(0u, vector, eg_b0[first + vector]);
}
void eg_make(uint item, bool mine) {
  vec4 sum = vec4(0.0);
  for (uint step = 0u; step < EG_STEPS; ++step) sum += eg_within(step, eg_kept(0u, step), 0.0);
  if (mine) eg_b1[item] = eg_fold0(sum.x + sum.y + sum.z + sum.w);
}
void eg_write(uint first, uint vectors) {}
void eg_report() {}
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

shared float eg_elements[EG_SLOTS * EG_SLOT_WORDS];

// v with `other` past the row's end.
vec4 eg_within(uint step, vec4 v, float other) {
  uint i = step * 4u;
  if (i + 4u <= EG_LENGTH) return v;
  return vec4(v.x, i + 1u < EG_LENGTH ? v.y : other, i + 2u < EG_LENGTH ? v.z : other, other);
}

// The component with which a lane begins: eight lanes have 32 words, and so all banks.
uint eg_turn(uint vector) { return vector >> 3 & 3u; }

void eg_stage(uint slot, uint vector, vec4 value) {
  uint at = slot * uint(EG_SLOT_WORDS) + vector * 4u, turn = eg_turn(vector);
  if ((turn & 1u) != 0u) value = value.yzwx;
  if ((turn & 2u) != 0u) value = value.zwxy;
  eg_elements[at + turn] = value.x;
  eg_elements[at + (turn + 1u & 3u)] = value.y;
  eg_elements[at + (turn + 2u & 3u)] = value.z;
  eg_elements[at + (turn + 3u & 3u)] = value.w;
}

// Element `e` of the four rows from 4 `quad` on.
void eg_stage_rows(uint slot, uint quad, uint e, vec4 value) {
  uint at = slot * uint(EG_SLOT_WORDS) + quad * 4u * EG_LENGTH + e, turn = eg_turn(quad);
  if ((turn & 1u) != 0u) value = value.yzwx;
  if ((turn & 2u) != 0u) value = value.zwxy;
  eg_elements[at + turn * EG_LENGTH] = value.x;
  eg_elements[at + (turn + 1u & 3u) * EG_LENGTH] = value.y;
  eg_elements[at + (turn + 2u & 3u) * EG_LENGTH] = value.z;
  eg_elements[at + (turn + 3u & 3u) * EG_LENGTH] = value.w;
}

vec4 eg_staged(uint slot, uint vector) {
  uint at = slot * uint(EG_SLOT_WORDS) + vector * 4u, turn = eg_turn(vector);
  vec4 value = vec4(eg_elements[at + turn], eg_elements[at + (turn + 1u & 3u)], eg_elements[at + (turn + 2u & 3u)],
                    eg_elements[at + (turn + 3u & 3u)]);
  if ((turn & 1u) != 0u) value = value.wxyz;
  if ((turn & 2u) != 0u) value = value.zwxy;
  return value;
}

uint eg_first_of(uint slot, uint step) { return slot * uint(EG_SLOT_WORDS) + eg_row * EG_LENGTH + step * 4u; }

// Past the row's end these are no row's.
vec4 eg_kept(uint slot, uint step) {
  uint at = eg_first_of(slot, step);
  return vec4(eg_elements[at], eg_elements[at + 1u], eg_elements[at + 2u], eg_elements[at + 3u]);
}

void eg_keep(uint slot, uint step, vec4 value) {
  uint at = eg_first_of(slot, step), i = step * 4u;
  eg_elements[at] = value.x;
  if (i + 1u < EG_LENGTH) eg_elements[at + 1u] = value.y;
  if (i + 2u < EG_LENGTH) eg_elements[at + 2u] = value.z;
  if (i + 3u < EG_LENGTH) eg_elements[at + 3u] = value.w;
}

#define EG_FOLD(NAME, JOIN, HALF) float NAME(float v) { return v; }
EG_FOLDS
void eg_separate() {}

void eg_together() {
  memoryBarrierShared();
  barrier();
}

void main() {
  eg_lane = gl_LocalInvocationID.x;
  uint start = gl_WorkGroupID.x * EG_GROUP_ITEMS, end = min(start + EG_GROUP_ITEMS, EG_ITEMS);
  for (uint item = start; item < end; item += EG_ITEMS_AT_ONCE) {
    uint rows = min(end - item, EG_ITEMS_AT_ONCE), vectors = (rows * EG_LENGTH + 3u) / 4u;
    // Rows of a group are a multiple of four.
    uint first = item / 4u * EG_LENGTH;
    eg_item = item;
    eg_rows = rows;
    eg_read(first, vectors);
    eg_together();
    for (eg_row = eg_lane; eg_row < rows; eg_row += uint(EG_GROUP_SIZE)) eg_make(item + eg_row, true);
    eg_together();
    eg_write(first, vectors);
    eg_together();
  }
  eg_report();
}
