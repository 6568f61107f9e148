#pragma once

#include <memory>

#include "lower/lowering.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/sort/text.hpp"

namespace eglantine::lower {

// A radix sort takes a key in digits; keys, values and counts are words.
inline constexpr int64_t bits_a_pass = 8, digits = 1 << bits_a_pass, word = 4;

/// The bits in which keys of a dtype differ.
int sort_bits(DType dtype);

/// What all passes of a sort share.
struct SortTask {
  DType dtype;  ///< of the keys
  bool descending = false;
  bool pairs = false;           ///< records have values
  int bits = sort_bits(dtype);  ///< the lowest ones of a key, which alone are compared by digits
};

/// The bits of a key that no other key comes after. flip: of the sort's order.
uint32_t last_key(DType dtype, uint32_t flip);

/// What a pass does with each tile of a row.
enum class SortStep {
  count,    ///< counts the digits of eight bits: counts(row, tile, 256)
  scatter,  ///< moves records to the positions that the scanned counts give
  rows,     ///< sorts tiles, each a whole row
  select,   ///< writes the first few records of each tile as a row
};

/// What one dispatch covers.
struct SortWindow {
  int64_t rows = 1;
  int64_t length = 0;  ///< of a row
  int64_t tile = 0;    ///< elements
  Window tiles;        ///< of each row: all, unless there is one row
  Window positions;    ///< positions in a row (of `select`: in a tile's selection) that are written
  int first_bit = 0;
};

/// Records that a group sorts at a time in shared memory; not on software devices.
int64_t tile_length(const Target& target);
/// On software devices: the longest row that is sorted at once, in at most 16 KiB of shared memory for pairs and 32 for
/// keys alone, and the most records selected of a tile.
int64_t serial_row(const Target& target, bool pairs);
inline constexpr int64_t serial_selection = 256;
/// Dynamic back-edges of a selection of a tile there.
int64_t selection_trips(int64_t tile, int64_t keep);

/// The program of a step over a window, with its bindings and uniforms.
class SortProgram : public BoundProgram {
 public:
  /// target: null for `count`. counts: for `count` and `scatter`.
  SortProgram(const Target& device, const SortTask& task, SortStep step, const SortWindow& window,
              const SortSource& source, const SortTarget* target, BufferPtr counts);

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
  bool serial_;
  int64_t serial_row_;
  bool source_records_;
  SortReader reader_;
  std::optional<SortWriter> writer_;
  BufferPtr counts_;
  int counts_binding_ = -1, counts_slot_ = -1;
  int64_t group_size_ = 1, lanes_ = 1;
  Grid grid_;
};

}  // namespace eglantine::lower
