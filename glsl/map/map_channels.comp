#version 430
// map_channels: y[p, i, c] = x[p, c, i] for few channels c of bytes, moved by 16.
// An invocation reads 16 bytes of each channel and interleaves them in registers, which gives as many vectors of 16
// bytes of y as there are channels, one behind the other. Which byte goes where, and where in memory's vectors channels
// begin, are constants of the program.
// Holes: eg_interleave(plane, block, vector) reads a block of 16 bytes of each channel and writes it from a vector of y
// on.
// Work group: EG_GROUP_SIZE invocations, no shared memory. Bindings: declared by the generator.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_CHANNELS 3
layout(location = 0) uniform uint eg_u[4];
uint eg_divide(uint n, uint multiplier, uint shift) { return n / shift; }
void eg_interleave(uint plane, uint block, uint vector) {}
#endif
#define EG_ALL_BLOCKS eg_u[0]
#define EG_BLOCKS eg_u[1]  // of a plane; 2 and 3 divide by it

layout(local_size_x = EG_GROUP_SIZE) in;

void main() {
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * uint(EG_GROUP_SIZE) + gl_LocalInvocationID.x;
  if (i >= EG_ALL_BLOCKS) return;
  uint plane = eg_divide(i, eg_u[2], eg_u[3]);
  eg_interleave(plane, i - plane * EG_BLOCKS, i * uint(EG_CHANNELS));
}
