#include <algorithm>

#include "layout/divide.hpp"
#include "lower/sort/by_subgroups.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t subgroup = 32, most_each = 8, word = 4;
// A group has several short rows; a long one as many invocations as it needs.
constexpr int64_t usual_group = 128, largest_group = 512;
constexpr int64_t shared_words_a_subgroup = 264 + 1;

/// Invocations that work on a row: a power of two of subgroups, so that a group of several rows is whole.
int64_t lanes_of(int64_t length) {
  int64_t lanes = subgroup;
  while (lanes * most_each < length) lanes *= 2;
  return lanes;
}

bool fits(const Target& target, int64_t group) {
  return group <= std::min(largest_group, target.max_invocations) &&
         group / subgroup * shared_words_a_subgroup * word <= target.max_shared_bytes;
}

}  // namespace

bool run_short_rows(Lowering& lowering, const SortJob& job) {
  const Target& device = lowering.target();
  const int64_t lanes = lanes_of(job.length);
  int64_t group = std::max(lanes, usual_group);
  while (group > lanes && !fits(device, group)) group /= 2;
  if (device.subgroup != subgroup || !fits(device, group)) return false;

  SortParts parts(device, job.source, job.task.pairs);
  parts.reader.bind(parts.bindings, job.rows, {0, job.length});
  parts.writer.emplace(job.target, job.task.pairs);
  parts.writer->bind(parts.bindings, {0, job.rows}, {0, job.keep});
  if (!parts.bindings.fits() || parts.bindings.size() > device.max_bindings) return false;
  parts.group = group;
  parts.groups = std::min(ceil_divide(job.rows, group / lanes), device.max_groups);
  const int64_t flip = job.task.descending ? -1 : 0;
  for (int64_t number : {job.rows, job.length, job.keep, int64_t{sort_bits(job.task.dtype)}, flip})
    parts.uniforms.add(number);
  parts.reader.place(parts.bindings, parts.uniforms);
  parts.writer->place(parts.bindings, parts.uniforms);
  parts.defines = codegen::define("EG_LANES", lanes) + codegen::define("EG_EACH", ceil_divide(job.length, lanes)) +
                  record_defines(job.task.pairs);
  parts.functions = order_function(job.task.dtype, 4);
  lowering.dispatch(sort_dispatch("sort_rows", job.task.dtype, parts));
  return true;
}

}  // namespace eglantine::lower
