#version 430
// map_permute: y[i] = value(i) for every element i of a domain with operands that lie by another order of its axes.
// The domain is divided into boxes, of which several axes together make long lines in an operand and long runs in y
// (lower/map/transpose/joint_tile.hpp). A group reads a box of each such operand in the operand's order, so that
// neighbouring invocations read neighbouring elements, and computes and writes it in y's order.
// Holes: eg_prepare() finds what places in a box the invocation reads and writes, once for all boxes; eg_start(box)
// where the box lies; eg_fetch() reads it, and eg_stage() stores what was read to shared memory; eg_ahead() reads what
// else its results are made of, or nothing; eg_write() computes and writes it, with staged operands from eg_slot of
// their tiles. Words are written one by one; of narrow results whole words, or the words of four elements, but at the
// ends of runs.
// Work group: EG_GROUP_SIZE invocations. Shared memory: an element of the box a word, of 16 bits two neighbours of a run
// (lower/map/transpose/pair_slots.hpp), for each staged operand; rows of slots have odd lengths where neighbours of an
// operand would lie in one bank. Bindings: declared by the generator.
// EG_PREFETCH: the next box is read while this one is computed and written, for boxes so large that a multiprocessor
// holds one group: nothing else would be read meanwhile; or of narrow elements, of which a box has few bytes.
// After Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA" (2009).
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
layout(location = 0) uniform uint eg_u[1];
void eg_prepare() {}
void eg_start(uint box) {}
void eg_fetch() {}
void eg_ahead() {}
void eg_stage() {}
void eg_write() {}
#endif
#define EG_BOXES eg_u[0]

layout(local_size_x = EG_GROUP_SIZE) in;

void eg_wait() {
  memoryBarrierShared();
  barrier();
}

#ifdef EG_PREFETCH
void main() {
  eg_prepare();
  eg_start(gl_WorkGroupID.x);
  eg_fetch();
  for (uint box = gl_WorkGroupID.x; box < EG_BOXES; box += gl_NumWorkGroups.x) {
    eg_ahead();
    eg_stage();
    eg_wait();
    uint first = eg_first;
    if (box + gl_NumWorkGroups.x < EG_BOXES) {
      eg_start(box + gl_NumWorkGroups.x);
      eg_fetch();
    }
    uint next = eg_first;
    eg_first = first;
    eg_write();
    eg_first = next;
    eg_wait();
  }
}
#else
void main() {
  eg_prepare();
  for (uint box = gl_WorkGroupID.x; box < EG_BOXES; box += gl_NumWorkGroups.x) {
    eg_start(box);
    eg_fetch();
    eg_ahead();
    eg_stage();
    eg_wait();
    eg_write();
    eg_wait();
  }
}
#endif
