#include "lower/sort/subgroup_program.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

using codegen::define;

// The fastest group sizes and forms measured (docs/sort.md). Two groups share 48 KiB.
constexpr int64_t largest_sweep_group = 512, smallest_sweep_group = 256;

/// How a pass is divided.
struct OnesweepForm {
  int64_t each;              ///< records of an invocation
  int64_t look_back_window;  ///< descriptors that an invocation reads at a time
  bool one_tile;             ///< a group has one tile, without a loop
};
constexpr OnesweepForm pairs_form{11, 8, true}, keys_form{9, 1, false};
static_assert(keys_form.each >= digits / 32, "the counters of a group's subgroups take the place of its keys");

constexpr int64_t histogram_group = 512, histogram_each = 8;
constexpr int64_t longest_row = int64_t{1} << 30;  // a descriptor has two bits of flags
// Polls of a descriptor, some hundred nanoseconds each.
constexpr int64_t spin_limit = int64_t{1} << 20;

int64_t sweep_bytes(int64_t group) { return (group * pairs_form.each + digits + 9) * word; }

int64_t onesweep_group(const Target& target) {
  const int64_t group = group_size_of(target, largest_sweep_group);
  return sweep_bytes(group) <= target.max_shared_bytes ? group : smallest_sweep_group;
}

bool can_wait(const Target& target) {
  return target.forward_progress && target.subgroup == 32 && target.max_invocations >= smallest_sweep_group &&
         sweep_bytes(smallest_sweep_group) <= target.max_shared_bytes;
}

/// The words of the state's buffer: tiles taken by each pass, histograms, and two arrays of tile descriptors, of which
/// a pass uses one and clears the other.
struct OnesweepState {
  OnesweepState(int64_t rows, int64_t tiles, int64_t pass_count)
      : passes(pass_count),
        descriptor_words(rows * tiles * digits),
        histogram(round_up(passes, 4)),
        all_descriptors(histogram + rows * passes * digits) {}
  int64_t descriptors(int64_t pass) const { return all_descriptors + pass % 2 * descriptor_words; }
  int64_t words() const { return all_descriptors + 2 * descriptor_words; }

  int64_t passes, descriptor_words, histogram, all_descriptors;
};

class OnesweepRunner {
 public:
  OnesweepRunner(Lowering& lowering, const SortJob& job)
      : lowering_(lowering),
        device_(lowering.target()),
        job_(job),
        form_(job.task.pairs ? pairs_form : keys_form),
        group_(onesweep_group(device_)),
        tiles_(ceil_divide(job.length, group_ * form_.each)),
        state_(job.rows, tiles_, ceil_divide(job.task.bits, bits_a_pass)) {}

  bool run() {
    if (std::max(state_.words() * word, key_bytes()) > device_.max_block_bytes || job_.length >= longest_row)
      return false;
    state_buffer_ = lowering_.temporary(state_.words() * word);
    stall_error_ = lowering_.stall_error("sort");
    std::vector<Dispatch> dispatches;
    if (!add_histogram(dispatches)) return false;
    SortSource source = job_.source;
    for (int64_t pass = 0; pass < state_.passes; ++pass) {
      const bool last = pass + 1 == state_.passes;
      const SortTarget target = last ? job_.target : records(pass);
      if (!add_pass(dispatches, pass, source, target)) return false;
      source = {.keys = {}, .payload = {}, .records = target.records, .values = target.values, .pitch = target.pitch};
    }
    clear_counters();
    for (Dispatch& dispatch : dispatches) lowering_.dispatch(std::move(dispatch));
    return true;
  }

 private:
  int64_t key_bytes() const { return job_.rows * job_.length * word; }

  /// Passes alternate between the two. Keys and values are apart only where one binding cannot cover both, since that
  /// halves a tile's runs.
  const SortTarget& records(int64_t pass) {
    SortTarget& target = records_[static_cast<size_t>(pass % 2)];
    if (target.records) return target;
    const bool apart = job_.task.pairs && 2 * key_bytes() > device_.max_block_bytes;
    target.records = lowering_.temporary(key_bytes() * (job_.task.pairs && !apart ? 2 : 1));
    if (apart) target.values = lowering_.temporary(key_bytes());
    target.pitch = job_.length;
    return target;
  }

  /// Clears the tiles taken and the histograms. The first program clears the first descriptors, each pass the next
  /// one's.
  void clear_counters() {
    const Layout words = layout::contiguous(Shape{state_.all_descriptors});
    clear(lowering_, {state_buffer_, StorageType::u32, words});
  }

