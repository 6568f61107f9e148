#version 430
// few_columns: out[r, c] = sum over k of a[r, k] * b[k, c] for 1 to 16 columns c, batched. The matrix a is so large that
// reading it takes most of the time; each of its elements is read once, and multiplied with all columns in registers.
//
// a (batch, rows, k), a fused expression, through eg_matrix; b (batch, columns, k), so that four neighbouring k are a
// vector, through eg_column; out through eg_result, in the order (batch, row, column), or (batch, column, row) under
// EG_COLUMNS_FIRST. A quad is four neighbouring k; a run is one quad, or several that loads of 16 bytes bring at once.
// Work group: EG_GROUP_SIZE invocations: places side by side with EG_ROWS rows each, times EG_LANES lanes that share the
// k of a place. Along k (the default) a vector of a is a quad of one row, and EG_TEAM lanes of a place are neighbours: in
// a subgroup several places read the same of b at once where a team is smaller. Under EG_ALONG_ROWS it is four
// neighbouring rows, and places are neighbours; under EG_APART too, but the four rows are as far apart as there are
// places, and read one by one. Groups in x are blocks of rows, in y chunks of k, each with
// results of its own, in z batches.
// Under EG_BATCHES, of few rows each, groups in x have so many batches, whose places follow each other, and their columns
// in shared memory (EG_COLUMN_SLOTS vectors); under EG_APART, too, a batch's four rows are as far apart as it has places.
// Lanes add up in a fixed order: under EG_SUBGROUPS those of a place in one subgroup, a team, by shuffles that halve the
// number of sums of each lane, then the teams; else in shared memory, along k in teams. One lane alone (software
// drivers) stores its results itself, without shared memory or barriers.
// Shared memory: EG_SLOTS vectors (not under EG_SUBGROUPS), and the sums of each team of the group.
// The halving exchange is after Rabenseifner, "Optimization of collective reduction operations", 2004.
//
// Holes: EG_VALUE and EG_VECTOR (types), EG_DECLARE, EG_STEPS(q) (EG_UNROLL runs, EG_LANES apart), EG_STEP(q) (one, where
// that differs), EG_TAIL(q) (the part of one that exists), EG_GATHER, EG_STORE: text over the invocation's rows and
// columns, unrolled since drivers do not unroll it. eg_matrix_address(row or vector of rows), eg_matrix(quad or k), of
// longer runs eg_matrix(run, out a vector for each quad); where a is weights times a factor of each run, eg_matrix gives
// the weights and eg_factor_address(row), eg_factor(k) the factor, which multiplies the run's sum;
// eg_column_address(column of all batches), eg_column(quad), eg_result(number, value).
#ifdef EG_STANDALONE
layout(std430, binding = 0) readonly buffer EgBlock0 { vec4 eg_b0[]; };
layout(std430, binding = 1) readonly buffer EgBlock1 { vec4 eg_b1[]; };
layout(std430, binding = 2) buffer EgBlock2 { float eg_b2[]; };
layout(location = 0) uniform uint eg_u[10];
#define EG_VALUE float
#define EG_VECTOR vec4
#define EG_GROUP_SIZE 64
#define EG_LANES 32u
#define EG_TEAM 32u
#define EG_ROWS 1u
#define EG_COLUMNS 1u
#define EG_UNROLL 1u
#define EG_SLOTS 64
uint eg_at;
void eg_matrix_address(uint row) { eg_at = row * eg_u[2]; }
vec4 eg_matrix(uint quad) { return eg_b0[eg_at + quad]; }
void eg_column_address(uint column) {}
vec4 eg_column(uint quad) { return eg_b1[quad]; }
void eg_result(uint number, float value) { eg_b2[number] = value; }
#define EG_DECLARE uint row0 = eg_row(batch, row); float s0_0 = 0.0;
#define EG_STEPS(q) eg_matrix_address(row0); s0_0 += dot(eg_matrix(q), eg_column(q));
#define EG_GATHER eg_slots[me] = vec4(s0_0, 0.0, 0.0, 0.0); EG_SYNC eg_add_lanes(0u, me); EG_SYNC
#endif
#define EG_ALL_ROWS eg_u[0]     // of a batch
#define EG_END_ROW eg_u[1]      // behind the last row of this dispatch
#define EG_RUNS eg_u[2]         // whole ones
#define EG_REST eg_u[3]         // k of the partial quad behind those
#define EG_CHUNK eg_u[4]        // runs of a chunk
#define EG_PITCH eg_u[5]        // from one chunk's results to the next one's
#define EG_FIRST_CHUNK eg_u[6]  // of this dispatch, as the others
#define EG_FIRST_ROW eg_u[7]
#define EG_FIRST_BATCH eg_u[8]
#define EG_END_BATCH eg_u[9]    // behind the last one of this dispatch
#define EG_SYNC        \
  memoryBarrierShared(); \
  barrier();

