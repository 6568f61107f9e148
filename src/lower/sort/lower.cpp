#include <algorithm>

#include "codegen/value_text.hpp"
#include "eglantine/error.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/sort/choose.hpp"
#include "lower/sort/digit_counts.hpp"
#include "lower/sort/few_of_many.hpp"
#include "lower/sort/low_bits.hpp"
#include "lower/sort/places.hpp"
#include "lower/sort/program.hpp"
#include "lower/sort/subgroup_program.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

using codegen::Bindings;

/// A lone load moves bits of any dtype as u32: no float register changes them, and dtypes share programs.
void load_as_bits(Expr& expr) {
  if (!is_only(expr, Op::load) || is_narrow(expr.operands[0].storage)) return;
  expr.code[0].dtype = DType::u32;
  expr.operands[0].storage = StorageType::u32;
}

/// Whether two programs evaluate the expression to the same bits: no float arithmetic, which drivers may contract
/// differently in each.
bool is_repeatable(const Expr& expr) {
  return std::none_of(expr.code.begin(), expr.code.end(), [](const Instruction& step) {
    return step.dtype == DType::f32 && step.op != Op::load && step.op != Op::parameter && step.op != Op::copy &&
           step.op != Op::neg;
  });
}

class SortRunner {
 public:
  SortRunner(Lowering& lowering, const SortKernel& kernel, int bits)
      : lowering_(lowering),
        device_(lowering.target()),
        task_{kernel.keys.dtype(), kernel.descending, kernel.places || kernel.second.buffer != nullptr, bits},
        source_{kernel.keys, kernel.payload, kernel.kept_rank},
        target_{kernel.epilogue, kernel.out, kernel.second, kernel.places},
        rows_(codegen::count_of(kernel.keys.domain, {0, kernel.kept_rank})),
        length_(kernel.keys.domain[kernel.kept_rank]),
        keep_(kernel.keep),
        read_(kernel.read) {
    target_.pitch = keep_;
    load_as_bits(source_.keys);
    if (source_.payload) load_as_bits(*source_.payload);
    if (!is_only(target_.epilogue, Op::accumulator)) return;
    target_.epilogue.code[0].dtype = DType::u32;
    target_.out.storage = target_.second.storage = StorageType::u32;
  }

  void run() {
    if (read_.empty())
      sort();
    else if (!count_places())
      sort_for_places();
    if (target_.records) write_results();
  }

 private:
  enum class Regime { rows, select, radix };

  void sort() {
    choose_regime();
    if (reads_twice() && !is_repeatable(source_.keys)) materialize_source();
    materialize_what_fits_no_binding();
    for (int64_t first = 0, count = 0; first < rows_; first += count) {
      count = rows_from(first);
      run_rows(first, count);
    }
  }

  // ---- few places of rows

  /// Finds what is read without sorting, where that can be. Of rows that lie side by side each count of a row's keys
  /// would read a line of memory for each of them.
  bool count_places() {
    if (!counts_places(device_, length_, read_)) return false;
    const auto find = [&] { return run_places(lowering_, job_of(0, rows_), read_); };
    const bool copies = !is_repeatable(source_.keys) || rows_lie_side_by_side(job_of(0, rows_));
    if (copies) materialize_source();
    if (find()) return true;
    if (!copies) materialize_source();
    if (!copies && find()) return true;
    materialize_target();
    return find();
  }

  /// Sorts the rows whole, and copies what is read.
  void sort_for_places() {
    if (!target_.records) materialize_target();
    const SortTarget found = target_;
    keep_ = length_;
    target_ = records(rows_, length_, false);
    sort();
    for (int i = 0; i < read_.rank(); ++i) {
      MapKernel copy{load_of(column_of(target_, read_[i])), column_of(found, i)};
      collapse(copy);
      lower(lowering_, copy);
    }
    keep_ = read_.rank();
    target_ = found;
  }

  /// A place of all rows of records, of keys alone.
  Strided column_of(const SortTarget& target, int64_t place) const {
    return {target.records, StorageType::u32, {{rows_}, {target.pitch}, place}};
  }

