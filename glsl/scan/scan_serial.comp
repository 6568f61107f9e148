#version 430
// scan_serial: y[r, e] = x[r, 0] o ... o x[r, e], o = eg_combine; under EG_EXCLUSIVE without x[r, e], so that y[r, 0]
// is the identity. An invocation scans one chunk of a row; under EG_COLUMNS of four neighbouring columns (strided rows
// of x), or under EG_COLUMNS_SINGLY of one, where neighbouring invocations take neighbouring columns.
// x is (rows, n), read through the hole eg_load(step) after eg_address(number): elements 4 step .. 4 step + 3 of row
// `number`; under EG_COLUMNS element `step` of columns 4 number .. 4 number + 3, or of column `number`. eg_finish(step,
// values) stores. A chunk is EG_STEPS steps; under EG_CARRIES it starts with eg_carry(chunk), the total of all chunks
// before it. Under EG_REDUCE only its total is passed to eg_total(chunk, total).
// Sums stay short: runs of EG_RUN steps are summed by themselves, blocks of EG_BLOCK steps by their runs, and a result
// is (blocks o runs) o its own run: at most 16 of each, except blocks in a long chunk (docs/scan.md).
// Work group: EG_GROUP_SIZE invocations, an item (a chunk) each at a time; a group works through EG_GROUP_ITEMS items.
// Under EG_SPREAD, for columns on software devices, a group takes the same chunk of up to EG_AT_ONCE vectors a round,
// one run of all of them before the next, so that it accesses memory in order.
// Shared memory: none, or under EG_SPREAD 2 EG_SLOTS sums, each used by one invocation only: no barrier.
// Bindings: declared by the generator, as is EG_EACH_LOAD(F), which is F(0, eg_x0) F(1, eg_x1) and so on for EG_UNROLL
// steps, where several loads are in flight.
#ifdef EG_STANDALONE
#define EG_GROUP_SIZE 64
#define EG_UNROLL 2
#define EG_EACH_LOAD(F) F(0, eg_x0) F(1, eg_x1)
#define EG_RUN 4u
#define EG_BLOCK 64u
#define EG_CARRIES
#define EG_VALUE float
#define EG_VALUES vec4
#define EG_SUM float
layout(location = 0) uniform uint eg_u[9];
layout(std430, binding = 0) restrict readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) restrict buffer EgBlock1 { vec4 eg_b1[]; };
layout(std430, binding = 2) restrict readonly buffer EgBlock2 { float eg_b2[]; };
uint eg_row;
uint eg_divide(uint n, uint multiplier, uint shift) { return n / eg_u[2]; }
float eg_identity() { return 0.0; }
float eg_combine(float a, float b) { return a + b; }
void eg_address(uint row) { eg_row = row; }
vec4 eg_load(uint step) { return eg_b0[eg_row * eg_u[5] + step]; }
void eg_finish(uint step, vec4 values) { eg_b1[eg_row * eg_u[5] + step] = values; }
float eg_carry(uint chunk) { return eg_b2[eg_row * eg_u[2] + chunk]; }
void eg_total(uint chunk, float total) { eg_b1[chunk] = vec4(total); }
#endif
#define EG_ITEMS eg_u[0]
#define EG_GROUP_ITEMS eg_u[1]  // items of a group
#define EG_INNER eg_u[2]        // chunks of a row, or vectors of columns; 3 and 4 divide by it
#define EG_LENGTH eg_u[5]       // steps of a row
#define EG_STEPS eg_u[6]        // of a chunk
#define EG_AT_ONCE eg_u[7]      // vectors of a round; EG_INNER then counts rounds of a chunk, and EG_VECTORS vectors
#define EG_VECTORS eg_u[8]

layout(local_size_x = EG_GROUP_SIZE) in;

#if defined(EG_COLUMNS) && !defined(EG_COLUMNS_SINGLY)
EG_SUM eg_combine_sums(EG_SUM a, EG_SUM b) {
  return EG_SUM(eg_combine(a.x, b.x), eg_combine(a.y, b.y), eg_combine(a.z, b.z), eg_combine(a.w, b.w));
}
#else
EG_SUM eg_combine_sums(EG_SUM a, EG_SUM b) { return eg_combine(a, b); }
#endif

#ifdef EG_COLUMNS
// The step's results from `before` and the run so far; adds the step to the run.
EG_VALUES eg_step(EG_SUM before, inout EG_SUM run, EG_VALUES x) {
#ifdef EG_EXCLUSIVE
  EG_VALUES results = eg_combine_sums(before, run);
  run = eg_combine_sums(run, x);
  return results;
#else
  run = eg_combine_sums(run, x);
  return eg_combine_sums(before, run);
#endif
}
#else
EG_VALUES eg_step(EG_SUM before, inout EG_SUM run, EG_VALUES x) {
  x.y = eg_combine(x.x, x.y);
  x.z = eg_combine(x.y, x.z);
  x.w = eg_combine(x.z, x.w);
  EG_VALUE start = eg_combine(before, run);
  run = eg_combine(run, x.w);
#ifdef EG_EXCLUSIVE
  return EG_VALUES(start, eg_combine(start, x.x), eg_combine(start, x.y), eg_combine(start, x.z));
#else
  return EG_VALUES(eg_combine(start, x.x), eg_combine(start, x.y), eg_combine(start, x.z), eg_combine(start, x.w));
#endif
}
#endif