layout(local_size_x = EG_GROUP_SIZE) in;

const uint eg_group = uint(EG_GROUP_SIZE), eg_places = eg_group / EG_LANES, eg_block = eg_places * EG_ROWS;

// The number of a row among those of all batches; past the end the last one, whose results are not stored again.
uint eg_row(uint batch, uint row) {
#ifdef EG_WHOLE_BLOCKS
  return batch * EG_ALL_ROWS + row;
#else
  return batch * EG_ALL_ROWS + min(row, EG_END_ROW - 1u);
#endif
}

#ifdef EG_BATCHES
shared EG_VECTOR eg_columns[EG_COLUMN_SLOTS];

uint eg_places_each() { return (EG_ALL_ROWS + EG_ROWS - 1u) / EG_ROWS; }  // of a batch
uint eg_quads() { return EG_RUNS + (EG_REST > 0u ? 1u : 0u); }

// All columns of a group's batches, past the last that one's again.
void eg_fetch_columns(uint batch, uint me) {
  uint quads = eg_quads(), last = EG_END_BATCH * EG_COLUMNS - 1u;
  for (uint i = me; i < EG_BATCHES * EG_COLUMNS * quads; i += eg_group) {
    eg_column_address(min(batch * EG_COLUMNS + i / quads, last));
    eg_columns[i] = eg_column(i % quads);
  }
  EG_SYNC
}
#endif

#ifndef EG_ALONG_ROWS
// Teams of a subgroup belong to neighbouring places, and the subgroups' teams follow each other in k.
const uint eg_subgroup = 32u, eg_together = eg_subgroup / EG_TEAM;
uint eg_lane(uint me) { return me % EG_TEAM + me / eg_subgroup % (EG_LANES / EG_TEAM) * EG_TEAM; }
uint eg_place(uint me) {
  return me / EG_TEAM % eg_together + me / (eg_subgroup * (EG_LANES / EG_TEAM)) * eg_together;
}
#endif

// The number of a result.
uint eg_number(uint chunk, uint batch, uint row, uint column) {
#ifdef EG_COLUMNS_FIRST
  return chunk * EG_PITCH + (batch * EG_COLUMNS + column) * EG_ALL_ROWS + row;
#else
  return chunk * EG_PITCH + (batch * EG_ALL_ROWS + row) * EG_COLUMNS + column;
#endif
}

#ifdef EG_TAIL
// The part of the last quad that exists; zeros instead of the rest, whatever was read there.
EG_VECTOR eg_existing(EG_VECTOR x) {
  return EG_VECTOR(x.x, EG_REST > 1u ? x.y : EG_VALUE(0), EG_REST > 2u ? x.z : EG_VALUE(0), EG_VALUE(0));
}
#endif