  int64_t words() const { return task_.pairs ? 2 : 1; }
  int64_t passes() const { return ceil_divide(task_.bits, bits_a_pass); }

  void choose_regime() {
    const int64_t at_once = device_.software ? serial_row(device_, task_.pairs) : tile_length(device_);
    const int64_t most = device_.software ? std::min(serial_selection, length_ / 4) : at_once / 8;
    regime_ = length_ <= at_once ? Regime::rows : keep_ <= most ? Regime::select : Regime::radix;
  }

  /// Whether two programs read the keys' expression.
  bool reads_twice() const {
    return regime_ == Regime::radix || few_of_many_tile(device_, rows_, length_, keep_) > 0 ||
           chooses_few(device_, rows_, length_, keep_);
  }

  // ---- tiles

  /// Long enough to be worth its 256 counts, short enough that every multiprocessor has several.
  int64_t radix_tile(int64_t rows) const {
    if (!device_.software) return tile_length(device_);
    return std::min({std::clamp<int64_t>(even_tile(rows * length_), 1024, 16384), records_a_range(), length_});
  }

  int64_t even_tile(int64_t elements) const {
    return ceil_divide(elements, std::max<int64_t>(1, device_.resident_invocations / 4));
  }

  /// Records that one range covers, wherever they start.
  int64_t records_a_range() const { return (device_.max_block_bytes - device_.binding_alignment) / (words() * word); }

  int64_t selection_tile(int64_t rows, int64_t length) const {
    if (!device_.software) return std::min(length, tile_length(device_));
    int64_t tile = std::min(std::clamp<int64_t>(even_tile(rows * length), 4 * keep_, 8192), records_a_range());
    while (device_.max_loop_trips > 0 && selection_trips(tile, keep_) > device_.max_loop_trips / 4 * 3) tile /= 2;
    return std::min(length, tile);
  }

  // ---- what is bound at once

  SortSource source_from(int64_t first) const {
    SortSource source = source_;
    source.first_row = first;
    return source;
  }

  SortTarget target_from(int64_t first) const {
    SortTarget target = target_;
    target.first_row = first;
    return target;
  }

  struct BindingFit {
    bool source_fits, target_fits;
    int source_size, target_size;
  };

  BindingFit binding_fit(int64_t first, int64_t rows, int64_t max_bytes) const {
    Bindings source(max_bytes, device_.binding_alignment), target(max_bytes, device_.binding_alignment);
    SortReader(source_from(first), task_.pairs).bind(source, rows, {0, length_});
    SortWriter(target_from(first), task_.pairs).bind(target, {0, rows}, {0, keep_});
    return {source.fits(), target.fits(), source.size(), target.size()};
  }

  /// One-step sorts read and write in one program; others have records between the two, and radix sorts counts.
  bool binds_few(const BindingFit& fit) const {
    const int64_t most = device_.max_bindings;
    const bool one_step = regime_ == Regime::rows ||
                          (regime_ == Regime::select && selection_tile(rows_, length_) == length_) ||
                          (regime_ == Regime::radix && passes() == 1);
    const int64_t counts = regime_ == Regime::radix ? 1 : 0;
    if (one_step && fit.source_size + fit.target_size + counts > most) return false;
    return fit.source_size + 1 + counts <= most && fit.target_size + 1 + counts <= most;
  }

  /// Materializes expressions that no program could bind, being too scattered or with too many operands.
  void materialize_what_fits_no_binding() {
    // Other rows may start further from where a binding can, by at most the alignment.
    const int64_t margin = device_.max_block_bytes - device_.binding_alignment;
    const auto is_good = [&](bool source) {
      const BindingFit one = binding_fit(0, 1, margin);
      return (source ? one.source_fits : one.target_fits) && binds_few(one);
    };
    if (!is_good(true)) materialize_source();
    // Indices of elements are divided by lengths, which holds below 2^31 (codegen/uniforms.cpp).
    if (!target_.records && (rows_ * keep_ > elements_a_dispatch || !is_good(false))) materialize_target();
  }