void eg_take(uint step, EG_SUM before, inout EG_SUM run, EG_VALUES x) {
  EG_VALUES results = eg_step(before, run, x);
#ifndef EG_REDUCE
  eg_finish(step, results);
#endif
}

#define EG_LOAD(i, x) EG_VALUES x = eg_load(min(step + uint(i), end - 1u));
#define EG_TAKE(i, x) \
  if (step + uint(i) < end) eg_take(step + uint(i), before, run, x);

EG_SUM eg_scan_run(uint step, uint end, EG_SUM before) {
  EG_SUM run = EG_SUM(eg_identity());
#ifdef EG_EACH_LOAD
  // Several loads in flight, of a run's last steps too. In variables: a driver may leave an array in memory.
  for (; step < end; step += uint(EG_UNROLL)) {
    EG_EACH_LOAD(EG_LOAD)
    EG_EACH_LOAD(EG_TAKE)
  }
#else
  for (; step < end; ++step) eg_take(step, before, run, eg_load(step));
#endif
  return run;
}

EG_SUM eg_start(uint chunk) {
#ifdef EG_CARRIES
  return eg_carry(chunk);
#else
  return EG_SUM(eg_identity());
#endif
}

#ifdef EG_SPREAD
shared EG_SUM eg_blocks[EG_SLOTS];
shared EG_SUM eg_runs[EG_SLOTS];

// One run of vectors [first_vector, end_vector).
void eg_scan_runs(uint first_vector, uint end_vector, uint run, uint run_end, bool ends_block) {
  for (uint vector = first_vector + gl_LocalInvocationID.x; vector < end_vector; vector += uint(EG_GROUP_SIZE)) {
    uint slot = vector - first_vector;
    EG_SUM blocks = eg_blocks[slot], runs = eg_runs[slot];
    eg_address(vector);
    runs = eg_combine_sums(runs, eg_scan_run(run, run_end, eg_combine_sums(blocks, runs)));
    eg_blocks[slot] = ends_block ? eg_combine_sums(blocks, runs) : blocks;
    eg_runs[slot] = ends_block ? EG_SUM(eg_identity()) : runs;
  }
}

void eg_scan_round(uint chunk, uint first_vector, uint end_vector) {
  for (uint vector = first_vector + gl_LocalInvocationID.x; vector < end_vector; vector += uint(EG_GROUP_SIZE)) {
    eg_address(vector);
    eg_blocks[vector - first_vector] = eg_start(chunk);
    eg_runs[vector - first_vector] = EG_SUM(eg_identity());
  }
  uint first = chunk * EG_STEPS, end = min(EG_LENGTH, first + EG_STEPS);
  for (uint run = first; run < end; run += EG_RUN)
    eg_scan_runs(first_vector, end_vector, run, min(end, run + EG_RUN),
                 ((run - first + EG_RUN) & (EG_BLOCK - 1u)) == 0u);
#ifdef EG_REDUCE
  for (uint vector = first_vector + gl_LocalInvocationID.x; vector < end_vector; vector += uint(EG_GROUP_SIZE)) {
    eg_address(vector);
    eg_total(chunk, eg_combine_sums(eg_blocks[vector - first_vector], eg_runs[vector - first_vector]));
  }
#endif
}

void main() {
  uint first = gl_WorkGroupID.x * EG_GROUP_ITEMS;
  uint items_end = min(first + EG_GROUP_ITEMS, EG_ITEMS);
  for (uint item = first; item < items_end; ++item) {
    uint chunk = eg_divide(item, eg_u[3], eg_u[4]);
    uint first_vector = (item - chunk * EG_INNER) * EG_AT_ONCE;
    eg_scan_round(chunk, first_vector, min(EG_VECTORS, first_vector + EG_AT_ONCE));
  }
}
#else
// Scans steps [first, end); returns the total of those and all before them.
EG_SUM eg_scan_chunk(uint first, uint end, EG_SUM carry) {
  EG_SUM blocks = carry;
  for (uint block = first; block < end; block += EG_BLOCK) {
    uint block_end = min(end, block + EG_BLOCK);
    EG_SUM runs = EG_SUM(eg_identity());
    for (uint run = block; run < block_end; run += EG_RUN)
      runs = eg_combine_sums(runs, eg_scan_run(run, min(block_end, run + EG_RUN), eg_combine_sums(blocks, runs)));
    blocks = eg_combine_sums(blocks, runs);
  }
  return blocks;
}

void main() {
  uint first = gl_WorkGroupID.x * EG_GROUP_ITEMS;
  uint items_end = min(first + EG_GROUP_ITEMS, EG_ITEMS);
  for (uint item = first + gl_LocalInvocationID.x; item < items_end; item += uint(EG_GROUP_SIZE)) {
    uint row = eg_divide(item, eg_u[3], eg_u[4]);
    uint rest = item - row * EG_INNER;
#ifdef EG_COLUMNS
    uint number = rest, chunk = row;
#else
    uint number = row, chunk = rest;
#endif
    eg_address(number);
    EG_SUM carry = eg_start(chunk);
    carry = eg_scan_chunk(chunk * EG_STEPS, min(EG_LENGTH, (chunk + 1u) * EG_STEPS), carry);
#ifdef EG_REDUCE
    eg_total(chunk, carry);
#endif
  }
}
#endif
