#pragma once

#include <memory>
#include <optional>

#include "lower/program_dispatch.hpp"
#include "lower/scan/program.hpp"

namespace eglantine::lower {

/// The program of a single-pass scan over a window (scan_tile.comp). With look-back the window's sums are the partials
/// of its tiles, in pairs of words, over the box's rows and look_back_partials().
class ScanTileProgram : public BoundProgram {
 public:
  ScanTileProgram(const Target& target, const ScanPlan& plan, const ScanWindow& window, bool vectors);

  Dispatch dispatch() const;

 private:
  bool look_back() const { return plan_.pattern == ScanPattern::look_back; }
  /// Look-back over one row with a group for each tile: a program with fewer registers.
  bool one_row() const { return look_back() && rows_ == 1 && grid_.groups == tiles_; }
  void bind_partials(const Strided& partials);
  void plan_grid(const Target& target);
  void add_uniforms(const Target& target, const ScanWindow& window);
  std::string defines() const;
  std::string partials_functions() const;
  std::string holes() const;

  ScanPlan plan_;
  Reduction reduction_;
  ReduceOpPtr custom_;
  bool exclusive_, subgroups_;
  int64_t rows_, length_, tiles_;  ///< of this dispatch: rows, elements and tiles of a row
  std::vector<Window> windows_, partial_windows_;
  bool loads_singly_, stores_singly_;  ///< elements, of which neighbours access neighbours, rather than vectors
  codegen::LoadStage load_, epilogue_;
  codegen::StoreStage store_;
  std::optional<codegen::Addresses> partials_;
  int partials_binding_ = -1;
  Grid grid_;
};

}  // namespace eglantine::lower