  bool fits(int64_t first, int64_t rows) const {
    const BindingFit fit = binding_fit(first, rows, device_.max_block_bytes);
    if (!fit.source_fits || !fit.target_fits || rows * length_ > elements_a_dispatch) return false;
    const int64_t records = rows * length_ * words() * word;
    if (regime_ != Regime::radix) return regime_ == Regime::rows || records <= device_.max_block_bytes;
    const int64_t counts = rows * ceil_divide(length_, radix_tile(rows)) * digits * word;
    return std::max(records, counts) <= device_.max_block_bytes;
  }

  /// How many rows from `first` on are sorted at a time; a single one may take several windows.
  int64_t rows_from(int64_t first) const {
    int64_t rows = rows_ - first;
    while (rows > 1 && !fits(first, rows)) rows = ceil_divide(rows, 2);
    return rows;
  }

  // ---- steps

  SortJob job_of(int64_t first, int64_t rows) const {
    return {task_, rows, length_, keep_, source_from(first), target_from(first)};
  }

  void run_rows(int64_t first, int64_t rows) {
    regime_ == Regime::radix ? run_radix(first, rows) : select(job_of(first, rows));
  }

  /// Rows of at most a tile, or the first few of longer ones.
  void select(SortJob job) {
    if (select_of_many(job) || choose(job)) return;
    while (regime_ == Regime::select) {
      const int64_t tile = selection_tile(job.rows, job.length), tiles = ceil_divide(job.length, tile);
      if (tiles == 1) break;
      const SortTarget selected = records(job.rows * tiles, keep_, job.task.pairs);
      run_step(SortStep::select, {job.rows, job.length, tile, {0, tiles}, {0, keep_}}, job, &selected, nullptr);
      job.source = {.keys = {}, .payload = {}, .records = selected.records, .pitch = tiles * keep_};
      job.length = job.source.pitch;
    }
    if (run_network(lowering_, job) || run_short_rows(lowering_, job)) return;
    run_step(regime_ == Regime::select ? SortStep::select : SortStep::rows,
             {job.rows, job.length, job.length, {0, 1}, {0, keep_}}, job, &job.target, nullptr);
  }

  /// Sorts nothing but the records that are kept.
  bool choose(const SortJob& job) {
    if (!chooses_few(device_, job.rows, job.length, job.keep)) return false;
    const SortTarget chosen = records(job.rows, job.keep, job.task.pairs);
    if (!run_choice(lowering_, job, chosen)) return false;
    select({job.task,
            job.rows,
            job.keep,
            job.keep,
            {.keys = {}, .payload = {}, .records = chosen.records, .pitch = job.keep},
            job.target});
    return true;
  }

  /// Reads the records about once, where that pays.
  bool select_of_many(const SortJob& job) {
    std::optional<FewOfMany> steps = few_of_many(lowering_, job);
    if (!steps) return false;
    SortTask pairs = job.task;
    pairs.pairs = true;
    lowering_.dispatch(std::move(steps->find_firsts));
    select({pairs, job.rows, steps->tiles, keep_, steps->firsts, steps->chosen});
    lowering_.dispatch(std::move(steps->gather));
    select({pairs, job.rows, keep_ * steps->tile, keep_, steps->candidates, job.target});
    return true;
  }

  void run_radix(int64_t first, int64_t rows) {
    SortJob job = job_of(first, rows);
    if (run_onesweep(lowering_, job)) return;
    const int64_t tile = radix_tile(rows), tiles = ceil_divide(length_, tile);
    const BufferPtr counts = lowering_.temporary(rows * tiles * digits * word);
    for (int64_t pass = 0; pass < passes(); ++pass) {
      const bool last = pass + 1 == passes();
      SortWindow window{rows, length_, tile, {0, tiles}, {0, last ? keep_ : length_}};
      window.first_bit = static_cast<int>(pass * bits_a_pass);
      run_step(SortStep::count, window, job, nullptr, counts);
      scan_counts(lowering_, counts, rows, tiles);
      const SortTarget target = last ? job.target : records(rows, length_, task_.pairs);
      run_step(SortStep::scatter, window, job, &target, counts);
      job.source = {.keys = {}, .payload = {}, .records = target.records, .pitch = target.pitch};
    }
  }

