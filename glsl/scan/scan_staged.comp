#version 430
// scan_staged: y[r, e] = x[r, 0] o ... o x[r, e], o = eg_combine, along many short rows that lie one behind the other
// and begin anywhere; under EG_EXCLUSIVE without x[r, e]. The bits are those of scan_tile, whose lanes would access a row
// each, and so a fourth of each sector of memory at a time.
// x is (rows, n), read through the hole eg_load(vector): elements 4 vector .. 4 vector + 3 of all rows, in the order of
// memory. A group takes EG_GROUP_SIZE * EG_ROWS_EACH rows at a time to shared memory, all invocations side by side,
// EG_UNROLL vectors of each in flight; then an invocation scans a row there, EG_LANES vectors (1 or 2) at a time; and
// eg_finish(vector, values) stores the results as they were read. Under EG_REVERSED rows run from their last element.
// Shared memory: EG_WORDS values. Rows of an odd length meet in no bank as invocations walk them, those of twice an odd
// one two by two. Invocations that access four neighbours begin, eight by eight, at another of the four each, so that
// these meet in no bank either.
// EG_ONE_IN_ARRAY is the element type of arrays of EG_VALUE: uint for booleans, since zink has no arrays of bool.
// Work group: EG_GROUP_SIZE invocations; a group works through EG_GROUP_ITEMS rows, a multiple of four.
// Bindings: declared by the generator.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_ROWS_EACH 1
#define EG_WORDS 772
#define EG_LANES 1
#define EG_VALUE float
#define EG_VALUES vec4
#define EG_ONE_IN_ARRAY float
#define EG_EACH_LOAD(F) F(0, eg_x0) F(1, eg_x1)
#define EG_UNROLL 2
layout(location = 0) uniform uint eg_u[3];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
float eg_identity() { return 0.0; }
float eg_combine(float a, float b) { return a + b; }
vec4 eg_load(uint vector) { return eg_b0[vector]; }
void eg_finish(uint vector, vec4 values) { eg_b1[vector] = values; }
#endif
#define EG_ITEMS eg_u[0]        // rows of this dispatch
#define EG_GROUP_ITEMS eg_u[1]  // rows of a group
#define EG_LENGTH eg_u[2]       // n

layout(local_size_x = EG_GROUP_SIZE) in;

shared EG_ONE_IN_ARRAY eg_slots[EG_WORDS];

// The component with which an invocation begins: eight have 32 words, and so all banks.
uint eg_turn(uint vector) { return vector >> 3 & 3u; }

void eg_stage(uint vector, EG_VALUES value) {
  uint at = vector * 4u, turn = eg_turn(vector);
  if ((turn & 1u) != 0u) value = value.yzwx;
  if ((turn & 2u) != 0u) value = value.zwxy;
  eg_slots[at + turn] = EG_ONE_IN_ARRAY(value.x);
  eg_slots[at + (turn + 1u & 3u)] = EG_ONE_IN_ARRAY(value.y);
  eg_slots[at + (turn + 2u & 3u)] = EG_ONE_IN_ARRAY(value.z);
  eg_slots[at + (turn + 3u & 3u)] = EG_ONE_IN_ARRAY(value.w);
}

EG_VALUES eg_staged(uint vector) {
  uint at = vector * 4u, turn = eg_turn(vector);
  EG_VALUES value = EG_VALUES(EG_VALUE(eg_slots[at + turn]), EG_VALUE(eg_slots[at + (turn + 1u & 3u)]),
                              EG_VALUE(eg_slots[at + (turn + 2u & 3u)]), EG_VALUE(eg_slots[at + (turn + 3u & 3u)]));
  if ((turn & 1u) != 0u) value = value.wxyz;
  if ((turn & 2u) != 0u) value = value.zwxy;
  return value;
}

uint eg_slot_of(uint row, uint element) {
#ifdef EG_REVERSED
  element = EG_LENGTH - 1u - element;
#endif
  return row * EG_LENGTH + element;
}

