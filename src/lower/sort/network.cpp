#include "lower/sort/network.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "layout/divide.hpp"
#include "lower/sort/few_of_many.hpp"
#include "lower/sort/subgroup_program.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t network_group = 128, smallest_network_group = 32, most_lanes = 2;

std::string key_name(int64_t number) { return "eg_k" + std::to_string(number); }
std::string rank_name(int64_t number) { return "eg_r" + std::to_string(number); }

/// Whether all that is written are places, not of records that an earlier step left: a group shares nothing else.
bool writes_places(const SortJob& job) {
  return job.target.places && !job.target.records && !job.target.second.buffer && !job.source.payload &&
         !job.source.records;
}

/// Whether equal keys, being records of their own, have the same bits, which their order tells. A network of more keys
/// is a text that runs once from end to end, faster than it is fetched: of 2,263,804 rows of 60 i32 on an H200 3.8 ms,
/// of f32 by ranks 2.7.
bool is_network(const SortJob& job) {
  return !job.task.pairs && (job.task.dtype == DType::i32 || job.task.dtype == DType::u32) &&
         job.length <= longest_network;
}

/// Invocations that share a row.
int64_t lanes_of(const SortJob& job) { return ceil_divide(job.length, longest_network); }

int64_t row_bytes(const SortJob& job) {
  return (job.length | 1) * (job.task.pairs && !writes_places(job) ? 2 : 1) * word;
}

/// Invocations of a group, whose rows are in shared memory. Few rows are spread over more groups.
int64_t group_of(const Target& target, const SortJob& job) {
  const int64_t lanes = lanes_of(job);
  int64_t group = group_size_of(target, network_group);
  while (group > smallest_network_group * lanes && (group / lanes * row_bytes(job) > target.max_shared_bytes ||
                                                    job.rows * network_group / group < target.resident_invocations))
    group /= 2;
  return group;
}

/// Whether rows are so few records each, and if they are more than one invocation ranks, so many that their lanes fill
/// the device; of fewer rows it was not measured.
bool suits_registers(const Target& target, const SortJob& job) {
  if (job.length <= longest_network) return true;
  return job.length <= most_lanes * longest_network && 2 * job.rows >= target.resident_invocations;
}

/// The same of the first results, of which each row's are the last dimension.
bool results_lie_side_by_side(const SortJob& job) {
  const Layout& layout = job.target.out.layout;
  if (job.target.records || layout.shape.rank() < 2 || layout.shape[layout.shape.rank() - 1] != job.keep) return false;
  const int64_t row = std::abs(layout.strides[layout.strides.size() - 2]), record = std::abs(layout.strides.back());
  return row > 0 && row < record;
}

/// In which order neighbouring invocations take records.
const char* order_of(bool side_by_side) { return side_by_side ? "EG_ACROSS(i)" : "EG_ALONG(i)"; }

/// EG_EACH_RECORD(F) and EG_EACH_TWO(F): the records, and each two of them.
std::string rank_defines(int64_t records) {
  std::string each, two;
  for (int64_t i = 0; i < records; ++i) {
    const std::string number = std::to_string(i), ranked = key_name(i) + ", " + rank_name(i);
    each += " F(" + number + ", eg_x" + number + ", " + ranked + ")";
    for (int64_t j = i + 1; j < records; ++j) two += " F(" + ranked + ", " + key_name(j) + ", " + rank_name(j) + ")";
  }
  return codegen::define("EG_EACH_RECORD(F)", each) + codegen::define("EG_EACH_TWO(F)", two);
}

std::string defines_of(const SortJob& job) {
  using codegen::define;
  const int64_t lanes = lanes_of(job), records = ceil_divide(job.length, lanes);
  std::string text = define("EG_LENGTH", job.length) + define("EG_LANES", lanes) + define("EG_RECORDS", records) +
                     record_defines(job.task.pairs) + define("EG_READS(i)", order_of(rows_lie_side_by_side(job))) +
                     define("EG_WRITES(i)", order_of(results_lie_side_by_side(job)));
  if (is_network(job)) return text + network_defines(job.length) + define("EG_TELLS");
  return text + rank_defines(records) + (writes_places(job) ? define("EG_PLACES") : "");
}

}  // namespace

/// Batcher's merge exchange for a power of two, as in backend/cpu/instructions/block_ops_body.hpp. Of fewer keys the
/// comparisons with those missing at the end, which would be the largest, exchange nothing.
std::string network_defines(int64_t keys) {
  const auto all = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(keys)));
  std::string names, pairs;
  for (int64_t i = 0; i < keys; ++i) names += " F(" + std::to_string(i) + ", " + key_name(i) + ")";
  const auto exchange_all = [&](int64_t size, int64_t bit, int64_t apart) {
    for (int64_t i = 0; i + apart < keys; ++i)
      if ((i & size) == bit) pairs += " F(" + key_name(i) + ", " + key_name(i + apart) + ")";
  };
  for (int64_t size = all / 2; size > 0; size /= 2) {
    exchange_all(size, 0, size);
    for (int64_t span = all / 2; span > size; span /= 2) exchange_all(size, size, span - size);
  }
  return codegen::define("EG_EACH_KEY(F)", names) + codegen::define("EG_EACH_PAIR(F)", pairs);
}

bool run_network(Lowering& lowering, const SortJob& job) {
  const Target& device = lowering.target();
  const int64_t group = group_of(device, job);
  if (device.software || !suits_registers(device, job)) return false;
  if (group / lanes_of(job) * row_bytes(job) > device.max_shared_bytes) return false;
  SubgroupProgram program(device, job.source, job.task.pairs);
  program.subgroups = false;
  program.reader.bind(program.bindings, job.rows, {0, job.length});
  program.writer.emplace(job.target, job.task.pairs);
  program.writer->bind(program.bindings, {0, job.rows}, {0, job.keep});
  if (!program.bindings.fits() || program.bindings.size() > device.max_bindings) return false;
  program.group = group;
  program.groups = std::min(ceil_divide(job.rows, group / lanes_of(job)), device.max_groups);
  const int64_t flip = job.task.descending ? -1 : 0;
  for (int64_t number : {job.rows, job.keep, flip}) program.uniforms.add(number);
  program.reader.add_uniforms(program.bindings, program.uniforms);
  program.writer->add_uniforms(program.bindings, program.uniforms);
  program.defines = defines_of(job);
  program.functions = order_function(job.task.dtype, 2);
  if (is_network(job)) program.functions += bits_function(job.task.dtype, 2);
  lowering.dispatch(sort_dispatch("sort_network", job.task.dtype, program));
  return true;
}

}  // namespace eglantine::lower