  SortTarget records(int64_t rows, int64_t pitch, bool pairs) {
    SortTarget target{};
    target.records = lowering_.temporary(rows * pitch * (pairs ? 2 : 1) * word);
    target.pitch = pitch;
    return target;
  }

  /// Runs a step in windows of tiles and of positions: one of each, unless a single row is too long. A record's
  /// position depends on the data, so every window of positions reads every tile.
  void run_step(SortStep step, SortWindow window, const SortJob& job, const SortTarget* target,
                const BufferPtr& counts) {
    const int64_t positions = window.positions.count, all = window.tiles.count;
    const bool windowed = step == SortStep::scatter && target->records && window.rows == 1;
    const int64_t at_once = windowed ? std::min(positions, records_a_range()) : positions;
    for (int64_t place = 0; place < positions; place += at_once) {
      window.positions = {place, std::min(at_once, positions - place)};
      for (int64_t first = 0; first < all; first += window.tiles.count) {
        window.tiles = {first, std::min(first == 0 ? all : window.tiles.count, all - first)};
        run_window(step, window, job, target, counts);
      }
      if (step == SortStep::count) break;
    }
  }

  /// Runs the step over as many of the tiles as can be bound, and sets window.tiles to those.
  void run_window(SortStep step, SortWindow& window, const SortJob& job, const SortTarget* target,
                  const BufferPtr& counts) {
    while (true) {
      const SortProgram program(device_, job.task, step, window, job.source, target, counts);
      if (program.fits()) return lowering_.dispatch(program.dispatch());
      if (window.tiles.count == 1)
        throw DeviceError("[sort] one storage buffer binding covers " + std::to_string(device_.max_block_bytes) +
                          " bytes, and what sorts " + std::to_string(window.tile) +
                          " records at a time needs more; raise EGLANTINE_MAX_BLOCK_BYTES");
      window.tiles.count = ceil_divide(window.tiles.count, 2);
    }
  }

  // ---- materialized expressions

  Expr materialized(Expr expr) {
    const Strided out = lowering_.temporary(expr.dtype(), layout::contiguous(expr.domain));
    MapKernel map{std::move(expr), out};
    collapse(map);
    lower(lowering_, map);
    return load_of({out.buffer, StorageType::u32, layout::contiguous({rows_, length_})});
  }

  void materialize_source() {
    source_.keys = materialized(source_.keys);
    if (source_.payload) source_.payload = materialized(*source_.payload);
    source_.kept_rank = 1;
  }

  void materialize_target() {
    results_ = target_;
    target_ = records(rows_, keep_, task_.pairs);
  }

  /// The stored records' keys (word 0) or values (word 1) over the epilogue's domain.
  Strided materialized_words(DType dtype, int64_t number) const {
    Layout layout = layout::contiguous(results_.epilogue.domain);
    for (int64_t& stride : layout.strides) stride *= words();
    layout.offset = number;
    return {target_.records, word_storage(dtype), layout};
  }

  void write_results() {
    const DType dtype = codegen::accumulator_dtype(results_.epilogue);
    const Strided words = materialized_words(dtype, results_.places ? 1 : 0);
    lower(lowering_, MapKernel{reading_accumulator(results_.epilogue, words), results_.out});
    if (!results_.second.buffer) return;
    lower(lowering_, MapKernel{load_of(materialized_words(results_.second.dtype(), 1)), results_.second});
  }

  Lowering& lowering_;
  const Target& device_;
  SortTask task_;
  SortSource source_;
  SortTarget target_, results_;
  int64_t rows_, length_, keep_;
  IntList read_;  ///< of keys alone: the places that are read; empty: the first `keep`
  Regime regime_ = Regime::radix;
};

}  // namespace

void lower(Lowering& lowering, const SortKernel& kernel) {
  SortRunner(lowering, kernel, sort_bits(kernel.keys.dtype())).run();
}

void lower_by_low_bits(Lowering& lowering, const SortKernel& kernel, int bits) {
  SortRunner(lowering, kernel, bits).run();
}

}  // namespace eglantine::lower
