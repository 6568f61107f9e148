#include "lower/sort/choose.hpp"

#include <algorithm>
#include <bit>

#include "lower/sort/few_of_many.hpp"

namespace eglantine::lower {
namespace {

// Each chosen record is compared with all others.
constexpr int64_t most_chosen = 256;
// Of the rows between, 287 of 6820 took a quarter of the time of sorting tiles of them side by side, and 1460 of
// 15,328, which occupy all multiprocessors, three quarters (an H200); the limits themselves were not measured.
constexpr int64_t shortest_row = 2048, longest_of_few = int64_t{1} << 14, longest_of_many = int64_t{1} << 16,
                  least_share = 8;
constexpr int64_t group_of_row = 512, counters = 2048, sums = 32;

}  // namespace

bool chooses_few(const Target& target, int64_t rows, int64_t length, int64_t keep) {
  constexpr int64_t groups_of_a_multiprocessor = 4;
  const bool many = rows * group_of_row * groups_of_a_multiprocessor >= target.resident_invocations;
  return !target.software && keep <= most_chosen && length >= std::max(shortest_row, least_share * keep) &&
         length <= (many ? longest_of_many : longest_of_few) &&
         word * (counters + group_of_row + sums + most_chosen + vector_width) <= target.max_shared_bytes;
}

bool run_choice(Lowering& lowering, const SortJob& job, const SortTarget& chosen) {
  const Target& device = lowering.target();
  if (rows_lie_side_by_side(job)) return false;  // neighbours in a row share no line of memory
  SubgroupProgram program(device, job.source, job.task.pairs);
  program.subgroups = false;
  program.reader.bind(program.bindings, job.rows, {0, job.length});
  program.writer.emplace(chosen, job.task.pairs);
  program.writer->bind(program.bindings, {0, job.rows}, {0, job.keep});
  if (!program.bindings.fits() || program.bindings.size() > device.max_bindings) return false;
  program.group = group_size_of(device, group_of_row);
  program.groups = std::min(job.rows, device.max_groups);
  const int64_t flip = job.task.descending ? -1 : 0;
  const auto place_bits = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(job.length - 1)));
  for (int64_t number : {job.rows, job.length, job.keep, flip, int64_t{job.task.bits}, place_bits})
    program.uniforms.add(number);
  program.reader.add_uniforms(program.bindings, program.uniforms);
  program.writer->add_uniforms(program.bindings, program.uniforms);
  program.defines = codegen::define("EG_MOST", most_chosen) + record_defines(job.task.pairs);
  program.functions = order_function(job.task.dtype, 3);
  lowering.dispatch(sort_dispatch("sort_choose", job.task.dtype, program));
  return true;
}

}  // namespace eglantine::lower