#ifdef EG_GATHER
#if defined(EG_ALONG_ROWS) && !defined(EG_SUBGROUPS)
#define EG_TEAMS 1u
#else
#define EG_TEAMS (EG_LANES / EG_TEAM)
#endif
// Sums of a team, in the order of the group's results, one team after the other.
shared EG_VALUE eg_sums[EG_TEAMS * eg_block * EG_COLUMNS];

uint eg_place_of(uint row, uint column) {
#ifdef EG_COLUMNS_FIRST
  return column * eg_block + row;
#else
  return row * EG_COLUMNS + column;
#endif
}

#ifdef EG_ALONG_ROWS
uint eg_row_of(uint place, uint r) {
#if defined(EG_APART) && defined(EG_BATCHES)
  uint each = eg_places_each();
  if (place >= EG_BATCHES * each) return place * EG_ROWS + r;  // idle
  return place / each * each * EG_ROWS + r * each + place % each;
#elif defined(EG_APART)
  return r * eg_places + place;
#else
  return place * EG_ROWS + r;
#endif
}

// A place's sums of column `number`, as a team has them.
void eg_keep(uint place, uint team, uint number, EG_VECTOR value) {
  for (uint r = 0u; r < 4u; ++r)
    eg_sums[team * eg_block * EG_COLUMNS + eg_place_of(eg_row_of(place, r), number)] = value[r];
}
#else
// Sum `number` of a place, in the order of columns within rows, as a team has it.
void eg_keep(uint place, uint team, uint number, EG_VALUE value) {
  uint row = place * EG_ROWS + number / EG_COLUMNS;
  eg_sums[team * eg_block * EG_COLUMNS + eg_place_of(row, number % EG_COLUMNS)] = value;
}
#endif

#ifndef EG_SUBGROUPS
shared EG_VECTOR eg_slots[EG_SLOTS];
#ifdef EG_ALONG_ROWS
// Adds up the lanes of `count` columns, from number `first` on.
void eg_add_columns(uint first, uint count, uint me) {
  for (uint i = me; i < count * eg_places; i += eg_group) {
    uint column = i / eg_places, place = i % eg_places, at = column * eg_group + place;
    EG_VECTOR sum = eg_slots[at];
    for (uint lane = 1u; lane < EG_LANES; ++lane) sum += eg_slots[at + lane * eg_places];
    for (uint r = 0u; r < 4u; ++r) eg_sums[eg_place_of(eg_row_of(place, r), first + column)] = sum[r];
  }
}
#else
// Adds up the lanes of each team, four sums from number `first` on.
void eg_add_lanes(uint first, uint me) {
  uint lane = me % EG_TEAM;
  if (lane >= 4u || first + lane >= EG_ROWS * EG_COLUMNS) return;
  EG_VALUE sum = EG_VALUE(0);
  for (uint i = 0u; i < EG_TEAM; ++i) sum += eg_slots[me - lane + i][lane];
  eg_keep(eg_place(me), eg_lane(me) / EG_TEAM, first + lane, sum);
}
#endif
#endif

EG_VALUE eg_total(uint place) {
  EG_VALUE total = eg_sums[place];
  for (uint team = 1u; team < EG_TEAMS; ++team) total += eg_sums[team * eg_block * EG_COLUMNS + place];
  return total;
}

#ifdef EG_VECTOR_RESULTS
const uint eg_width = 4u;
#else
const uint eg_width = 1u;
#endif
#ifdef EG_BATCHES
// The sum that is a group's result `number`: its batches' follow each other, with places for more rows than there are.
EG_VALUE eg_total_of(uint number) {
  uint results = EG_ALL_ROWS * EG_COLUMNS, in_batch = number % results;
  uint first = number / results * eg_places_each() * EG_ROWS;
#ifdef EG_COLUMNS_FIRST
  return eg_total(in_batch / EG_ALL_ROWS * eg_block + first + in_batch % EG_ALL_ROWS);
#else
  return eg_total(first * EG_COLUMNS + in_batch);
#endif
}

