#pragma once

#include <memory>
#include <optional>

#include "codegen/stage/stage.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/scan/schedule.hpp"

namespace eglantine::lower {

/// What a dispatch does: reduce writes the totals of all chunks but a row's last; scan writes the results.
enum class ScanPass : uint8_t { reduce, scan };

/// One dispatch: a box of a scan's domain, cut at whole chunks.
struct ScanWindow {
  ScanKernel kernel;        ///< over the box
  int64_t first_chunk = 0;  ///< of the box, in its rows
  int64_t chunks = 1;       ///< of the box
  bool ends = true;         ///< the rows end in the box
  std::optional<Strided>
      sums;  ///< over the box's rows and chunks: the totals that pass `reduce` writes, or the carries of all chunks but
             ///< a row's first that pass `scan` reads; or see ScanTileProgram
};

/// `eg_finish`, which stores a scan's results, `width` at a time.
std::string scan_finish_function(const codegen::LoadStage& apply_epilogue, Reduction reduction, DType dtype,
                                 bool exclusive, int width = vector_width);

/// The program of one pass over a window, of the patterns with two passes.
class ScanProgram : public BoundProgram {
 public:
  ScanProgram(const Target& target, const ScanPlan& plan, ScanPass pass, const ScanWindow& window, bool vectors);

  Dispatch dispatch() const;

 private:
  bool serial() const { return plan_.pattern == ScanPattern::row_serial || column(); }
  bool column() const { return !plan_.contiguous(); }
  bool spread() const { return plan_.pattern == ScanPattern::column_spread; }
  int width() const { return column() ? plan_.columns : vector_width; }  ///< elements of a step
  /// Vectors of columns, or rounds of them.
  int64_t column_items() const;
  void add_sums(const ScanWindow& window, bool vectors);
  void plan_grid(const Target& target);
  void add_uniforms();
  std::string defines() const;
  std::string address_function() const;
  std::string sums_function() const;
  std::string holes() const;

  ScanPlan plan_;
  ScanPass pass_;
  Reduction reduction_;
  ReduceOpPtr custom_;
  bool exclusive_;
  int64_t rows_, length_, chunks_;          ///< of this dispatch
  int64_t first_chunks_without_carry_ = 0;  ///< 1 where the window starts its rows
  std::vector<Window> windows_, chunk_windows_;
  codegen::LoadStage load_;
  std::optional<codegen::LoadStage> epilogue_, carry_;
  std::optional<codegen::StoreStage> store_, total_;
  Grid grid_;
  int64_t row_log2_ = 0;                       ///< slots of a row of ScanPattern::rows
  int64_t vectors_ = 0, vectors_at_once_ = 0;  ///< of ScanPattern::column_spread: in all, and in a round
  int carry_skip_slot_ = -1;
  int unroll_ = 1;  ///< steps that an invocation of a serial pattern loads at a time
};

}  // namespace eglantine::lower
