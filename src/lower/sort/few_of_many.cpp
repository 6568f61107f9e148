#include "lower/sort/few_of_many.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

using codegen::define;

constexpr int64_t group_of_tiles = 256, software_group_of_tiles = 8, loads_in_flight = 8;
constexpr int64_t shortest_tile = 32, fewest_lanes = 8, usual_lanes = 32;
// On software devices a tile costs its barriers, too: it is longer, and shorter rows are an invocation's each.
constexpr int64_t shortest_of_software = int64_t{1} << 16, longer_in_software = 3;
// Sorting in shared memory takes about sixteen times as long as reading: a record must save several of its sorts, and
// all of them the time of two more dispatches.
constexpr int64_t worthwhile = 4, records_a_resident_invocation = 4;

int64_t group_of(const Target& target) {
  return group_size_of(target, target.software ? software_group_of_tiles : group_of_tiles);
}

/// Invocations of a tile: as many as have a few loads each, more where the device has nothing else to do.
int64_t lanes_of(const Target& target, int64_t all_tiles, int64_t tile) {
  const auto loads = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(tile / loads_in_flight)));
  int64_t lanes = std::clamp(loads, fewest_lanes, std::min(usual_lanes, group_of(target)));
  while (lanes < group_of(target) && all_tiles * lanes < target.resident_invocations &&
         tile >= 4 * loads_in_flight * lanes)
    lanes *= 2;
  return lanes;
}

SortTarget pairs(Lowering& lowering, int64_t rows, int64_t pitch) {
  SortTarget target{};
  target.records = lowering.temporary(rows * pitch * 2 * word);
  target.pitch = pitch;
  return target;
}

SortSource source_of(const SortTarget& pairs) {
  return {.keys = {}, .payload = {}, .records = pairs.records, .pitch = pairs.pitch};
}

/// Binds both ends of a step of outer * inner items, and adds what comes first in its uniforms.
SubgroupProgram step_program(const Target& device, const SortJob& job, const SortSource& source,
                             const SortTarget& target, int64_t outer, int64_t inner, int64_t tile, const Grid& grid) {
  SubgroupProgram program(device, source, true);
  program.subgroups = false;
  program.reader.bind(program.bindings, job.rows, {0, job.length});
  program.writer.emplace(target, true);
  program.writer->bind(program.bindings, {0, job.rows}, {0, target.pitch});
  program.group = group_of(device);
  program.groups = grid.groups;
  program.uniforms.add(outer * inner);
  program.uniforms.add(grid.chunk);
  program.uniforms.add_divisor(inner);
  const int64_t flip = job.task.descending ? -1 : 0;
  for (int64_t number : {job.length, tile, flip, int64_t{last_key(job.task.dtype, job.task.descending ? ~0U : 0U)}})
    program.uniforms.add(number);
  program.defines = record_defines(true);
  program.functions = order_function(job.task.dtype, 7);
  return program;
}

std::optional<Dispatch> finish(const Target& device, const std::string& name, const SortJob& job,
                               SubgroupProgram& program) {
  if (!program.bindings.fits() || program.bindings.size() > device.max_bindings) return std::nullopt;
  program.reader.add_uniforms(program.bindings, program.uniforms);
  program.writer->add_uniforms(program.bindings, program.uniforms);
  return sort_dispatch(name, job.task.dtype, program);
}

std::optional<Dispatch> find_firsts(const Target& device, const SortJob& job, const SortTarget& firsts, int64_t tile) {
  const int64_t tiles = firsts.pitch, group = group_of(device);
  const bool side_by_side = rows_lie_side_by_side(job);
  const int64_t lanes = side_by_side ? fewest_lanes : lanes_of(device, job.rows * tiles, tile);
  SortSource keys = job.source;
  keys.payload.reset();
  // A loop over the tile, in it two over what is in flight, and one over lanes.
  const int64_t trips = 2 * ceil_divide(tile, lanes) + std::bit_width(static_cast<uint64_t>(lanes)) + 4;
  const Grid grid = streaming_grid(device, job.rows * tiles, group / lanes, group, trips);
  SubgroupProgram program = side_by_side ? step_program(device, job, keys, firsts, tiles, job.rows, tile, grid)
                                         : step_program(device, job, keys, firsts, job.rows, tiles, tile, grid);
  if (side_by_side) program.defines += define("EG_SIDE_BY_SIDE");
  program.defines += define("EG_LANES", lanes) + define("EG_EACH", loads_in_flight);
  return finish(device, "sort_tile_first", job, program);
}

std::optional<Dispatch> gather(const Target& device, const SortJob& job, const SortTarget& chosen,
                               const SortTarget& candidates, int64_t tile) {
  const int64_t group = group_of(device), trips = ceil_divide(tile, group) + ceil_divide(job.keep, group) + 1;
  const Grid grid = resident_grid(device, job.rows * job.keep, 1, group, trips);
  SubgroupProgram program = step_program(device, job, job.source, candidates, job.rows, job.keep, tile, grid);
  const int binding = program.bindings.add_pairs(chosen.records.get(), false, {0, job.rows * job.keep * 2 - 1});
  program.defines += define("EG_TILE_OF(i)", codegen::block_name(binding) + "[i].y");
  return finish(device, "sort_tile_gather", job, program);
}

}  // namespace

bool rows_lie_side_by_side(const SortJob& job) { return job.rows >= usual_lanes && rows_are_near(job); }

bool rows_are_near(const SortJob& job) {
  const SortSource& source = job.source;
  if (source.records || source.kept_rank == 0 || source.keys.operands.empty()) return false;
  const std::vector<int64_t>& strides = source.keys.operands.front().layout.strides;
  const int64_t row = std::abs(strides[static_cast<size_t>(source.kept_rank) - 1]), record = std::abs(strides.back());
  return row > 0 && row < record;
}

int64_t few_of_many_tile(const Target& target, int64_t rows, int64_t length, int64_t keep) {
  if (target.software && length < shortest_of_software) return 0;
  const int64_t share = length / keep;
  const auto even = static_cast<int64_t>(std::sqrt(static_cast<double>(share)));
  const int64_t tile = std::max(shortest_tile, target.software ? longer_in_software * even : even),
                tiles = ceil_divide(length, tile);
  const bool saves = worthwhile * (tiles + keep * tile) <= length;
  const bool many = rows * length >= records_a_resident_invocation * target.resident_invocations;
  return saves && many && tiles >= keep ? tile : 0;
}

std::optional<FewOfMany> few_of_many(Lowering& lowering, const SortJob& job) {
  const Target& device = lowering.target();
  const int64_t tile = few_of_many_tile(device, job.rows, job.length, job.keep);
  // A buffer of keys alone takes no pairs.
  if (tile == 0 || (!job.task.pairs && (job.source.records || job.target.records))) return std::nullopt;
  FewOfMany steps;
  steps.tiles = ceil_divide(job.length, tile);
  steps.tile = tile;
  const SortTarget firsts = pairs(lowering, job.rows, steps.tiles);
  const SortTarget candidates = pairs(lowering, job.rows, job.keep * tile);
  steps.chosen = pairs(lowering, job.rows, job.keep);
  std::optional<Dispatch> first = find_firsts(device, job, firsts, tile);
  std::optional<Dispatch> second = gather(device, job, steps.chosen, candidates, tile);
  if (!first || !second) return std::nullopt;
  steps.find_firsts = *std::move(first);
  steps.gather = *std::move(second);
  steps.firsts = source_of(firsts);
  steps.candidates = source_of(candidates);
  return steps;
}

}  // namespace eglantine::lower
