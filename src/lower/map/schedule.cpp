#include "lower/map/schedule.hpp"

#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

// A software device runs one SIMD vector of eight invocations through all its trips before the next: groups of eight
// access memory in order.
constexpr int64_t software_group = 8, hardware_group = 512;

/// Whether vectors are shorter than the 16 bytes that an invocation reads best at a time.
bool is_of_short_vectors(const Expr& value) {
  return !value.operands.empty() && is_narrow(value.operands.front().storage);
}

/// One vector an invocation where several operands stream; two where something is computed between load and store, so
/// that two loads precede two stores, or where vectors are short (docs/performance.md, "Streaming maps").
MapSchedule streaming_schedule(const Target& target, const Expr& value, int64_t vectors) {
  const bool several = value.operands.size() > 1,
             computes = !several && (value.code.size() > 1 || is_of_short_vectors(value));
  const int64_t group_size = group_size_of(target, computes ? 128 : 256), chunk = (several ? 1 : 2) * group_size;
  return {group_size, {ceil_divide(vectors, chunk), chunk}, computes ? 2 : 1};
}

}  // namespace

MapSchedule plan_map(const Target& target, const Expr& value) {
  const int64_t vectors = ceil_divide(value.domain.elements(), vector_width);
  if (target.large_pages && vectors > target.resident_invocations) return streaming_schedule(target, value, vectors);
  const int64_t group_size = group_size_of(target, target.software ? software_group : hardware_group);
  const Grid grid = resident_grid(target, vectors, group_size, group_size, trips_of(value));
  return {group_size, grid, unroll_of(value), !target.software};
}

}  // namespace eglantine::lower
