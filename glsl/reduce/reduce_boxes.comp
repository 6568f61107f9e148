#version 430
// reduce_boxes: y[g] = combine over the elements of the boxes that group g takes of value(i), for operands that lie in
// memory by different orders of the domain's axes.
// The domain is divided into boxes, of which several axes together make long lines in either order, as in
// map_permute.comp: a group reads a box of what lies across in that operand's order to shared memory, then takes the
// box's elements in the order of the others, so that neighbouring invocations read neighbouring elements of each. What
// lies across in the next box is on its way meanwhile, so that a box is waited for once. An invocation combines its
// elements of a box, the boxes one after the other, then invocations combine in a binary tree. Which group takes which
// boxes depends on the device: the order of a float sum is that of one device.
// Holes: eg_prepare, eg_start(box), eg_fetch(), eg_stage() as in map_permute.comp; eg_take() combines an invocation's
// elements of the box and adds them to eg_all; eg_slot_put(i, a) and eg_slot_at(i) are slots of shared memory that the
// boxes no longer use; eg_store_partial(place, a) stores.
// Work group: EG_GROUP_SIZE invocations, a power of two. Shared memory: an element of the box a word, for each staged
// operand. Bindings: declared by the generator.
// After Harris, "Optimizing Parallel Reduction in CUDA" (2007), and Ruetsch and Micikevicius, "Optimizing Matrix
// Transpose in CUDA" (2009).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_ACCUMULATOR float
layout(location = 0) uniform uint eg_u[1];
layout(std430, binding = 0) restrict buffer EgBlock0 { float eg_b0[]; };
shared float eg_box0[512];
float eg_all;
float eg_identity() { return 0.0; }
float eg_combine(float a, float b) { return a + b; }
void eg_prepare() {}
void eg_start(uint box) {}
void eg_fetch() {}
void eg_stage() {}
void eg_take() {}
void eg_slot_put(uint i, float a) { eg_box0[i] = a; }
float eg_slot_at(uint i) { return eg_box0[i]; }
void eg_store_partial(uint place, float a) { eg_b0[place] = a; }
#endif
#define EG_BOXES eg_u[0]

layout(local_size_x = EG_GROUP_SIZE) in;

void eg_wait() {
  memoryBarrierShared();
  barrier();
}

void main() {
  eg_prepare();
  eg_all = eg_identity();
  eg_start(gl_WorkGroupID.x);
  eg_fetch();
  for (uint box = gl_WorkGroupID.x; box < EG_BOXES; box += gl_NumWorkGroups.x) {
    eg_stage();
    eg_wait();
    if (box + gl_NumWorkGroups.x < EG_BOXES) {
      eg_start(box + gl_NumWorkGroups.x);
      eg_fetch();
    }
    eg_start(box);
    eg_take();
    eg_wait();
  }
  uint i = gl_LocalInvocationID.x;
  eg_slot_put(i, eg_all);
  eg_wait();
  for (uint half_of = uint(EG_GROUP_SIZE) / 2u; half_of > 0u; half_of >>= 1) {
    if (i < half_of) eg_slot_put(i, eg_combine(eg_slot_at(i), eg_slot_at(i + half_of)));
    eg_wait();
  }
  if (i == 0u) eg_store_partial(gl_WorkGroupID.x, eg_slot_at(0u));
}