void eg_deliver(uint batch, uint me) {
  uint results = EG_ALL_ROWS * EG_COLUMNS, last = min(EG_BATCHES, EG_END_BATCH - batch) * results - 1u;
  for (uint i = me * eg_width; i <= last; i += eg_group * eg_width) {
#ifdef EG_VECTOR_RESULTS
    eg_result((batch * results + i) >> 2, EG_VECTOR(eg_total_of(i), eg_total_of(min(i + 1u, last)),
                                                    eg_total_of(min(i + 2u, last)), eg_total_of(min(i + 3u, last))));
#else
    eg_result(batch * results + i, eg_total_of(i));
#endif
  }
}
#else
// Neighbouring invocations store neighbouring results.
void eg_deliver(uint chunk, uint batch, uint first_row, uint me) {
  for (uint i = me * eg_width; i < eg_block * EG_COLUMNS; i += eg_group * eg_width) {
#ifdef EG_COLUMNS_FIRST
    uint row = i % eg_block, column = i / eg_block;
#else
    uint row = i / EG_COLUMNS, column = i % EG_COLUMNS;
#endif
    if (first_row + row >= EG_END_ROW) continue;
    uint number = eg_number(chunk, batch, first_row + row, column);
#ifdef EG_VECTOR_RESULTS
    eg_result(number >> 2, EG_VECTOR(eg_total(i), eg_total(i + 1u), eg_total(i + 2u), eg_total(i + 3u)));
#else
    eg_result(number, eg_total(i));
#endif
  }
}
#endif
#endif

void main() {
#ifdef EG_SUBGROUPS
  uint me = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
#else
  uint me = gl_LocalInvocationID.x;
#endif
#ifdef EG_ALONG_ROWS
  uint lane = me / eg_places, place = me % eg_places;
#else
  uint lane = eg_lane(me), place = eg_place(me);
#endif
  uint chunk = EG_FIRST_CHUNK + gl_WorkGroupID.y;
#ifdef EG_BATCHES
  uint first_batch = EG_FIRST_BATCH + gl_WorkGroupID.x * EG_BATCHES, each = eg_places_each(), in_group = place / each;
  uint batch = min(first_batch + in_group, EG_END_BATCH - 1u);
  bool is_idle = in_group >= EG_BATCHES || first_batch + in_group >= EG_END_BATCH;
  uint quads = eg_quads(), columns_at = in_group * EG_COLUMNS * quads;
#ifdef EG_APART
  uint row = place % each;
#else
  uint row = place % each * EG_ROWS;
#endif
  eg_fetch_columns(first_batch, me);
#else
  uint batch = EG_FIRST_BATCH + gl_WorkGroupID.z, first_row = EG_FIRST_ROW + gl_WorkGroupID.x * eg_block;
#ifdef EG_APART
  uint row = first_row + place;
#else
  uint row = first_row + place * EG_ROWS;
#endif
#endif
  EG_DECLARE
  uint run = chunk * EG_CHUNK + lane, end = min((chunk + 1u) * EG_CHUNK, EG_RUNS);
#ifdef EG_BATCHES
  if (is_idle) run = EG_RUNS + 1u;
#endif
  for (; run + (EG_UNROLL - 1u) * EG_LANES < end; run += EG_UNROLL * EG_LANES) {
    EG_STEPS(run)
  }
#ifdef EG_STEP
  for (; run < end; run += EG_LANES) {
    EG_STEP(run)
  }
#endif
#ifdef EG_TAIL
  if (run == EG_RUNS && run < (chunk + 1u) * EG_CHUNK) {
    EG_TAIL(run)
  }
#endif
#ifdef EG_GATHER
  EG_GATHER
#ifdef EG_BATCHES
  eg_deliver(first_batch, me);
#else
  eg_deliver(chunk, batch, first_row, me);
#endif
#else
  EG_STORE
#endif
}