  /// The state's binding, or -1 where the device binds too little.
  int bind_state(SubgroupProgram& program) {
    const int state = program.bindings.add_coherent(state_buffer_.get(), {0, state_.words() - 1});
    if (!program.bindings.fits() || program.bindings.size() > device_.max_bindings) return -1;
    program.defines += define("EG_STATE(i)", codegen::block_name(state) + "[i]");
    return state;
  }

  bool add_histogram(std::vector<Dispatch>& dispatches) {
    SubgroupProgram program(device_, job_.source, false);
    program.reader.bind(program.bindings, job_.rows, {0, job_.length});
    if (bind_state(program) < 0) return false;
    program.group = group_size_of(device_, histogram_group);
    const int64_t groups = std::max<int64_t>(1, device_.resident_invocations / program.group);
    const int64_t shared_out = std::clamp<int64_t>(job_.rows * job_.length / groups, 1, job_.length);
    const int64_t tile = round_up(shared_out, program.group * histogram_each);
    const int64_t tiles = ceil_divide(job_.length, tile);
    const Grid grid = resident_grid(device_, job_.rows * tiles, 1, program.group);
    program.groups = grid.groups;
    program.uniforms.add(job_.rows * tiles);
    program.uniforms.add(grid.chunk);
    program.uniforms.add_divisor(tiles);
    for (int64_t number : {job_.length, tile, flip(), state_.histogram, state_.descriptors(0), state_.descriptor_words})
      program.uniforms.add(number);
    program.reader.add_uniforms(program.bindings, program.uniforms);
    program.defines += define("EG_EACH", histogram_each) + define("EG_PASSES", state_.passes) + record_defines(false);
    program.functions = order_function(job_.task.dtype, 7);
    dispatches.push_back(sort_dispatch("sort_histogram", job_.task.dtype, program));
    return true;
  }

  bool add_pass(std::vector<Dispatch>& dispatches, int64_t pass, const SortSource& source, const SortTarget& target) {
    const int64_t positions = pass + 1 == state_.passes ? job_.keep : job_.length;
    SubgroupProgram program(device_, source, job_.task.pairs);
    program.reader.bind(program.bindings, job_.rows, {0, job_.length});
    program.writer.emplace(target, job_.task.pairs);
    program.writer->bind(program.bindings, {0, job_.rows}, {0, positions});
    const int stall_error = program.bindings.add_write(stall_error_.buffer.get(), StorageType::u32, false,
                                                       {stall_error_.element, stall_error_.element});
    if (bind_state(program) < 0) return false;
    program.group = group_;
    add_pass_uniforms(program, pass, positions, stall_error);
    if (form_.one_tile && program.groups == job_.rows * tiles_) program.defines += define("EG_ONE_TILE", "1");
    program.defines += define("EG_EACH", form_.each) + define("EG_LOOK_BACK_WINDOW", form_.look_back_window) +
                       record_defines(job_.task.pairs) +
                       define("EG_STALL_ERROR", codegen::block_name(stall_error) + "[" + codegen::uniform_at(15) + "]");
    program.functions = order_function(job_.task.dtype, 7) +
                        "uint eg_digit(uint bits) { return (eg_order(bits) >> eg_u[8]) & 255u; }\n";
    dispatches.push_back(sort_dispatch("sort_onesweep", job_.task.dtype, program));
    return true;
  }

  void add_pass_uniforms(SubgroupProgram& program, int64_t pass, int64_t positions, int stall_error) const {
    const int64_t items = job_.rows * tiles_;
    program.groups = std::min(items, device_.max_groups_x);
    program.uniforms.add(items);
    program.uniforms.add(ceil_divide(items, program.groups));
    program.uniforms.add_divisor(tiles_);
    for (int64_t number : {job_.length, positions, flip(), pass * bits_a_pass, pass, state_.histogram + pass * digits,
                           state_.passes * digits, state_.descriptors(pass), state_.descriptors(pass + 1), spin_limit,
                           stall_error_.element - program.bindings.first_element(stall_error)})
      program.uniforms.add(number);
    program.reader.add_uniforms(program.bindings, program.uniforms);
    program.writer->add_uniforms(program.bindings, program.uniforms);
  }

  int64_t flip() const { return job_.task.descending ? -1 : 0; }

  Lowering& lowering_;
  const Target& device_;
  const SortJob& job_;
  OnesweepForm form_;
  int64_t group_, tiles_;
  OnesweepState state_;
  BufferPtr state_buffer_;
  std::array<SortTarget, 2> records_{};
  Flag stall_error_;
};

}  // namespace

bool run_onesweep(Lowering& lowering, const SortJob& job) {
  return can_wait(lowering.target()) && OnesweepRunner(lowering, job).run();
}

}  // namespace eglantine::lower
