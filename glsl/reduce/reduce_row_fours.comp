#version 430
// reduce_row_fours: y[r] = combine over e of x(r, e) of many rows of n < 16 elements that lie one behind the other, of
// which an invocation has four in registers: n vectors, so that nothing is combined past a row's end. x is (rows, n),
// read through the hole eg_elements(vector): elements 4 vector .. 4 vector + 3 of all rows, in the order of memory, as
// accumulators. A group reads the vectors of its rows side by side, all loads of an invocation in flight, and exchanges
// them in shared memory. EG_RESULT is the four rows' value of eg_x0, eg_x1, ..., an invocation's n vectors, in the
// order of docs/reduction-tree.md; eg_finish(vector, block, result) stores four neighbours.
// EG_FOUR is what vectors are staged as; EG_ACCUMULATORS may also tell of NaN.
// Shared memory: EG_PITCH vectors for each invocation: an odd number, so that lanes meet in no bank. Work group:
// EG_GROUP_SIZE invocations, few, so that barriers keep few of them waiting; a group works through a chunk of items, an
// item four rows. Bindings: declared by the generator, as are the macros that repeat text: EG_EACH_LOAD(F) is F(0,
// eg_x0) F(1, eg_x1) and so on for the n vectors.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 32
#define EG_LENGTH 3u
#define EG_PITCH 3
#define EG_FOUR vec4
#define EG_ACCUMULATORS vec4
#define EG_EACH_LOAD(F) F(0, eg_x0) F(1, eg_x1) F(2, eg_x2)
#define EG_RESULT                                                    \
  (vec4(eg_x0.xw, eg_x1.z, eg_x2.y) + vec4(eg_x0.y, eg_x1.xw, eg_x2.z) + \
   vec4(eg_x0.z, eg_x1.y, eg_x2.xw))
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
vec4 eg_elements(uint vector) { return eg_b0[vector]; }
void eg_finish(uint vector, uint block, vec4 result) { eg_b1[vector] = result; }
#endif
#define EG_ITEMS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_FIRST_ITEM eg_u[5]
#define EG_ALL_VECTORS eg_u[8]

layout(local_size_x = EG_GROUP_SIZE) in;

shared EG_FOUR eg_slots[EG_GROUP_SIZE * EG_PITCH];

uint eg_padded(uint vector) { return vector + vector / EG_LENGTH * (uint(EG_PITCH) - EG_LENGTH); }

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint start = gl_WorkGroupID.x * EG_CHUNK, end = min(start + EG_CHUNK, EG_ITEMS);
  for (uint items = start; items < end; items += uint(EG_GROUP_SIZE)) {
    uint first = items * EG_LENGTH, item = items + lane;
    uint last = min(min(end - items, uint(EG_GROUP_SIZE)) * EG_LENGTH, EG_ALL_VECTORS - first) - 1u;
    first += EG_FIRST_ITEM * EG_LENGTH;
    {
#define EG_PLACE(k) (lane + uint(k * EG_GROUP_SIZE))
#define EG_LOAD(k, x) EG_FOUR x = eg_elements(first + min(EG_PLACE(k), last));
#define EG_STAGE(k, x) eg_slots[eg_padded(EG_PLACE(k))] = x;
      EG_EACH_LOAD(EG_LOAD)
      EG_EACH_LOAD(EG_STAGE)
    }
    memoryBarrierShared();
    barrier();
    if (item < end) {
#define EG_TAKE(k, x) EG_FOUR x = eg_slots[lane * uint(EG_PITCH) + uint(k)];
      EG_EACH_LOAD(EG_TAKE)
      eg_finish(item + EG_FIRST_ITEM, 0u, EG_RESULT);
    }
    memoryBarrierShared();
    barrier();
  }
}
