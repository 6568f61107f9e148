#pragma once

#include <memory>
#include <optional>

#include "codegen/stage.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/scan/schedule.hpp"

namespace eglantine::lower {

/// What one dispatch does: reduce leaves what each chunk but a row's last combines to; scan writes the results.
enum class ScanPass : uint8_t { reduce, scan };

/// A box of a scan's domain, cut at whole chunks: what one dispatch covers.
struct ScanWindow {
  ScanKernel kernel;            ///< over the box
  int64_t first_chunk = 0;      ///< of the box, in its rows
  int64_t chunks = 1;           ///< of the box
  bool ends = true;             ///< the rows end in the box
  std::optional<Strided> sums;  ///< over the box's rows and chunks: what pass `reduce` writes, or, for pass `scan`,
                                ///< what comes before each chunk but a row's first; or see ScanTileProgram
};

/// `eg_finish`: what becomes of a scan's results.
std::string scan_finish_function(const codegen::LoadStage& apply_epilogue, Reduction reduction, DType dtype,
                                 bool exclusive);

/// The program of a pass over a part, of the patterns that take two.
class ScanProgram {
 public:
  ScanProgram(const Target& target, const ScanPlan& plan, ScanPass pass, const ScanWindow& window, bool vectors = true);

  bool fits() const { return bindings_.fits(); }
  int bindings() const { return bindings_.size(); }
  Dispatch dispatch() const;

 private:
  bool serial() const { return plan_.pattern == ScanPattern::row_serial || column(); }
  bool column() const { return !plan_.contiguous(); }
  bool spread() const { return plan_.pattern == ScanPattern::column_spread; }
  /// Units of four columns, or rounds of them.
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
  int64_t first_chunks_without_carry_ = 0;  ///< 1 where the part starts its rows
  std::vector<codegen::Window> windows_, chunk_windows_;
  codegen::LoadStage load_;
  std::optional<codegen::LoadStage> epilogue_, carry_;
  std::optional<codegen::StoreStage> store_, total_;
  codegen::Bindings bindings_;
  codegen::Uniforms uniforms_;
  Grid grid_;
  int64_t row_log2_ = 0;                       ///< slots of a row of ScanPattern::rows
  int64_t vectors_ = 0, vectors_at_once_ = 0;  ///< of ScanPattern::column_spread: in all, and a round's
  int carry_skip_slot_ = -1;
  int unroll_ = 1;
};

}  // namespace eglantine::lower
