#include "lower/sort/places.hpp"

#include <algorithm>
#include <vector>

#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/sort/few_of_many.hpp"

namespace eglantine::lower {
namespace {

using codegen::define;

constexpr int64_t digit_bits = 11, digit_values = int64_t{1} << digit_bits;
// A row's counts are less than its keys; sorting shorter rows takes no longer.
constexpr int64_t shortest_counted_row = 16384, most_places = 4;
constexpr int64_t count_group = 512, counted_at_once = 8, find_group = 256, serial_group = 8;
// On software devices, elements of an invocation between two times that a group clears and merges its counts.
constexpr int64_t software_share = 4096;

/// Bits of a pass' stage in sort_places_find.comp.
constexpr int64_t nothing_known = 1, all_known = 2;

/// The words of the state's buffer: what is known of each place, and counts, both of two passes that alternate.
struct PlacesState {
  explicit PlacesState(int64_t all_places)
      : known_words(2 * all_places), count_words(all_places * digit_values), all_counts(2 * known_words) {}
  int64_t known(int64_t pass) const { return pass % 2 * known_words; }
  int64_t counts(int64_t pass) const { return all_counts + pass % 2 * count_words; }
  int64_t words() const { return all_counts + 2 * count_words; }

  int64_t known_words, count_words, all_counts;
};

class PlacesRunner {
 public:
  PlacesRunner(Lowering& lowering, const SortJob& job, const IntList& places)
      : lowering_(lowering), device_(lowering.target()), job_(job), places_(places), state_(all_places()) {}

  bool run() {
    if (state_.words() * word > device_.max_block_bytes) return false;
    buffer_ = lowering_.temporary(state_.words() * word);
    std::vector<Dispatch> dispatches;
    int64_t low = job_.task.bits;
    for (int64_t pass = 0; low > 0; ++pass) {
      const int64_t width = std::min(digit_bits, low);
      low -= width;
      if (!add_count(dispatches, pass, low, width) || !add_find(dispatches, pass, low, width)) return false;
    }
    // Each pass clears the next one's.
    clear(lowering_, {buffer_, StorageType::u32, layout::contiguous(Shape{state_.count_words}, state_.counts(0))});
    for (Dispatch& dispatch : dispatches) lowering_.dispatch(std::move(dispatch));
    return true;
  }

 private:
  int64_t all_places() const { return job_.rows * places_.rank(); }
  int64_t flip() const { return job_.task.descending ? -1 : 0; }

  /// shared: other groups of the dispatch change words that a group reads or adds to.
  bool bind_state(SubgroupProgram& program, bool shared) {
    const layout::Reach all{0, state_.words() - 1};
    const int state = shared ? program.bindings.add_coherent(buffer_.get(), all)
                             : program.bindings.add_write(buffer_.get(), StorageType::u32, false, all);
    if (!program.bindings.fits() || program.bindings.size() > device_.max_bindings) return false;
    program.defines += define("EG_STATE(i)", codegen::block_name(state) + "[i]") +
                       define("EG_PLACES", int64_t{places_.rank()}) + record_defines(false);
    return true;
  }

  /// Of keys, in whole trips of a group: as many as keep all groups busy; on software devices many for each merge.
  int64_t tile(int64_t group, int64_t each) const {
    const int64_t groups = std::max<int64_t>(1, device_.resident_invocations / group);
    const int64_t shared_out = std::clamp<int64_t>(ceil_divide(job_.rows * job_.length, groups), 1, job_.length);
    return round_up(device_.software ? std::min(group * software_share, job_.length) : shared_out, group * each);
  }

  /// Of a tile: over its keys, and to clear and merge the counts.
  int64_t trips(int64_t keys, int64_t group) const { return keys / group + 2 * places_.rank() * digit_values / group; }

  bool add_count(std::vector<Dispatch>& dispatches, int64_t pass, int64_t low, int64_t width) {
    SubgroupProgram program(device_, job_.source, false);
    program.reader.bind(program.bindings, job_.rows, {0, job_.length});
    if (!bind_state(program, true)) return false;
    program.group = group_size_of(device_, device_.software ? serial_group : count_group);
    const int64_t each = device_.software ? 1 : counted_at_once, keys = tile(program.group, each),
                  tiles = ceil_divide(job_.length, keys);
    const Grid grid = resident_grid(device_, job_.rows * tiles, 1, program.group, trips(keys, program.group * each));
    program.groups = grid.groups;
    program.uniforms.add(job_.rows * tiles);
    program.uniforms.add(grid.chunk);
    program.uniforms.add_divisor(tiles);
    for (int64_t number :
         {job_.length, keys, flip(), state_.known(pass), state_.counts(pass), low, width, int64_t{pass == 0 ? 1 : 0}})
      program.uniforms.add(number);
    program.reader.add_uniforms(program.bindings, program.uniforms);
    program.defines += define("EG_EACH", each);
    program.functions = order_function(job_.task.dtype, 7);
    dispatches.push_back(sort_dispatch("sort_places_count", job_.task.dtype, program));
    return true;
  }

  bool add_find(std::vector<Dispatch>& dispatches, int64_t pass, int64_t low, int64_t width) {
    SubgroupProgram program(device_, job_.source, false);
    program.reads = program.subgroups = false;
    program.writer.emplace(job_.target, false);
    program.writer->bind(program.bindings, {0, job_.rows}, {0, job_.length});
    if (!bind_state(program, false)) return false;
    program.group = group_size_of(device_, device_.software ? serial_group : find_group);
    program.groups = std::min(all_places(), device_.max_groups);
    const int64_t stage = (pass == 0 ? nothing_known : 0) | (low == 0 ? all_known : 0);
    for (int64_t number : {all_places(), state_.known(pass), state_.counts(pass), flip(), state_.known(pass + 1),
                           state_.counts(pass + 1), width, stage})
      program.uniforms.add(number);
    for (int64_t i = 0; i < most_places; ++i)
      program.uniforms.add(i < places_.rank() ? places_[static_cast<int>(i)] : 0);
    program.writer->add_uniforms(program.bindings, program.uniforms);
    program.functions = bits_function(job_.task.dtype, 3);
    dispatches.push_back(sort_dispatch("sort_places_find", job_.task.dtype, program));
    return true;
  }

  Lowering& lowering_;
  const Target& device_;
  const SortJob& job_;
  const IntList& places_;
  PlacesState state_;
  BufferPtr buffer_;
};

}  // namespace

bool counts_places(const Target& target, int64_t length, const IntList& places) {
  const int64_t shared = word * places.rank() * digit_values;
  return places.rank() > 0 && places.rank() <= most_places && length >= shortest_counted_row &&
         shared <= target.max_shared_bytes;
}

bool run_places(Lowering& lowering, const SortJob& job, const IntList& places) {
  if (job.task.pairs || !counts_places(lowering.target(), job.length, places)) return false;
  return PlacesRunner(lowering, job, places).run();
}

}  // namespace eglantine::lower
