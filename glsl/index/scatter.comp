#version 430
// scatter: y[target(c) + i * stride] = u[c] (or, combined with it), i = index[c], c in row-major order: the last one wins.
// The hole eg_target_address(at, number) gives the element of y for update `at`, counted in the window of y that this
// dispatch binds, or eg_no_address; and the update's row-major number. eg_value(at) gives u. An index out of range
// writes nothing; eg_report() lowers a flag to the smallest position of one that the invocation met. Passes:
//   EG_DIRECT  y = u, where no two updates have one target
//   EG_ATOMIC  y combined with u by this atomic function: integers' sums, maxima and minima are exact in any order
//              With EG_COPIES a group combines its updates in shared memory first, in so many copies of y, by lane (no
//              atomics where each invocation has one), then what they hold with y: EG_PLACES elements of y from
//              EG_FIRST_PLACE on
//   EG_CLAIM   w = max(w, number + 1), w one word for each element of y, 0 at first
//   EG_SETTLE  y = u where w = number + 1: after EG_CLAIM, the last update of each element
//   EG_KEYS    k[at] = the element, or 0xffffffff: the keys by which updates are sorted (scatter_segments.comp)
// An update of EG_DIRECT may be a vector of four that share one index; EG_PLACE(address, v) is where vector v of those
// that begin at an address goes. Under EG_ROW (updates that share one index; EG_DIRECT) EG_UPDATES and EG_CHUNK count
// rows: an invocation reads the index of each, then the group puts row after row, and nothing of those that go nowhere.
// Work group: EG_GROUP_SIZE invocations; shared memory: EG_COPY_WORDS words with EG_COPIES, a word an invocation with
// EG_ROW, else none. A group works through a contiguous chunk of updates, one an invocation, so that neighbouring
// updates to neighbouring elements are one access; several loads in flight. Bindings: the index's and the updates'
// operands, EG_OUT, EG_WINNERS, the flags; at most four with one operand each.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_UNROLL 2
#define EG_EACH_LOAD(F) F(0, eg_x0) F(1, eg_x1)
#define EG_SETTLE
#define EG_STORED float
#define EG_UPDATES eg_u[0]
#define EG_CHUNK eg_u[1]
#define EG_OUT eg_b2
#define EG_WINNERS eg_b3
layout(location = 0) uniform uint eg_u[2];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { uint eg_b0[]; };
layout(std430, binding = 1) restrict readonly buffer EgBlock1 { float eg_b1[]; };
layout(std430, binding = 2) restrict buffer EgBlock2 { float eg_b2[]; };
layout(std430, binding = 3) restrict readonly buffer EgBlock3 { uint eg_b3[]; };
const uint eg_no_address = 0xffffffffu;
uint eg_target_address(uint at, out uint number) {
  number = at;
  return eg_b0[at];
}
float eg_value(uint at) { return eg_b1[at]; }
void eg_report() {}
#endif

layout(local_size_x = EG_GROUP_SIZE) in;

#if defined(EG_COPIES) || defined(EG_ROW)
void eg_synchronize() {
  memoryBarrierShared();
  barrier();
}
#endif

#ifdef EG_COPIES
shared EG_VALUE eg_copies[EG_COPY_WORDS];

void eg_clear_copies() {
  for (uint i = gl_LocalInvocationID.x; i < EG_PLACES * uint(EG_COPIES); i += uint(EG_GROUP_SIZE))
    eg_copies[i] = eg_identity();
  eg_synchronize();
}

// Neighbours begin at different copies, which lie in different banks.
void eg_add_copies() {
  eg_synchronize();
  for (uint place = gl_LocalInvocationID.x; place < EG_PLACES; place += uint(EG_GROUP_SIZE)) {
    EG_VALUE total = eg_identity();
    for (uint i = 0u; i < uint(EG_COPIES); ++i)
      total = eg_combine(total, eg_copies[place * uint(EG_COPIES) + ((place + i) & uint(EG_COPIES - 1))]);
    if (total != eg_identity()) EG_ATOMIC(EG_OUT[place + EG_FIRST_PLACE], total);
  }
}
#else
void eg_clear_copies() {}
void eg_add_copies() {}
#endif

#ifdef EG_KEYS
void eg_put(uint at, uint address, uint number) { eg_store(at, address); }
#else
void eg_put(uint at, uint address, uint number) {
  if (address == eg_no_address) return;
#if defined(EG_DIRECT)
  EG_OUT[EG_PLACE(address, 0u)] = eg_value(at);
#elif defined(EG_COPIES)
  uint copy = gl_LocalInvocationID.x & uint(EG_COPIES - 1);
  uint place = (address - EG_FIRST_PLACE) * uint(EG_COPIES) + copy;
#if EG_COPIES == EG_GROUP_SIZE
  eg_copies[place] = eg_combine(eg_copies[place], eg_value(at));
#else
  EG_ATOMIC(eg_copies[place], eg_value(at));
#endif
#elif defined(EG_ATOMIC)
  EG_ATOMIC(EG_OUT[address], eg_value(at));
#elif defined(EG_CLAIM)
  atomicMax(EG_WINNERS[address], number + 1u);
#elif defined(EG_SETTLE)
  if (EG_WINNERS[address] == number + 1u) EG_OUT[address] = eg_value(at);
#endif
}
#endif

#ifdef EG_ROW
shared uint eg_row_addresses[EG_GROUP_SIZE];

void main() {
  uint first = gl_WorkGroupID.x * EG_CHUNK, lane = gl_LocalInvocationID.x;
  uint end = min(first + EG_CHUNK, EG_UPDATES);
  for (uint rows = first; rows < end; rows += uint(EG_GROUP_SIZE)) {
    uint number;
    eg_row_addresses[lane] = rows + lane < end ? eg_target_address((rows + lane) * EG_ROW, number) : eg_no_address;
    eg_synchronize();
    for (uint i = 0u; i < uint(EG_GROUP_SIZE); ++i) {
      uint address = eg_row_addresses[i], row = (rows + i) * EG_ROW;
      if (address == eg_no_address) continue;
      for (uint v = lane; v < EG_ROW; v += uint(EG_GROUP_SIZE)) EG_OUT[EG_PLACE(address, v)] = eg_value(row + v);
    }
    eg_synchronize();
  }
  eg_report();
}
#else
void main() {
  eg_clear_copies();
  uint first = gl_WorkGroupID.x * EG_CHUNK;
  uint end = min(first + EG_CHUNK, EG_UPDATES);
  uint at = first + gl_LocalInvocationID.x;
#if EG_UNROLL > 1
  for (; at + uint((EG_UNROLL - 1) * EG_GROUP_SIZE) < end; at += uint(EG_UNROLL * EG_GROUP_SIZE)) {
#define EG_ADDRESS(i, found) uvec2 found; found.x = eg_target_address(at + uint(i * EG_GROUP_SIZE), found.y);
#define EG_PUT(i, found) eg_put(at + uint(i * EG_GROUP_SIZE), found.x, found.y);
    EG_EACH_LOAD(EG_ADDRESS)
    EG_EACH_LOAD(EG_PUT)
  }
#endif
  for (; at < end; at += uint(EG_GROUP_SIZE)) {
    uint number;
    uint address = eg_target_address(at, number);
    eg_put(at, address, number);
  }
  eg_add_copies();
  eg_report();
}
#endif
