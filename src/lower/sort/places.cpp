#include "lower/sort/places.hpp"

#include <algorithm>
#include <vector>

#include "graph/device_limits.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/sort/places_windows.hpp"

namespace eglantine::lower {
namespace {

using codegen::Bindings;
using codegen::define;

constexpr int64_t digit_bits = 11, digit_values = int64_t{1} << digit_bits;
// A row's counts are less than its keys; sorting shorter rows takes no longer. Plans read few places of rows
// from the same length on: rows too short to be counted would be sorted whole, in memory of their own.
constexpr int64_t shortest_counted_row = DeviceLimits{}.shortest_selection, most_places = 4;
constexpr int64_t count_group = 512, counted_at_once = 8, find_group = 256, serial_group = 8;
// Of the counts of several rows at a time, at most: memory beside the keys.
constexpr int64_t most_state_bytes = int64_t{1} << 27;
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

/// Rows whose places are found together.
struct PlacesBatch {
  Window rows;
  PlacesState state;
  std::vector<KeyWindow> windows;
  std::vector<Dispatch> dispatches;
};

class PlacesRunner {
 public:
  PlacesRunner(Lowering& lowering, const SortJob& job, const IntList& places)
      : lowering_(lowering), device_(lowering.target()), job_(job), places_(places) {}

  bool run() {
    const int64_t most_bytes = std::min(most_state_bytes, device_.max_block_bytes);
    const int64_t at_once = std::clamp<int64_t>(most_bytes / (state_of(1).words() * word), 1, job_.rows);
    buffer_ = lowering_.temporary(state_of(at_once).words() * word);
    std::vector<PlacesBatch> batches;
    for (int64_t first = 0; first < job_.rows; first += batches.back().rows.count) {
      Window rows{first, std::min(at_once, job_.rows - first)};
      while (rows.count > 1 && !binds_results(rows)) rows.count = ceil_divide(rows.count, int64_t{2});
      batches.push_back({rows, state_of(rows.count), windows_of_keys(device_, job_, rows), {}});
      if (!add_passes(batches.back())) return false;
    }
    for (PlacesBatch& batch : batches) dispatch(batch);
    return true;
  }

 private:
  PlacesState state_of(int64_t rows) const { return PlacesState(rows * places_.rank()); }
  int64_t flip() const { return job_.task.descending ? -1 : 0; }

  // ---- what is bound at once

  SortTarget target_from(int64_t row) const {
    SortTarget target = job_.target;
    target.first_row += row;
    return target;
  }

  bool binds_results(const Window& rows) const {
    Bindings bindings(device_.max_block_bytes, device_.binding_alignment);
    SortWriter(target_from(rows.first), false).bind(bindings, {0, rows.count}, {0, job_.keep});
    return bindings.fits() && bindings.size() < device_.max_bindings;  // beside the state
  }

  /// shared: other groups of the dispatch change words that a group reads or adds to.
  void bind_state(SubgroupProgram& program, const PlacesState& state, bool shared) const {
    const layout::Reach all{0, state.words() - 1};
    const int binding = shared ? program.bindings.add_coherent(buffer_.get(), all)
                               : program.bindings.add_write(buffer_.get(), StorageType::u32, false, all);
    program.defines += define("EG_STATE(i)", codegen::block_name(binding) + "[i]") +
                       define("EG_PLACES", int64_t{places_.rank()}) + record_defines(false);
  }

  // ---- passes

  /// A digit of the keys.
  struct Pass {
    int64_t number, low, width;  ///< bits behind the digit, and its own
  };

  bool add_passes(PlacesBatch& batch) const {
    if (batch.windows.empty() || !binds_results(batch.rows)) return false;
    int64_t low = job_.task.bits;
    for (int64_t number = 0; low > 0; ++number) {
      const int64_t width = std::min(digit_bits, low);
      low -= width;
      for (const KeyWindow& keys : batch.windows) add_count(batch, {number, low, width}, keys);
      add_find(batch, {number, low, width});
    }
    return true;
  }

  /// Of keys, in whole trips of a group: as many as keep all groups busy; on software devices many for each merge.
  int64_t tile(const KeyWindow& keys, int64_t group, int64_t each) const {
    const int64_t groups = std::max<int64_t>(1, device_.resident_invocations / group), columns = keys.columns.count;
    const int64_t shared_out = std::clamp<int64_t>(ceil_divide(keys.rows.count * columns, groups), 1, columns);
    return round_up(device_.software ? std::min(group * software_share, columns) : shared_out, group * each);
  }

