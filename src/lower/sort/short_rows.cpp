#include <algorithm>

#include "layout/divide.hpp"
#include "lower/sort/subgroup_program.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t subgroup = 32, most_each = 8;
// A group has several short rows; a long one as many invocations as it needs.
constexpr int64_t usual_group = 128, largest_group_of_rows = 512;
constexpr int64_t shared_words_a_subgroup = 264 + 1;

/// Invocations of a row: a power of two of subgroups, so that a group has whole rows.
int64_t lanes_of(int64_t length) {
  int64_t lanes = subgroup;
  while (lanes * most_each < length) lanes *= 2;
  return lanes;
}

bool fits(const Target& target, int64_t group) {
  return group <= std::min(largest_group_of_rows, target.max_invocations) &&
         group / subgroup * shared_words_a_subgroup * word <= target.max_shared_bytes;
}

}  // namespace

bool run_short_rows(Lowering& lowering, const SortJob& job) {
  const Target& device = lowering.target();
  const int64_t lanes = lanes_of(job.length);
  int64_t group = std::max(lanes, usual_group);
  while (group > lanes && !fits(device, group)) group /= 2;
  if (device.subgroup != subgroup || !fits(device, group)) return false;

  SubgroupProgram program(device, job.source, job.task.pairs);
  program.reader.bind(program.bindings, job.rows, {0, job.length});
  program.writer.emplace(job.target, job.task.pairs);
  program.writer->bind(program.bindings, {0, job.rows}, {0, job.keep});
  if (!program.bindings.fits() || program.bindings.size() > device.max_bindings) return false;
  program.group = group;
  program.groups = std::min(ceil_divide(job.rows, group / lanes), device.max_groups);
  const int64_t flip = job.task.descending ? -1 : 0;
  for (int64_t number : {job.rows, job.length, job.keep, int64_t{job.task.bits}, flip}) program.uniforms.add(number);
  program.reader.add_uniforms(program.bindings, program.uniforms);
  program.writer->add_uniforms(program.bindings, program.uniforms);
  program.defines = codegen::define("EG_LANES", lanes) + codegen::define("EG_EACH", ceil_divide(job.length, lanes)) +
                    record_defines(job.task.pairs);
  program.functions = order_function(job.task.dtype, 4);
  lowering.dispatch(sort_dispatch("sort_rows", job.task.dtype, program));
  return true;
}

}  // namespace eglantine::lower
