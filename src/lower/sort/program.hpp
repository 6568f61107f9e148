#pragma once

#include <memory>

#include "lower/lowering.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/sort/text.hpp"

namespace eglantine::lower {

/// What every pass of a sort knows.
struct SortTask {
  DType dtype;  ///< of the keys
  bool descending = false;
  bool pairs = false;  ///< records have values
};

/// The bits by which keys of a dtype differ.
int sort_bits(DType dtype);

/// What a pass does with its items, each a segment of a row.
enum class SortStep {
  count,    ///< counts the digits of eight bits: counts(row, segment, 256)
  scatter,  ///< puts records where the counts, by then places, say
  rows,     ///< sorts segments, each a whole row
  select,   ///< writes the first few records of each segment as a row of their own
};

/// What one dispatch covers.
struct SortWindow {
  int64_t rows = 1;
  int64_t length = 0;         ///< of a row
  int64_t tile = 0;           ///< elements
  codegen::Window tiles;      ///< of each row: all, unless there is one row
  codegen::Window positions;  ///< places in a row (or, of `select`, in what is selected of a segment) that are written
  int first_bit = 0;
};

/// Records that a group sorts at a time in shared memory; not on software devices.
int64_t tile_length(const Target& target);
/// The longest row that a software device sorts at once, and the most records that it selects of a segment.
inline constexpr int64_t serial_row = 128, serial_selection = 256;
/// Dynamic back-edges that selecting takes for a segment there.
int64_t selection_trips(int64_t tile, int64_t keep);

/// The program of a step, and the numbers that one dispatch gives it.
class SortProgram {
 public:
  /// target: none for `count`. counts: for `count` and `scatter`.
  SortProgram(const Target& device, const SortTask& task, SortStep step, const SortWindow& window,
              const SortSource& source, const SortTarget* target, BufferPtr counts);

  /// Whether one range covers what each operand and result reaches.
  bool fits() const { return bindings_.fits(); }
  Dispatch dispatch() const;

 private:
  bool uses_shared_memory() const { return !serial_ && step_ != SortStep::count; }
  bool pairs() const { return task_.pairs && (step_ != SortStep::count || source_records_); }
  int64_t count_of_items() const { return window_.rows * window_.tiles.count; }
  void plan_grid(const Target& target);
  int64_t serial_trips() const;
  void add_uniforms();
  std::string template_name() const;
  std::string defines() const;
  std::string holes() const;

  SortTask task_;
  SortStep step_;
  SortWindow window_;
  bool serial_, source_records_;
  SortReader reader_;
  std::optional<SortWriter> writer_;
  BufferPtr counts_;
  int counts_binding_ = -1, counts_slot_ = -1;
  codegen::Bindings bindings_;
  codegen::Uniforms uniforms_;
  int64_t group_size_ = 1, lanes_ = 1;
  Grid grid_;
};

}  // namespace eglantine::lower