  /// Of a tile: over its keys, and to clear and merge the counts.
  int64_t trips(int64_t keys, int64_t group) const { return keys / group + 2 * places_.rank() * digit_values / group; }

  void add_count(PlacesBatch& batch, const Pass& pass, const KeyWindow& keys) const {
    SubgroupProgram program(device_, source_from(job_, keys.rows.first), false);
    program.reader.bind(program.bindings, keys.rows.count, keys.columns);
    bind_state(program, batch.state, true);
    program.group = group_size_of(device_, device_.software ? serial_group : count_group);
    const int64_t each = device_.software ? 1 : counted_at_once, of_tile = tile(keys, program.group, each),
                  tiles = ceil_divide(keys.columns.count, of_tile), items = keys.rows.count * tiles;
    const Grid grid = resident_grid(device_, items, 1, program.group, trips(of_tile, program.group * each));
    program.groups = grid.groups;
    program.uniforms.add(items);
    program.uniforms.add(grid.chunk);
    program.uniforms.add_divisor(keys.rows.count);
    const int64_t before = (keys.rows.first - batch.rows.first) * places_.rank();
    for (int64_t number :
         {keys.columns.first + keys.columns.count, of_tile, flip(), batch.state.known(pass.number) + 2 * before,
          batch.state.counts(pass.number) + digit_values * before, pass.low, pass.width,
          int64_t{pass.number == 0 ? 1 : 0}, keys.columns.first})
      program.uniforms.add(number);
    program.reader.add_uniforms(program.bindings, program.uniforms);
    program.defines += define("EG_EACH", each);
    program.functions = order_function(job_.task.dtype, 7);
    batch.dispatches.push_back(sort_dispatch("sort_places_count", job_.task.dtype, program));
  }

  void add_find(PlacesBatch& batch, const Pass& pass) const {
    SubgroupProgram program(device_, job_.source, false);
    program.reads = program.subgroups = false;
    program.writer.emplace(target_from(batch.rows.first), false);
    program.writer->bind(program.bindings, {0, batch.rows.count}, {0, job_.keep});
    bind_state(program, batch.state, false);
    program.group = group_size_of(device_, device_.software ? serial_group : find_group);
    const int64_t items = batch.rows.count * places_.rank();
    program.groups = std::min(items, device_.max_groups);
    const int64_t stage = (pass.number == 0 ? nothing_known : 0) | (pass.low == 0 ? all_known : 0);
    for (int64_t number : {items, batch.state.known(pass.number), batch.state.counts(pass.number), flip(),
                           batch.state.known(pass.number + 1), batch.state.counts(pass.number + 1), pass.width, stage})
      program.uniforms.add(number);
    for (int64_t i = 0; i < most_places; ++i)
      program.uniforms.add(i < places_.rank() ? places_[static_cast<int>(i)] : 0);
    program.writer->add_uniforms(program.bindings, program.uniforms);
    program.functions = bits_function(job_.task.dtype, 3);
    batch.dispatches.push_back(sort_dispatch("sort_places_find", job_.task.dtype, program));
  }

  /// Each pass clears the next one's counts.
  void dispatch(PlacesBatch& batch) {
    const Layout first_counts = layout::contiguous(Shape{batch.state.count_words}, batch.state.counts(0));
    clear(lowering_, {buffer_, StorageType::u32, first_counts});
    for (Dispatch& step : batch.dispatches) lowering_.dispatch(std::move(step));
  }

  Lowering& lowering_;
  const Target& device_;
  const SortJob& job_;
  const IntList& places_;
  BufferPtr buffer_;
};

}  // namespace

bool counts_places(const Target& target, int64_t length, const IntList& places) {
  if (places.empty() || places.rank() > most_places || length < shortest_counted_row) return false;
  return word * places.rank() * digit_values <= target.max_shared_bytes &&
         word * PlacesState(places.rank()).words() <= target.max_block_bytes;
}

bool run_places(Lowering& lowering, const SortJob& job, const IntList& places) {
  return PlacesRunner(lowering, job, places).run();
}

}  // namespace eglantine::lower
