#include "lower/map/schedule.hpp"

#include <algorithm>
#include <cstdlib>

#include "codegen/addresses/addresses.hpp"
#include "codegen/stage/window_reads.hpp"
#include "layout/collapse.hpp"
#include "layout/divide.hpp"
#include "lower/map/line_vectors.hpp"
#include "lower/map/load.hpp"
#include "lower/map/shared_steps.hpp"
#include "lower/map/stencil_order.hpp"

namespace eglantine::lower {
namespace {

// A software device runs one SIMD vector of eight invocations through all its trips before the next: groups of eight
// access memory in order.
constexpr int64_t software_group = 8, hardware_group = 512;

// What an invocation of hardware reads best at a time.
constexpr int64_t best_bytes = 16;

/// Whether the first operand is narrow, and so are all that change along a row, and what is stored on the way.
bool is_of_short_vectors(const Expr& value) {
  const auto is_short = [](const Strided& operand) {
    return operand.layout.strides.empty() || operand.layout.strides.back() == 0 || is_narrow(operand.storage);
  };
  return !value.operands.empty() && is_narrow(value.operands.front().storage) &&
         std::ranges::all_of(value.operands, is_short);
}

/// Vectors of 4 to 8 bytes, shorter than what an invocation reads best: as many as make 16 bytes are in flight, of a
/// copy four. Four where something is computed take longer than two (sines of bf16 25.4 us and 23.0).
MapSchedule short_schedule(const Target& target, const MapKernel& kernel, int64_t vectors) {
  const Expr& value = kernel.value;
  const bool several = value.operands.size() > 1, copies = !several && value.code.size() == 1;
  const int64_t of_16_bytes = best_bytes / (vector_width * bytes_of(value.operands.front().storage));
  const int64_t at_once = copies ? 4 : several ? of_16_bytes : 2;
  const int64_t group_size = group_size_of(target, several ? 256 : 128), chunk = at_once * group_size;
  return {group_size, {ceil_divide(vectors, chunk), chunk}, static_cast<int>(at_once)};
}

/// One vector an invocation where several operands stream; two where something is computed between load and store, so
/// that two loads precede two stores, or where vectors are short (docs/performance-notes.md, "Streaming maps").
MapSchedule streaming_schedule(const Target& target, const MapKernel& kernel, int64_t vectors) {
  const Expr& value = kernel.value;
  if (is_narrow(kernel.out.storage) && is_of_short_vectors(value)) return short_schedule(target, kernel, vectors);
  const bool several = value.operands.size() > 1,
             is_short = !value.operands.empty() && is_narrow(value.operands.front().storage),
             computes = !several && (value.code.size() > 1 || is_short);
  const int64_t group_size = group_size_of(target, computes ? 128 : 256), chunk = (several ? 1 : 2) * group_size;
  return {group_size, {ceil_divide(vectors, chunk), chunk}, computes ? 2 : 1};
}

/// Whether most operands are read one element at a time, elements apart or each under a condition of its own:
/// invocations of four neighbours each would read a part of many lines at once (docs/performance-notes.md, "Windows").
/// Those that are the same along a row, as a depthwise convolution's weights are, do not count.
bool reads_apart(const Expr& value) {
  codegen::Addresses addresses({"", value.domain, {{0, value.domain.rank()}}});
  int64_t apart = 0, together = 0;
  for (size_t i = 0; i < value.operands.size(); ++i) {
    const Strided& operand = value.operands[i];
    if (value.stores(i) && is_narrow(operand.storage)) return false;
    const codegen::VectorAccess access = addresses.access(addresses.add(operand.layout, true, true));
    const bool singly = access == codegen::VectorAccess::gather || access == codegen::VectorAccess::strided;
    const bool guarded = value.piecewise_of(i) != nullptr && operand.layout.strides.back() != 0;
    if (guarded || (singly && std::abs(operand.layout.strides.back()) > 1))
      ++apart;
    else if (operand.layout.strides.back() != 0)
      ++together;
  }
  return apart > 1 && apart > together;
}

/// Whether many operands are read as neighbours, backwards or from anywhere, one element at a time: each such load of
/// invocations of four neighbours touches four lines of memory, of neighbours side by side one.
bool gathers_neighbours(const Expr& value) {
  constexpr int64_t many = 6;  // of fewer the device's memory takes longer than its first cache
  codegen::Addresses addresses({"", value.domain, {{0, value.domain.rank()}}});
  return value.stored.empty() &&
         many <= std::ranges::count_if(value.operands, [&](const Strided& operand) {
           return !is_narrow(operand.storage) && std::abs(operand.layout.strides.back()) == 1 &&
                  addresses.access(addresses.add(operand.layout, true, true)) == codegen::VectorAccess::gather;
         });
}

/// Whether no vector of the results is stored whole: four stores of invocations side by side would each write a word of
/// four in every sector of memory. Of elements side by side one store writes whole sectors.
bool stores_singly(const MapKernel& kernel) {
  const auto is_narrow_result = [&](size_t i) { return is_narrow(kernel.value.operands[i].storage); };
  if (is_narrow(kernel.out.storage) || std::ranges::any_of(kernel.value.stored, is_narrow_result)) return false;
  const Layout out = layout::collapsed(kernel.out.layout);
  codegen::Addresses addresses({"", out.shape, {{0, out.shape.rank()}}});
  const codegen::VectorAccess access = addresses.access(addresses.add(out, true));
  return access == codegen::VectorAccess::gather || access == codegen::VectorAccess::strided;
}

/// Whether four neighbours, in one row, read seven tenths of what they would read apart, or less: where a window slides
/// by one, not where a small one slides by two, whose neighbours lie too far apart.
bool shares_windows(const Expr& value) {
  const int64_t row = value.domain[value.domain.rank() - 1];
  const codegen::WindowLoads loads = codegen::window_loads(value, vector_width);
  return value.domain.rank() > 1 && row % vector_width == 0 && loads.singly > 0 && 10 * loads.once <= 7 * loads.singly;
}

/// Such neighbours are an invocation's vector.
MapSchedule window_schedule(const Target& target, const Expr& value) {
  const int64_t group_size = group_size_of(target, 256);
  return {group_size, {ceil_divide(value.domain.elements() / vector_width, group_size), group_size}, 1};
}

/// Vectors of four lines, neighbours side by side.
MapSchedule line_schedule(const Target& target, const Expr& value, int axis) {
  const int64_t group_size = group_size_of(target, 256);
  const int64_t vectors = LineVectors::count(value.domain, axis);
  return {group_size, {ceil_divide(vectors, group_size), group_size}, 1, false, 4, {}, false, axis};
}

/// An element an invocation at a time, neighbours side by side; several in flight, fewer where each has many operands
/// (9: 56 us with four, 57 with two; 18: 163 and 142).
MapSchedule single_schedule(const Target& target, const Expr& value) {
  constexpr size_t many_operands = 13;
  const int64_t elements = value.domain.elements(), at_once = value.operands.size() < many_operands ? 4 : 2;
  const int64_t group_size = group_size_of(target, 256),
                each = elements > 4 * target.resident_invocations ? at_once : 1;
  const int64_t chunk = each * group_size;
  return {group_size, {ceil_divide(elements, chunk), chunk}, static_cast<int>(each), false, 1};
}

/// Resident groups, or on large pages a group for each chunk.
MapSchedule vector_schedule(const Target& target, const MapKernel& kernel) {
  const Expr& value = kernel.value;
  const int64_t vectors = ceil_divide(value.domain.elements(), vector_width);
  if (target.large_pages && vectors > target.resident_invocations) {
    if (const std::optional<TileOrder> tiles = stencil_order(target, value))
      return {tiles->vectors, {tiles->tiles(value.domain), 1}, 1, false, 4, tiles};
    return streaming_schedule(target, kernel, vectors);
  }
  const int64_t group_size = group_size_of(target, target.software ? software_group : hardware_group);
  if (const std::optional<TileOrder> tiles = tile_order(target, value, group_size)) {
    const int64_t trips = tiles->lines * trips_of(value);
    return {group_size, resident_grid(target, tiles->tiles(value.domain), 1, group_size, trips), 1, false, 4, tiles};
  }
  const Grid grid = resident_grid(target, vectors, group_size, group_size, trips_of(value));
  return {group_size, grid, unroll_of(value), !target.software};
}

/// Whether all operands together are so few elements, shown again and again, that caches hold them.
bool is_made_of_little(const Expr& value) {
  constexpr int64_t times = 8;
  int64_t elements = 0;
  for (const Strided& operand : value.operands) {
    int64_t distinct = 1;
    for (int i = 0; i < value.domain.rank(); ++i)
      if (operand.layout.strides[static_cast<size_t>(i)] != 0) distinct *= value.domain[i];
    elements += distinct;
  }
  return elements * times <= value.domain.elements();
}

/// Vectors of which none waits for memory: the two of an invocation are worth more than a branch for those in one row
/// (an outer product of 1024 x 499 x 227 144 us with the branch, 118 so).
void take_two_at_once(MapSchedule& schedule, int64_t vectors) {
  const int64_t chunk = 2 * schedule.group_size;
  schedule.grid = {ceil_divide(vectors, chunk), chunk};
  schedule.unroll = 2;
  schedule.by_rows = false;
}

}  // namespace

MapSchedule plan_map(const Target& target, const MapKernel& kernel) {
  const Expr& value = kernel.value;
  const bool apart = !target.software && reads_apart(value);
  if (apart && shares_windows(value)) return window_schedule(target, value);
  // Fewer results are spread over more invocations.
  const bool fills = value.domain.elements() >= target.resident_invocations,
             may_store_singly = !is_narrow(kernel.out.storage);
  if (!target.software && fills && may_store_singly)
    if (const std::optional<int> axis = axis_of_shared_steps(kernel)) return line_schedule(target, value, *axis);
  if (apart && may_store_singly) {
    const std::optional<int> lines = fills ? axis_of_lines(kernel) : std::nullopt;
    return lines ? line_schedule(target, value, *lines) : single_schedule(target, value);
  }
  if (!target.software && stores_singly(kernel)) return single_schedule(target, value);
  MapSchedule schedule = vector_schedule(target, kernel);
  schedule.by_rows = !target.software && reads_by_rows(value);
  if (schedule.by_rows) schedule.unroll = 1;  // loads on either side of a branch wait for it
  if (!target.software && !schedule.by_rows && !is_narrow(kernel.out.storage) && gathers_neighbours(value))
    return single_schedule(target, value);
  const int64_t vectors = ceil_divide(value.domain.elements(), vector_width);
  if (schedule.by_rows && !schedule.tiles && vectors > target.resident_invocations && is_made_of_little(value))
    take_two_at_once(schedule, vectors);
  return schedule;
}

}  // namespace eglantine::lower
