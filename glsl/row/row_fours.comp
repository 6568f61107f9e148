#version 430
// row_fours: a chain of expressions and reductions over each row of n elements, as row.comp, of rows that are so short
// that an invocation has four of them in registers: n vec4s, of which each is an element of the four rows, so that
// nothing is computed past a row's end. Four rows lie in n vectors of memory. A group takes those of its rows to shared
// memory: eg_read(first, vectors) by vec4, all lanes side by side; eg_make(item, mine) takes an invocation's own n from
// there to registers, computes, and gives its results back; eg_write(first, vectors) stores them as they were read.
// No lane combines with another. Groups are small, so that their barriers keep few invocations waiting.
// Shared memory: EG_SLOTS values of each element, EG_PITCH vectors for each invocation: an odd number, so that lanes
// meet in no bank.
// Work group: EG_GROUP_SIZE invocations; a group works through EG_GROUP_ITEMS items, an item four rows.
// eg_report() lowers a flag to the least place of an index out of range that the invocation met, where rows have one.
// Bindings: declared by the generator.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 32
#define EG_ROW vec4
#define EG_SLOTS 1
#define EG_LENGTH 3u
#define EG_PITCH 3
#define EG_ITEMS eg_u[0]
#define EG_GROUP_ITEMS eg_u[1]
#define EG_ALL_VECTORS eg_u[3]
#define EG_FOLDS EG_FOLD(eg_fold0, eg_join_sum, 0)
layout(location = 0) uniform uint eg_u[4];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict writeonly buffer EgBlock1 { vec4 eg_b1[]; };
uint eg_lane;
vec4 eg_within(uint step, vec4 v, float other);
vec4 eg_fold0(vec4 v);
void eg_stage(uint slot, uint vector, vec4 value);
vec4 eg_taken(uint slot, uint vector);
void eg_read(uint first, uint vectors) {
  for (uint vector = eg_lane; vector < vectors; vector += uint(EG_GROUP_SIZE))
    eg_stage(0u, vector, eg_b0[first + vector]);
}
void eg_make(uint item, bool mine) {
  vec4 a = eg_taken(0u, 0u), b = eg_taken(0u, 1u), c = eg_taken(0u, 2u);
  vec4 sum = vec4(a.xw, b.z, c.y) + vec4(a.y, b.xw, c.z) + vec4(a.z, b.y, c.xw);
  if (mine) eg_b1[item] = eg_fold0(sum);
}
void eg_write(uint first, uint vectors) {}
void eg_report() {}
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_slot_vectors = uint(EG_GROUP_SIZE * EG_PITCH);
shared vec4 eg_vectors[uint(EG_SLOTS) * eg_slot_vectors];

// Every row has each of its elements.
vec4 eg_within(uint step, vec4 v, float other) { return v; }

uint eg_padded(uint vector) { return vector + vector / EG_LENGTH * (uint(EG_PITCH) - EG_LENGTH); }

void eg_stage(uint slot, uint vector, vec4 value) { eg_vectors[slot * eg_slot_vectors + eg_padded(vector)] = value; }

vec4 eg_staged(uint slot, uint vector) { return eg_vectors[slot * eg_slot_vectors + eg_padded(vector)]; }

// Of the invocation's own.
vec4 eg_taken(uint slot, uint vector) { return eg_vectors[slot * eg_slot_vectors + eg_lane * uint(EG_PITCH) + vector]; }

void eg_give(uint slot, uint vector, vec4 value) {
  eg_vectors[slot * eg_slot_vectors + eg_lane * uint(EG_PITCH) + vector] = value;
}

#define EG_FOLD(NAME, JOIN, HALF) EG_ROW NAME(EG_ROW v) { return v; }
EG_FOLDS
void eg_separate() {}

void eg_together() {
  memoryBarrierShared();
  barrier();
}

void main() {
  eg_lane = gl_LocalInvocationID.x;
  uint start = gl_WorkGroupID.x * EG_GROUP_ITEMS, end = min(start + EG_GROUP_ITEMS, EG_ITEMS);
  for (uint item = start; item < end; item += uint(EG_GROUP_SIZE)) {
    uint first = item * EG_LENGTH;
    uint vectors = min(min(end - item, uint(EG_GROUP_SIZE)) * EG_LENGTH, EG_ALL_VECTORS - first);
    eg_read(first, vectors);
    eg_together();
    if (item + eg_lane < end) eg_make(item + eg_lane, true);
    eg_together();
    eg_write(first, vectors);
    eg_together();
  }
  eg_report();
}