EG_VALUE eg_element(uint row, uint element) {
  return element < EG_LENGTH ? EG_VALUE(eg_slots[eg_slot_of(row, element)]) : eg_identity();
}

EG_VALUES eg_scanned(uint row, uint element) {
  EG_VALUES x = EG_VALUES(eg_element(row, element), eg_element(row, element + 1u), eg_element(row, element + 2u),
                          eg_element(row, element + 3u));
  x.y = eg_combine(x.x, x.y);
  x.z = eg_combine(x.y, x.z);
  x.w = eg_combine(x.z, x.w);
  return x;
}

void eg_keep(uint row, uint element, EG_VALUE value) {
  if (element < EG_LENGTH)
    eg_slots[eg_slot_of(row, element)] = EG_ONE_IN_ARRAY(eg_combine(eg_identity(), value));
}

// A vector's results from the prefix before it and its own scan.
void eg_keep_results(uint row, uint element, EG_VALUE before, EG_VALUES x) {
#ifdef EG_EXCLUSIVE
  eg_keep(row, element, before);
  eg_keep(row, element + 1u, eg_combine(before, x.x));
  eg_keep(row, element + 2u, eg_combine(before, x.y));
  eg_keep(row, element + 3u, eg_combine(before, x.z));
#else
  eg_keep(row, element, eg_combine(before, x.x));
  eg_keep(row, element + 1u, eg_combine(before, x.y));
  eg_keep(row, element + 2u, eg_combine(before, x.z));
  eg_keep(row, element + 3u, eg_combine(before, x.w));
#endif
}

// In the order in which lanes of scan_tile combine their vectors.
void eg_scan_row(uint row) {
  EG_VALUE total = eg_identity();
  for (uint element = 0u; element < EG_LENGTH; element += uint(4 * EG_LANES)) {
    EG_VALUES own = eg_scanned(row, element);
    EG_VALUE all = own.w;
#if EG_LANES > 1
    EG_VALUES next = eg_scanned(row, element + 4u);
    all = eg_combine(own.w, next.w);
    eg_keep_results(row, element + 4u, eg_combine(total, own.w), next);
#endif
    eg_keep_results(row, element, eg_combine(total, eg_identity()), own);
    total = eg_combine(total, all);
  }
}

void eg_together() {
  memoryBarrierShared();
  barrier();
}

void main() {
  const uint at_once = uint(EG_GROUP_SIZE * EG_ROWS_EACH);
  uint start = gl_WorkGroupID.x * EG_GROUP_ITEMS, end = min(start + EG_GROUP_ITEMS, EG_ITEMS);
  for (uint item = start; item < end; item += at_once) {
    uint rows = min(end - item, at_once), vectors = (rows * EG_LENGTH + 3u) / 4u, first = item / 4u * EG_LENGTH;
    for (uint vector = gl_LocalInvocationID.x; vector < vectors; vector += uint(EG_UNROLL * EG_GROUP_SIZE)) {
#define EG_PLACE(k) (vector + uint(k * EG_GROUP_SIZE))
#define EG_LOAD(k, x) EG_VALUES x = eg_load(first + min(EG_PLACE(k), vectors - 1u));
#define EG_STAGE(k, x) \
  if (EG_PLACE(k) < vectors) eg_stage(EG_PLACE(k), x);
      EG_EACH_LOAD(EG_LOAD)
      EG_EACH_LOAD(EG_STAGE)
    }
    eg_together();
    for (uint row = gl_LocalInvocationID.x; row < rows; row += uint(EG_GROUP_SIZE)) eg_scan_row(row);
    eg_together();
    for (uint vector = gl_LocalInvocationID.x; vector < vectors; vector += uint(EG_GROUP_SIZE))
      eg_finish(first + vector, eg_staged(vector));
    eg_together();
  }
}
