#version 430
// search: y[c] = epilogue(how many elements of the row x(c) come before key[c]), the row in the order of sort(): the first
// place where key[c] keeps the order, or the last one, which also passes elements equal to it.
// The hole eg_key(at) gives the bits of a key as an integer of that order, eg_element(at, place) those of the element at a
// place of its row; eg_before(element, key) compares two. A dispatch binds the places [EG_FIRST, EG_FIRST + EG_COUNT) of
// every row; windows run from the last to the first: one that holds an element that does not come before the key
// overwrites what the later ones have found, and others write nothing.
// Work group: EG_GROUP_SIZE invocations, no shared memory; a group works through a contiguous chunk of keys, one an
// invocation, side by side; the first steps of all searches read the same few elements. A binary search of n elements
// takes log2(n) + 1 steps. Bindings: the keys' operands, x, the epilogue's operands, y.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_KEYS eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_FIRST eg_u[2]
#define EG_COUNT eg_u[3]
#define EG_LENGTH eg_u[4]
layout(location = 0) uniform uint eg_u[5];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uint eg_b0[]; };
layout(std430, binding = 1) restrict readonly buffer EgBlock1 { uint eg_b1[]; };
layout(std430, binding = 2) restrict buffer EgBlock2 { int eg_b2[]; };
uint eg_key(uint at) { return eg_b0[at]; }
uint eg_element(uint at, uint place) { return eg_b1[place]; }
bool eg_before(uint element, uint key) { return element < key; }
int eg_epilogue(uint at, int accumulator) { return accumulator; }
void eg_store(uint at, int value) { eg_b2[at] = value; }
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_KEYS);
  for (uint at = first + gl_LocalInvocationID.x; at < end; at += uint(EG_GROUP_SIZE)) {
    uint key = eg_key(at), place = EG_FIRST;
    // As many steps for every key: neighbours stay together.
    for (uint left = EG_COUNT; left > 0u; left >>= 1) {
      uint middle = (left + 1u) >> 1;
      place += eg_before(eg_element(at, place + middle - 1u), key) ? middle : 0u;
    }
    if (place < EG_FIRST + EG_COUNT || place == EG_LENGTH) eg_store(at, eg_epilogue(at, int(place)));
  }
}
